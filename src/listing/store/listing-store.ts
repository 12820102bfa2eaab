import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Random } from '../../core/random.ts';
import type { Database } from '../../sqlite/open.ts';
import { type Write, writer } from '../../sqlite/patience.ts';
import { BotStats } from './bot-stats.ts';
import { Budgets } from './budgets.ts';
import { Listings } from './listings.ts';
import { Tokens } from './tokens.ts';
import { Votes } from './votes.ts';
import { Voting } from './voting.ts';
import { Webhooks } from './webhooks.ts';

/**
 * The listing service’s database. Its parts run statements synchronously. Changes are made inside `write`, so that
 * several of them are one transaction. All times are milliseconds since the Unix epoch.
 */
export interface ListingStore {
  readonly write: Write;
  readonly listings: Listings;
  readonly tokens: Tokens;
  readonly budgets: Budgets;
  readonly botStats: BotStats;
  readonly voting: Voting;
  readonly votes: Votes;
  readonly webhooks: Webhooks;
}

export interface StoreParts {
  /** Open, with the listing service’s schema. */
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export function listingStore({ database, clock, random, log }: StoreParts): ListingStore {
  const write = writer(database, clock);
  return {
    write,
    listings: new Listings(database, random),
    tokens: new Tokens(database, random),
    budgets: new Budgets({ database, write, clock, log }),
    botStats: new BotStats(database),
    voting: new Voting(database),
    votes: new Votes(database),
    webhooks: new Webhooks(database),
  };
}
