import { describe, expect, test } from 'vitest';
import { DAY_MS, SCHEDULE_MS } from '../../support/webhook-scene.ts';
import { hookedSite } from './hooked-site.ts';

/** A vote that the receiver refused for good; from now on it takes everything. */
async function refusedVote() {
  const hooked = await hookedSite();
  await hooked.votes(1, 404);
  hooked.receiver.answers = [204];
  const [{ eventId }] = (await hooked.owner.values(hooked.deliveries)).deliveries;
  return { ...hooked, eventId: eventId as string };
}

describe('Redeliver', () => {
  test('sends the same bytes and event id, with the next attempt number and a fresh delivery id (RD-01, RD-02)', async () => {
    const { receiver, redeliver } = await refusedVote();
    expect((await redeliver()).said).toBe('Redelivered. The receiver answered 204.');
    const [first, second] = receiver.requests;
    expect(receiver.requests).toHaveLength(2);
    expect(second!.body.equals(first!.body)).toBe(true);
    expect(second!.headers['x-service-event-id']).toBe(first!.json.eventId);
    expect([first!.headers['x-service-attempt'], second!.headers['x-service-attempt']]).toEqual(['1', '2']);
    expect(second!.headers['x-service-delivery']).not.toBe(first!.headers['x-service-delivery']);
  });

  test('after six attempts that were spent it carries the number 7 (RD-02)', async () => {
    const { site, votes, redeliver, receiver } = await hookedSite();
    await votes(1, 500);
    for (const pause of SCHEDULE_MS) await site.pass(pause);
    expect((await redeliver()).alerts[0]).toMatchObject({
      role: 'alert',
      title: 'The redelivery failed. The receiver answered 500.',
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

  test('disabled, it is refused with the reason and sends nothing; saved again, it is sent (RD-03)', async () => {
    const { votes, redeliver, receiver, owner, webhook } = await refusedVote();
    await votes(19, 404);
    expect((await redeliver()).said).toMatch(/The webhook is disabled: save it again/);
    expect(receiver.requests).toHaveLength(20);
    await owner.press(webhook);
    receiver.answers = [204];
    expect((await redeliver()).said).toMatch(/^Redelivered/);
    expect(receiver.requests).toHaveLength(21);
  });

  test('ten a minute are sent, the eleventh is refused, and a minute later it is sent (RD-04)', async () => {
    const { site, redeliver, receiver } = await refusedVote();
    for (let again = 0; again < 10; again++) expect((await redeliver()).said).toMatch(/^Redelivered/);
    expect((await redeliver()).said).toMatch(/At most 10 redeliveries a minute/);
    expect(receiver.requests).toHaveLength(11);
    await site.pass(60_000);
    expect((await redeliver()).said).toMatch(/^Redelivered/);
    expect(receiver.requests).toHaveLength(12);
  });

  test('of twelve that are asked for at once ten are sent (RD-04)', async () => {
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

  test('an event of 89 days is sent again; of 91 days it has no button, and a forged post is refused (RD-05)', async () => {
    const { site, owner, deliveries, redeliver, receiver, eventId } = await refusedVote();
    site.clock.jump(89 * DAY_MS);
    await owner.signIn();
    expect((await redeliver()).said).toMatch(/^Redelivered/);
    expect(receiver.requests).toHaveLength(2);
    site.clock.jump(2 * DAY_MS);
    expect((await owner.open(deliveries)).form(`${deliveries}/redeliver`)).toBeNull();
    const refused = await owner.post(`${deliveries}/redeliver`, { event: eventId });
    expect(refused.said).toMatch(/older than 90 days/);
    expect(receiver.requests).toHaveLength(2);
  });

  test('while the service runs, an event of 91 days leaves the log (RD-05)', async () => {
    const { site, owner, deliveries } = await refusedVote();
    expect((await owner.open(deliveries)).rows).toHaveLength(1);
    await site.pass(91 * DAY_MS);
    await owner.signIn();
    expect((await owner.open(deliveries)).rows).toEqual([]);
    expect((await owner.open(`${deliveries}/undelivered`)).rows).toEqual([]);
  });

  test('it is a new attempt in its event’s row (RD-06)', async () => {
    const { owner, redeliver, deliveries } = await refusedVote();
    await redeliver();
    expect((await owner.open(deliveries)).attempts).toEqual([
      expect.stringMatching(/^Attempt 1 Rejected .* HTTP 404 /),
      expect.stringMatching(/^Attempt 2 Delivered Redelivery .* HTTP 204 /),
    ]);
  });

  test('an undelivered event that is redelivered counts as delivered (RD-07)', async () => {
    const { owner, redeliver, deliveries, day } = await refusedVote();
    expect(await day()).toBe('0 0 1 0');
    expect((await owner.open(`${deliveries}/undelivered`)).rows).toHaveLength(1);
    await redeliver();
    expect(await day()).toBe('1 0 0 0');
    expect((await owner.open(`${deliveries}/undelivered`)).rows).toEqual([]);
    expect((await owner.open(deliveries)).rows).toMatchObject([{ State: 'Delivered' }]);
  });

  test('one that fails counts toward the 20 that disable the webhook (DO-15)', async () => {
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

  test('asks first, says how many and for how long, then sends them and shows how far it has come', async () => {
    const { site, owner, deliveries, receiver, all } = await manyRejected();
    expect((await owner.open(deliveries)).html).toContain(`href="${all}"`);
    const asked = await owner.open(`${all}?since=2026-06-01T00:00`);
    expect(asked.alerts[0]).toMatchObject({
      tone: 'warn',
      title: 'Redeliver 3 events since 1 Jun 00:00 UTC?',
    });
    expect(receiver.requests).toHaveLength(3);
    const started = await owner.post(all, asked.form(all)!.fields);
    expect([started.path, started.said]).toEqual([deliveries, 'Redelivering 3 events, one after the other.']);
    await site.pass(1_000);
    while (receiver.requests.length < 6) await site.pass(1_000);
    await site.pass(1_000);
    const { rows, text } = await owner.open(deliveries);
    expect(rows.map(({ State }) => State)).toEqual(['Delivered', 'Delivered', 'Delivered']);
    expect(text).toMatch(/Redelivery finished: 3 of 3 .* Delivered 3 Failed again 0 Skipped 0/);
    expect((await owner.open(`${all}?since=2026-06-01`)).said).toMatch(/nothing to send again/);
  });

  test('is stopped by its button, and what was not sent stays undelivered', async () => {
    const { site, owner, deliveries, votes, receiver, all, since } = await manyRejected();
    await votes(7, 404, 404, 404, 404, 404, 404, 404);
    receiver.answers = [204];
    await owner.open(deliveries);
    await owner.post(all, since);
    while (receiver.requests.length < 18) await site.pass(100);
    expect((await owner.open(deliveries)).text).toContain('Redelivering: 8 of 10');
    expect((await owner.press(deliveries, `${all}/stop`)).said).toMatch(/^Stopped/);
    await site.pass(120_000);
    expect(receiver.requests).toHaveLength(18);
    expect((await owner.open(`${deliveries}?state=undelivered`)).rows).toHaveLength(2);
  });

  test.each(['', 'yesterday', '2026-06-31T25:00'])(
    'a time that is none, %j, sends nothing',
    async (since) => {
      const { owner, receiver, deliveries, all } = await manyRejected();
      await owner.open(deliveries);
      const refused = await owner.post(all, { since });
      expect([refused.status, refused.tab]).toEqual([422, expect.stringMatching(/^Error: /)]);
      expect(receiver.requests).toHaveLength(3);
    },
  );

  test('while the webhook is disabled neither it nor any Redeliver can be pressed, and the page says why (RD-03)', async () => {
    const { owner, deliveries, votes, receiver, all, since } = await manyRejected();
    await votes(17, ...Array<number>(17).fill(404));
    const shown = await owner.open(deliveries);
    expect(shown.text).toContain('Redeliver is switched off. The webhook is disabled: save it again');
    expect(shown.html).toMatch(/disabled title="The webhook is disabled[^"]*">Redeliver</);
    const asked = await owner.open(`${all}?since=2026-06-01`);
    expect(asked.alerts.at(-1)!.title).toMatch(/The webhook is disabled/);
    expect(asked.html).not.toContain('events</button>');
    expect((await owner.post(all, since)).said).toMatch(/The webhook is disabled/);
    expect(receiver.requests).toHaveLength(20);
  });
});

describe('who redelivers', () => {
  test('a manager does (RD-08)', async () => {
    const { site, owner, listing, redeliver, receiver } = await refusedVote();
    const manager = await site.person();
    await owner.invite(listing, manager);
    expect((await redeliver(manager)).said).toMatch(/^Redelivered/);
    expect(receiver.requests).toHaveLength(2);
  });

  test('a stranger and a signed-out visitor do not, and nothing is sent (RD-08)', async () => {
    const { site, deliveries, receiver, eventId } = await refusedVote();
    const [stranger, visitor] = [await site.person(), site.visitor()];
    const asked = { event: eventId };
    expect((await stranger.post(`${deliveries}/redeliver`, asked)).status).toBe(403);
    await visitor.open('/sign-in');
    expect((await visitor.post(`${deliveries}/redeliver`, asked)).path).toBe('/sign-in');
    await site.quiet();
    expect(receiver.requests).toHaveLength(1);
  });

  test('a stranger does not by way of a listing that is theirs (RD-08)', async () => {
    const { site, receiver, eventId } = await refusedVote();
    const stranger = await site.person();
    const own = await stranger.list();
    await stranger.saveWebhook(own, receiver.url);
    const at = `${own.dashboard}/deliveries/redeliver`;
    expect((await stranger.post(at, { event: eventId })).said).toBe('There is no such event in the log.');
    expect(receiver.requests).toHaveLength(1);
  });
});
