import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import type { CastVote, Listing } from '../../src/listing/contracts.ts';
import { ListenerSends } from '../../src/listing/listener-sends/listener-sends.ts';
import { SendStore } from '../../src/listing/listener-sends/send-store.ts';
import { sendWith } from '../../src/listing/listener-sends/sending.ts';
import type { EnteredSettings } from '../../src/listing/listener-sends/settings.ts';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { targetRule } from '../../src/listing/targets/target-rule.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { type Database, openDatabase } from '../../src/platform/sqlite/open.ts';
import { FakeClock } from './fake-clock.ts';
import { temporaryFolder } from './folder.ts';
import { listingInProcess } from './listing-in-process.ts';
import { addListing, addVote, type ListingWanted, type VoteWanted } from './listing-rows.ts';
import { keptLog } from './log.ts';
import { turns } from './webhook-fixture.ts';

export const SERVICE_NAME = 'Test Listing';
export const TOKEN = 'token-of-the-listener';

export interface SendsWanted extends ListingWanted {
  readonly lookup?: LookupFunction;
  readonly allowTargets?: readonly string[];
}

export interface SendsFixture {
  readonly database: Database;
  readonly listing: Listing;
  readonly sends: ListenerSends;
  readonly logged: readonly string[];
  /** Saves settings as the form does; host 127.0.0.1 and method token unless given. */
  save(entered: Partial<EnteredSettings>, listing?: Listing): ReturnType<ListenerSends['save']>;
  vote(wanted?: VoteWanted, listing?: Listing): CastVote;
  /** Resolves when this many sends have ended. */
  ended(count: number): Promise<void>;
  /** Starts another engine on the same database, as after a kill. */
  restart(): Promise<ListenerSends>;
}

/** Delivery to vote listeners on the real schema, with a listing; by default with a clock that stands still. */
export function sendsFixture(wanted: SendsWanted = {}, clock: Clock = new FakeClock()): SendsFixture {
  const database = openDatabase(join(temporaryFolder(), 'listing.db'), listingSchema, 'create');
  const listing = addListing(database, wanted);
  const { lookup = systemLookup as LookupFunction, allowTargets = ['127.0.0.0/8'] } = wanted;
  const targets = targetRule({ lookup, allowTargets, channelHosts: [] });
  const { log, codes } = keptLog();
  // Tests hold locks in this process, so waiting for them could not end.
  const opened = listingInProcess(database, { clock, patienceMs: 0 });
  const parts = { ...opened, targets, clock, random: systemRandom, log, serviceName: SERVICE_NAME };
  const engines: ListenerSends[] = [];
  const newEngine = (): ListenerSends => {
    const sends = new ListenerSends({ ...parts, send: sendWith(targets, clock) });
    engines.push(sends);
    return sends;
  };
  let sends = newEngine();
  onTestFinished(async () => {
    const closed = Promise.all(engines.map((engine) => engine.close()));
    if (clock instanceof FakeClock) clock.advance(10_000);
    await closed;
    database.close();
  });
  const count = database.prepare('SELECT count(*) FROM listener_sends WHERE outcome IS NOT NULL').pluck();
  return {
    database,
    listing,
    get sends() {
      return sends;
    },
    logged: codes,
    save: (entered, of = listing) =>
      sends.save(of.id, { host: '127.0.0.1', port: '', method: 'token', credential: TOKEN, ...entered }),
    vote: (vote = {}, of = listing) => {
      const cast = addVote(database, of, clock.now(), { player: 'Steve', ...vote });
      new SendStore(database).beginVote(of, cast);
      sends.voteCast();
      return cast;
    },
    ended: async (sent) => {
      while ((count.get() as number) < sent) await turns(1);
    },
    restart: async () => {
      sends = newEngine();
      await sends.cutOffOpen();
      return sends;
    },
  };
}
