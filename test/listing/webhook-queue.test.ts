import { expect, test } from 'vitest';
import { targetRule } from '../../src/listing/targets/target-rule.ts';
import { DeliveryStore } from '../../src/listing/webhooks/delivery-store.ts';
import { PER_WEBHOOK_MAX, Queue } from '../../src/listing/webhooks/queue.ts';
import { WebhookStore } from '../../src/listing/webhooks/webhook-store.ts';
import { systemDice } from '../../src/runtime/dice.ts';
import { addListing, addVote, saveWebhook } from '../support/listing-rows.ts';
import { resolver } from '../support/names.ts';
import { webhookScene } from '../support/webhook-scene.ts';

test('DO-03: a webhook behind which many events wait takes its own four places and nobody else’s', async () => {
  const { database, clock, deliveries } = await webhookScene({ webhook: null });
  await deliveries.close();
  const now = clock.now();
  const [busy, quiet] = [addListing(database, {}), addListing(database, {})];
  for (const listing of [busy, quiet]) {
    saveWebhook(database, listing, { url: 'http://127.0.0.1:9/', secret: null }, now);
  }
  for (let user = 0; user < 200; user++) addVote(database, busy, now, { userId: `u${user}` });
  addVote(database, quiet, now + 1, { userId: 'u0' });

  const store = new DeliveryStore(database);
  const targets = targetRule({ lookup: resolver({}), allowTargets: [], channelHosts: [] });
  const channelFacts = () => ({ listingName: '', votes: 0, link: null });
  const attempts = { clock, dice: systemDice, targets, channelFacts, userAgent: '' };
  const queue = new Queue({ ...attempts, store, webhooks: new WebhookStore(database) });
  clock.advance(1);

  const begun = queue.begin([]).map(({ delivery }) => delivery.listing.id);
  expect(begun.filter((id) => id === busy.id)).toHaveLength(PER_WEBHOOK_MAX);
  expect(begun.filter((id) => id === quiet.id)).toHaveLength(1);
});
