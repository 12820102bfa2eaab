/** A vote that took the window of its site and recipient. */
export interface RewardedVote {
  readonly id: number;
  readonly castAt: number;
}

/** The rewarded vote that is less than the cooldown away on either side (rule 3), or null where there is none. */
export const windowTakenBy = (
  castAt: number,
  cooldownMs: number,
  rewarded: readonly RewardedVote[],
): RewardedVote | null => rewarded.find((vote) => Math.abs(vote.castAt - castAt) < cooldownMs) ?? null;

/**
 * The first instant from `castAt` on at which a vote would be rewarded.
 *
 * @param rewarded oldest first.
 */
export function nextWindow(castAt: number, cooldownMs: number, rewarded: readonly RewardedVote[]): number {
  return rewarded.reduce(
    (next, vote) => (Math.abs(vote.castAt - next) < cooldownMs ? vote.castAt + cooldownMs : next),
    castAt,
  );
}
