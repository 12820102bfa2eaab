import type { Per } from './period.ts';

/**
 * What a reward that depends on history is granted for (rule 14). The ledger accepts it once for each reward and
 * recipient.
 */
export interface Occasion {
  /** As it is stored and shown, such as `total 25`; empty if no condition gives one. */
  readonly name: string;
  /** It is accepted once in all, whoever the recipient is. */
  readonly isNetworks: boolean;
  /** It was reached before the reward started, so it counts as spent. */
  readonly isTaken: boolean;
  /** The total that was reached, for `prizes`; null if there is none. */
  readonly threshold: number | null;
  /** The streaks that it names. */
  readonly streaks: readonly ReachedStreak[];
}

/** A streak, and the period in which its run reached it. */
export interface ReachedStreak {
  readonly per: Per;
  readonly length: number;
  readonly period: number;
}

export const NO_OCCASION: Occasion = {
  name: '',
  isNetworks: false,
  isTaken: false,
  threshold: null,
  streaks: [],
};

export const occasion = (name: string, more: Partial<Occasion> = {}): Occasion => ({
  ...NO_OCCASION,
  ...more,
  name,
});

/** Totals that are passed at once: each `step` from the first to the last. */
export interface PassedTotals {
  /** What their occasions are called before the number, such as `total`. */
  readonly of: string;
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

export type Passable = Occasion | PassedTotals;

export const isTotals = (passed: Passable): passed is PassedTotals => 'step' in passed;

export const totalsCount = ({ first, last, step }: PassedTotals): number =>
  Math.floor((last - first) / step) + 1;

export const totalOccasion = (of: string, count: number): Occasion =>
  occasion(`${of} ${count}`, { threshold: count });

/** Several conditions join their occasions in the order in which they are listed. */
export const joined = (first: Occasion, second: Occasion): Occasion => ({
  name: [first.name, second.name].filter((name) => name !== '').join(', '),
  isNetworks: first.isNetworks || second.isNetworks,
  isTaken: first.isTaken || second.isTaken,
  threshold: first.threshold ?? second.threshold,
  streaks: [...first.streaks, ...second.streaks],
});
