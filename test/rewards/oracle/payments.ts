/** What a recomputation pays, as one list. */

import type { Recomputed } from './oracle.ts';

export interface Payment {
  /** The name that the reward had at first. */
  readonly reward: string;
  readonly number: number;
  readonly player: string;
  readonly castAt: number;
  readonly day: number;
  readonly occasion: string;
}

/** Everything that is granted, in the order of arrival. A renamed reward is called by its first name. */
export function paymentsOf({ results, votes }: Recomputed): Payment[] {
  const judged = results.filter((result) => result !== null);
  return judged.flatMap(({ rewards }, number) => {
    const { player, castAt, day } = votes[number]!;
    return rewards.flatMap(({ name, granted }) =>
      granted.map(({ occasion }) => ({
        reward: name.replace(/(-\d+)+$/, ''),
        number,
        player,
        castAt,
        day,
        occasion,
      })),
    );
  });
}
