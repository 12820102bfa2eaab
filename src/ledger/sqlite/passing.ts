import type { Occasion } from '../../core/occasion.ts';
import type { Per } from '../../core/period.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { ALL_DAYS, type CountedDay } from '../../rewards/history.ts';
import { type Elsewhere, type Joining, NO_NAME, type NameHistory } from './passed.ts';
import { type Passed, passedByJoining } from './passed.ts';
import type { Rules } from '../../rewards/reward.ts';
import { Balances } from './balances.ts';
import type { Rows } from './joined-rows.ts';
import type { KnownRewards } from './known-rewards.ts';
import type { Owner } from './reward-occasions.ts';
import { Histories } from './sqlite-history.ts';

/** What joining passes of one reward. */
export interface PassedReward {
  readonly rewardId: number;
  readonly passed: Passed;
}

/** What players reach by joining names, or had reached before Teller ran: it is marked as taken, and the operator can give it. */
export class Passing {
  private readonly statements;
  private readonly histories: Histories;
  private readonly balances: Balances;

  constructor(
    database: Database,
    private readonly rewards: KnownRewards,
  ) {
    this.statements = prepareStatements(database);
    this.histories = new Histories(database, rewards);
    this.balances = new Balances(database);
  }

  /** What joining two rows passes. Call this before anything is moved. */
  passedBy({ from, to }: Rows, rules: Rules): readonly PassedReward[] {
    return this.passed([from, to], { names: [this.nameOf(from), this.nameOf(to)] }, rules);
  }

  /** What an import passes. Call this before anything is stored. */
  passedElsewhere(recipientId: number, elsewhere: Elsewhere, rules: Rules): readonly PassedReward[] {
    return this.passed([recipientId], { names: [this.nameOf(recipientId), NO_NAME], elsewhere }, rules);
  }

  private passed(
    recipients: readonly number[],
    of: Pick<Joining, 'names' | 'elsewhere'>,
    { rewards, listed }: Rules,
  ): readonly PassedReward[] {
    return rewards.flatMap((reward) => {
      const known = this.rewards.find(reward.name);
      if (known === null) return [];
      const { occasions } = this.histories;
      const paidStreaks = (per: Per) =>
        recipients.flatMap((recipientId) => occasions.streaks({ rewardId: known.id, recipientId }, per));
      const joining = { ...of, startDay: known.startDay, paidStreaks, listed: listed.player };
      return [{ rewardId: known.id, passed: passedByJoining(reward, joining) }];
    });
  }

  /**
   * Call this after everything was moved: what either had taken is not marked again.
   *
   * @returns how many occasions were marked.
   */
  mark(recipientId: number, passed: readonly PassedReward[], changeId: number): number {
    const { occasions } = this.histories;
    let marked = 0;
    for (const { rewardId, passed: of } of passed) {
      const owner = { rewardId, recipientId };
      for (const streak of of.streaks)
        if (occasions.reach(owner, streak))
          this.statements.storeStreak.run({ ...streak, rewardId, changeId });
      for (const occasion of of.occasions) marked += this.markOne(owner, occasion, changeId);
      for (const totals of of.totals) marked += occasions.passTotals(owner, totals, changeId);
    }
    return marked;
  }

  private markOne(owner: Owner, occasion: Occasion, changeId: number): 0 | 1 {
    const { occasions } = this.histories;
    if (occasions.isSpent(owner, occasion)) return 0;
    occasions.spend(owner, occasion, null);
    // The network's are no player's.
    if (!occasion.isNetworks) this.statements.store.run({ ...owner, occasion: occasion.name, changeId });
    return 1;
  }

  private nameOf(recipientId: number): NameHistory {
    const { counts } = this.histories;
    const row = counts.row(recipientId);
    const all = withMarked(counts.countedOn(recipientId, ALL_DAYS), this.balances.days(recipientId));
    return {
      count: (scope) => counts.count(row, scope),
      servicesOn: (days) => counts.servicesOn(row, days),
      importedRuns: (per) => this.balances.runs(recipientId, per),
      countedOn: (days) => (days === ALL_DAYS ? all : counts.countedOn(recipientId, days)),
    };
  }
}

/** The days with those that imports mark, oldest first. */
function withMarked(counted: readonly CountedDay[], marked: readonly number[]): readonly CountedDay[] {
  const days = new Set(counted.map(({ day }) => day));
  const more = marked.filter((day) => !days.has(day)).map((day) => ({ day, counted: 0 }));
  return [...counted, ...more].sort((one, other) => one.day - other.day);
}

const prepareStatements = (db: Database) => ({
  store: db.prepare(`
    INSERT INTO passed_occasions (reward_id, recipient_id, occasion, change_id)
    VALUES (@rewardId, @recipientId, @occasion, @changeId)`),
  storeStreak: db.prepare(`
    INSERT INTO joined_streaks (change_id, reward_id, per, length, period, is_passed)
    VALUES (@changeId, @rewardId, @per, @length, @period, 1)`),
});
