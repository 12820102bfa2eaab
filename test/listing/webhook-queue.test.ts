import { expect, onTestFinished, test } from 'vitest';
import { UUID_BYTES } from '../../src/core/uuid.ts';
import { deliveryChanges, PER_WEBHOOK_MAX } from '../../src/listing/changes/delivery-changes.ts';
import { IN_ALL_MAX, type ListingJob } from '../../src/listing/outbox/claim-due.ts';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { type Database, openDatabase } from '../../src/platform/sqlite/open.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { addListing, addVote, saveWebhook } from '../support/listing-rows.ts';
import { turns, webhookFixture } from '../support/webhook-fixture.ts';

/** Claims due events in addition to those in progress, like the outbox. */
function claimingOn(database: Database, clock: FakeClock) {
  const { deliveriesTurn } = deliveryChanges(database);
  const rules = { userAgent: '', channels: { channelHosts: [], allowTargets: [] } };
  return (inProgress: readonly ListingJob[]) => {
    const { claimed } = deliveriesTurn({
      ...{ ended: [], inProgress, isClaiming: true, now: clock.now() },
      ...{ idBytes: systemRandom.bytes(UUID_BYTES * IN_ALL_MAX), rules, retryScheduleMs: [] },
    });
    return claimed.map(({ delivery }) => ({ id: delivery.deliveryId, listingId: delivery.listing.id }));
  };
}

test('NS-40: a webhook with many waiting events uses only its own four slots', async () => {
  const { database, clock, deliveries } = await webhookFixture({ webhook: null });
  await deliveries.close();
  const now = clock.now();
  const [busy, quiet] = [addListing(database, {}), addListing(database, {})];
  for (const listing of [busy, quiet]) {
    saveWebhook(database, listing, { url: 'http://127.0.0.1:9/', secret: null }, now);
  }
  for (let user = 0; user < 200; user++) addVote(database, busy, now, { userId: `u${user}` });
  addVote(database, quiet, now + 1, { userId: 'u0' });

  const claim = claimingOn(database, clock);
  clock.advance(1);

  const begun = claim([]).map(({ listingId }) => listingId);
  expect(begun.filter((id) => id === busy.id)).toHaveLength(PER_WEBHOOK_MAX);
  expect(begun.filter((id) => id === quiet.id)).toHaveLength(1);
});

test('NS-40: a healthy webhook still gets a slot, however many receivers hang', async () => {
  const { database, clock, deliveries } = await webhookFixture({ webhook: null });
  await deliveries.close();
  const hooked = (dueAt: number, votes: number) => {
    const listing = addListing(database, {});
    saveWebhook(database, listing, { url: 'http://127.0.0.1:9/', secret: null }, 0);
    for (let user = 0; user < votes; user++) addVote(database, listing, dueAt, { userId: `u${user}` });
    return listing;
  };
  for (let slow = 0; slow < 40; slow++) hooked(clock.now(), 10);
  clock.advance(1);
  const claim = claimingOn(database, clock);
  const hanging = claim([]);
  expect(hanging).toHaveLength(40 + 64);
  expect(claim(hanging)).toEqual([]);

  const healthy = hooked(clock.now(), 2);
  clock.advance(1);
  const next = claim(hanging);
  expect(next.map(({ listingId }) => listingId)).toEqual([healthy.id]);
  const freed = claim([...hanging.slice(1), ...next]);
  expect(freed).toHaveLength(1);
});

/** A vote whose webhook has answered 204, which another process keeps from being stored. */
async function answeredButLocked() {
  const scene = await webhookFixture();
  const other = openDatabase(scene.database.name, listingSchema, 'write');
  onTestFinished(() => {
    other.close();
  });
  const vote = scene.vote();
  const marks = scene.database.prepare('SELECT count(*) FROM deliveries').pluck();
  while (marks.get() === 0) await turns(1);
  other.exec('BEGIN IMMEDIATE');
  while (!scene.logged.includes('deliveries-paused')) {
    await turns(1);
    scene.clock.advance(100);
  }
  return { ...scene, vote, other };
}

test('DO-01: an event delivered just before the service stops is not sent again if the database lock is released in time', async () => {
  const { clock, deliveries, state, vote, other } = await answeredButLocked();
  const closed = deliveries.close();
  await turns(10);
  other.exec('COMMIT');
  clock.advance(1_000);
  await closed;
  expect(state(vote)).toBe('delivered');
});

test('closing finishes even if the database lock is never released', async () => {
  const { clock, deliveries, state, vote, other } = await answeredButLocked();
  const closed = deliveries.close();
  let isClosed = false;
  void closed.then(() => {
    isClosed = true;
  });
  while (!isClosed) {
    await turns(1);
    clock.advance(100);
  }
  other.exec('COMMIT');
  expect(state(vote)).toBe('pending');
});
