import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listingInProcess } from '../../support/listing-in-process.ts';
import { toLoggedSend } from '../../../src/listing/listener-sends/send-store.ts';
import { listingSchema } from '../../../src/listing/store/schema.ts';
import { DeliveryLog } from '../../../src/listing/webhooks/delivery-log.ts';
import { openDatabase } from '../../../src/sqlite/open.ts';
import { NEWEST } from '../../../src/web/paging.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { addListing } from '../../support/listing-rows.ts';

/** The last version that stored why a delivery or a vote failed as an English sentence. */
const WITH_SENTENCES = { ...listingSchema, migrations: listingSchema.migrations.slice(0, 3) };

test('shows sentences stored by an earlier version unchanged, and leaves the state of their rows as it was', async () => {
  const file = join(temporaryFolder(), 'listing.db');
  const old = openDatabase(file, WITH_SENTENCES, 'create');
  const listing = addListing(old);
  const delivery = old.prepare(`
    INSERT INTO deliveries (id, listing_id, kind, attempt, url, headers, started_at, outcome, error)
    VALUES (?, ?, 'test', 1, 'http://a.example/', '{}', ?, ?, ?)`);
  delivery.run('d1', listing.id, 1, 'retryable', 'No answer came: "why"?');
  delivery.run('d2', listing.id, 2, null, 'The service ended.');
  delivery.run('d3', listing.id, 3, null, null);
  const send = old.prepare(`
    INSERT INTO listener_sends (id, listing_id, player, started_at, outcome, code, sentence)
    VALUES (?, ?, 'Steve', ?, ?, ?, ?)`);
  send.run('s1', listing.id, 1, 'failed', 'port-refused', 'Nothing listens there.');
  send.run('s2', listing.id, 2, null, null, null);
  old.close();

  const database = openDatabase(file, listingSchema, 'create');
  onTestFinished(() => {
    database.close();
  });
  const { reads } = listingInProcess(database, { clock: new FakeClock() });
  const log = new DeliveryLog(reads, new FakeClock(), { channelHosts: [], allowTargets: [] });
  const page = { limit: 9, before: null };
  expect((await log.page(listing.id, page)).rows).toMatchObject([
    { deliveryId: 'd3', status: 'under-way', error: null },
    { deliveryId: 'd2', status: 'cut-off', error: 'The service ended.' },
    { deliveryId: 'd1', status: 'retryable', error: 'No answer came: "why"?' },
  ]);
  expect((await reads.sendRows(listing.id, NEWEST, 9)).map(toLoggedSend)).toMatchObject([
    { id: 's2', outcome: 'under-way', code: null, sentence: null },
    { id: 's1', outcome: 'failed', code: 'port-refused', sentence: 'Nothing listens there.' },
  ]);
});
