import type { Decision, JudgedArrival, RewardReasons } from '../../core/decide.ts';
import { seededRandom } from '../../core/seeded-random.ts';
import type { Ledger, WantedOfVotes } from '../../ledger/ledger.ts';
import { ALL_WON, drawFor, type Rules } from '../../rewards/reward.ts';
import { type Roll, rollsIn, withoutRolls } from '../../rewards/words.ts';

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

interface PreviewOptions {
  /** Draws the chances like those of a real vote; without it all are won, to show everything that can be paid. */
  readonly seed?: number | undefined;
  /** By default the grants. */
  readonly wanted?: WantedOfVotes;
}

/** What would happen to each of these votes if it were the next one. */
export async function previewVotes(
  judged: readonly JudgedArrival[],
  rules: Rules,
  ledger: Pick<Ledger, 'judge'>,
  { seed, wanted = 'grants' }: PreviewOptions = {},
): Promise<readonly Preview[]> {
  const arrivals = judged.map((each) => {
    const draws = seed === undefined ? ALL_WON : drawFor(seededRandom(seed));
    return { ...each, draws, rules };
  });
  const decisions = await ledger.judge(arrivals, wanted);
  return judged.map((arrival, place) => previewOf(arrival, decisions[place] as Decision, seed));
}

function previewOf(arrival: JudgedArrival, decision: Decision, seed?: number): Preview {
  const rolls = rollsIn(decision.reasons);
  const chances = new Map(rolls.map(({ reward, chance }) => [reward, chance]));
  const drawn = seed === undefined ? null : { seed, rolls };
  const reasons = drawn === null ? withoutRolls(decision.reasons) : decision.reasons;
  return { arrival, decision, chances, drawn, reasons };
}
