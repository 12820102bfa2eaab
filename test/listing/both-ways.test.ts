import { expect, test } from 'vitest';
import { ListenerSends } from '../../src/listing/listener-sends/listener-sends.ts';
import { sendWith } from '../../src/listing/listener-sends/sending.ts';
import { listingStore } from '../../src/listing/store/listing-store.ts';
import { targetRule } from '../../src/listing/targets/target-rule.ts';
import { castVote } from '../../src/listing/votes/cast-vote.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { fakeListener, readFrame } from '../support/fake-listener.ts';
import { listingInProcess } from '../support/listing-in-process.ts';
import { silentLog } from '../support/log.ts';
import { resolver } from '../support/names.ts';
import { webhookFixture } from '../support/webhook-fixture.ts';

test('VT-15: a vote goes to the webhook and the listener with the same player, listing and time', async () => {
  const { clock, database, listing, deliveries, sink } = await webhookFixture();
  const targets = targetRule({ lookup: resolver({}), allowTargets: ['127.0.0.0/8'], channelHosts: [] });
  const shared = { clock, random: systemRandom, log: silentLog };
  const send = sendWith(targets, clock);
  const opened = listingInProcess(database, { clock });
  const store = listingStore({ ...opened, clock, log: silentLog });
  const sends = new ListenerSends({ ...shared, ...opened, targets, send, serviceName: 'Listing' });
  const listener = await fakeListener();
  const settings = { host: '127.0.0.1', port: String(listener.port), method: 'token', credential: 'token' };
  await sends.save(listing.id, settings);

  await castVote({ store, ...shared, observers: [sends, deliveries] }, listing, '80351110224678912', 'Steve');

  const { json } = await sink.request(1);
  await expect
    .poll(async () => (await sends.page(listing.id, { limit: 1 })).rows[0]?.outcome)
    .toBe('accepted');
  const { username, timestamp } = readFrame(listener.received[0]!).vote;
  expect(json.data.playerName).toBe(username);
  expect(Date.parse(String(json.data.votedAt))).toBe(timestamp);
  await sends.close();
});
