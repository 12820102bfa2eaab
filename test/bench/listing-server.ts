/**
 * A listing service in its own process, for the benchmark. A message makes it cast votes, as the page would. It reports
 * each step and its memory.
 */
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { defaultListing } from '../../src/config/resolve.ts';
import { startListing } from '../../src/listing/service.ts';
import { newListing } from '../../src/listing/store/listings.ts';
import { newToken } from '../../src/listing/store/tokens.ts';
import { castVote } from '../../src/listing/votes/cast-vote.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { silentLog } from '../support/log.ts';
import { median, percentile } from './figures.ts';

/** Votes to cast. */
export interface Asked {
  readonly votes: number;
  readonly atOnce: number;
  /** Whether to report when all of them are delivered. */
  readonly isDelivery: boolean;
}

export interface Report {
  readonly kind: 'ready' | 'cast' | 'delivered';
  readonly url?: string;
  readonly listing?: string;
  readonly password?: string;
  readonly tokens?: readonly string[];
  readonly seconds?: number;
  /** How long one vote took. */
  readonly medianMs?: number;
  readonly p99Ms?: number;
  /** The 99.9th percentile of the delay of the event loop while votes were cast; null if it never turned. */
  readonly delayMs?: number | null;
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
const { changes } = store;
const now = clock.now();
const named = (name: string) => newListing({ name, game: 'minecraft', weight: 1 }, now, random);
const listing = named('Bench');
await changes.addListings([{ listing, members: [{ accountId: owner.id, role: 'owner' }] }], now);
await changes.registerWebhook(listing.id, { url: sinkUrl, secret: 'whsec_bench', isActive: true }, now);
const checked = Array.from({ length: Number(checkedListings) }, (_, index) => named(`C${index}`));
await changes.addListings(
  checked.map((one) => ({ listing: one, members: [] })),
  now,
);
const tokens: string[] = [];
for (const one of checked) {
  const drawn = newToken(one, 'bench', ['votes:read'], { now, random });
  if (drawn.kind !== 'new') throw new Error(drawn.kind);
  await changes.addToken(drawn.stored);
  tokens.push(drawn.token);
}
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

process.on('message', async ({ votes, atOnce, isDelivery }: Asked) => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const times: number[] = [];
  let left = votes;
  const cast = async (): Promise<void> => {
    while (left-- > 0) {
      const castAt = clock.monotonic();
      await castVote(parts, listing, `8035${String(voters++).padStart(14, '0')}`, `P${voters}`);
      times.push(clock.monotonic() - castAt);
    }
  };
  delay.enable();
  const startedAt = clock.monotonic();
  const seconds = (): number => (clock.monotonic() - startedAt) / 1000;
  await Promise.all(Array.from({ length: atOnce }, cast));
  delay.disable();
  const figures = { medianMs: median(times), p99Ms: percentile(times, 0.99) };
  const delayMs = delay.percentile(99.9) > 0 ? delay.percentile(99.9) / 1e6 : null;
  report({ kind: 'cast', seconds: seconds(), ...figures, delayMs });
  if (!isDelivery) return;
  await untilDelivered(voters);
  report({ kind: 'delivered', seconds: seconds() });
});

/** Polls once a second, so that polling costs next to nothing. */
async function untilDelivered(events: number): Promise<void> {
  for (;;) {
    const health = await deliveries.log.health(listing.id);
    if (health !== null && health.day.delivered >= events) return;
    await new Promise((resolve) => clock.after(1_000, () => resolve(undefined)));
  }
}

report({ kind: 'ready', url: service.url, listing: listing.id, password, tokens });
