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
  /** It was reached before, so it counts as spent; null: not so far as counts tell. */
  readonly reachedBefore: ReachedBefore | null;
  /** The total that was reached, for `prizes`; null if there is none. */
  readonly threshold: number | null;
  /** The streaks that it names. */
  readonly streaks: readonly ReachedStreak[];
}

/** Before the reward started, or before votes were last joined, split or imported. */
export type ReachedBefore = 'start' | 'change';

/** A streak, and the period in which its run reached it. */
export interface ReachedStreak {
  readonly per: Per;
  readonly length: number;
  readonly period: number;
}

export const NO_OCCASION: Occasion = {
  name: '',
  isNetworks: false,
  reachedBefore: null,
  threshold: null,
  streaks: [],
};

export const occasion = (name: string, more: Partial<Occasion> = {}): Occasion => ({
  ...NO_OCCASION,
  ...more,
  name,
});

/** Several conditions join their occasions in the order in which they are listed. */
export const joined = (first: Occasion, second: Occasion): Occasion => ({
  name: [first.name, second.name].filter((name) => name !== '').join(', '),
  isNetworks: first.isNetworks || second.isNetworks,
  reachedBefore: first.reachedBefore ?? second.reachedBefore,
  threshold: first.threshold ?? second.threshold,
  streaks: [...first.streaks, ...second.streaks],
});
