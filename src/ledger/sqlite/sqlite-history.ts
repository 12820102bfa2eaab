import type { Window } from '../../core/cooldown.ts';
import type { Earned } from '../../core/decide.ts';
import type { Occasion, ReachedStreak } from '../../core/occasion.ts';
import type { Days, Per } from '../../core/period.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { CountedDay, CountScope, GrantedScope, History, RewardHistory } from '../../rewards/history.ts';
import { CountsAtStart } from './counts-at-start.ts';
import { type GrantedVote, GrantedVotes } from './granted-votes.ts';
import type { KnownReward, KnownRewards } from './known-rewards.ts';
import { type Owner, RewardOccasions } from './reward-occasions.ts';
import { VoteCounts } from './vote-counts.ts';
import type { RecipientRow } from './voted-runs.ts';

/** What the rewards of a vote depend on, read only where a condition asks for it. */
export class Histories {
  readonly counts: VoteCounts;
  readonly occasions: RewardOccasions;
  readonly granted: GrantedVotes;
  readonly atStart: CountsAtStart;

  constructor(
    database: Database,
    readonly rewards: KnownRewards,
  ) {
    this.counts = new VoteCounts(database);
    this.occasions = new RewardOccasions(database);
    this.granted = new GrantedVotes(database);
    this.atStart = new CountsAtStart(database, this.counts);
  }

  /** @param today the day on which a reward starts that no running config has contained. */
  of(recipientId: number, today: number): History {
    let read: RecipientRow | null = null;
    const row = (): RecipientRow => (read ??= this.counts.row(recipientId));
    return {
      count: (scope) => this.counts.count(row(), scope),
      votedRuns: (around) => this.counts.votedRuns(row(), around),
      longestRun: () => this.counts.longestRun(recipientId),
      countedOn: (days) => this.counts.countedOn(recipientId, days),
      servicesOn: (days) => this.counts.servicesOn(row(), days),
      lastCounted: (before) => this.counts.lastCounted(row(), before),
      reward: (name) => this.ofReward(this.rewards.find(name), recipientId, today),
    };
  }

  /** Takes places of limits, also while a reward has no limit, because it may get one again. */
  addGranted({ grants }: Pick<Earned, 'grants'>, vote: Omit<GrantedVote, 'rewardId' | 'reward'>): void {
    for (const reward of new Set(grants.map((grant) => grant.reward))) {
      const known = this.rewards.find(reward);
      if (known?.isLimited === 1) this.granted.add({ ...vote, rewardId: known.id, reward });
    }
  }

  private ofReward(reward: KnownReward | null, recipientId: number, today: number): RewardHistory {
    const { counts } = this;
    if (reward === null) {
      return {
        startDay: today,
        countedOnAtStart: (days) => counts.countedUpTo(recipientId, days, Number.MAX_SAFE_INTEGER),
        isReducedSinceStart: () => false,
        isReachedAgain: () => false,
        isSpent: () => false,
        paidStreaks: () => [],
        countGranted: () => 0,
        castTimesGranted: () => [],
      };
    }
    return new HistoryOfReward(this, reward, recipientId);
  }
}

/** A class, because one is made for each reward and vote, and few of its questions are asked. */
class HistoryOfReward implements RewardHistory {
  readonly startDay: number;

  constructor(
    private readonly histories: Pick<Histories, 'atStart' | 'granted' | 'occasions'>,
    private readonly known: KnownReward,
    private readonly recipientId: number,
  ) {
    this.startDay = known.startDay;
  }

  private get owner(): Owner {
    return { rewardId: this.known.id, recipientId: this.recipientId };
  }

  countedOnAtStart(days: Days): CountedDay[] {
    return this.histories.atStart.countedOn(this.recipientId, days, this.known);
  }

  isReducedSinceStart(): boolean {
    return this.histories.atStart.isReduced(this.recipientId, this.known);
  }

  isReachedAgain(scope: CountScope): boolean {
    return this.histories.atStart.isReachedAgain(this.recipientId, scope, this.known);
  }

  isSpent(occasion: Occasion): boolean {
    return this.histories.occasions.isSpent(this.owner, occasion);
  }

  paidStreaks(per: Per): ReachedStreak[] {
    return this.histories.occasions.streaks(this.owner, per);
  }

  countGranted(scope: GrantedScope): number {
    return this.histories.granted.count(this.owner, scope);
  }

  castTimesGranted(of: GrantedScope['of'], span: Window): number[] {
    return this.histories.granted.castTimes(this.owner, of, span);
  }
}
