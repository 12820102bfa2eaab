import type { Database } from 'better-sqlite3';
import { DAY_MS } from '../../core/duration.ts';
import type { Listing } from '../contracts.ts';
import { atMost } from './at-most.ts';

/** How many days of daily votes are reported. */
const DAYS = 30;
const TOP_VOTERS = 10;

export interface VoteEntry {
  readonly id: string;
  readonly userId: string;
  readonly player: string | null;
  readonly castAt: number;
}

/** In milliseconds since the Unix epoch, `from` included, `until` excluded; null for unlimited. */
export interface VoteSpan {
  readonly from: number | null;
  readonly until: number | null;
}

export interface VoteFigures {
  /** 30 days, oldest first, today included; `day` is its first instant, UTC. */
  readonly days: readonly { readonly day: number; readonly votes: number }[];
  readonly votes: number;
  readonly voters: number;
  readonly lastAt: number | null;
  readonly top: readonly TopVoter[];
}

export interface TopVoter {
  readonly userId: string;
  readonly votes: number;
  /** The last player that they named; null if none. */
  readonly player: string | null;
}

/** A listing with the number of all its votes. */
export interface DirectoryEntry extends Listing {
  readonly votes: number;
}

/** The statements that list and sum votes. */
export class VoteReports {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** All listings that were not removed, by name. */
  directory(): DirectoryEntry[] {
    return this.statements.directory.all() as DirectoryEntry[];
  }

  /** Newest first. */
  list(listingId: string, { from, until }: VoteSpan, limit: number): VoteEntry[] {
    const least = from ?? Number.MIN_SAFE_INTEGER;
    const most = until ?? Number.MAX_SAFE_INTEGER;
    return this.statements.list.all(listingId, least, most, limit) as VoteEntry[];
  }

  figures(listingId: string, now: number): VoteFigures {
    const totals = this.statements.totals.get(listingId) as
      | Pick<VoteFigures, 'votes' | 'voters' | 'lastAt'>
      | undefined;
    return {
      days: this.days(listingId, now),
      ...(totals ?? { votes: 0, voters: 0, lastAt: null }),
      top: this.statements.top.all(listingId, TOP_VOTERS) as VoteFigures['top'],
    };
  }

  private days(listingId: string, now: number): VoteFigures['days'] {
    const first = Math.floor(now / DAY_MS) - DAYS + 1;
    const rows = this.statements.days.all(listingId, first) as { day: number; votes: number }[];
    const counted = new Map(rows.map(({ day, votes }) => [day, votes]));
    return Array.from({ length: DAYS }, (_, index) => ({
      day: (first + index) * DAY_MS,
      votes: counted.get(first + index) ?? 0,
    }));
  }
}

const prepareStatements = (db: Database) => ({
  directory: db.prepare(`
    SELECT l.id, l.name, l.type, l.game, l.weight, ifnull(t.votes, 0) AS votes
    FROM listings l LEFT JOIN vote_totals t ON t.listing_id = l.id WHERE l.removed_at IS NULL
    ORDER BY l.name, l.id`),
  list: db.prepare(`
    SELECT id, user_id AS userId, player, cast_at AS castAt FROM votes
    WHERE listing_id = ? AND cast_at >= ? AND cast_at < ? ORDER BY cast_at DESC, id DESC ${atMost('?')}`),
  totals: db.prepare('SELECT votes, voters, last_at AS lastAt FROM vote_totals WHERE listing_id = ?'),
  days: db.prepare('SELECT day, votes FROM vote_days WHERE listing_id = ? AND day >= ?'),
  top: db.prepare(`
    SELECT v.user_id AS userId, v.votes,
           (SELECT player FROM votes WHERE listing_id = v.listing_id AND user_id = v.user_id AND player IS NOT NULL
            ORDER BY cast_at DESC LIMIT 1) AS player
    FROM voters v
    WHERE v.listing_id = ? ORDER BY v.votes DESC, v.user_id ${atMost('?')}`),
});
