import type { z } from 'zod';
import type { Facts } from '../core/reason.ts';
import { chance } from './chance.ts';
import type { Condition, Question } from './condition.ts';
import { site } from './site.ts';

/**
 * Every condition, by its key in `if`. They are checked in this order, those that need a draw last; the first one
 * that does not hold is the reason why the reward was not granted.
 */
export const conditions = { site, chance };

export type ConditionName = keyof typeof conditions;

/** The `if` of a reward after loading. */
export type If = {
  readonly [Name in ConditionName]?: z.output<ReturnType<(typeof conditions)[Name]['schema']>> | undefined;
};

/** Any condition. */
export type AnyCondition = Condition<z.ZodType, Facts, Question['kind']>;

export const conditionEntries = Object.entries(conditions) as unknown as readonly (readonly [
  ConditionName,
  AnyCondition,
])[];
