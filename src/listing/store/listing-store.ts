import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { ListingDatabase } from '../database/listing-database.ts';
import { BotStats } from './bot-stats.ts';
import { Budgets } from './budgets.ts';
import { Listings } from './listings.ts';
import { Tokens } from './tokens.ts';
import { Votes } from './votes.ts';
import { Webhooks } from './webhooks.ts';

/**
 * The listing service’s database, with what reads a few rows of it at once. All times are milliseconds since the Unix
 * epoch.
 */
export interface ListingStore extends Omit<ListingDatabase, 'database'> {
  readonly listings: Listings;
  readonly tokens: Tokens;
  readonly budgets: Budgets;
  readonly botStats: BotStats;
  readonly votes: Votes;
  readonly webhooks: Webhooks;
}

export interface StoreParts extends ListingDatabase {
  readonly clock: Clock;
  readonly log: Log;
}

export function listingStore({ database, changes, reads, clock, log }: StoreParts): ListingStore {
  return {
    changes,
    reads,
    listings: new Listings(database),
    tokens: new Tokens(database),
    budgets: new Budgets({ database, changes, clock, log }),
    botStats: new BotStats(database),
    votes: new Votes(database),
    webhooks: new Webhooks(database),
  };
}
