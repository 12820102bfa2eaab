import type { ClockDoubt, StoredClock } from '../core/clock-doubt.ts';
import type { Arrival } from '../core/decide.ts';
import type { ClockVerdict } from '../core/judge-clock.ts';

/** Judges the clock before a batch is dated by it, given what the ledger stores about it. */
export type JudgeClock = (
  stored: StoredClock,
  arrivals: readonly Arrival[],
  usualOf: (service: string) => readonly number[],
) => ClockVerdict;

/** What the ledger knows of this machine's clock. */
export interface ClockHistory {
  /** null while the clock is trusted. */
  readonly doubt: ClockDoubt | null;
  /** The newest receipt, by the believed time; null before the first vote. */
  readonly newestAt: number | null;
  /** Grants held because their votes arrived under a doubted clock. */
  readonly held: number;
  /** All doubts, the latest first. */
  readonly doubts: readonly (ClockDoubt & {
    readonly firstVote: number;
    readonly lastVote: number | null;
    readonly endedBy: 'corrected' | 'confirmed' | 'released' | null;
  })[];
}

export interface ClockRelease {
  /** The doubt that this ended; null if there was none. */
  readonly doubt: ClockDoubt | null;
  /** Grants that were held and are pending now. */
  readonly released: number;
}
