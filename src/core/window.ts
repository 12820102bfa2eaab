import { areTooClose, type Cooldown, type Window, windowOf } from './cooldown.ts';

/** A vote that took the window of its site and recipient. */
export interface RewardedVote {
  readonly id: number;
  readonly castAt: number;
  /** It came from another service: neither has an entry in `sites`, so they share their windows. */
  readonly isOfOther?: true;
}

/** A rewarded vote with the window that the ledger stores for it, in which it was cast. */
export interface StoredWindow extends RewardedVote {
  readonly window: Window;
}

/** The rewarded vote that is too close to a vote (rule 3), or null if there is none. */
const windowTakenBy = (
  castAt: number,
  cooldown: Cooldown,
  rewarded: readonly RewardedVote[],
): RewardedVote | null => rewarded.find((vote) => areTooClose(castAt, vote.castAt, cooldown)) ?? null;

/** As `windowTakenBy`, but a vote of the same service comes before those of others that share its windows. */
export function windowTakenFirstBy(
  castAt: number,
  cooldown: Cooldown,
  rewarded: readonly RewardedVote[],
): RewardedVote | null {
  const taken = windowTakenBy(castAt, cooldown, rewarded);
  if (taken?.isOfOther !== true) return taken;
  const own = rewarded.filter(({ isOfOther }) => isOfOther !== true);
  return windowTakenBy(castAt, cooldown, own) ?? taken;
}

/**
 * The first instant from `castAt` on at which a vote would be rewarded.
 *
 * @param rewarded oldest first.
 */
export const nextWindow = (castAt: number, cooldown: Cooldown, rewarded: readonly RewardedVote[]): number =>
  rewarded.reduce(
    (next, vote) => (areTooClose(next, vote.castAt, cooldown) ? windowOf(vote.castAt, cooldown).end : next),
    castAt,
  );

/**
 * Rule 3 compares cast times. After the cooldown was changed, or for a late vote, it can allow a vote whose window
 * overlaps stored ones; those then end or start where the new one starts or ends. Windows of votes that are too close
 * stay as they are, because the ledger refuses the new vote.
 *
 * @returns the windows that become shorter.
 */
export function windowsCutBy(
  castAt: number,
  cooldown: Cooldown,
  stored: readonly StoredWindow[],
): readonly StoredWindow[] {
  const { start, end } = windowOf(castAt, cooldown);
  return stored
    .filter(({ window }) => window.start < end && window.end > start)
    .filter((vote) => !areTooClose(castAt, vote.castAt, cooldown))
    .map((vote) => {
      const cut = vote.castAt < castAt ? { end: start } : { start: end };
      return { ...vote, window: { ...vote.window, ...cut } };
    });
}
