/** A time without a vote between two votes. */
interface Gap {
  readonly endedAt: number;
  readonly ms: number;
}

/** When votes of one service were received, as far as its gaps need it. */
export interface ReceiptHistory {
  readonly lastAt: number;
  /** From the longest to the shortest, each later than the one before: a gap is forgotten when a longer one ends. */
  readonly gaps: readonly Gap[];
}

/**
 * With one more vote. A vote that was recorded late, or under a wrong clock, may be older than the one before.
 *
 * @param gapMs how long the time between two votes counts.
 */
export function withReceipt(
  history: ReceiptHistory | undefined,
  at: number,
  gapMs: (start: number, end: number) => number,
): ReceiptHistory {
  if (history === undefined) return { lastAt: at, gaps: [] };
  if (at <= history.lastAt) return history;
  const gap = { endedAt: at, ms: gapMs(history.lastAt, at) };
  return { lastAt: at, gaps: [...history.gaps.filter(({ ms }) => ms > gap.ms), gap] };
}

/** The longest gap that ended after `since`; null if none did. */
export const longestGapMs = ({ gaps }: ReceiptHistory, since: number): number | null =>
  gaps.find(({ endedAt }) => endedAt > since)?.ms ?? null;
