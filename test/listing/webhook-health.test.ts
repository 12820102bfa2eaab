import { describe, expect, test } from 'vitest';
import { sink } from '../support/sink.ts';
import { DAY_MS, SCHEDULE_MS, type WebhookFixture, webhookFixture } from '../support/webhook-fixture.ts';

const healthOf = ({ deliveries, listing }: WebhookFixture) => deliveries.log.health(listing.id);

/** Casts `count` votes and answers the first attempt of each with this status. */
async function answered(scene: WebhookFixture, status: number, votes = 1): Promise<void> {
  scene.sink.answers = [status];
  for (let vote = 0; vote < votes; vote++) scene.vote();
  await scene.quiet();
}

describe('the label', () => {
  test('HL-01, HL-02: is No deliveries yet on a new webhook', async () => {
    const scene = await webhookFixture();
    expect(await healthOf(scene))!.toMatchObject({ label: 'No deliveries yet', failures: 0, disablesAt: 20 });
  });

  test('does not exist without a webhook', async () => {
    const scene = await webhookFixture({ webhook: null });
    expect(await healthOf(scene))!.toBeNull();
  });

  test('NS-23: does not change after a test delivery, nor does the count', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [500];
    await scene.deliveries.test(scene.listing, new URL(scene.sink.url));
    expect(await healthOf(scene))!.toMatchObject({ label: 'No deliveries yet', failures: 0 });
  });

  test('HL-01: is Healthy after a 2xx', async () => {
    const scene = await webhookFixture();
    await answered(scene, 204);
    expect((await healthOf(scene))!.label).toBe('Healthy');
  });

  test('HL-01, HL-03: is Failing with the count of failures in a row', async () => {
    const scene = await webhookFixture();
    await answered(scene, 204);
    await answered(scene, 404, 3);
    expect(await healthOf(scene))!.toMatchObject({ label: 'Failing', failures: 3 });
    await answered(scene, 204);
    expect(await healthOf(scene))!.toMatchObject({ label: 'Healthy', failures: 0 });
  });

  test('HL-01: is Disabled, with the time at which that happened', async () => {
    const scene = await webhookFixture();
    await answered(scene, 404, 20);
    expect(await healthOf(scene))!.toMatchObject({
      label: 'Disabled',
      failures: 20,
      disabledAt: scene.clock.now(),
    });
  });

  test('HL-01, NS-30: is Paused if the owner turned deliveries off, unless it is Disabled', async () => {
    const scene = await webhookFixture();
    scene.save({ isActive: false });
    expect((await healthOf(scene))!.label).toBe('Paused');
    scene.save();
    await answered(scene, 404, 20);
    scene.database.prepare('UPDATE webhooks SET is_active = 0').run();
    expect((await healthOf(scene))!.label).toBe('Disabled');
  });

  test('HL-02: is No deliveries yet again after the URL changed', async () => {
    const scene = await webhookFixture();
    await answered(scene, 204);
    const elsewhere = await sink(204);
    scene.save({ url: elsewhere.url });
    expect((await healthOf(scene))!.label).toBe('No deliveries yet');
  });
});

test('HL-06: saving a disabled webhook unchanged enables it and resets the failure count', async () => {
  const scene = await webhookFixture();
  await answered(scene, 404, 20);
  scene.save();
  await answered(scene, 404, 19);
  expect(scene.sink.requests).toHaveLength(39);
  expect(await healthOf(scene))!.toMatchObject({ label: 'Failing', failures: 19 });
});

describe('a webhook that is saved while its receiver fails', () => {
  test('HL-01: is not Healthy until an attempt succeeds, if the last one failed', async () => {
    const scene = await webhookFixture();
    await answered(scene, 404, 20);
    await scene.pass(1);
    scene.save();
    expect(await healthOf(scene))!.toMatchObject({
      label: 'Failing',
      failures: 0,
      savedAt: scene.clock.now(),
    });
    await answered(scene, 404);
    expect(await healthOf(scene))!.toMatchObject({ label: 'Failing', failures: 1 });
    await answered(scene, 204);
    expect((await healthOf(scene))!.label).toBe('Healthy');
  });

  test('HL-01: stays Healthy if the last attempt succeeded', async () => {
    const scene = await webhookFixture();
    await answered(scene, 204);
    await scene.pass(1);
    scene.save();
    expect((await healthOf(scene))!.label).toBe('Healthy');
  });
});

test('HL-07: open events of any age are counted separately from the counts of the last 24 hours', async () => {
  const scene = await webhookFixture();
  await answered(scene, 404, 5);
  await answered(scene, 503);
  expect((await healthOf(scene))!.open).toEqual({ retrying: 1, undelivered: 5 });
  scene.save({ isActive: false });
  await scene.pass(SCHEDULE_MS[0]!);
  await scene.pass(2 * DAY_MS);
  expect((await healthOf(scene))!.day).toEqual({ delivered: 0, failed: 0, retrying: 0, undelivered: 0 });
  expect((await healthOf(scene))!.open).toEqual({ retrying: 0, undelivered: 6 });
});

test('HL-06: an attempt that started before the webhook was saved does not count as a failure', async () => {
  const scene = await webhookFixture();
  let answer: () => void = () => {};
  scene.sink.answers = [(response) => (answer = () => response.writeHead(500).end())];
  scene.vote();
  await scene.sink.request(1);
  scene.clock.advance(1_000);
  scene.save();
  answer();
  await scene.quiet();
  expect((await healthOf(scene))!.failures).toBe(0);
});

describe('the figures of the last 24 hours', () => {
  test('HL-07: count what was delivered, failed, is being retried or ended undelivered, and none of it a day later', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [500];
    scene.vote();
    await scene.quiet();
    for (const waitMs of SCHEDULE_MS) await scene.pass(waitMs);
    await answered(scene, 204);
    await answered(scene, 404);
    await answered(scene, 503);
    expect((await healthOf(scene))!.day).toEqual({ delivered: 1, failed: 3, retrying: 1, undelivered: 2 });

    scene.sink.answers = [204];
    await scene.pass(SCHEDULE_MS[0]!);
    expect((await healthOf(scene))!.day).toEqual({ delivered: 2, failed: 3, retrying: 0, undelivered: 2 });
    await scene.pass(DAY_MS - SCHEDULE_MS[0]!);
    expect((await healthOf(scene))!.day).toEqual({ delivered: 1, failed: 0, retrying: 0, undelivered: 0 });
    await scene.pass(SCHEDULE_MS[0]!);
    expect((await healthOf(scene))!.day).toEqual({ delivered: 0, failed: 0, retrying: 0, undelivered: 0 });
  });

  test('HL-07: do not count an event whose first attempt is in progress', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [() => {}];
    scene.vote();
    await scene.sink.request(1);
    expect((await healthOf(scene))!.day).toEqual({ delivered: 0, failed: 0, retrying: 0, undelivered: 0 });
  });

  test('HL-07: count a failed redelivery, but no failed test', async () => {
    const scene = await webhookFixture();
    const vote = scene.vote();
    await scene.quiet();
    scene.sink.answers = [404];
    await scene.deliveries.test(scene.listing, new URL(scene.sink.url));
    expect((await healthOf(scene))!.day).toEqual({ delivered: 1, failed: 0, retrying: 0, undelivered: 0 });
    await scene.deliveries.redeliver(scene.listing.id, vote.id);
    expect((await healthOf(scene))!.day).toEqual({ delivered: 1, failed: 1, retrying: 0, undelivered: 0 });
  });

  test('HL-07: count an event as undelivered if a pause ended it', async () => {
    const scene = await webhookFixture();
    await answered(scene, 500);
    scene.save({ isActive: false });
    expect((await healthOf(scene))!.day).toEqual({ delivered: 0, failed: 1, retrying: 0, undelivered: 1 });
  });
});

describe('the delivery log', () => {
  test('LG-01: has status, HTTP code, attempt and duration in each row', async () => {
    const scene = await webhookFixture();
    let answer: () => void = () => {};
    scene.sink.answers = [503, (response) => (answer = () => response.writeHead(201).end())];
    const vote = scene.vote();
    await scene.quiet();
    scene.clock.advance(SCHEDULE_MS[0]!);
    await scene.sink.request(2);
    scene.clock.advance(250);
    answer();
    await scene.quiet();
    const common = {
      eventId: vote.id,
      kind: 'vote',
      eventState: 'delivered',
      canRedeliver: true,
      error: null,
    };
    expect((await scene.deliveries.log.page(scene.listing.id, { limit: 9 })).rows).toMatchObject([
      { ...common, attempt: 2, status: 'delivered', httpStatus: 201, durationMs: 250, nextAttemptAt: null },
      { ...common, attempt: 1, status: 'failed', httpStatus: 503, durationMs: 0, nextAttemptAt: null },
    ]);
  });

  test('NS-47: shows the request without signature or secret, and the first 1 KiB of the response', async () => {
    const secret = 'whsec_never-in-the-log';
    const scene = await webhookFixture({ secret });
    scene.sink.answers = [(response) => response.writeHead(200).end(`<script>${'ö'.repeat(1000)}`)];
    scene.vote();
    await scene.quiet();
    const [row] = (await scene.deliveries.log.page(scene.listing.id, { limit: 1 })).rows;
    const detail = (await scene.deliveries.log.detail(scene.listing.id, row!.deliveryId))!;
    const [request] = scene.sink.requests;
    expect(detail.url).toBe(scene.sink.url);
    expect(detail.body).toBe(request!.body.toString());
    expect(detail.headers['X-Service-Delivery']).toBe(request!.headers['x-service-delivery']);
    expect(detail.response).toBe(`<script>${'ö'.repeat(508)}`);
    const stored = JSON.stringify(scene.database.prepare('SELECT * FROM deliveries').all());
    expect(stored).not.toContain(secret);
    expect(stored).not.toMatch(/signature|sha256=/i);
  });

  test('has pages, newest first, that do not shift when rows are added', async () => {
    const scene = await webhookFixture();
    for (let vote = 0; vote < 5; vote++) {
      scene.vote();
      await scene.pass(1_000);
    }
    const { log } = scene.deliveries;
    const first = await log.page(scene.listing.id, { limit: 2 });
    scene.vote();
    await scene.quiet();
    const second = await log.page(scene.listing.id, { limit: 2, before: first.older });
    const third = await log.page(scene.listing.id, { limit: 2, before: second.older });
    const ids = [...first.rows, ...second.rows, ...third.rows].map(({ deliveryId }) => deliveryId);
    const sent = scene.sink.requests.map(({ headers }) => headers['x-service-delivery']);
    expect(ids).toEqual(sent.slice(0, 5).reverse());
    expect(third.older).toBeNull();
  });

  test('has no deliveries of other listings', async () => {
    const scene = await webhookFixture();
    scene.vote();
    await scene.quiet();
    const [row] = (await scene.deliveries.log.page(scene.listing.id, { limit: 1 })).rows;
    expect((await scene.deliveries.log.page('another', { limit: 9 })).rows).toEqual([]);
    expect(await scene.deliveries.log.detail('another', row!.deliveryId)).toBeNull();
  });
});
