import * as z from 'zod';
import type { NestedIf, SchemaKit } from '../rewards/condition.ts';
import { type ConditionName, conditionEntries, type conditions } from '../rewards/conditions.ts';
import {
  distinct,
  duration,
  errorSentence,
  list,
  listedService,
  section,
  serviceName,
  wholeNumber,
} from './values.ts';

/** How deep `any` and `not` may be inside each other. */
const DEPTH = 3;

const shared = { distinct, duration, errorSentence, list, listedService, section, serviceName, wholeNumber };

/** What conditions use of the validator. To pass all of it would put all of it into the bundle. */
const kinds = {
  boolean: z.boolean,
  enum: z.enum,
  int: z.int,
  literal: z.literal,
  string: z.string,
  tuple: z.tuple,
  union: z.union,
};

/** What the conditions of an `if` are built from that is this deep inside others. */
const kitAt = (depth: number): SchemaKit => ({ z: kinds, ...shared, nestedIf: () => nestedIf(depth + 1) });

export const schemaKit = kitAt(0);

function nestedIf(depth: number): z.ZodType<NestedIf> {
  const shape = Object.fromEntries(
    conditionEntries
      .filter(([, { isDrawn, nested }]) => !isDrawn && (nested === undefined || depth < DEPTH))
      .map(([name, condition]) => [name, condition.schema(kitAt(depth)).optional()]),
  );
  return section(shape).refine((written) => Object.keys(written).length > 0, {
    error: 'must have at least one condition',
  }) as unknown as z.ZodType<NestedIf>;
}

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

interface NamedSite {
  readonly condition: ConditionName;
  readonly site: string;
}

/** The entries of `sites` that an `if` names, as written. Invalid values are left out. */
export const namedSites = (written: Readonly<Record<string, unknown>>): readonly NamedSite[] =>
  entries.flatMap(({ name, condition, schema }) => {
    const parsed = schema.safeParse(written[name]);
    if (!parsed.success) return [];
    const inner = (condition.nested?.(parsed.data) ?? []).flatMap(sitesIn);
    return [...(condition.sites?.(parsed.data) ?? []), ...inner].map((site) => ({ condition: name, site }));
  });

/** The entries that an `if` inside a condition names, after loading. */
const sitesIn = (loaded: NestedIf): readonly string[] =>
  conditionEntries.flatMap(([name, condition]) => {
    const value = loaded[name];
    if (value === undefined) return [];
    return [...(condition.sites?.(value) ?? []), ...(condition.nested?.(value) ?? []).flatMap(sitesIn)];
  });
