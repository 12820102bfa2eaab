import { describe, expect, test } from 'vitest';
import { addListing } from '../support/listing-rows.ts';
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  SCHEDULE_MS,
  type WebhookFixture,
  webhookFixture,
} from '../support/webhook-fixture.ts';

const redeliver = ({ deliveries, listing }: WebhookFixture, { id }: { readonly id: string }) =>
  deliveries.redeliver(listing.id, id);

/** A vote that the receiver rejected. */
async function refusedVote(scene: WebhookFixture) {
  scene.sink.answers = [404];
  const vote = scene.vote();
  await scene.quiet();
  scene.sink.answers = [204];
  return vote;
}

test('RD-01, RD-02: sends the same bytes and event ID, with the next attempt number and a new delivery ID', async () => {
  const scene = await webhookFixture();
  const vote = await refusedVote(scene);
  expect(await redeliver(scene, vote)).toMatchObject({
    kind: 'sent',
    result: { delivered: true, httpStatus: 204 },
  });
  const [first, second] = scene.sink.requests;
  expect(second!.body.equals(first!.body)).toBe(true);
  expect(second!.headers['x-service-attempt']).toBe('2');
  expect(second!.headers['x-service-delivery']).not.toBe(first!.headers['x-service-delivery']);
});

describe('RD-03: the webhook has to be active', () => {
  test('RD-03: gives the reason while the webhook is disabled, and sends once it is enabled again', async () => {
    const scene = await webhookFixture();
    const vote = await refusedVote(scene);
    scene.sink.answers = [404];
    for (let failure = 1; failure < 20; failure++) scene.vote();
    await scene.quiet();
    expect(await redeliver(scene, vote)).toMatchObject({ kind: 'refused', code: 'disabled' });
    expect(scene.sink.requests).toHaveLength(20);
    scene.save();
    scene.sink.answers = [204];
    expect(await redeliver(scene, vote)).toMatchObject({ kind: 'sent', result: { delivered: true } });
  });

  test('RD-03: gives the reason if the webhook is paused or removed', async () => {
    const scene = await webhookFixture();
    const vote = await refusedVote(scene);
    scene.save({ isActive: false });
    expect(await redeliver(scene, vote)).toMatchObject({ kind: 'refused', code: 'paused' });
    scene.database.prepare('DELETE FROM webhooks').run();
    expect(await redeliver(scene, vote)).toMatchObject({ kind: 'refused', code: 'no-webhook' });
    expect(scene.sink.requests).toHaveLength(1);
  });
});

test('RD-04, LM-10: sends ten a minute; the eleventh is refused with a time to wait, and works after that time', async () => {
  const scene = await webhookFixture();
  const vote = await refusedVote(scene);
  await redeliver(scene, vote);
  scene.clock.advance(30_000);
  for (let again = 2; again <= 10; again++)
    expect(await redeliver(scene, vote)).toMatchObject({ kind: 'sent' });
  expect(await redeliver(scene, vote)).toMatchObject({
    kind: 'refused',
    code: 'too-many',
    retryAfterSeconds: 30,
  });
  expect(scene.sink.requests).toHaveLength(11);
  scene.clock.advance(30_000);
  expect(await redeliver(scene, vote)).toMatchObject({ kind: 'sent' });
  expect(await redeliver(scene, vote)).toMatchObject({ kind: 'refused', code: 'too-many' });
  scene.clock.advance(MINUTE_MS);
  expect(await redeliver(scene, vote)).toMatchObject({ kind: 'sent' });
});

test('RD-04: the limit is separate for each listing', async () => {
  const scene = await webhookFixture();
  const vote = await refusedVote(scene);
  const other = addListing(scene.database, { name: 'Other' });
  scene.save({}, other);
  const otherVote = scene.vote({}, other);
  await scene.quiet();
  for (let again = 1; again <= 10; again++) await redeliver(scene, vote);
  expect(await redeliver(scene, vote)).toMatchObject({ kind: 'refused', code: 'too-many' });
  expect(await scene.deliveries.redeliver(other.id, otherVote.id)).toMatchObject({ kind: 'sent' });
});

describe('RD-05, LM-11: the 90 days for redelivery', () => {
  test('RD-05: an event can be redelivered on day 89, and is gone from the log on day 91', async () => {
    const scene = await webhookFixture();
    const vote = await refusedVote(scene);
    await scene.pass(89 * DAY_MS);
    expect(await redeliver(scene, vote)).toMatchObject({ kind: 'sent' });
    const untouched = await refusedVote(scene);
    await scene.pass(91 * DAY_MS);
    await scene.pass(HOUR_MS);
    expect(await redeliver(scene, untouched)).toMatchObject({ kind: 'refused', code: 'no-event' });
    expect((await scene.deliveries.log.page(scene.listing.id, { limit: 9 })).rows).toEqual([]);
  });

  test('RD-05: an old event that was redelivered recently stays in the log, and cannot be redelivered again', async () => {
    const scene = await webhookFixture();
    const vote = await refusedVote(scene);
    await scene.pass(89 * DAY_MS);
    await redeliver(scene, vote);
    await scene.pass(2 * DAY_MS);
    const [row] = (await scene.deliveries.log.page(scene.listing.id, { limit: 9 })).rows;
    expect(row).toMatchObject({ kind: 'redelivery', canRedeliver: false });
    expect(await redeliver(scene, vote)).toMatchObject({ kind: 'refused', code: 'too-old' });
  });

  test('RD-05: old tests are deleted too, but votes never are', async () => {
    const scene = await webhookFixture();
    await scene.deliveries.test(scene.listing, new URL(scene.sink.url));
    const votes = 600;
    for (let vote = 0; vote < votes; vote++) scene.vote();
    await scene.quiet();
    await scene.pass(91 * DAY_MS);
    await scene.pass(HOUR_MS);
    const count = (table: string) => scene.database.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    await expect.poll(() => count('deliveries')).toBe(0);
    expect([count('events'), count('votes')]).toEqual([0, votes]);
  });

  test('DO-11: an event that is still waiting after the service was down for 100 days is sent, not deleted', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [500, 204];
    const vote = scene.vote();
    await scene.quiet();
    await scene.restart(() => scene.clock.advance(100 * DAY_MS));
    await scene.quiet();
    expect(scene.state(vote)).toBe('delivered');
  });
});

test('RD-06: has its own row in the log', async () => {
  const scene = await webhookFixture();
  const vote = await refusedVote(scene);
  scene.clock.advance(1); // Rows of one millisecond have no order.
  await redeliver(scene, vote);
  expect((await scene.deliveries.log.page(scene.listing.id, { limit: 9 })).rows).toMatchObject([
    { kind: 'redelivery', attempt: 2, status: 'delivered', eventId: vote.id },
    { kind: 'vote', attempt: 1, status: 'failed', eventId: vote.id },
  ]);
});

test('RD-07: a 2xx makes an undelivered event delivered, in the log and in the counts', async () => {
  const scene = await webhookFixture();
  const vote = await refusedVote(scene);
  const { log } = scene.deliveries;
  expect((await log.health(scene.listing.id))!.day).toMatchObject({ delivered: 0, undelivered: 1 });
  await redeliver(scene, vote);
  expect(scene.state(vote)).toBe('delivered');
  expect((await log.health(scene.listing.id))!.day).toMatchObject({ delivered: 1, undelivered: 0 });
  expect((await log.undelivered(scene.listing.id, { limit: 9 })).rows).toEqual([]);
});

describe('a redelivery is a single attempt (NS-29)', () => {
  test('that starts no retries if it fails, and then leaves the event unchanged', async () => {
    const scene = await webhookFixture();
    const vote = await refusedVote(scene);
    const delivered = scene.vote();
    await scene.quiet();
    scene.sink.answers = [500];
    await redeliver(scene, vote);
    await redeliver(scene, delivered);
    await scene.pass(30 * DAY_MS);
    expect(scene.sink.requests).toHaveLength(4);
    expect([scene.state(vote), scene.state(delivered)]).toEqual(['undelivered', 'delivered']);
  });

  test('that neither uses nor cancels the retries that an event has left', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [500];
    const vote = scene.vote();
    await scene.quiet();
    await redeliver(scene, vote);
    expect(scene.state(vote)).toBe('pending');
    for (const waitMs of SCHEDULE_MS) await scene.pass(waitMs);
    expect(scene.sink.requests).toHaveLength(7);
    expect(scene.state(vote)).toBe('undelivered');
  });

  test('DO-09: that ends the event’s retries if it is answered 2xx', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [500, 204];
    const vote = scene.vote();
    await scene.quiet();
    await redeliver(scene, vote);
    await scene.pass(30 * DAY_MS);
    expect(scene.sink.requests).toHaveLength(2);
    expect(scene.state(vote)).toBe('delivered');
  });
});

test('NS-28: an event that was never sent because of a pause is listed and can be redelivered', async () => {
  const scene = await webhookFixture();
  let vote = { id: '' };
  await scene.restart(() => {
    vote = scene.vote();
    scene.save({ isActive: false });
  });
  await scene.quiet();
  const { log } = scene.deliveries;
  expect((await log.undelivered(scene.listing.id, { limit: 9 })).rows).toMatchObject([
    { eventId: vote.id, attempts: 0 },
  ]);
  scene.save({ isActive: true });
  expect(await redeliver(scene, vote)).toMatchObject({ kind: 'sent', result: { delivered: true } });
  expect(scene.sink.requests[0]!.headers['x-service-attempt']).toBe('1');
});

test('closing waits for a redelivery that is being marked, and for its outcome', async () => {
  const scene = await webhookFixture();
  scene.sink.answers = [404, 204];
  const vote = scene.vote();
  await scene.quiet();
  const closed = scene.deliveries.close();
  const redelivered = redeliver(scene, vote);
  await closed;
  expect(scene.state(vote)).toBe('delivered');
  expect(await redelivered).toMatchObject({ kind: 'sent', result: { delivered: true } });
});
