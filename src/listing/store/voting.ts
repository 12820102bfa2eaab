import type { Database } from 'better-sqlite3';
import { DAY_MS } from '../../core/duration.ts';
import { playerKey } from '../../core/player-name.ts';
import type { CastVote } from '../contracts.ts';

export type RecordedVote =
  | { readonly kind: 'recorded' }
  /** The user has an active vote until `nextAt`. */
  | { readonly kind: 'too-early'; readonly nextAt: number };

/** The statements that record votes. */
export class Voting {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** Stores the vote and updates the totals, all or nothing. */
  record(vote: CastVote): RecordedVote {
    const nextAt = this.statements.takenUntil.get(vote.listingId, vote.userId, vote.castAt) as
      | number
      | undefined;
    if (nextAt !== undefined) return { kind: 'too-early', nextAt };
    const key = vote.player === null ? null : playerKey(vote.player);
    this.statements.insert.run({ ...vote, playerKey: key });
    this.sum(vote);
    return { kind: 'recorded' };
  }

  private sum({ listingId, userId, castAt }: CastVote): void {
    const votesOfUser = this.statements.countVoter.get(listingId, userId);
    this.statements.countDay.run(listingId, Math.floor(castAt / DAY_MS));
    this.statements.countTotal.run(listingId, Number(votesOfUser === 1), castAt);
  }
}

const prepareStatements = (db: Database) => ({
  takenUntil: db
    .prepare('SELECT max(next_at) FROM votes WHERE listing_id = ? AND user_id = ? HAVING max(next_at) > ?')
    .pluck(),
  insert: db.prepare(`
    INSERT INTO votes (id, listing_id, user_id, player, player_key, cast_at, next_at, weight)
    VALUES (@id, @listingId, @userId, @player, @playerKey, @castAt, @nextAt, @weight)`),
  countVoter: db
    .prepare(`
    INSERT INTO voters (listing_id, user_id, votes) VALUES (?, ?, 1)
    ON CONFLICT DO UPDATE SET votes = votes + 1 RETURNING votes`)
    .pluck(),
  countDay: db.prepare(`
    INSERT INTO vote_days (listing_id, day, votes) VALUES (?, ?, 1)
    ON CONFLICT DO UPDATE SET votes = votes + 1`),
  countTotal: db.prepare(`
    INSERT INTO vote_totals (listing_id, votes, voters, last_at) VALUES (?, 1, ?, ?)
    ON CONFLICT DO UPDATE
    SET votes = votes + 1, voters = voters + excluded.voters, last_at = max(last_at, excluded.last_at)`),
});
