import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Log } from '../../src/core/log.ts';
import type { Random } from '../../src/core/random.ts';
import type { CastVote, Listing } from '../../src/listing/contracts.ts';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { targetRule } from '../../src/listing/targets/target-rule.ts';
import { WebhookDeliveries } from '../../src/listing/webhooks/webhook-deliveries.ts';
import { postWith } from '../../src/notify/webhook/post.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { type Database, openDatabase } from '../../src/platform/sqlite/open.ts';
import { FakeClock } from './fake-clock.ts';
import { temporaryFolder } from './folder.ts';
import { listingInProcess } from './listing-in-process.ts';
import {
  addListing,
  addVote,
  type ListingWanted,
  saveWebhook,
  type VoteWanted,
  type WebhookWanted,
} from './listing-rows.ts';
import { keptLog } from './log.ts';
import { type Sink, sink } from './sink.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** How long closing the engine waits for attempts in progress. */
const CLOSE_GRACE_MS = 2_000;
/** The default of the config (NS-25). */
export const SCHEDULE_MS = [10_000, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];

export interface WebhookFixtureWanted extends ListingWanted {
  /** Replaces the webhook of the sink; null: no webhook. */
  readonly webhook?: WebhookWanted | null;
  readonly secret?: string | null;
  readonly lookup?: LookupFunction;
  readonly allowTargets?: readonly string[];
  readonly channelHosts?: readonly string[];
  /** Random numbers for the jitter; 0 unless a test says otherwise. */
  readonly next?: Random['next'];
}

export interface WebhookFixture {
  readonly clock: FakeClock;
  readonly database: Database;
  readonly sink: Sink;
  readonly listing: Listing;
  readonly deliveries: WebhookDeliveries;
  /** Closes the engine as a shutdown does, runs `meanwhile`, and starts another engine on the same database. */
  restart(meanwhile?: () => void): Promise<void>;
  /** The codes of the log lines. */
  readonly logged: readonly string[];
  vote(wanted?: VoteWanted, listing?: Listing): CastVote;
  save(webhook?: Partial<WebhookWanted>, listing?: Listing): void;
  /** Resolves when this many attempts have ended and are stored. */
  ended(count: number): Promise<void>;
  /** Resolves when no attempt is in progress and none is due. */
  quiet(): Promise<void>;
  /** Moves the clock, and resolves when everything that became due has ended. */
  pass(ms: number): Promise<void>;
  state(vote: CastVote): string;
}

/** The delivery engine on the real schema with a listing and a receiver; the clock moves only when told to. */
export async function webhookFixture(wanted: WebhookFixtureWanted = {}): Promise<WebhookFixture> {
  const clock = new FakeClock();
  const database = openDatabase(join(temporaryFolder(), 'listing.db'), listingSchema, 'create');
  const receiver = await sink(204);
  const listing = addListing(database, wanted);
  const { log, codes } = keptLog();
  const newEngine = () => engine(database, clock, wanted, log);
  let deliveries = newEngine();
  const save = (webhook: Partial<WebhookWanted> = {}, of = listing) =>
    saveWebhook(database, of, { url: receiver.url, secret: wanted.secret ?? null, ...webhook }, clock.now());
  if (wanted.webhook !== null) save(wanted.webhook);
  await deliveries.cutOffOpen();
  deliveries.start();
  const close = async () => {
    const closed = deliveries.close();
    clock.advance(CLOSE_GRACE_MS);
    await closed;
  };
  onTestFinished(async () => {
    await close();
    database.close();
  });
  const count = (where: string): number =>
    database.prepare(`SELECT count(*) FROM ${where}`).pluck().get() as number;
  const quiet = async () => {
    await turns(3);
    while (isBusy(count, clock.now())) await turns(1);
  };
  return {
    clock,
    database,
    sink: receiver,
    listing,
    get deliveries() {
      return deliveries;
    },
    restart: async (meanwhile = () => {}) => {
      await close();
      meanwhile();
      deliveries = newEngine();
      await deliveries.cutOffOpen();
      deliveries.start();
    },
    logged: codes,
    save,
    vote: (vote, of = listing) => {
      const cast = addVote(database, of, clock.now(), vote);
      deliveries.voteCast();
      return cast;
    },
    ended: async (attempts) => {
      while (count('deliveries WHERE outcome IS NOT NULL OR reason IS NOT NULL') < attempts) await turns(1);
    },
    quiet,
    pass: async (ms) => {
      clock.advance(ms);
      await quiet();
    },
    state: ({ id }) => database.prepare('SELECT state FROM events WHERE id = ?').pluck().get(id) as string,
  };
}

const isBusy = (count: (where: string) => number, now: number): boolean =>
  count('deliveries WHERE outcome IS NULL AND reason IS NULL') > 0 ||
  count(`events WHERE state = 'pending' AND due_at <= ${now}`) > 0;

/** Waits for this many turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function engine(
  database: Database,
  clock: FakeClock,
  wanted: WebhookFixtureWanted,
  log: Log,
): WebhookDeliveries {
  const {
    lookup = systemLookup as LookupFunction,
    allowTargets = ['127.0.0.0/8'],
    channelHosts = [],
  } = wanted;
  const targets = targetRule({ lookup, allowTargets, channelHosts });
  return new WebhookDeliveries({
    // Tests hold locks in this process, so waiting for them could not end.
    ...listingInProcess(database, { clock, patienceMs: 0 }),
    clock,
    random: { next: wanted.next ?? (() => 0), bytes: systemRandom.bytes },
    log,
    targets,
    post: postWith(targets.lookup, clock),
    retryScheduleMs: SCHEDULE_MS,
    userAgent: 'Test-Listing',
    listingLink: ({ id }) => `https://list.example/l/${id}`,
  });
}
