import type { SpentOccasion } from '../../core/decide.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { ImportOrder } from '../import-ledger.ts';
import type { KnownRewards } from './known-rewards.ts';
import { type PassedReward, Passing } from './passing.ts';

/** What players had reached before Teller ran: it is marked as taken, and the operator can give it. */
export class ReachedElsewhere {
  readonly passing: Passing;
  private readonly statements;

  constructor(
    database: Database,
    private readonly rewards: KnownRewards,
  ) {
    this.passing = new Passing(database, rewards);
    this.statements = prepareStatements(database);
  }

  /** @returns how many occasions were not taken until now. */
  markSpent(recipientId: number, spent: readonly SpentOccasion[], order: ImportOrder): number {
    const passed = spent.flatMap(({ reward, occasion }): PassedReward[] => {
      const known = this.rewards.find(reward);
      return known === null
        ? []
        : [{ rewardId: known.id, passed: { occasions: [occasion], totals: [], streaks: [] } }];
    });
    return this.mark(recipientId, passed, order);
  }

  /** @returns how many occasions were not taken until now. */
  mark(recipientId: number, passed: readonly PassedReward[], { by, now }: ImportOrder): number {
    if (passed.every(({ passed: { occasions, totals, streaks } }) => isNone(occasions, totals, streaks)))
      return 0;
    const of = { recipientId, by, now };
    const known = this.statements.change.get(of) as number | undefined;
    const changeId = known ?? Number(this.statements.trace.run(of).lastInsertRowid);
    const marked = this.passing.mark(recipientId, passed, changeId);
    if (known === undefined) this.statements.forgetEmpty.run({ changeId, recipientId });
    return marked;
  }
}

const isNone = (...lists: readonly (readonly unknown[])[]): boolean =>
  lists.every((list) => list.length === 0);

const prepareStatements = (db: Database) => ({
  change: db
    .prepare(`
    SELECT id FROM player_changes
    WHERE history_id = @recipientId AND kind = 'imported' AND changed_at = @now AND changed_by = @by`)
    .pluck(),
  trace: db.prepare(`
    INSERT INTO player_changes (kind, name_id, history_id, changed_at, changed_by)
    VALUES ('imported', @recipientId, @recipientId, @now, @by)`),
  // All of it had been taken before.
  forgetEmpty: db.prepare(`
    DELETE FROM player_changes WHERE id = @changeId
      AND NOT EXISTS (SELECT 1 FROM passed_occasions WHERE recipient_id = @recipientId AND change_id = @changeId)
      AND NOT EXISTS (SELECT 1 FROM passed_totals WHERE recipient_id = @recipientId AND change_id = @changeId)
      AND NOT EXISTS (SELECT 1 FROM joined_streaks WHERE change_id = @changeId)`),
});
