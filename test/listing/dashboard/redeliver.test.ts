import { describe, expect, test } from 'vitest';
import { eventStates } from '../../../src/listing/webhooks/event-state.ts';
import { redeliveryRefusals } from '../../../src/listing/webhooks/redelivery.ts';
import { naming } from '../../support/naming.ts';
import { DAY_MS, HOUR_MS, SCHEDULE_MS } from '../../support/webhook-fixture.ts';
import { hookedSite } from './hooked-site.ts';

/** A site with a vote that the receiver rejected. From then on, the receiver accepts everything. */
async function refusedVote() {
  const hooked = await hookedSite();
  await hooked.votes(1, 404);
  hooked.receiver.answers = [204];
  const [{ eventId }] = (await hooked.owner.values(hooked.deliveries)).deliveries;
  return { ...hooked, eventId: eventId as string };
}

describe('Redeliver', () => {
  test('sends the same bytes and event ID, with the next attempt number and a new delivery ID (RD-01, RD-02)', async () => {
    const { receiver, redeliver } = await refusedVote();
    expect((await redeliver()).alerts[0]).toMatchObject({ tone: 'good', title: naming('204') });
    const [first, second] = receiver.requests;
    expect(receiver.requests).toHaveLength(2);
    expect(second!.body.equals(first!.body)).toBe(true);
    expect(second!.headers['x-service-event-id']).toBe(first!.json.eventId);
    expect([first!.headers['x-service-attempt'], second!.headers['x-service-attempt']]).toEqual(['1', '2']);
    expect(second!.headers['x-service-delivery']).not.toBe(first!.headers['x-service-delivery']);
  });

  test('sends the attempt number 7 after six attempts (RD-02)', async () => {
    const { site, votes, redeliver, receiver } = await hookedSite();
    await votes(1, 500);
    for (const pause of SCHEDULE_MS) await site.pass(pause);
    expect((await redeliver()).alerts[0]).toMatchObject({
      role: 'alert',
      title: naming('500'),
    });
    expect(receiver.requests.map(({ headers }) => headers['x-service-attempt'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
    ]);
    await site.pass(DAY_MS);
    expect(receiver.requests).toHaveLength(7);
  });

  test('is refused with the reason while the webhook is disabled, and works once it is saved again (RD-03)', async () => {
    const { votes, redeliver, receiver, owner, webhook, deliveries } = await refusedVote();
    await votes(19, 404);
    expect((await redeliver()).said).toBe(redeliveryRefusals.disabled);
    expect(receiver.requests).toHaveLength(20);
    const shown = await owner.open(deliveries);
    expect(shown.text).toContain(redeliveryRefusals.disabled);
    expect(shown.html).toContain(` disabled title="${redeliveryRefusals.disabled}">`);
    await owner.press(webhook);
    receiver.answers = [204];
    expect((await redeliver()).tone).toBe('good');
    expect(receiver.requests).toHaveLength(21);
  });

  test('sends ten a minute, refuses the eleventh, and sends it a minute later (RD-04)', async () => {
    const { site, redeliver, receiver } = await refusedVote();
    for (let again = 0; again < 10; again++) expect((await redeliver()).tone).toBe('good');
    expect((await redeliver()).said).toBe(redeliveryRefusals['too-many']);
    expect(receiver.requests).toHaveLength(11);
    await site.pass(60_000);
    expect((await redeliver()).tone).toBe('good');
    expect(receiver.requests).toHaveLength(12);
  });

  test('sends ten of twelve events that are requested at once (RD-04)', async () => {
    const { votes, owner, deliveries, receiver } = await hookedSite();
    await votes(12, 404);
    const events = (await owner.values(deliveries)).deliveries.map((row: { eventId: string }) => row.eventId);
    receiver.answers = [204];
    const headers = { accept: 'application/json' };
    const answers = await Promise.all(
      events.map((event: string) => owner.visitor.post(`${deliveries}/redeliver`, { event }, headers)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), 409, 409]);
    expect(receiver.requests).toHaveLength(22);
  });

  test('works for an event that is 89 days old; at 91 days there is no button, and a forged POST is refused (RD-05)', async () => {
    const { site, owner, deliveries, redeliver, receiver, eventId } = await refusedVote();
    site.clock.jump(89 * DAY_MS);
    await owner.signIn();
    expect((await redeliver()).tone).toBe('good');
    expect(receiver.requests).toHaveLength(2);
    site.clock.jump(2 * DAY_MS);
    expect((await owner.open(deliveries)).form(`${deliveries}/redeliver`)).toBeNull();
    const refused = await owner.post(`${deliveries}/redeliver`, { event: eventId });
    expect(refused.said).toBe(redeliveryRefusals['too-old']);
    expect(receiver.requests).toHaveLength(2);
  });

  test('is no longer possible after 91 days, when the log no longer lists the event (RD-05)', async () => {
    const { site, owner, deliveries } = await refusedVote();
    expect((await owner.open(deliveries)).rows).toHaveLength(1);
    await site.pass(91 * DAY_MS);
    await site.pass(HOUR_MS);
    await owner.signIn();
    expect((await owner.open(deliveries)).rows).toEqual([]);
    expect((await owner.open(`${deliveries}/undelivered`)).rows).toEqual([]);
  });

  test('adds an attempt to its event’s row (RD-06)', async () => {
    const { owner, redeliver, deliveries } = await refusedVote();
    await redeliver();
    expect((await owner.open(deliveries)).attempts).toEqual([
      expect.stringMatching(/ 1 .*\b404 /),
      expect.stringMatching(/ 2 .*\b204 /),
    ]);
    expect((await owner.values(deliveries)).deliveries).toMatchObject([
      { attempt: 2, kind: 'redelivery', status: 'delivered' },
      { attempt: 1, kind: 'vote', status: 'failed' },
    ]);
  });

  test('makes an undelivered event count as delivered (RD-07)', async () => {
    const { owner, redeliver, deliveries, day } = await refusedVote();
    expect(await day()).toBe('0 1 0 1');
    expect((await owner.open(`${deliveries}/undelivered`)).rows).toHaveLength(1);
    await redeliver();
    expect(await day()).toBe('1 1 0 0');
    expect((await owner.open(`${deliveries}/undelivered`)).rows).toEqual([]);
    expect((await owner.open(deliveries)).rows).toMatchObject([{ State: eventStates.delivered.label }]);
  });

  test('counts toward the 20 failures that disable the webhook (DO-15)', async () => {
    const { votes, redeliver, receiver, health } = await hookedSite();
    await votes(19, 404);
    expect(await health()).toBe('Failing (19)');
    await redeliver();
    expect(receiver.requests).toHaveLength(20);
    expect(await health()).toBe('Disabled');
  });
});

describe('the right to redeliver', () => {
  test('belongs to managers too (RD-08)', async () => {
    const { site, owner, listing, redeliver, receiver } = await refusedVote();
    const manager = await site.person();
    await owner.invite(listing, manager);
    expect((await redeliver(manager)).tone).toBe('good');
    expect(receiver.requests).toHaveLength(2);
  });

  test('is denied to strangers and signed-out visitors, and nothing is sent (RD-08)', async () => {
    const { site, deliveries, receiver, eventId } = await refusedVote();
    const [stranger, visitor] = [await site.person(), site.visitor()];
    const asked = { event: eventId };
    expect((await stranger.post(`${deliveries}/redeliver`, asked)).status).toBe(403);
    await visitor.open('/sign-in');
    expect((await visitor.post(`${deliveries}/redeliver`, asked)).path).toBe('/sign-in');
    await site.quiet();
    expect(receiver.requests).toHaveLength(1);
  });

  test('does not extend to events of other listings (RD-08)', async () => {
    const { site, receiver, eventId } = await refusedVote();
    const stranger = await site.person();
    const own = await stranger.list();
    await stranger.saveWebhook(own, receiver.url);
    const at = `${own.dashboard}/deliveries/redeliver`;
    expect((await stranger.post(at, { event: eventId })).said).toBe(redeliveryRefusals['no-event']);
    expect(receiver.requests).toHaveLength(1);
  });
});
