import * as z from 'zod';
import type { Path } from './fault.ts';
import { configSchema } from './schema.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The JSON Schema of the config, for editors: `config.schema.json`. */
export function configJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(configSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: allowComments,
  });
  // Two words of Visual Studio Code, which otherwise marks both as mistakes.
  const editors = { allowComments: true, allowTrailingCommas: true };
  return { title: 'Teller config', ...editors, ...withFileOfRewards(schema as JsonSchema) };
}

/** The loader puts the list in the place of the file's name before it checks a config, so the schema has only the list. */
function withFileOfRewards(schema: JsonSchema): JsonSchema {
  const rewards = { ...(schema.properties?.rewards as JsonSchema), type: ['array', 'string'] } as unknown;
  return { ...schema, properties: { ...schema.properties, rewards: rewards as JsonSchema } };
}

const COMMENTS = '^(//|\\$schema$)';

type Described = Parameters<NonNullable<z.core.ToJSONSchemaParams['override']>>[0];

/** As the loader does, allows comments in every object and refuses every other unknown key. */
function allowComments({ zodSchema: { _zod: zod }, jsonSchema: json }: Described): void {
  delete json.reload; // not a keyword of JSON Schema, nor is the next
  delete json.example;
  if (zod.def.type !== 'object' && zod.def.type !== 'record') return;
  json.patternProperties = { [COMMENTS]: { type: 'string' } };
  // An object inside a command may have any keys.
  if (Object.keys(json.properties ?? {}).length > 0) json.additionalProperties = false;
  if (isSchema(json.propertyNames)) {
    json.propertyNames = { anyOf: [json.propertyNames, { pattern: COMMENTS }] };
  }
}

/** Finds values that a schema accepts at a place; undefined if the type there has no example. */
export function examplesOf(schema: z.ZodType): (path: Path) => unknown {
  let root: JsonSchema | null = null;
  return (path) => {
    root ??= z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    return exampleAt(root, path);
  };
}

function exampleAt(root: JsonSchema, path: Path): unknown {
  let schema = root;
  let value: unknown;
  for (const step of path) {
    const entries = Object.entries(value ?? schema.default ?? {});
    // Of a list, and of names that are free, any entry is an example.
    const isFree = schema.propertyNames !== undefined || typeof step === 'number';
    value = isFree ? entries[0]?.[1] : entries.find(([key]) => key === step)?.[1];
    const inside = insideOf(schema, step);
    if (inside === undefined) return undefined;
    schema = inside;
  }
  return value ?? exampleOf(schema);
}

function insideOf(schema: JsonSchema, step: string | number): JsonSchema | undefined {
  const { items, properties, propertyNames, additionalProperties } = schema;
  const named = properties?.[step] ?? (propertyNames === undefined ? undefined : additionalProperties);
  const inside = typeof step === 'number' ? items : named;
  if (isSchema(inside)) return inside;
  return waysOf(schema)
    .map((way) => insideOf(way, step))
    .find((each) => each !== undefined);
}

const waysOf = ({ anyOf = [], oneOf = [] }: JsonSchema): readonly JsonSchema[] =>
  [...anyOf, ...oneOf].filter((way) => isSchema(way));

/** Of an object: its required keys, or else its first. */
function exampleOf(schema: JsonSchema): unknown {
  const { items, properties, required, propertyNames, additionalProperties } = schema;
  const written = [schema.default, schema.const, schema.enum?.[0], schema.example, schema.minimum];
  const example = written.find((each) => each !== undefined && !/^(\{\}|\[\])$/.test(JSON.stringify(each)));
  if (example !== undefined) return example;
  const [way] = waysOf(schema);
  if (way !== undefined) return exampleOf(way);
  if (isSchema(items)) return Array.from({ length: schema.minItems || 1 }, () => exampleOf(items));
  if (isSchema(propertyNames) && isSchema(additionalProperties))
    return { [String(exampleOf(propertyNames))]: exampleOf(additionalProperties) };
  if (properties === undefined) return undefined;
  const keys = required ?? Object.keys(properties).slice(0, 1);
  return Object.fromEntries(keys.map((key) => [key, exampleOf(properties[key] as JsonSchema)]));
}

/** One key of the config, as shown by docs/reference/config.md and `config explain`. */
export interface KeyRow {
  /** For example `sites.<service name>.token` or `rewards[].name`. */
  readonly key: string;
  readonly type: string;
  /** As JSON; `required` if there is no default, empty if the key is optional. */
  readonly default: string;
  /** `yes`: `teller reload` applies it. `restart`: it takes effect after a restart. Empty for sections. */
  readonly reload: 'yes' | 'restart' | '';
  readonly meaning: string;
}

/** Every key of the config, in the order of the schema. */
export function configKeys(): readonly KeyRow[] {
  return rowsIn(z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }), '');
}

let keysToRestart: ReadonlySet<string> | null = null;

/** The keys that `teller reload` cannot apply. */
export function restartKeys(): ReadonlySet<string> {
  keysToRestart ??= new Set(configKeys().flatMap(({ key, reload }) => (reload === 'restart' ? [key] : [])));
  return keysToRestart;
}

/** The rows of everything inside a value, without the value itself. A value with a title is described as a whole. */
function rowsIn(schema: JsonSchema, at: string): readonly KeyRow[] {
  if (schema.title !== undefined) return [];
  const { items, propertyNames, additionalProperties, anyOf } = schema;
  if (anyOf !== undefined) return anyOf.flatMap((way) => rowsIn(way as JsonSchema, at));
  if (isSchema(items)) return rowsIn(items, `${at}[]`);
  if (isSchema(propertyNames) && isSchema(additionalProperties)) {
    return rowsIn(additionalProperties, `${at}.<${propertyNames.title ?? 'name'}>`);
  }
  const { properties, required } = keysOf(schema);
  return Object.entries(properties).flatMap(([name, property]) => {
    const key = at === '' ? name : `${at}.${name}`;
    return [rowOf(property, key, required.has(name)), ...rowsIn(property, key)];
  });
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && !Array.isArray(value);

interface Keys {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: ReadonlySet<string>;
}

/** For an object with several kinds: the keys of all kinds, and `kind` with all their names. */
function keysOf({ properties = {}, required = [], oneOf }: JsonSchema): Keys {
  if (oneOf === undefined) {
    return { properties: properties as Keys['properties'], required: new Set(required) };
  }
  const kinds = oneOf.map((kind) => keysOf(kind as JsonSchema));
  const merged: Record<string, JsonSchema> = {};
  for (const { properties: own } of kinds)
    for (const [key, property] of Object.entries(own)) merged[key] = ofBoth(merged[key], property);
  const choice = kinds.flatMap((kind) => [kind.properties.kind?.const ?? null]);
  return {
    properties: { ...merged, kind: { ...merged.kind, type: 'string', enum: choice } },
    required: new Set(kinds.flatMap((kind) => [...kind.required])),
  };
}

/** A key that several kinds have, each with a meaning of its own, is described with all of them. */
function ofBoth(one: JsonSchema | undefined, other: JsonSchema): JsonSchema {
  if (one === undefined || one.description === other.description) return one ?? other;
  const description = `${one.description} ${other.description}`;
  const hasSameDefault = JSON.stringify(one.default) === JSON.stringify(other.default);
  return { ...one, description, ...(hasSameDefault ? {} : { default: undefined }) };
}

const rowOf = (schema: JsonSchema, key: string, isRequired: boolean): KeyRow => ({
  key,
  type: typeOf(schema),
  default: isRequired ? 'required' : defaultOf(schema),
  reload: reloadOf(schema),
  meaning: schema.description ?? '',
});

function reloadOf(schema: JsonSchema): KeyRow['reload'] {
  if (schema.reload === 'restart') return 'restart';
  return typeOf(schema) === 'object' ? '' : 'yes';
}

function typeOf({ title, enum: choice, items, type }: JsonSchema): string {
  if (title !== undefined) return title;
  if (choice !== undefined) return choice.map((word) => JSON.stringify(word)).join(' or ');
  if (isSchema(items)) return `list of ${isSection(items) ? 'objects' : typeOf(items)}`;
  return typeof type === 'string' ? type : 'object';
}

/** One way to write it, or several. */
const isSection = ({ title, type, anyOf }: JsonSchema): boolean =>
  title === undefined && (type === 'object' || anyOf !== undefined);

/** Empty for an object: the rows of its keys have the defaults. */
function defaultOf({ default: value }: JsonSchema): string {
  if (value === undefined || JSON.stringify(value) === '{}') return '';
  const text = JSON.stringify(value);
  return text.length <= 100 ? text : 'see config.example.json';
}
