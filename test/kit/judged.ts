/** What a list of votes earns under a config, as its operator writes it. */
import { draw } from '../../src/rewards/reward.ts';
import { reasonText } from '../../src/rewards/words.ts';
import { type Cast, ledgers, reward } from './ledgers.ts';

export type Judged = Awaited<ReturnType<typeof judged>>[number];

/** @param votes in the order in which they come. Unless the config has other sites, each one is rewarded. */
export async function judged(config: object, votes: readonly Cast[]) {
  const ledger = await ledgers({ sites: EACH_VOTE, ...config });
  await ledger.vote(...votes);
  const grants = await ledger.grants();
  return (await ledger.votes()).map(({ id, decision, reasons }) => ({
    decision,
    /** For each reward that was looked at: its occasions, or the code of what does not hold. */
    rewards: Object.fromEntries(
      [...reasons].map(([name, { code, facts }]) => [
        name,
        code === 'granted' ? (facts?.occasions ?? []) : code,
      ]),
    ),
    /** The same as an operator reads it. */
    why: Object.fromEntries([...reasons].map(([name, reason]) => [name, reasonText(reason)])),
    /** `thanks main: say Steve voted`, for each grant. */
    grants: grants
      .filter(({ voteId }) => voteId === id)
      .map((one) => `${one.reward} ${one.server}: ${one.commands.map(({ command }) => command).join('; ')}`),
  }));
}

/** Sites without a cooldown to speak of. */
export const EACH_VOTE = {
  default: { cooldown: '1s' },
  List: { cooldown: '1s' },
  Other: { cooldown: '1s' },
};

/**
 * For each vote: the occasions that an `if` gives (none: an empty list), or the code of the condition that does not hold; undefined
 * if the vote is not looked at.
 */
export async function judgedIf(
  written: object,
  votes: readonly Cast[],
  config: object = {},
): Promise<readonly unknown[]> {
  const results = await judged({ rewards: [reward('r', { if: written })], ...config }, votes);
  return results.map(({ rewards }) => rewards.r);
}

/** The number of a vote with this seed that decides something of a reward. */
export const drawn = (
  seed: number,
  ...of: readonly [purpose: 'chance' | 'oneOf' | 'random', reward: string, occasion: string]
): number => draw({ kind: 'drawn', seed }, ...of);
