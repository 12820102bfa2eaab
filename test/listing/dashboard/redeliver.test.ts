import { describe, expect, test } from 'vitest';
import { eventStates } from '../../../src/listing/webhooks/event-state.ts';
import { redeliveryRefusals, runRefusals } from '../../../src/listing/webhooks/redelivery.ts';
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
    const { votes, redeliver, receiver, owner, webhook } = await refusedVote();
    await votes(19, 404);
    expect((await redeliver()).said).toBe(redeliveryRefusals.disabled);
    expect(receiver.requests).toHaveLength(20);
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

describe('Redeliver all undelivered', () => {
  async function manyRejected() {
    const hooked = await hookedSite();
    await hooked.votes(3, 404, 404, 404);
    hooked.receiver.answers = [204];
    const all = `${hooked.deliveries}/redeliver-all`;
    return { ...hooked, all, since: { since: '2026-06-01T00:00' } };
  }

  test('asks first, stating how many events and how long, then sends them and shows the progress', async () => {
    const { site, owner, deliveries, receiver, all } = await manyRejected();
    expect((await owner.open(deliveries)).html).toContain(`href="${all}"`);
    const asked = await owner.open(`${all}?since=2026-06-01T00:00`);
    expect(asked.alerts[0]).toMatchObject({
      tone: 'warn',
      title: naming('3', '1 Jun 00:00 UTC'),
    });
    expect(receiver.requests).toHaveLength(3);
    const started = await owner.post(all, asked.form(all)!.fields);
    expect([started.path, started.tone, started.said]).toEqual([deliveries, 'good', naming('3')]);
    await site.pass(1_000);
    while ((await owner.values(deliveries)).run.state === 'running') await site.pass(1_000);
    expect(receiver.requests).toHaveLength(6);
    const { rows, figures } = await owner.open(deliveries);
    expect(rows.map(({ State }) => State)).toEqual(Array(3).fill(eventStates.delivered.label));
    expect(figures).toEqual(['3', '0', '0']);
    expect((await owner.values(deliveries)).run).toMatchObject({ state: 'done', total: 3, delivered: 3 });
    expect((await owner.open(`${all}?since=2026-06-01`)).said).toBe(runRefusals.none);
  });

  test('can be stopped with a button; events that were not sent stay undelivered', async () => {
    const { site, owner, deliveries, votes, receiver, all, since } = await manyRejected();
    await votes(7, 404, 404, 404, 404, 404, 404, 404);
    receiver.answers = [204];
    await owner.open(deliveries);
    await owner.post(all, since);
    while (receiver.requests.length < 18) await site.pass(100);
    expect((await owner.open(deliveries)).text).toMatch(/\b8 of 10\b/);
    expect((await owner.press(deliveries, `${all}/stop`)).tone).toBe('good');
    expect((await owner.values(deliveries)).run.state).toBe('stopped');
    await site.pass(120_000);
    expect(receiver.requests).toHaveLength(18);
    expect((await owner.open(`${deliveries}?state=undelivered`)).rows).toHaveLength(2);
  });

  test.each(['', 'yesterday', '2026-06-31T25:00'])(
    'refuses %j as an invalid time and sends nothing',
    async (since) => {
      const { owner, receiver, deliveries, all } = await manyRejected();
      await owner.open(deliveries);
      const refused = await owner.post(all, { since });
      expect([refused.status, refused.tab]).toEqual([422, expect.stringMatching(/^Error: /)]);
      expect(receiver.requests).toHaveLength(3);
    },
  );

  test('is disabled, like every Redeliver button, while the webhook is disabled, and the page says why (RD-03)', async () => {
    const { owner, deliveries, votes, receiver, all, since } = await manyRejected();
    await votes(17, ...Array<number>(17).fill(404));
    const shown = await owner.open(deliveries);
    expect(shown.text).toContain(redeliveryRefusals.disabled);
    expect(shown.html).toContain(` disabled title="${redeliveryRefusals.disabled}">`);
    const asked = await owner.open(`${all}?since=2026-06-01`);
    expect(asked.alerts.at(-1)!.title).toBe(runRefusals.disabled);
    // Only the form that chooses the time is left, which sends nothing.
    expect(asked.form(all)!.fields).not.toHaveProperty('csrf');
    expect((await owner.post(all, since)).said).toBe(runRefusals.disabled);
    expect(receiver.requests).toHaveLength(20);
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
