import type { Clock } from '../../core/clock.ts';
import type { Dice } from '../../core/dice.ts';
import { type Database, openDatabase } from '../../sqlite/open.ts';
import { type Write, writer } from '../../sqlite/patience.ts';
import { BotStats } from './bot-stats.ts';
import { Budgets } from './budgets.ts';
import { Listings } from './listings.ts';
import { listingSchema } from './schema.ts';
import { Tokens } from './tokens.ts';
import { Votes } from './votes.ts';
import { Voting } from './voting.ts';
import { Webhooks } from './webhooks.ts';

/**
 * What the listing service keeps. Its parts are statements that answer at once; whatever changes something is called
 * inside `write`, so that several changes are one. All times are milliseconds since the Unix epoch.
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
  close(): void;
}

/** Opens the listing service's database, and makes or migrates it. Throws a Problem (see `openDatabase`). */
export const openListingStore = (file: string, clock: Clock, dice: Dice): ListingStore =>
  listingStore(openDatabase(file, listingSchema, 'create'), clock, dice);

/** The store in an open database, which it closes. */
export const listingStore = (database: Database, clock: Clock, dice: Dice): ListingStore => ({
  write: writer(database, clock),
  listings: new Listings(database, dice),
  tokens: new Tokens(database, dice),
  budgets: new Budgets(database),
  botStats: new BotStats(database),
  voting: new Voting(database),
  votes: new Votes(database),
  webhooks: new Webhooks(database),
  close: () => database.close(),
});
