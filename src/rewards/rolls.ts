import type { RewardReasons } from '../core/decide.ts';
import type { Facts } from '../core/reason.ts';

/** The number that was drawn for a reward, beside its chance. */
export interface Roll {
  readonly reward: string;
  readonly chance: number;
  readonly rolled: number;
}

/** The draws that reasons contain. */
export const rollsIn = (reasons: RewardReasons): readonly Roll[] =>
  [...reasons].flatMap(([reward, { facts: { chance, rolled } = {} }]) =>
    typeof chance === 'number' && typeof rolled === 'number' ? [{ reward, chance, rolled }] : [],
  );

/** The reasons without the numbers drawn, for a vote whose draws were only assumed (`winningDraws`). */
export const withoutRolls = (reasons: RewardReasons): RewardReasons =>
  new Map([...reasons].map(([reward, { code, facts = {} }]) => [reward, { code, facts: undrawn(facts) }]));

const undrawn = ({ rolled: _, ...facts }: Facts): Facts => facts;
