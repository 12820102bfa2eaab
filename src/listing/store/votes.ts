import type { Database } from 'better-sqlite3';

/** A vote whose window has not ended. */
export interface ActiveVote {
  readonly castAt: number;
  readonly nextAt: number;
}

/** The user or player that is checked. */
export interface Checked {
  readonly by: 'user' | 'player';
  /** The user's ID, or the player's name in lower case. */
  readonly key: string;
}

/** The statements that check votes. */
export class Votes {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** The newest vote if it is still active, else null. For a player, votes of all users that name this player count. */
  active(listingId: string, { by, key }: Checked, now: number): ActiveVote | null {
    const newest = by === 'user' ? this.statements.newestOfUser : this.statements.newestOfPlayer;
    const vote = newest.get(listingId, key) as ActiveVote | undefined;
    return vote !== undefined && now < vote.nextAt ? vote : null;
  }
}

const prepareStatements = (db: Database) => ({
  newestOfUser: db.prepare(`
    SELECT cast_at AS castAt, next_at AS nextAt FROM votes
    WHERE listing_id = ? AND user_id = ? ORDER BY cast_at DESC LIMIT 1`),
  newestOfPlayer: db.prepare(`
    SELECT cast_at AS castAt, next_at AS nextAt FROM votes
    WHERE listing_id = ? AND player_key = ? ORDER BY cast_at DESC LIMIT 1`),
});
