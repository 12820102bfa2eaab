import { type Occasion, type PassedTotals, type ReachedStreak, totalsCount } from '../../core/occasion.ts';
import type { Per } from '../../core/period.ts';
import type { Database } from '../../platform/sqlite/open.ts';

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
    return this.isSpentAlone(owner, occasion) || this.passedWith(owner, occasion) !== null;
  }

  /** The change with which it was passed among many totals; null if it was not, or has been given since. */
  passedAmongTotals(owner: Owner, occasion: Occasion): number | null {
    return this.isSpentAlone(owner, occasion) ? null : this.passedWith(owner, occasion);
  }

  private isSpentAlone(owner: Owner, { name, isNetworks }: Occasion): boolean {
    const recipientId = isNetworks ? NOBODY : owner.recipientId;
    return this.statements.isSpent.get(owner.rewardId, recipientId, name) !== undefined;
  }

  private passedWith(owner: Owner, { name, threshold, isNetworks }: Occasion): number | null {
    if (threshold === null || isNetworks) return null;
    const of = name.slice(0, -` ${threshold}`.length);
    return (this.statements.passedWith.get({ ...owner, of, count: threshold }) as number | undefined) ?? null;
  }

  /** They are spent from now on. @returns how many they are; 0 if that was known. */
  passTotals(owner: Owner, totals: PassedTotals, changeId: number): number {
    const { changes } = this.statements.passTotals.run({ ...owner, ...totals, changeId });
    return changes === 0 ? 0 : totalsCount(totals);
  }

  /** Throws a constraint error if it is spent. @param voteId null: without a vote. */
  spend(owner: Owner, occasion: Occasion, voteId: number | null): void {
    const { rewardId } = owner;
    const recipientId = occasion.isNetworks ? NOBODY : owner.recipientId;
    this.statements.spend.run(rewardId, recipientId, occasion.name, voteId);
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

const prepareStatements = (db: Database) => ({
  isSpent: db
    .prepare('SELECT 1 FROM occasions WHERE reward_id = ? AND recipient_id = ? AND occasion = ?')
    .pluck(),
  passedWith: db
    .prepare(`
    SELECT change_id FROM passed_totals
    WHERE reward_id = @rewardId AND recipient_id = @recipientId AND of = @of
      AND @count BETWEEN first AND last AND (@count - first) % step = 0`)
    .pluck(),
  passTotals: db.prepare(`
    INSERT INTO passed_totals (reward_id, recipient_id, of, first, last, step, change_id, passed_by)
    SELECT @rewardId, @recipientId, @of, @first, @last, @step, @changeId, @recipientId WHERE NOT EXISTS (
      SELECT 1 FROM passed_totals
      WHERE reward_id = @rewardId AND recipient_id = @recipientId AND of = @of AND step = @step
        AND first <= @first AND last >= @last AND (@first - first) % step = 0)`),
  spend: db.prepare('INSERT INTO occasions (reward_id, recipient_id, occasion, vote_id) VALUES (?, ?, ?, ?)'),
  reach: db.prepare(`
    INSERT INTO reached_streaks (reward_id, recipient_id, per, length, period) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`),
  streaks: db.prepare(`
    SELECT per, length, period FROM reached_streaks WHERE reward_id = ? AND recipient_id = ? AND per = ?`),
});
