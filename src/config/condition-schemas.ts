import * as z from 'zod';
import {
  distinct,
  duration,
  errorSentence,
  list,
  listedService,
  section,
  serviceName,
  wholeNumber,
} from '../core/config-values.ts';
import type { NestedIf, SchemaKit } from '../rewards/condition.ts';
import {
  type ConditionName,
  conditionEntries,
  type conditions,
  filterEntries,
  type If,
} from '../rewards/conditions.ts';

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

type Entries = typeof conditionEntries;

/** What the conditions of an `if` are built from that is this deep inside others. @param among those allowed inside it. */
const kitAt = (depth: number, among: Entries): SchemaKit => ({
  z: kinds,
  ...shared,
  nestedIf: () => nestedIf(depth + 1, among),
});

export const schemaKit = kitAt(0, conditionEntries);

function nestedIf(depth: number, among: Entries): z.ZodType<NestedIf> {
  const shape = Object.fromEntries(
    among
      .filter(([, { isDrawn, nested }]) => !isDrawn && (nested === undefined || depth < DEPTH))
      .map(([name, condition]) => [name, condition.schema(kitAt(depth, among)).optional()]),
  );
  const whyNot = among === filterEntries ? noFilter : undefined;
  return section(shape, whyNot).refine((written) => Object.keys(written).length > 0, {
    error: 'must have at least one condition',
  }) as unknown as z.ZodType<NestedIf>;
}

const noFilter = (key: string): string | null =>
  conditionEntries.some(([name]) => name === key) && !filterEntries.some(([name]) => name === key)
    ? `is not possible here, because this \`if\` chooses the votes that count: only ${filterEntries.map(([name]) => `\`${name}\``).join(', ')} look at nothing but the vote itself`
    : null;

/** An `if` that chooses the votes that count. */
export const filter = section(
  Object.fromEntries(
    filterEntries.map(([name, condition]) => [name, condition.schema(kitAt(0, filterEntries)).optional()]),
  ),
  noFilter,
) as unknown as z.ZodType<If, Record<string, unknown>>;

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
