import type { Earned } from '../../core/decide.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { Basis } from '../../rewards/decide.ts';
import {
  type CountScope,
  type Known,
  type KnownRuns,
  type Needs,
  NETWORK,
  type Question,
} from '../../rewards/history.ts';
import { CountsAtStart } from './counts-at-start.ts';
import { type GrantedVote, GrantedVotes } from './granted-votes.ts';
import type { KnownRewards } from './known-rewards.ts';
import { RewardOccasions } from './reward-occasions.ts';
import { VoteCounts } from './vote-counts.ts';
import type { RecipientRow } from './voted-runs.ts';

/** What the rewards of a vote depend on, as values. */
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
  of(recipientId: number, today: number): Basis {
    return {
      known: (needs, before) => this.known(recipientId, needs, before),
      startDay: (reward) => this.rewards.find(reward)?.startDay ?? today,
      answer: (question) => this.answer(recipientId, question),
    };
  }

  private known(recipientId: number, needs: Needs, before: number): Known {
    const { counts } = this;
    const row = counts.row(recipientId);
    const count = (scope: CountScope) => counts.count(row, scope);
    const services = new Map<number, readonly string[]>();
    if (needs.servicesOn !== null)
      for (let day = needs.servicesOn.from; day <= needs.servicesOn.to; day++)
        services.set(day, [...counts.servicesOn(row, { from: day, to: day })]);
    return {
      total: count({ of: 'recipient' }),
      totalOn: new Map(needs.totalOn.map((each) => [each, count({ of: 'recipient', services: [each] })])),
      network: new Map(
        needs.network.map((each) => [
          each,
          count({ of: 'network', services: each === NETWORK ? undefined : [each] }),
        ]),
      ),
      days: needs.days === null ? [] : counts.countedOn(recipientId, needs.days),
      elsewhere: needs.spans.map((days) => ({ days, counted: counts.countedElsewhere(row, days) })),
      counts: needs.counts.map((scope) => count({ of: 'recipient', ...scope })),
      servicesOn: services,
      runs: new Map(needs.runs.map((need) => [need.per, this.runs(row, need)])),
      lastCounted: needs.lastCounted ? counts.lastCounted(row, before) : null,
      // What joining and importing passed is stored with the reward.
      changedOn: Number.NEGATIVE_INFINITY,
      longestRun: needs.longestRun ? counts.longestRun(recipientId) : 0,
    };
  }

  private runs(row: RecipientRow, need: Needs['runs'][number]): KnownRuns {
    const days = this.counts.votedRuns(row, need);
    const [first, last] = [days[0], days.at(-1)];
    const votes =
      need.withVotes && first !== undefined && last !== undefined
        ? this.counts.countedOn(row.recipientId, { from: first.from, to: last.to })
        : [];
    return { days, votes };
  }

  private answer(recipientId: number, question: Question): unknown {
    const known = this.rewards.find(question.reward);
    const owner = { rewardId: known?.id ?? 0, recipientId };
    switch (question.about) {
      case 'spent':
        return known !== null && this.occasions.isSpent(owner, question.occasion);
      case 'streaks':
        return known === null ? [] : this.occasions.streaks(owner, question.per);
      case 'granted':
        return known === null ? 0 : this.granted.count(owner, question.scope);
      case 'cast-times':
        return known === null ? [] : this.granted.castTimes(owner, question.of, question.span);
      case 'at-start':
        return known === null
          ? this.counts.countedUpTo(recipientId, question.days, Number.MAX_SAFE_INTEGER)
          : this.atStart.countedOn(recipientId, question.days, known);
      case 'reduced':
        return known !== null && this.atStart.isReduced(recipientId, known);
      case 'again':
        return known !== null && this.atStart.isReachedAgain(recipientId, question.scope, known);
    }
  }

  /** Takes places of limits, also while a reward has no limit, because it may get one again. */
  addGranted({ grants }: Pick<Earned, 'grants'>, vote: Omit<GrantedVote, 'rewardId' | 'reward'>): void {
    for (const reward of new Set(grants.map((grant) => grant.reward))) {
      const known = this.rewards.find(reward);
      if (known?.isLimited === 1) this.granted.add({ ...vote, rewardId: known.id, reward });
    }
  }
}
