/**
 * A listing service in its own process, for the benchmark. A message with a number makes it cast that many votes, as the
 * page would. It reports each step and its memory.
 */
import { join } from 'node:path';
import { defaultListing } from '../../src/config/resolve.ts';
import { startListing } from '../../src/listing/service.ts';
import { castVote } from '../../src/listing/votes/cast-vote.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { silentLog } from '../support/log.ts';

export interface Report {
  readonly kind: 'ready' | 'cast' | 'delivered';
  readonly url?: string;
  readonly listing?: string;
  readonly password?: string;
  readonly tokens?: readonly string[];
  readonly seconds?: number;
  readonly rssMiB: number;
}

const [, , folder = '', sinkUrl = '', checkedListings = '0'] = process.argv;
const clock = systemClock;
const random = systemRandom;
const service = await startListing(
  { ...defaultListing(join(folder, 'listing')), port: 0, allowTargets: ['127.0.0.0/8'] },
  { clock, random, log: silentLog, practiceClock: null },
);
const { store, sends, deliveries, accounts } = service;
const password = 'a sentence for the bench';
const owner = await accounts.accounts.add('bench', password);
if (owner === null) throw new Error('the folder was used before');
const listing = await store.write(() => {
  const added = store.listings.add({ name: 'Bench', game: 'minecraft', weight: 1 }, clock.now());
  accounts.members.add(added.id, owner.id, 'owner');
  store.webhooks.register(added.id, { url: sinkUrl, secret: 'whsec_bench', isActive: true }, clock.now());
  return added;
});
const tokens = await store.write(() =>
  Array.from({ length: Number(checkedListings) }, (_, index) => {
    const checked = store.listings.add({ name: `C${index}`, game: 'minecraft', weight: 1 }, clock.now());
    const made = store.tokens.create(checked, 'bench', ['votes:read'], clock.now());
    return made.kind === 'created' ? made.token : '';
  }),
);
// Every vote has an event to deliver, so one listing is enough.
const parts = { store, clock, random, log: silentLog, observers: [sends, deliveries] };
let voters = 0;

const rssMiB = (): number => {
  globalThis.gc?.();
  return process.memoryUsage.rss() / 2 ** 20;
};
const report = (fields: Omit<Report, 'rssMiB'>): void => {
  process.send?.({ ...fields, rssMiB: rssMiB() });
};

process.on('message', async (votes: number) => {
  const startedAt = clock.monotonic();
  for (let cast = 0; cast < votes; cast++) {
    await castVote(parts, listing, `8035${String(voters++).padStart(14, '0')}`, `P${voters}`);
  }
  report({ kind: 'cast', seconds: (clock.monotonic() - startedAt) / 1000 });
  await untilDelivered(voters);
  report({ kind: 'delivered', seconds: (clock.monotonic() - startedAt) / 1000 });
});

/** Polls once a second, so that polling costs next to nothing. */
async function untilDelivered(events: number): Promise<void> {
  for (;;) {
    const health = deliveries.log.health(listing.id);
    if (health !== null && health.day.delivered >= events) return;
    await new Promise((resolve) => clock.after(1_000, () => resolve(undefined)));
  }
}

report({ kind: 'ready', url: service.url, listing: listing.id, password, tokens });
