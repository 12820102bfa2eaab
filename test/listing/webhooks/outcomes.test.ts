/** What becomes of an event: delivered, retried, given up; across restarts, and beside other events. */
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { DAY, turns } from '../../kit/listing.ts';
import { hook, hooked, reasonIn } from '../../kit/listing-webhook.ts';
import { receiver as sink } from '../../kit/receiver.ts';

const answering =
  (status: number, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end();

test.each([
  ['DO-01', 'delivered', [200, 201, 202, 204, 299]],
  ['DO-02', 'undelivered', [400, 401, 404, 408, 410, 422, 429]],
])('%s: an event is %s at its first attempt if the answer is one of %j', async (_, state, statuses) => {
  const { votes, site, receiver, events } = await hooked();
  for (const status of statuses) {
    await votes(1, status);
    await site.pass(DAY);
    const [event] = await events();
    expect([status, event]).toMatchObject([status, { state, attempts: 1, nextAttemptAt: null }]);
  }
  expect(receiver.requests).toHaveLength(statuses.length);
});

test('DO-03: a 500, 502, 503 or 504 is retried', async () => {
  const { votes, site, events } = await hooked();
  for (const status of [500, 502, 503, 504]) {
    await votes(1, status, 204);
    const nextAttemptAt = new Date(site.clock.now() + 10_000).toISOString();
    expect((await events())[0]).toMatchObject({ state: 'retrying', attempts: 1, nextAttemptAt });
    await site.pass(10_000);
    expect((await events())[0]).toMatchObject({ state: 'delivered', attempts: 2, nextAttemptAt: null });
  }
});

test('DO-07, DO-08, DO-10, LM-08: an event that always fails has six attempts, each as soon as its delay is over and not earlier, and is then listed as undelivered', async () => {
  const { votes, site, receiver, owner, deliveries } = await hooked();
  await votes(1, 500);
  for (const [index, waitMs] of [10_000, 60_000, 600_000, 3_600_000, 21_600_000].entries()) {
    await site.pass(waitMs - 1);
    expect(receiver.requests).toHaveLength(index + 1);
    await site.pass(1);
    expect(receiver.requests).toHaveLength(index + 2);
  }
  await site.pass(13 * DAY);
  expect(receiver.requests).toHaveLength(6);
  const { undelivered } = await owner.values(`${deliveries}/undelivered`);
  expect(undelivered).toMatchObject([{ eventId: receiver.requests[0]!.json.eventId, attempts: 6 }]);
});

test('DO-08, NS-25: with a jitter of 1, each delay before a retry is a tenth longer', async () => {
  const delays = [11_000, 66_000, 660_000, 3_960_000, 23_760_000];
  const { votes, spend, attempts } = await hooked({ jitter: 1 });
  await votes(1, 500);
  await spend();
  const startedAt = (await attempts()).map((attempt) => Date.parse(attempt.startedAt)).toReversed();
  expect(startedAt.slice(1).map((at, index) => at - startedAt[index]!)).toEqual(delays);
});

test('NS-27: Retry-After delays the next attempt, up to twice its usual delay', async () => {
  const { votes, site, events } = await hooked();
  for (const [written, waitMs] of [
    ['1', 10_000],
    ['15', 15_000],
    ['86400', 20_000],
    ['soon', 10_000],
    [new Date(site.clock.now() + 4 * 20_000 + 14_000).toUTCString(), 14_000],
  ] as const) {
    await votes(1, answering(503, { 'Retry-After': written }), 204);
    expect(Date.parse((await events())[0].nextAttemptAt) - site.clock.now(), written).toBe(waitMs);
    await site.pass(20_000);
  }
});

test('DO-19, WR-06: nothing is sent without an active webhook: neither without a webhook nor while it is paused, and nothing is sent later', async () => {
  const { site, owner, listed, save, receiver, states } = await hooked();
  const bare = await owner.list();
  await save({ active: [] });
  for (const to of [bare, listed]) await site.cast(to);
  await save({ active: ['on'] });
  await owner.saveWebhook(bare, receiver.url);
  await site.pass(DAY);
  expect([receiver.requests, await states()]).toEqual([[], []]);
  expect((await owner.values(listed.page)).votes).toBe(1);
});

test('NS-28: nothing is sent without an active webhook: an attempt in progress while the webhook is paused is the last one, whatever its answer', async () => {
  const { site, held, save, receiver, events } = await hooked();
  for (const [status, state] of [
    [204, 'delivered'],
    [500, 'undelivered'],
  ] as const) {
    const before = receiver.requests.length;
    await save({ active: ['on'] });
    const response = await held();
    await save({ active: [] });
    response.writeHead(status).end();
    await site.pass(13 * DAY);
    expect([status, (await events())[0].state]).toEqual([status, state]);
    expect(receiver.requests).toHaveLength(before + 1);
  }
});

test('DO-19: nothing is sent without an active webhook: waiting events of a removed listing are not sent', async () => {
  const { site, votes, owner, listed, receiver } = await hooked();
  await votes(1, 500);
  await owner.press(listed.dashboard, `${listed.dashboard}/remove`);
  site.clock.advance(20_000);
  await turns(30);
  expect(receiver.requests).toHaveLength(1);
});

test('NS-28: a retry uses the webhook’s current URL', async () => {
  const { site, votes, owner, listed, receiver, states } = await hooked();
  const second = await sink(204);
  await votes(1, 500);
  await owner.saveWebhook(listed, second.url);
  await site.pass(10_000);
  expect([receiver.requests.length, second.requests.length, await states()]).toEqual([1, 1, ['delivered']]);
});

test('DO-11: waiting events survive a restart: a retry is sent by the next process when it is due, also after the service was down for 100 days', async () => {
  const { site, votes, receiver, states } = await hooked();
  await votes(1, 500, 500, 204);
  await site.restart();
  await site.pass(10_000);
  expect(await states()).toEqual(['retrying']);
  await site.restart(() => site.clock.advance(100 * DAY));
  await receiver.request(3);
  await site.quiet();
  expect(await states()).toEqual(['delivered']);
  expect(receiver.requests.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
});

test('DO-11: waiting events survive a restart: an attempt that the restart interrupted is shown as that, is no failure and no retry, and is sent again', async () => {
  const { site, held, receiver, attempts, owner, webhook, spend } = await hooked();
  await held();
  receiver.answers = [500];
  await site.restart();
  await receiver.request(2);
  await site.quiet();
  expect(await attempts()).toMatchObject([
    { attempt: 2, status: 'failed', httpStatus: 500 },
    { attempt: 1, status: 'interrupted', httpStatus: null, durationMs: null },
  ]);
  expect((await owner.values(webhook)).health.failures).toBe(1);
  await spend();
  await site.pass(DAY);
  expect(receiver.requests).toHaveLength(7);
});

test('DO-11, WT-04: while the database cannot be written, a retry is not sent until its attempt is stored; a test is not sent and says so', async () => {
  const { site, votes, receiver, owner, webhook } = await hooked();
  await votes(1, 500, 204);
  await owner.open(webhook);
  const release = site.lock();
  site.clock.advance(10_000);
  await turns(30);
  expect(site.log.map(({ code }) => code)).toContain('deliveries-paused');
  const { result } = await owner.answer(`${webhook}/test`);
  expect([result.delivered, reasonIn(result.error)]).toEqual([false, 'not-recorded']);
  expect(receiver.requests).toHaveLength(1);
  release();
  await site.pass(1_000);
  expect(receiver.requests).toHaveLength(2);
});

/** A delivery that was answered while another process locks the database. */
async function unrecorded() {
  const scene = await hooked();
  const response = await scene.held();
  const release = scene.site.lock();
  response.writeHead(204).end();
  await expect.poll(() => scene.site.log.map(({ code }) => code)).toContain('deliveries-paused');
  return { ...scene, release };
}

test('DO-01, DO-11: while the database cannot be written, an answer is stored later, or when the service stops if the lock ends in time, and the event is not sent again', async () => {
  for (const stops of [false, true]) {
    const { site, receiver, states, release } = await unrecorded();
    if (stops) {
      await site.stop(release);
      await site.start();
    } else release();
    await site.pass(stops ? DAY : 1_000);
    expect([stops, await states(), receiver.requests.length]).toEqual([stops, ['delivered'], 1]);
  }
});

test('DO-11: while the database cannot be written, stopping comes to an end, and the event is sent again by the next process', async () => {
  const { site, receiver, release } = await unrecorded();
  await site.stop();
  release();
  receiver.answers = [204, 204];
  await site.start();
  await receiver.request(2);
  await site.quiet();
});

test('NS-40: simultaneous deliveries are at most four per webhook, and a busy webhook delays no other', async () => {
  const busy = await hooked();
  const stalled: (() => void)[] = [];
  busy.receiver.answers = [(response) => stalled.push(() => answering(204)(response))];
  for (let vote = 0; vote < 12; vote++) await busy.site.cast(busy.listed);
  await busy.receiver.request(4);
  const other = await hook(busy.site, busy.owner, await busy.owner.list());
  await busy.site.cast(other.listed);
  await other.receiver.request(1);
  expect(busy.receiver.requests).toHaveLength(4);
  stalled[0]!();
  await busy.receiver.request(5);
  await turns(10);
  expect(busy.receiver.requests).toHaveLength(5);
});

test('NS-40: simultaneous deliveries leave a slot for a healthy webhook, however many receivers hang', async () => {
  const first = await hooked();
  first.receiver.answers = [() => {}];
  const hanging = [first.listed];
  for (let more = 0; more < 21; more++) {
    const listed = await first.owner.list();
    await first.owner.saveWebhook(listed, first.receiver.url);
    hanging.push(listed);
  }
  for (const listed of hanging) for (let vote = 0; vote < 4; vote++) await first.site.cast(listed);
  await turns(30);
  // One for each webhook, and 64 more for all of them.
  expect(first.receiver.requests).toHaveLength(22 + 64);
  const healthy = await hook(first.site, first.owner, await first.owner.list());
  await first.site.cast(healthy.listed);
  await healthy.receiver.request(1);
});

test('simultaneous deliveries never include one event twice: a redelivery is refused while the event is being sent', async () => {
  const { held, redeliver, receiver } = await hooked();
  await held();
  expect(await redeliver()).toMatchObject({ code: 'being-sent' });
  await turns(20);
  expect(receiver.requests).toHaveLength(1);
});
