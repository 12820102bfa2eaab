/** A time span from `start` (included) to `end` (excluded), in milliseconds since the Unix epoch. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

/** A vote that took the window of its site and recipient. */
export interface RewardedVote {
  readonly id: number;
  readonly castAt: number;
}

/** A rewarded vote with the window that the ledger stores for it. */
export interface StoredWindow extends RewardedVote {
  readonly window: Window;
}

/** The window that a vote takes, or would take. */
export const windowOf = (castAt: number, cooldownMs: number): Window => ({
  start: castAt,
  end: castAt + cooldownMs,
});

/** The rewarded vote that is less than the cooldown away on either side (rule 3), or null if there is none. */
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

/**
 * Rule 3 compares cast times. After the cooldown was shortened, it can allow a vote while an earlier window is still
 * open; that window then ends where the new one starts. Windows of votes that are too close together stay as they are,
 * because the ledger refuses the new vote.
 *
 * @returns the windows that become shorter.
 */
export const windowsCutBy = (
  castAt: number,
  cooldownMs: number,
  stored: readonly StoredWindow[],
): readonly StoredWindow[] =>
  stored
    .filter((vote) => vote.castAt <= castAt - cooldownMs && vote.window.end > castAt)
    .map((vote) => ({ ...vote, window: { ...vote.window, end: castAt } }));

/**
 * Ends each window where the next one starts, after windows were moved.
 *
 * @param stored of one recipient and site, in order of their start.
 * @returns the windows that become shorter.
 */
export const windowsCutByNext = (stored: readonly StoredWindow[]): readonly StoredWindow[] =>
  stored.flatMap((vote, index) => {
    const next = stored[index + 1]?.window.start ?? Number.POSITIVE_INFINITY;
    return next < vote.window.end ? [{ ...vote, window: { ...vote.window, end: next } }] : [];
  });
