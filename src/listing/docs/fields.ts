import type { Resolve, Schema } from './openapi.ts';

/** One row of a table of fields. */
export interface FieldRow {
  /** The whole path: `data.userId`, `topVoters[].user_id`, `votes.<key>.voted`. */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly bounds: readonly Bound[];
  readonly meaning: string;
}

/** A limit on a value, in words, with the literal values that belong to it. */
export interface Bound {
  readonly words: string;
  readonly exact?: readonly string[];
}

/** A depth that no body reaches; it ends the recursion in schemas that contain themselves. */
const DEPTH_MAX = 5;

/** The fields of an object, each followed by the fields inside it. For a choice of objects, see `formsOf`. */
export function fieldsOf(schema: Schema, resolve: Resolve, prefix = '', depth = 1): FieldRow[] {
  const { properties = {}, required = [] } = resolve(schema);
  if (depth > DEPTH_MAX) return [];
  return Object.entries(properties).flatMap(([key, stated]) => {
    const property = resolve(stated);
    const name = `${prefix}${key}`;
    const row = rowOf(name, property, required.includes(key), resolve);
    const [inside, step] = insideOf(property);
    return inside === null ? [row] : [row, ...fieldsOf(inside, resolve, `${name}${step}`, depth + 1)];
  });
}

export function rowOf(name: string, property: Schema, isRequired: boolean, resolve: Resolve): FieldRow {
  return {
    name,
    type: typeText(property, resolve),
    isRequired,
    bounds: boundsOf(property, resolve),
    meaning: property.description ?? (property.items && resolve(property.items).description) ?? '',
  };
}

/** The schema of the fields inside, and what connects their names to the outer name. */
function insideOf(property: Schema): [Schema | null, string] {
  const { properties, items, additionalProperties } = property;
  if (properties !== undefined) return [property, '.'];
  if (items !== undefined) return [items, '[].'];
  return typeof additionalProperties === 'object' ? [additionalProperties, '.<key>.'] : [null, ''];
}

/** The forms of a body that may be one of several objects. */
export function formsOf(schema: Schema, resolve: Resolve): readonly Schema[] {
  const { anyOf, ...one } = resolve(schema);
  return anyOf ?? [one];
}

function typeText(schema: Schema, resolve: Resolve): string {
  const { anyOf, type, format, items, properties, additionalProperties } = resolve(schema);
  if (anyOf !== undefined) return [...new Set(anyOf.map((one) => typeText(one, resolve)))].join(' or ');
  if (items !== undefined) return `list of ${plural(typeText(items, resolve))}`;
  if (properties === undefined && typeof additionalProperties === 'object') return 'object by key';
  const names = type === undefined ? [typeof firstValue(schema)] : [type].flat();
  return names.map((name) => (name === 'string' ? (format ?? name) : name)).join(' or ');
}

const plural = (type: string): string => (type.includes(' ') ? type : `${type}s`);

const firstValue = (schema: Schema): unknown => schema.const ?? schema.enum?.[0];

function boundsOf(schema: Schema, resolve: Resolve): Bound[] {
  const { items, format, pattern } = schema;
  const bounds = [
    valuesBound(schema),
    spanBound(schema.minimum, schema.maximum),
    spanBound(schema.minLength, schema.maxLength, ['character', 'characters']),
    spanBound(schema.minItems, schema.maxItems, ['entry', 'entries']),
    // A format says the same in one word.
    pattern !== undefined && format === undefined ? { words: 'matches', exact: [pattern] } : null,
    schema.default === undefined ? null : { words: 'default', exact: [written(schema.default)] },
  ].filter((bound) => bound !== null);
  const each = items === undefined ? [] : boundsOf(resolve(items), resolve);
  return [...bounds, ...each.map(({ words, ...exact }) => ({ words: `each ${words}`, ...exact }))];
}

/** Longer lists are not written out: the error codes have their own table. */
const VALUES_SHOWN_MAX = 8;

function valuesBound(schema: Schema): Bound | null {
  const values = schema.const === undefined ? (schema.enum ?? []) : [schema.const];
  if (values.length === 0) return null;
  if (values.length > VALUES_SHOWN_MAX) return { words: `one of ${values.length} values` };
  return { words: values.length === 1 ? 'always' : 'one of', exact: values.map(written) };
}

type Unit = readonly [one: string, many: string];

function spanBound(least: number | undefined, most: number | undefined, unit?: Unit): Bound | null {
  const counted = (count: number): string => {
    const named = unit === undefined ? '' : ` ${unit[count === 1 ? 0 : 1]}`;
    return `${count.toLocaleString('en')}${named}`;
  };
  if (least === undefined) return most === undefined ? null : { words: `at most ${counted(most)}` };
  if (most === undefined) return { words: `at least ${counted(least)}` };
  if (least === most) return { words: `exactly ${counted(least)}` };
  return { words: `${least.toLocaleString('en')} to ${counted(most)}` };
}

/** The value as in a body, but strings without quotation marks. */
const written = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
