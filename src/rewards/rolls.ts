import type { Reason } from '../core/reason.ts';

/** The number that was drawn for a reward, beside its chance. */
export interface Roll {
  readonly reward: string;
  readonly chance: number;
  readonly rolled: number;
}

/** Those of the reasons that a draw decided. */
export const rollsIn = (reasons: Iterable<readonly [string, Reason]>): readonly Roll[] =>
  [...reasons].flatMap(([reward, { facts: { chance, rolled } = {} }]) =>
    typeof chance === 'number' && typeof rolled === 'number' ? [{ reward, chance, rolled }] : [],
  );
