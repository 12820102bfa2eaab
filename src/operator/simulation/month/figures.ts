import type { Rules, Top } from '../../../rewards/reward.ts';
import { rollsIn } from '../../../rewards/rolls.ts';
import type { SimulatedVote } from '../simulate.ts';
import type { SimulatedGrant } from '../simulated-grant.ts';
import { JointCounter, type JointFigures } from './joint-figures.ts';
import { Counts, type RewardFigures, rewardFigures } from './reward-figures.ts';
import { type Sum, Sums } from './sums.ts';

export interface Figures {
  readonly votes: number;
  readonly rewarded: number;
  readonly players: number;
  readonly rewards: readonly RewardFigures[];
  /** Parties and tops. */
  readonly together: readonly JointFigures[];
  readonly sums: readonly Sum[];
}

/** Counts simulated votes. Add them in any order. */
export class FigureCounter {
  private readonly counts: ReadonlyMap<string, Counts>;
  private readonly sums = new Sums();
  private readonly players = new Set<string>();
  private votes = 0;
  private rewarded = 0;

  private readonly joint: JointCounter;

  constructor(rules: Pick<Rules, 'rewards' | 'parties'>, tops: readonly Top[]) {
    this.counts = new Map(rules.rewards.map((reward) => [reward.name, new Counts(reward)]));
    this.joint = new JointCounter(rules, tops);
  }

  add({ arrival, decision, reasons, grants, together }: SimulatedVote): void {
    const { recipient } = arrival.vote;
    this.players.add(recipient.key);
    this.votes++;
    if (decision === 'rewarded') this.rewarded++;
    for (const { reward, chance, rolled } of rollsIn(reasons)) this.counts.get(reward)?.draw(chance, rolled);
    for (const grant of onceEach(grants)) this.counts.get(grant.reward)?.add(recipient.key, grant);
    const shown = recipient.kind === 'player' ? recipient.player : recipient.key;
    for (const { commands } of grants) for (const command of commands) this.sums.add(command, shown);
    for (const paid of together) {
      this.joint.add(paid);
      for (const { commands, player } of paid.grants)
        for (const command of commands) this.sums.add(command, player);
    }
  }

  /** @param players how many there are, also those who did not vote. */
  figures(players = this.players.size): Figures {
    const { votes, rewarded } = this;
    const rewards = [...this.counts.values()].map((counts) => rewardFigures(counts, players, rewarded));
    const together = this.joint.figures(players);
    return { votes, rewarded, players, rewards, together, sums: this.sums.all() };
  }
}

/** The same grant on another game server is left out. */
const onceEach = (grants: readonly SimulatedGrant[]): readonly SimulatedGrant[] => [
  ...new Map(grants.map((grant) => [`${grant.reward}\n${grant.occasion}`, grant])).values(),
];
