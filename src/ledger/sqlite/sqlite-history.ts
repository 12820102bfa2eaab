import type { Earned } from '../../core/decide.ts';
import type { History, RewardHistory } from '../../rewards/history.ts';
import type { Database } from '../../sqlite/open.ts';
import { CountsAtStart } from './counts-at-start.ts';
import { type GrantedVote, GrantedVotes } from './granted-votes.ts';
import type { KnownReward, KnownRewards } from './known-rewards.ts';
import { RewardOccasions } from './reward-occasions.ts';
import { VoteCounts } from './vote-counts.ts';

/** What the rewards of a vote depend on, read only where a condition asks for it. */
export class Histories {
  readonly counts: VoteCounts;
  readonly occasions: RewardOccasions;
  private readonly granted: GrantedVotes;
  private readonly atStart: CountsAtStart;

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
    return {
      count: (scope) => this.counts.count(recipientId, scope),
      votedRuns: (around) => this.counts.votedRuns(recipientId, around),
      longestRun: () => this.counts.longestRun(recipientId),
      countedOn: (days) => this.counts.countedOn(recipientId, days),
      servicesOn: (days) => this.counts.servicesOn(recipientId, days),
      lastCounted: (before) => this.counts.lastCounted(recipientId, before),
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
    const { counts, occasions, atStart } = this;
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
    const owner = { rewardId: reward.id, recipientId };
    return {
      startDay: reward.startDay,
      countedOnAtStart: (days) => atStart.countedOn(recipientId, days, reward),
      isReducedSinceStart: () => atStart.isReduced(recipientId, reward),
      isReachedAgain: (scope) => atStart.isReachedAgain(recipientId, scope, reward),
      isSpent: (occasion) => occasions.isSpent(owner, occasion),
      paidStreaks: (per) => occasions.streaks(owner, per),
      countGranted: (scope) => this.granted.count(owner, scope),
      castTimesGranted: (of, span) => this.granted.castTimes(owner, of, span),
    };
  }
}
