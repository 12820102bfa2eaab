import type { Decision, JudgedArrival, RewardReasons } from '../../core/decide.ts';
import { seededRandom } from '../../core/seeded-random.ts';
import { closeSince } from '../../core/cooldown.ts';
import type { RewardedVote } from '../../core/window.ts';
import type { LedgerReader } from '../../ledger/ledger.ts';
import { decide } from '../../rewards/decide.ts';
import { drawFor, winningDraws } from '../../rewards/draws.ts';
import type { Rules } from '../../rewards/reward.ts';
import { type Roll, rollsIn, withoutRolls } from '../../rewards/rolls.ts';

/** What would happen to a vote. */
export interface Preview {
  readonly arrival: JudgedArrival;
  readonly decision: Decision;
  /** The chance of each reward that has one. Without `drawn`, the decision assumes that every draw succeeds. */
  readonly chances: ReadonlyMap<string, number>;
  /** The reason for each reward. Without `drawn`, every draw is assumed to succeed. */
  readonly reasons: RewardReasons;
  /** The chances as drawn from the seed; null without one. */
  readonly drawn: { readonly seed: number; readonly rolls: readonly Roll[] } | null;
}

/**
 * @param ledger null: as if there were no votes yet
 * @param seed draws the chances like those of a real vote; without it all are won, to show everything that can be paid
 */
export async function previewVotes(
  arrivals: readonly JudgedArrival[],
  rules: Rules,
  ledger: Pick<LedgerReader, 'rewardedSince'> | null,
  seed?: number,
): Promise<readonly Preview[]> {
  const previews: Preview[] = [];
  for (const arrival of arrivals) {
    const { vote, cooldown } = arrival;
    const rewarded = (await ledger?.rewardedSince(vote, closeSince(vote.castAt, cooldown))) ?? [];
    previews.push(previewVote(arrival, rewarded, rules, seed));
  }
  return previews;
}

function previewVote(
  arrival: JudgedArrival,
  rewarded: readonly RewardedVote[],
  rules: Rules,
  seed?: number,
): Preview {
  const { rewards } = rules;
  const draws = seed === undefined ? winningDraws(rewards) : drawFor(rewards, seededRandom(seed));
  const decision = decide({ ...arrival, draws, rules }, rewarded);
  const reasons: RewardReasons = decision.kind === 'rewarded' ? decision.reasons : new Map();
  const rolls = rollsIn(reasons);
  const chances = new Map(rolls.map(({ reward, chance }) => [reward, chance]));
  const drawn = seed === undefined ? null : { seed, rolls };
  return { arrival, decision, chances, drawn, reasons: drawn === null ? withoutRolls(reasons) : reasons };
}
