/** Redeliver: an owner sends an event again. */
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, RETRIES } from '../../kit/listing.ts';
import { hook, hooked } from '../../kit/listing-webhook.ts';
import { naming } from '../../support/naming.ts';

/** A site with a vote that the receiver rejected. From then on, the receiver accepts everything. */
async function rejected() {
  const scene = await hooked();
  await scene.votes(1, 404);
  scene.receiver.answers = [204];
  const [{ id }] = (await scene.events()) as [{ id: string }];
  return { ...scene, id };
}

describe('Redeliver', () => {
  test('RD-01, RD-02: sends the same bytes and event ID, with the next attempt number and a new delivery ID', async () => {
    const { receiver, owner, deliveries } = await rejected();
    const shown = await owner.press(deliveries, `${deliveries}/redeliver`);
    expect(shown.alerts[0]).toMatchObject({ tone: 'good', title: naming('204') });
    const [first, second] = receiver.requests;
    expect(second!.body.equals(first!.body)).toBe(true);
    expect(second!.headers['x-service-event-id']).toBe(first!.json.eventId);
    expect([first!.headers['x-service-attempt'], second!.headers['x-service-attempt']]).toEqual(['1', '2']);
    expect(second!.headers['x-service-delivery']).not.toBe(first!.headers['x-service-delivery']);
  });

  test('RD-02: shows the answer 500 as a failure', async () => {
    const { receiver, owner, deliveries } = await rejected();
    receiver.answers = [500];
    const shown = await owner.press(deliveries, `${deliveries}/redeliver`);
    expect(shown.alerts[0]).toMatchObject({ role: 'alert', title: naming('500') });
  });

  test('RD-06, RD-07: adds an attempt to its event’s row, and makes an undelivered event delivered', async () => {
    const { redeliver, attempts, owner, deliveries, day, states, id } = await rejected();
    expect(await day()).toBe('0 1 0 1');
    expect(await redeliver()).toMatchObject({ result: { delivered: true, httpStatus: 204 } });
    expect((await owner.open(deliveries)).attempts).toEqual([
      expect.stringMatching(/ 1 .*\b404 /),
      expect.stringMatching(/ 2 .*\b204 /),
    ]);
    expect(await attempts()).toMatchObject([
      { attempt: 2, kind: 'redelivery', status: 'delivered', eventId: id },
      { attempt: 1, kind: 'vote', status: 'failed', eventId: id },
    ]);
    expect([await day(), await states()]).toEqual(['1 1 0 0', ['delivered']]);
    expect((await owner.values(`${deliveries}/undelivered`)).undelivered).toEqual([]);
  });

  test('RD-03: is refused while the webhook is disabled, paused or missing, with a reason on the page', async () => {
    const { votes, redeliver, receiver, owner, listed, webhook, deliveries, save, id } = await rejected();
    await votes(19, 404);
    expect(await redeliver(id)).toMatchObject({ code: 'disabled' });
    const shown = await owner.open(deliveries);
    expect(shown.html).toMatch(/ disabled title="[^"]+">/);
    await owner.press(webhook);
    await save({ active: [] });
    expect(await redeliver(id)).toMatchObject({ code: 'paused' });
    expect(receiver.requests).toHaveLength(20);
    await save({ active: ['on'] });
    receiver.answers = [204];
    expect(await redeliver(id)).toMatchObject({ result: { delivered: true } });
    const bare = await owner.list();
    expect(await owner.answer(`${bare.dashboard}/deliveries/redeliver`, { event: id })).toMatchObject({
      code: 'no-event',
    });
    expect(listed.dashboard).not.toBe(bare.dashboard);
  });

  test('RD-04, LM-10: sends ten in a minute; the eleventh is refused with the time to wait, and works after that', async () => {
    const { site, redeliver, receiver } = await rejected();
    await redeliver();
    site.clock.advance(30_000);
    for (let again = 2; again <= 10; again++) expect(await redeliver()).toHaveProperty('result');
    expect(await redeliver()).toMatchObject({ code: 'too-many', retryAfterSeconds: 30 });
    expect(receiver.requests).toHaveLength(11);
    site.clock.advance(30_000);
    expect(await redeliver()).toHaveProperty('result');
    expect(await redeliver()).toMatchObject({ code: 'too-many' });
    site.clock.advance(MINUTE);
    expect(await redeliver()).toHaveProperty('result');
  });

  test('RD-04: sends ten of twelve events that are requested at once', async () => {
    const { votes, owner, deliveries, receiver, events } = await hooked();
    await votes(12, 404);
    receiver.answers = [204];
    const asked = (await events()).map(({ id }) => owner.answer(`${deliveries}/redeliver`, { event: id }));
    const answers = await Promise.all(asked);
    expect(answers.filter(({ code }) => code === 'too-many')).toHaveLength(2);
    expect(receiver.requests).toHaveLength(22);
  });

  test('RD-04: has a limit for each listing', async () => {
    const first = await rejected();
    const second = await hook(first.site, first.owner, await first.owner.list());
    await second.votes(1, 404, 204);
    for (let again = 1; again <= 10; again++) await first.redeliver();
    expect(await first.redeliver()).toMatchObject({ code: 'too-many' });
    expect(await second.redeliver()).toHaveProperty('result');
  });
});

describe('RD-05, LM-11: an event', () => {
  test('RD-05: can be redelivered on day 89 and on day 90; on day 91 it stays in the log, without a button', async () => {
    const { site, owner, deliveries, redeliver, receiver, events, id } = await rejected();
    site.clock.advance(89 * DAY);
    await owner.signIn();
    expect(await redeliver(id)).toHaveProperty('result');
    site.clock.advance(DAY);
    await owner.signIn();
    expect(await redeliver(id)).toHaveProperty('result');
    site.clock.advance(1);
    expect(await redeliver(id)).toMatchObject({ code: 'too-old' });
    site.clock.advance(DAY);
    await owner.signIn();
    expect((await owner.open(deliveries)).form(`${deliveries}/redeliver`)).toBeNull();
    expect((await events())[0]).toMatchObject({ id, canRedeliver: false });
    expect(receiver.requests).toHaveLength(3);
  });

  test('RD-05: is gone from the log on day 91, like tests; its vote stays', async () => {
    const { site, owner, listed, deliveries, redeliver, events, test: sendTest, id } = await rejected();
    await sendTest();
    expect(await events()).toHaveLength(2);
    await site.pass(91 * DAY);
    await site.pass(HOUR);
    await owner.signIn();
    await expect.poll(events).toEqual([]);
    expect((await owner.values(`${deliveries}/undelivered`)).undelivered).toEqual([]);
    expect(await redeliver(id)).toMatchObject({ code: 'no-event' });
    expect((await owner.values(listed.page)).votes).toBe(1);
  });
});

describe('NS-29: a redelivery is a single attempt', () => {
  test('NS-29: that starts no retries if it fails, and then leaves the event unchanged', async () => {
    const { site, votes, redeliver, receiver, states, events } = await hooked();
    await votes(2, 404, 204);
    const before = await states();
    receiver.answers = [500];
    for (const { id } of await events()) await redeliver(id);
    await site.pass(13 * DAY);
    expect([receiver.requests.length, await states()]).toEqual([4, before]);
  });

  test('NS-29: that neither uses nor cancels the retries that an event has left', async () => {
    const { votes, redeliver, spend, receiver, states } = await hooked();
    await votes(1, 500);
    await redeliver();
    expect(await states()).toEqual(['retrying']);
    await spend();
    expect([receiver.requests.length, await states()]).toEqual([7, ['undelivered']]);
  });

  test('DO-09: that ends the event’s retries if it is answered 2xx', async () => {
    const { site, votes, redeliver, receiver, states } = await hooked();
    await votes(1, 500, 204);
    await redeliver();
    await site.pass(RETRIES[0]!);
    await site.pass(13 * DAY);
    expect([receiver.requests.length, await states()]).toEqual([2, ['delivered']]);
  });
});

test('NS-28: an event that was never sent because of a pause is listed, and its redelivery is the first attempt', async () => {
  const { site, listed, owner, receiver, save, deliveries, redeliver } = await hooked();
  const held: ServerResponse[] = [];
  receiver.answers = [(response) => held.push(response)];
  for (let vote = 0; vote < 4; vote++) await site.cast(listed);
  await receiver.request(4);
  const { id } = await site.cast(listed);
  await save({ active: [] });
  for (const response of held) response.writeHead(204).end();
  await site.quiet();
  expect((await owner.values(`${deliveries}/undelivered`)).undelivered).toMatchObject([
    { eventId: id, attempts: 0 },
  ]);
  await save({ active: ['on'] });
  receiver.answers = [204];
  expect(await redeliver(id)).toMatchObject({ result: { delivered: true } });
  expect(receiver.requests[4]!.headers['x-service-attempt']).toBe('1');
});

test('a redelivery in progress is recorded when the service stops', async () => {
  const { site, redeliver, receiver, states, id } = await rejected();
  receiver.answers = [204, (response) => setImmediate(() => response.writeHead(204).end())];
  const asked = redeliver(id).catch(() => null);
  await receiver.request(2);
  await site.restart();
  await asked;
  expect(await states()).toEqual(['delivered']);
});

test('RD-08: no listing shows or redelivers events of another one', async () => {
  const { site, receiver, id } = await rejected();
  const stranger = await site.person();
  const own = await stranger.list();
  await stranger.saveWebhook(own, receiver.url);
  const at = `${own.dashboard}/deliveries`;
  await stranger.open(at);
  expect(await stranger.answer(`${at}/redeliver`, { event: id })).toMatchObject({ code: 'no-event' });
  const delivery = receiver.requests[0]!.headers['x-service-delivery'];
  expect([(await stranger.open(at)).rows, (await stranger.open(`${at}/${delivery}`)).status]).toEqual([
    [],
    404,
  ]);
  expect(receiver.requests).toHaveLength(1);
});
