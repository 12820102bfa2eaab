import type { Occasion, ReachedStreak } from '../../core/occasion.ts';
import type { Per } from '../../core/period.ts';
import type { Database } from '../../sqlite/open.ts';

/** A network's occasions belong to no recipient. */
const NOBODY = 0;

/** Whose occasions of which reward. */
export interface Owner {
  readonly rewardId: number;
  readonly recipientId: number;
}

/** The occasions that rewards were granted for, or lost (rule 14). */
export class RewardOccasions {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  isSpent(owner: Owner, occasion: Occasion): boolean {
    return this.statements.isSpent.get(owner.rewardId, ownerOf(owner, occasion), occasion.name) !== undefined;
  }

  /** Throws a constraint error if it is spent. @param voteId null: without a vote. */
  spend(owner: Owner, occasion: Occasion, voteId: number | null): void {
    const { rewardId } = owner;
    this.statements.spend.run(rewardId, ownerOf(owner, occasion), occasion.name, voteId);
    for (const streak of occasion.streaks) this.reach(owner, streak);
  }

  /** The streak is not due any more. @returns whether it was until now. */
  reach({ rewardId, recipientId }: Owner, { per, length, period }: ReachedStreak): boolean {
    return this.statements.reach.run(rewardId, recipientId, per, length, period).changes === 1;
  }

  /** The streaks that were paid, or lost. */
  streaks({ rewardId, recipientId }: Owner, per: Per): ReachedStreak[] {
    return this.statements.streaks.all(rewardId, recipientId, per) as ReachedStreak[];
  }
}

const ownerOf = ({ recipientId }: Owner, { isNetworks }: Occasion): number =>
  isNetworks ? NOBODY : recipientId;

const prepareStatements = (db: Database) => ({
  isSpent: db
    .prepare('SELECT 1 FROM occasions WHERE reward_id = ? AND recipient_id = ? AND occasion = ?')
    .pluck(),
  spend: db.prepare('INSERT INTO occasions (reward_id, recipient_id, occasion, vote_id) VALUES (?, ?, ?, ?)'),
  reach: db.prepare(`
    INSERT INTO reached_streaks (reward_id, recipient_id, per, length, period) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`),
  streaks: db.prepare(`
    SELECT per, length, period FROM reached_streaks WHERE reward_id = ? AND recipient_id = ? AND per = ?`),
});
