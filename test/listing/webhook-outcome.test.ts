import { describe, expect, test } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import { retryWaitMs } from '../../src/notify/webhook/outcome.ts';
import { reasonSentence } from '../../src/notify/webhook/reasons.ts';
import { addListing } from '../support/listing-rows.ts';
import { sink } from '../support/sink.ts';
import {
  DAY_MS,
  SCHEDULE_MS,
  turns,
  type WebhookFixture,
  webhookFixture,
} from '../support/webhook-fixture.ts';

const LONG_MS = 30 * DAY_MS;

/** Lets all retries of an event fail. */
async function spendRetries(scene: WebhookFixture): Promise<void> {
  await scene.quiet();
  for (const waitMs of SCHEDULE_MS) await scene.pass(waitMs);
}

async function fail(scene: WebhookFixture, times: number): Promise<void> {
  scene.sink.answers = [404];
  const before = scene.sink.requests.length;
  for (let vote = 0; vote < times; vote++) scene.vote();
  await scene.quiet();
  expect(scene.sink.requests).toHaveLength(before + times);
}

const webhookOf = ({ database, listing }: WebhookFixture) =>
  database
    .prepare('SELECT failures, disabled_at AS disabledAt FROM webhooks WHERE listing_id = ?')
    .get(listing.id) as {
    failures: number;
    disabledAt: number | null;
  };

test.each([200, 201, 202, 204, 299])(
  'DO-01: a %d answer delivers the event at the first attempt',
  async (status) => {
    const scene = await webhookFixture();
    scene.sink.answers = [status];
    const vote = scene.vote();
    await scene.quiet();
    await scene.pass(LONG_MS);
    expect(scene.state(vote)).toBe('delivered');
    expect(scene.sink.requests).toHaveLength(1);
  },
);

test.each([400, 401, 404, 408, 410, 422, 429])(
  'DO-02: a %d answer is not retried, and the event is undelivered',
  async (status) => {
    const scene = await webhookFixture();
    scene.sink.answers = [status];
    const vote = scene.vote();
    await scene.quiet();
    await scene.pass(LONG_MS);
    expect(scene.state(vote)).toBe('undelivered');
    expect(scene.sink.requests).toHaveLength(1);
    expect((await scene.deliveries.log.undelivered(scene.listing.id, { limit: 9 })).rows).toMatchObject([
      { eventId: vote.id, attempts: 1 },
    ]);
  },
);

test.each([500, 502, 503, 504])('DO-03: a %d answer is retried', async (status) => {
  const scene = await webhookFixture();
  scene.sink.answers = [status, 204];
  const vote = scene.vote();
  await scene.quiet();
  expect(scene.state(vote)).toBe('pending');
  await scene.pass(SCHEDULE_MS[0]!);
  expect(scene.state(vote)).toBe('delivered');
});

test('DO-07, DO-10, LM-08: an event that always fails has six attempts and is then listed as undelivered', async () => {
  const scene = await webhookFixture();
  scene.sink.answers = [500];
  const vote = scene.vote();
  await spendRetries(scene);
  expect(scene.sink.requests).toHaveLength(6);
  await scene.pass(LONG_MS);
  expect(scene.sink.requests).toHaveLength(6);
  expect(scene.state(vote)).toBe('undelivered');
  expect((await scene.deliveries.log.undelivered(scene.listing.id, { limit: 9 })).rows).toMatchObject([
    { eventId: vote.id, attempts: 6 },
  ]);
});

test.each([0, 0.5, 0.999])('DO-08: the delays between attempts grow (jitter %d)', async (jitter) => {
  const scene = await webhookFixture({ next: () => jitter });
  scene.sink.answers = [500];
  scene.vote();
  await scene.quiet();
  for (let retry = 1; retry <= 5; retry++) {
    const [latest] = (await scene.deliveries.log.page(scene.listing.id, { limit: 1 })).rows;
    await scene.pass(latest!.nextAttemptAt! - scene.clock.now());
  }
  const { rows } = await scene.deliveries.log.page(scene.listing.id, { limit: 9 });
  const startedAt = rows.map((row) => row.startedAt).reverse();
  const delays = startedAt.slice(1).map((at, index) => at - startedAt[index]!);
  expect(delays).toEqual([...delays].sort((a, b) => a - b));
  expect(new Set(delays).size).toBe(5);
});

test('DO-08: a retry starts as soon as its delay is over, and not earlier', async () => {
  const scene = await webhookFixture();
  scene.sink.answers = [500];
  scene.vote();
  await scene.quiet();
  for (const [index, waitMs] of SCHEDULE_MS.entries()) {
    await scene.pass(waitMs - 1);
    expect(scene.sink.requests).toHaveLength(index + 1);
    await scene.pass(1);
    expect(scene.sink.requests).toHaveLength(index + 2);
  }
});

test('DO-09: an event answered 500, 500 and 200 is delivered after three attempts', async () => {
  const scene = await webhookFixture();
  scene.sink.answers = [500, 500, 200];
  const vote = scene.vote();
  await spendRetries(scene);
  expect(scene.state(vote)).toBe('delivered');
  expect(scene.sink.requests).toHaveLength(3);
});

test('NS-25: by default, retries start after 10 s, 1 min, 10 min, 1 h and 6 h, each up to 10% later', () => {
  const { retrySchedule } = configSchema.parse({}).listing;
  expect(retrySchedule).toEqual(SCHEDULE_MS);
  const waits = (jitter: number) =>
    [1, 2, 3, 4, 5, 6].map((failures) => retryWaitMs(retrySchedule, failures, null, jitter));
  expect(waits(0)).toEqual([10_000, 60_000, 600_000, 3_600_000, 21_600_000, null]);
  expect(waits(1)).toEqual([11_000, 66_000, 660_000, 3_960_000, 23_760_000, null]);
});

describe('auto-disable', () => {
  test('DO-12, DO-14, LM-09: happens at the 20th failed attempt in a row, not the 19th', async () => {
    const scene = await webhookFixture();
    await fail(scene, 19);
    expect(webhookOf(scene)).toEqual({ failures: 19, disabledAt: null });
    await fail(scene, 1);
    expect(webhookOf(scene)).toEqual({ failures: 20, disabledAt: scene.clock.now() });
    expect(scene.logged).toContain('webhook-disabled');
  });

  test('DO-13: counts retries, so four events whose attempts all fail disable the webhook', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [500];
    const votes = [];
    for (let event = 0; event < 4; event++) {
      votes.push(scene.vote());
      await spendRetries(scene);
    }
    expect(scene.sink.requests).toHaveLength(20);
    expect(webhookOf(scene).disabledAt).not.toBeNull();
    expect((await scene.deliveries.log.undelivered(scene.listing.id, { limit: 9 })).rows[0]).toMatchObject({
      eventId: votes[3]!.id,
      attempts: 2,
    });
  });

  test('DO-15: happens after 19 failures and a redelivery that fails', async () => {
    const scene = await webhookFixture();
    const vote = scene.vote();
    await scene.quiet();
    await fail(scene, 19);
    await scene.deliveries.redeliver(scene.listing.id, vote.id);
    expect(webhookOf(scene).disabledAt).not.toBeNull();
  });

  test('DO-16: starts counting again after a 2xx', async () => {
    const scene = await webhookFixture();
    await fail(scene, 19);
    scene.sink.answers = [204];
    scene.vote();
    await scene.quiet();
    expect(webhookOf(scene)).toEqual({ failures: 0, disabledAt: null });
    await fail(scene, 19);
    expect(webhookOf(scene)).toEqual({ failures: 19, disabledAt: null });
  });

  test('DO-17: stops all deliveries and ends waiting events', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [503];
    const waiting = scene.vote();
    await scene.quiet();
    await fail(scene, 19);
    expect(scene.state(waiting)).toBe('undelivered');
    scene.vote();
    await scene.pass(LONG_MS);
    expect(scene.sink.requests).toHaveLength(20);
  });

  test('DO-18: does not affect the webhooks of other listings', async () => {
    const scene = await webhookFixture();
    await fail(scene, 20);
    scene.sink.answers = [204];
    const other = addListing(scene.database, { name: 'Other' });
    scene.save({}, other);
    const vote = scene.vote({}, other);
    await scene.quiet();
    expect(scene.state(vote)).toBe('delivered');
  });

  test('lets attempts in progress finish and records their responses', async () => {
    const scene = await webhookFixture();
    await fail(scene, 19);
    const held: (() => void)[] = [];
    scene.sink.answers = [(response) => held.push(() => response.writeHead(204).end())];
    const late = scene.vote();
    await scene.sink.request(20);
    scene.sink.answers = [404];
    scene.vote();
    await scene.ended(20);
    expect(webhookOf(scene).disabledAt).not.toBeNull();
    for (const answer of held) answer();
    await scene.quiet();
    expect(scene.state(late)).toBe('delivered');
    expect(webhookOf(scene).disabledAt).not.toBeNull();
  });
});

describe('DO-19: nothing is sent without an active webhook', () => {
  test('DO-19: if there is no webhook', async () => {
    const scene = await webhookFixture({ webhook: null });
    scene.vote();
    await scene.pass(LONG_MS);
    expect(scene.sink.requests).toHaveLength(0);
  });

  test('DO-19: if isActive is false', async () => {
    const scene = await webhookFixture();
    scene.save({ isActive: false });
    scene.vote();
    await scene.pass(LONG_MS);
    expect(scene.sink.requests).toHaveLength(0);
  });

  test('NS-28: if the webhook is paused between two attempts, the event ends as undelivered at once', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [500];
    const vote = scene.vote();
    await scene.quiet();
    scene.save({ isActive: false });
    expect(scene.state(vote)).toBe('undelivered');
    scene.save({ isActive: true });
    await scene.pass(LONG_MS);
    expect(scene.sink.requests).toHaveLength(1);
  });
});

test('NS-28: an attempt in progress while the webhook is paused is the last one, and delivers its event with a 2xx', async () => {
  for (const [status, state] of [
    [204, 'delivered'],
    [500, 'undelivered'],
  ] as const) {
    const scene = await webhookFixture();
    let answer: () => void = () => {};
    scene.sink.answers = [(response) => (answer = () => response.writeHead(status).end())];
    const vote = scene.vote();
    await scene.sink.request(1);
    scene.save({ isActive: false });
    answer();
    await scene.pass(LONG_MS);
    expect([scene.state(vote), scene.sink.requests.length]).toEqual([state, 1]);
  }
});

test('NS-28: a retry uses the webhook’s current URL', async () => {
  const scene = await webhookFixture();
  const second = await sink(204);
  scene.sink.answers = [500];
  const vote = scene.vote();
  await scene.quiet();
  scene.save({ url: second.url });
  await scene.pass(SCHEDULE_MS[0]!);
  expect(scene.sink.requests).toHaveLength(1);
  expect(second.requests).toHaveLength(1);
  expect(scene.state(vote)).toBe('delivered');
});

describe('the receiver’s Retry-After', () => {
  test.each([
    ['asks for less than the delay', '1', 10_000],
    ['asks for more than the delay', '15', 15_000],
    ['asks for more than twice the delay', '86400', 20_000],
    ['is no number', 'soon', 10_000],
    ['is a date', 'Mon, 01 Jun 2026 12:00:14 GMT', 14_000],
  ])('NS-27: if it %s, the next attempt starts after that', async (_case, header, waitMs) => {
    const scene = await webhookFixture();
    scene.sink.answers = [(response) => response.writeHead(503, { 'Retry-After': header }).end(), 204];
    scene.vote();
    await scene.quiet();
    const [row] = (await scene.deliveries.log.page(scene.listing.id, { limit: 1 })).rows;
    expect(row!.nextAttemptAt! - scene.clock.now()).toBe(waitMs);
  });
});

describe('DO-11: waiting events survive a restart', () => {
  test('DO-11: a retry is sent by the next process when it is due', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [500, 204];
    const vote = scene.vote();
    await scene.quiet();
    await scene.restart();
    await scene.pass(SCHEDULE_MS[0]!);
    expect(scene.state(vote)).toBe('delivered');
    expect(scene.sink.requests.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2']);
  });

  test('DO-11: an attempt interrupted by the restart is shown as that, does not count, and is sent again', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [() => {}, 204];
    const vote = scene.vote();
    await scene.sink.request(1);
    await scene.restart();
    await scene.sink.request(2);
    await scene.quiet();
    expect(scene.state(vote)).toBe('delivered');
    expect((await scene.deliveries.log.page(scene.listing.id, { limit: 9 })).rows).toMatchObject([
      { attempt: 2, status: 'delivered' },
      { attempt: 1, status: 'interrupted', httpStatus: null, durationMs: null },
    ]);
    expect(webhookOf(scene).failures).toBe(0);
  });

  test('DO-11: an interrupted attempt uses up no retry', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [() => {}, 500];
    scene.vote();
    await scene.sink.request(1);
    await scene.restart();
    await spendRetries(scene);
    await scene.pass(LONG_MS);
    expect(scene.sink.requests).toHaveLength(7);
  });
});

describe('DO-11: a database that cannot be written', () => {
  test('DO-11: an event is not sent until its attempt is stored', async () => {
    const scene = await webhookFixture();
    scene.vote();
    scene.database.pragma('query_only = ON');
    await turns(5);
    expect(scene.sink.requests).toHaveLength(0);
    expect(scene.logged).toContain('deliveries-paused');
    scene.database.pragma('query_only = OFF');
    await scene.pass(1_000);
    expect(scene.sink.requests).toHaveLength(1);
  });

  test('DO-11: a response that cannot be stored is stored later, and the event is not sent again', async () => {
    const scene = await webhookFixture();
    let answer: () => void = () => {};
    scene.sink.answers = [(response) => (answer = () => response.writeHead(204).end())];
    const vote = scene.vote();
    await scene.sink.request(1);
    scene.database.pragma('query_only = ON');
    answer();
    await expect.poll(() => scene.logged).toContain('deliveries-paused');
    scene.database.pragma('query_only = OFF');
    await scene.pass(1_000);
    expect(scene.state(vote)).toBe('delivered');
    expect(scene.sink.requests).toHaveLength(1);
  });

  test('WT-04: a test delivery is not sent and reports that', async () => {
    const scene = await webhookFixture();
    scene.database.pragma('query_only = ON');
    const tested = await scene.deliveries.test(scene.listing, new URL(scene.sink.url));
    scene.database.pragma('query_only = OFF');
    expect(tested).toMatchObject({ delivered: false, error: reasonSentence({ code: 'not-recorded' }) });
    expect(scene.sink.requests).toHaveLength(0);
  });
});

describe('simultaneous deliveries', () => {
  test('NS-40: are at most four per webhook, and a busy webhook does not delay others', async () => {
    const scene = await webhookFixture();
    const stalled: (() => void)[] = [];
    scene.sink.answers = [(response) => stalled.push(() => response.writeHead(204).end())];
    for (let vote = 0; vote < 200; vote++) scene.vote();
    await scene.sink.request(4);
    const second = await sink(204);
    const other = addListing(scene.database, { name: 'Other' });
    scene.save({ url: second.url }, other);
    const vote = scene.vote({}, other);
    await second.request(1);
    await scene.ended(1);
    expect(scene.state(vote)).toBe('delivered');
    expect(scene.sink.requests).toHaveLength(4);
    stalled[0]!();
    await scene.sink.request(5);
    expect(scene.sink.requests).toHaveLength(5);
  });

  test('never include one event twice: a redelivery is refused while the event is being sent', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [() => {}];
    const vote = scene.vote();
    await scene.sink.request(1);
    expect(await scene.deliveries.redeliver(scene.listing.id, vote.id)).toMatchObject({ code: 'being-sent' });
    scene.deliveries.nudge();
    await turns(20);
    expect(scene.sink.requests).toHaveLength(1);
  });
});
