import type { ClockDoubt, StoredClock } from '../core/clock-doubt.ts';
import type { Arrival } from '../core/decide.ts';
import type { ClockVerdict } from '../core/judge-clock.ts';

/** Judges the clock before a batch is dated by it, given what the ledger keeps of it. */
export type JudgeClock = (
  stored: StoredClock,
  arrivals: readonly Arrival[],
  usualOf: (service: string) => readonly number[],
) => ClockVerdict;

/** What the ledger knows of this machine's clock. */
export interface ClockHistory {
  /** null while it is believed. */
  readonly doubt: ClockDoubt | null;
  /** The newest receipt by the time that is believed; null before the first vote. */
  readonly newestAt: number | null;
  /** Grants held because their votes came under a doubted clock. */
  readonly held: number;
  /** The last of them first. */
  readonly doubts: readonly (ClockDoubt & {
    readonly firstVote: number;
    readonly lastVote: number | null;
    readonly endedBy: 'corrected' | 'confirmed' | 'released' | null;
  })[];
}

export interface ClockRelease {
  /** The doubt that this ended; null where there was none. */
  readonly doubt: ClockDoubt | null;
  /** Grants that are to be paid now. */
  readonly released: number;
}
