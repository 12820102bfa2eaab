import { z } from 'zod';
import type { SchemaKit } from '../rewards/condition.ts';
import { type ConditionName, conditionEntries, type conditions } from '../rewards/conditions.ts';
import { distinct, errorSentence, serviceName } from './values.ts';

export const schemaKit: SchemaKit = { z, errorSentence, distinct, serviceName };

const entries = conditionEntries.map(([name, condition]) => ({
  name,
  condition,
  schema: condition.schema(schemaKit),
}));

/** The keys of `if`. None is required. */
export const conditionShape = Object.fromEntries(
  entries.map(({ name, schema }) => [name, schema.optional()]),
) as unknown as {
  readonly [Name in ConditionName]: z.ZodOptional<ReturnType<(typeof conditions)[Name]['schema']>>;
};

/** The entries of `sites` that an `if` names, as written. Invalid values are left out. */
export const namedSites = (
  written: Readonly<Record<string, unknown>>,
): readonly { readonly condition: ConditionName; readonly site: string }[] =>
  entries.flatMap(({ name, condition, schema }) => {
    const parsed = schema.safeParse(written[name]);
    if (condition.sites === undefined || !parsed.success) return [];
    return condition.sites(parsed.data).map((site) => ({ condition: name, site }));
  });
