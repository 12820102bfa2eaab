import type { ClockDoubt } from '../core/clock-doubt.ts';

/** What the ledger finds out about the clock when votes are recorded. */
export type ClockNews =
  | { readonly kind: 'doubted'; readonly doubt: ClockDoubt }
  | { readonly kind: 'believed'; readonly by: 'corrected' | 'confirmed'; readonly wasRight: boolean };

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

/** How far the grants are released that are held because of the clock: those up to an ID, of those up to another one. */
export interface ReleaseProgress {
  readonly after: number;
  readonly upTo: number;
}

/** What one call of `releaseClock` has done. */
export interface ClockRelease {
  /** The doubt that this ended; null if there was none. */
  readonly doubt: ClockDoubt | null;
  /** Grants that were held and are pending now. */
  readonly released: number;
  /** null after the last portion. */
  readonly next: ReleaseProgress | null;
}
