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
  readonly [Name in ConditionName]?: z.output<(typeof conditions)[Name]['schema']> | undefined;
};

/** Any condition. */
export type AnyCondition = Condition<z.ZodType, Facts, Question['kind']>;

export const conditionEntries = Object.entries(conditions) as unknown as readonly (readonly [
  ConditionName,
  AnyCondition,
])[];

/** The keys of `if` for the config's schema. None is required. */
export const conditionShape = Object.fromEntries(
  conditionEntries.map(([name, { schema }]) => [name, schema.optional()]),
) as unknown as {
  readonly [Name in ConditionName]: z.ZodOptional<(typeof conditions)[Name]['schema']>;
};

/** The entries of `sites` that an `if` names, as written. Invalid values are left out. */
export const namedSites = (
  written: Readonly<Record<string, unknown>>,
): readonly { readonly condition: ConditionName; readonly site: string }[] =>
  conditionEntries.flatMap(([name, { schema, sites }]) => {
    const parsed = schema.safeParse(written[name]);
    if (sites === undefined || !parsed.success) return [];
    return sites(parsed.data).map((one) => ({ condition: name, site: one }));
  });
