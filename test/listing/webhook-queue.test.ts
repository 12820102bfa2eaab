import { expect, onTestFinished, test } from 'vitest';
import { claimDue } from '../../src/listing/outbox/claim-due.ts';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { targetRule } from '../../src/listing/targets/target-rule.ts';
import type { Attempt } from '../../src/listing/webhooks/attempt.ts';
import { AttemptRecorder } from '../../src/listing/webhooks/attempt-recorder.ts';
import { DeliveryStore } from '../../src/listing/webhooks/delivery-store.ts';
import { PER_WEBHOOK_MAX, WebhookOutlet } from '../../src/listing/webhooks/webhook-outlet.ts';
import { WebhookStore } from '../../src/listing/webhooks/webhook-store.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { type Database, openDatabase } from '../../src/sqlite/open.ts';
import { postWith } from '../../src/webhook-send/post.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { addListing, addVote, saveWebhook } from '../support/listing-rows.ts';
import { silentLog } from '../support/log.ts';
import { resolver } from '../support/names.ts';
import { turns, webhookFixture } from '../support/webhook-fixture.ts';

/** Claims due events in addition to those in progress, like the outbox. */
function claimingOn(database: Database, clock: FakeClock) {
  const targets = targetRule({ lookup: resolver({}), allowTargets: [], channelHosts: [] });
  const channelFacts = () => ({ listingName: '', votes: 0, link: null });
  const attempts = { clock, random: systemRandom, targets, channelFacts, userAgent: '' };
  const stores = { store: new DeliveryStore(database), webhooks: new WebhookStore(database) };
  const recorder = new AttemptRecorder({ ...stores, clock, random: systemRandom, scheduleMs: [] });
  const post = postWith(targets.lookup, clock);
  const outlet = new WebhookOutlet({ ...attempts, ...stores, recorder, post, log: silentLog });
  return (inProgress: readonly Attempt[]) => claimDue(outlet, new Set(inProgress), clock.now());
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

  const begun = claim([]).map(({ delivery }) => delivery.listing.id);
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
  expect(next.map(({ delivery }) => delivery.listing.id)).toEqual([healthy.id]);
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
  await turns(1); // the event is claimed
  other.exec('BEGIN IMMEDIATE');
  while (!scene.logged.includes('deliveries-paused')) await turns(1);
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
  await turns(10);
  clock.advance(2_000);
  await closed;
  other.exec('COMMIT');
  expect(state(vote)).toBe('pending');
});
