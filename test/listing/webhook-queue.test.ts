import { expect, test } from 'vitest';
import { targetRule } from '../../src/listing/targets/target-rule.ts';
import { DeliveryStore } from '../../src/listing/webhooks/delivery-store.ts';
import { Queue } from '../../src/listing/webhooks/queue.ts';
import { WebhookStore } from '../../src/listing/webhooks/webhook-store.ts';
import { systemDice } from '../../src/runtime/dice.ts';
import type { Database } from '../../src/sqlite/open.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { resolver } from '../support/names.ts';
import { webhookScene } from '../support/webhook-scene.ts';

/** A store whose look takes as long as a test says. */
class SlowStore extends DeliveryStore {
  looks = 0;
  private readonly look: () => void;

  constructor(database: Database, look: () => void) {
    super(database);
    this.look = look;
  }

  override due(): never[] {
    this.looks++;
    this.look();
    return [];
  }
}

test('DO-03: looking for what is due takes at most a tenth of the time, however many events wait', async () => {
  const { database } = await webhookScene();
  const clock = new FakeClock();
  const store = new SlowStore(database, () => clock.advance(10));
  const targets = targetRule({ lookup: resolver({}), allowTargets: [], channelHosts: [] });
  const channelFacts = () => ({ listingName: '', votes: 0, link: null });
  const attempts = { clock, dice: systemDice, targets, channelFacts, userAgent: '' };
  const queue = new Queue({ ...attempts, store, webhooks: new WebhookStore(database) });

  expect(queue.restMs()).toBe(0);
  queue.begin([]);
  expect(queue.restMs()).toBe(90);
  queue.begin([]);
  expect(store.looks).toBe(1);
  clock.advance(90);
  queue.begin([]);
  expect(store.looks).toBe(2);
});
