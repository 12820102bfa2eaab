/** The log of deliveries, as the page shows it and as a script reads it; and Redeliver: an owner sends an event again. */
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, RETRIES } from '../../kit/listing.ts';
import { type Hooked, hook, hooked } from '../../kit/listing-webhook.ts';
import { naming } from '../../support/naming.ts';

const open = ({ owner, deliveries }: Hooked) => owner.open(deliveries);

test('LG-01: one row per event with player, state and next attempt, and inside it each attempt’s status, code and duration, which one in progress does not have', async () => {
  const scene = await hooked();
  const held = await scene.held('Steve');
  const sending = await open(scene);
  expect(sending.rows).toMatchObject([{ State: 'Sending', HTTP: 'none', 'Next attempt': '' }]);
  expect(sending.attempts).toEqual([naming(' 1 ', '1 Jun 12:00:00 UTC')]);
  expect(sending.attempts[0]).not.toMatch(/HTTP|\d m?s /);
  scene.site.clock.advance(250);
  held.writeHead(503).end();
  await scene.site.quiet();
  const [waiting] = (await open(scene)).rows;
  expect(waiting).toMatchObject({ Player: 'Steve', State: 'Retrying', HTTP: '503', detail: naming('1') });
  expect(waiting!['Next attempt']).not.toBe('');
  scene.receiver.answers = [204];
  await scene.site.pass(10_000);
  const { rows, attempts } = await open(scene);
  expect(rows).toMatchObject([{ Player: 'Steve', State: 'Delivered', HTTP: '204', 'Next attempt': '' }]);
  expect(attempts).toEqual([
    expect.stringMatching(/ 1 .* 1 Jun 12:00:00 UTC .*\b503 250 ms /),
    expect.stringMatching(/ 2 .* 1 Jun 12:00:10 UTC .*\b204 0 ms /),
  ]);
  const [event] = await scene.events();
  expect(event).toMatchObject({ kind: 'vote', state: 'delivered', attempts: 2, canRedeliver: true });
  expect(await scene.attempts()).toMatchObject([
    { attempt: 2, kind: 'vote', status: 'delivered', httpStatus: 204, eventId: event.id },
    { attempt: 1, kind: 'vote', status: 'failed', httpStatus: 503, durationMs: 250, error: null },
  ]);
});

test('HD-05, NS-47: each attempt’s X-Service-Delivery is in its row, linked to its page with request and response', async () => {
  const secret = 'whsec_never-in-the-log';
  const scene = await hooked({ fields: { secret: 'own', ownSecret: secret } });
  await scene.votes(1, 500, (response) => response.writeHead(200).end(`<script>${'ö'.repeat(1000)}`));
  await scene.site.pass(10_000);
  const ids = scene.receiver.requests.map(({ headers }) => String(headers['x-service-delivery']));
  const { attempts, html } = await open(scene);
  for (const [index, id] of ids.entries()) {
    const request = scene.receiver.requests[index]!;
    expect(attempts[index]).toMatch(new RegExp(` ${index + 1} .* ${id}$`));
    expect(html).toContain(`href="${scene.deliveries}/${id}"`);
    const page = await scene.owner.open(`${scene.deliveries}/${id}`);
    expect(page.code('request')).toContain(`POST ${scene.receiver.url}\n`);
    expect(page.code('request')).toContain(`X-Service-Delivery: ${id}`);
    expect(page.code('request')).toContain(request.body.toString());
    expect(page.code('request-body')).toContain(`\n  "eventId": "${request.json.eventId}",\n`);
    const { delivery } = await scene.owner.values(`${scene.deliveries}/${id}`);
    expect(delivery).toMatchObject({ url: scene.receiver.url, body: request.body.toString() });
    for (const said of [page.html, JSON.stringify(delivery)]) {
      expect(said).not.toContain(secret);
      expect(said).not.toMatch(/x-webhook-signature|sha256=/i);
    }
  }
  const { delivery } = await scene.owner.values(`${scene.deliveries}/${ids[1]}`);
  // The first 1 KiB.
  expect(delivery.response).toBe(`<script>${'ö'.repeat(508)}`);
});

test('every event has one state; the log can be filtered by it, through the URL and by links', async () => {
  const scene = await hooked();
  const { owner, deliveries, site, receiver } = scene;
  const voted = async (player: string, ...answers: number[]) => {
    site.clock.advance(1);
    receiver.answers = answers;
    await scene.vote(player);
  };
  await voted('GaveUp', 500);
  await scene.spend();
  await voted('Rejected', 404);
  await voted('Delivered', 204);
  await voted('Retry', 503);
  site.clock.advance(1);
  await scene.held('Sending');
  const found = async (query: string) => (await scene.events(query)).map(({ player }) => player);
  expect(await found('')).toEqual(['Sending', 'Retry', 'Delivered', 'Rejected', 'GaveUp']);
  const { html } = await owner.open(deliveries);
  for (const [state, label, players] of [
    ['sending', 'Sending', ['Sending']],
    ['retrying', 'Retrying', ['Retry']],
    ['delivered', 'Delivered', ['Delivered']],
    ['undelivered', 'Undelivered', ['Rejected', 'GaveUp']],
    ['failed', 'Failed', []],
  ] as const) {
    const query = `?state=${state}`;
    expect([state, await found(query)]).toEqual([state, players]);
    expect(html).toContain(`href="${deliveries}${query}"`);
    const { rows } = await owner.open(deliveries + query);
    expect(rows.map(({ Player, State }) => [Player, State])).toEqual(
      players.map((player) => [player, label]),
    );
  }
  const lost = await owner.open(`${deliveries}?state=lost`);
  expect([lost.status, lost.tab]).toEqual([422, expect.stringMatching(/^Error: /)]);
  expect(await owner.values(`${deliveries}?state=lost`)).toMatchObject({ code: 'form-invalid' });
});

test('pages have 20 rows, keep the filter, and do not shift when attempts and events are added', async () => {
  const scene = await hooked();
  const { owner, deliveries, site, votes } = scene;
  await votes(1, 404);
  const [oldest] = await scene.events();
  site.clock.advance(MINUTE);
  await votes(21, 404, 404, 204);
  const first = await owner.open(`${deliveries}?state=delivered`);
  expect(first.rows).toHaveLength(19);
  const all = await owner.values(deliveries);
  expect(all.events).toHaveLength(20);
  site.clock.advance(HOUR);
  await scene.redeliver(oldest.id);
  await votes(3);
  const second = await owner.values(all.older);
  expect(second.events.map(({ id }: { id: string }) => id).at(-1)).toBe(oldest.id);
  expect([second.events.length, second.older]).toEqual([2, null]);
  const newest = await owner.open(`${deliveries}?state=delivered`);
  const older = /href="([^"]*)" rel="next">/.exec(newest.html)![1]!.replaceAll('&amp;', '&');
  expect([newest.rows.length, older]).toEqual([20, expect.stringContaining('state=delivered&before=')]);
  const shown = await owner.open(older);
  expect([shown.rows.length, shown.html]).toEqual([3, expect.stringContaining('rel="prev">')]);
});

/** A site with a vote that the receiver rejected. From then on, the receiver accepts everything. */
async function rejected() {
  const scene = await hooked();
  await scene.votes(1, 404);
  scene.receiver.answers = [204];
  const [{ id }] = (await scene.events()) as [{ id: string }];
  return { ...scene, id };
}

test('LG-01, RD-01, RD-02, RD-06, RD-07: a 4xx is undelivered, without a next attempt; Redeliver sends the same bytes and event ID, with the next attempt number and a new delivery ID, adds the attempt to its event’s row, and makes an undelivered event delivered', async () => {
  const { site, receiver, owner, attempts, deliveries, day, states, id } = await rejected();
  expect((await owner.open(deliveries)).rows).toMatchObject([
    { State: 'Undelivered', HTTP: '404', 'Next attempt': '', Redeliver: 'Redeliver' },
  ]);
  expect((await owner.open(`${deliveries}/undelivered`)).text).toContain(id);
  expect(site.log.find(({ code }) => code === 'delivery-failed')).toMatchObject({
    ...{ fields: { state: 'undelivered', attempt: 1, kind: 'vote' }, sentence: naming('404', 'undelivered') },
  });
  expect(await day()).toBe('0 1 0 1');
  receiver.answers = [500, 204];
  const refused = await owner.press(deliveries, `${deliveries}/redeliver`);
  expect(refused.alerts[0]).toMatchObject({ role: 'alert', title: naming('500') });
  const shown = await owner.press(deliveries, `${deliveries}/redeliver`);
  expect(shown.alerts[0]).toMatchObject({ tone: 'good', title: naming('204') });
  expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1);
  const headers = (name: string) => receiver.requests.map((request) => request.headers[name]);
  expect(headers('x-service-event-id')).toEqual([id, id, id]);
  expect(headers('x-service-attempt')).toEqual(['1', '2', '3']);
  expect(new Set(headers('x-service-delivery')).size).toBe(3);
  expect((await owner.open(deliveries)).attempts).toEqual([
    expect.stringMatching(/ 1 .*\b404 /),
    expect.stringMatching(/ 2 .*\b500 /),
    expect.stringMatching(/ 3 .*\b204 /),
  ]);
  expect(await attempts()).toMatchObject([
    { attempt: 3, kind: 'redelivery', status: 'delivered', eventId: id },
    { attempt: 2, kind: 'redelivery', status: 'failed', eventId: id },
    { attempt: 1, kind: 'vote', status: 'failed', eventId: id },
  ]);
  expect([await day(), await states()]).toEqual(['1 1 0 0', ['delivered']]);
  expect((await owner.values(`${deliveries}/undelivered`)).undelivered).toEqual([]);
});

test('RD-03: Redeliver is refused while the webhook is disabled, paused or missing, with a reason on the page', async () => {
  const { votes, redeliver, receiver, owner, webhook, deliveries, save, id } = await rejected();
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
});

test('RD-04, LM-10: Redeliver sends ten in a minute for each listing; the eleventh is refused with the time to wait, and works after that; of twelve at once ten are sent', async () => {
  const first = await rejected();
  const { site, redeliver, receiver } = first;
  const other = await hook(site, first.owner, await first.owner.list());
  await other.votes(1, 404, 204);
  await redeliver();
  site.clock.advance(30_000);
  for (let again = 2; again <= 10; again++) expect(await redeliver()).toHaveProperty('result');
  expect(await redeliver()).toMatchObject({ code: 'too-many', retryAfterSeconds: 30 });
  expect(receiver.requests).toHaveLength(11);
  expect(await other.redeliver()).toHaveProperty('result');
  site.clock.advance(30_000);
  expect(await redeliver()).toHaveProperty('result');
  expect(await redeliver()).toMatchObject({ code: 'too-many' });
  site.clock.advance(MINUTE);
  const before = receiver.requests.length;
  await first.votes(11, 404);
  receiver.answers = [204];
  const answers = await Promise.all((await first.events()).map(({ id }) => redeliver(id)));
  expect(answers.filter(({ code }) => code === 'too-many')).toHaveLength(2);
  expect(receiver.requests).toHaveLength(before + 11 + 10);
});

test('RD-05, LM-11: an event can be redelivered on day 89 and on day 90; then it stays in the log without a button, until it is gone on day 91, like tests; its vote stays', async () => {
  const scene = await rejected();
  const { site, owner, deliveries, redeliver, receiver, events, id } = scene;
  await scene.test();
  // It stays undelivered.
  receiver.answers = [404];
  site.clock.advance(89 * DAY);
  await owner.signIn();
  expect(await redeliver(id)).toHaveProperty('result');
  site.clock.advance(DAY);
  await owner.signIn();
  expect(await redeliver(id)).toHaveProperty('result');
  site.clock.advance(1);
  expect(await redeliver(id)).toMatchObject({ code: 'too-old' });
  expect((await owner.open(deliveries)).form(`${deliveries}/redeliver`)).toBeNull();
  expect(await events()).toContainEqual(expect.objectContaining({ id, canRedeliver: false }));
  expect([await events(), receiver.requests]).toMatchObject([{ length: 2 }, { length: 4 }]);
  await site.pass(DAY);
  await site.pass(HOUR);
  await owner.signIn();
  await expect.poll(events).toEqual([]);
  expect((await owner.values(`${deliveries}/undelivered`)).undelivered).toEqual([]);
  expect(await redeliver(id)).toMatchObject({ code: 'no-event' });
  expect((await owner.values(scene.listed.page)).votes).toBe(1);
});

test('NS-29: a redelivery is a single attempt that starts no retries if it fails, and then leaves the event unchanged', async () => {
  const { site, votes, redeliver, receiver, states, events } = await hooked();
  await votes(2, 404, 204);
  const before = await states();
  receiver.answers = [500];
  for (const { id } of await events()) await redeliver(id);
  await site.pass(13 * DAY);
  expect([receiver.requests.length, await states()]).toEqual([4, before]);
});

test('DO-09, NS-29: a redelivery is a single attempt that neither uses nor cancels the retries that an event has left, unless it is answered 2xx', async () => {
  const { site, votes, redeliver, spend, receiver, states } = await hooked();
  await votes(1, 500);
  await redeliver();
  expect(await states()).toEqual(['retrying']);
  await spend();
  expect([receiver.requests.length, await states()]).toEqual([7, ['undelivered']]);
  await votes(1, 500, 204);
  await redeliver();
  await site.pass(RETRIES[0]!);
  await site.pass(13 * DAY);
  expect([receiver.requests.length, await states()]).toEqual([9, ['delivered', 'undelivered']]);
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
  const { rows } = await stranger.open(at);
  expect([rows, (await stranger.open(`${at}/${delivery}`)).status]).toEqual([[], 404]);
  expect(receiver.requests).toHaveLength(1);
});
