import { formsOf } from './fields.ts';
import type { Operation, Parameter, Resolve, Schema } from './openapi.ts';

/** Requests that work as they are, built from the schemas' examples, defaults and bounds. */

/** Shell variables that the examples use. */
export const TOKEN_VARIABLE = 'TOKEN';
export const variableOf = ({ name }: Parameter): string => name.toUpperCase().replaceAll(/\W/g, '_');

/** One example for each form of the body. */
export function curlExamples(operation: Operation, origin: string, resolve: Resolve): string[] {
  if (operation.body === null) return [curl(operation, origin, resolve, null)];
  return formsOf(operation.body, resolve).map((form) =>
    curl(operation, origin, resolve, bodyText(sampleOf(form, resolve))),
  );
}

const LINE_MAX = 60;

/** In one line if it is short; otherwise one line per field. */
function bodyText(body: unknown): string {
  const line = JSON.stringify(body);
  if (line.length <= LINE_MAX) return line;
  const fields = Object.entries(body ?? {}).map((pair) =>
    pair.map((part) => JSON.stringify(part)).join(': '),
  );
  return `{\n    ${fields.join(',\n    ')}\n  }`;
}

function curl(operation: Operation, origin: string, resolve: Resolve, body: string | null): string {
  const url = `${doubleQuotable(origin)}${pathOf(operation)}${queryOf(operation, resolve)}`;
  const parts = [
    `curl${operation.method === 'GET' ? '' : ` -X ${operation.method}`} "${url}"`,
    `-H "Authorization: Bearer $${TOKEN_VARIABLE}"`,
    ...(body === null ? [] : [`-H 'Content-Type: application/json'`, `-d ${singleQuoted(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

const pathOf = ({ path, parameters = [] }: Operation): string =>
  parameters
    .filter(({ in: place }) => place === 'path')
    .reduce(
      (text, parameter) => text.replaceAll(`{${parameter.name}}`, `$${variableOf(parameter)}`),
      doubleQuotable(path),
    );

/** The required parameters; if there are none, the first one that has a value in the document. */
function queryOf({ parameters = [] }: Operation, resolve: Resolve): string {
  const inQuery = parameters.filter(({ in: place }) => place === 'query');
  const required = inQuery.filter((parameter) => parameter.required);
  const first = inQuery.find(({ schema }) => hasValue(resolve(schema)));
  const sent = required.length > 0 || first === undefined ? required : [first];
  const query = new URLSearchParams();
  for (const { name, schema } of sent) query.set(name, String(sampleOf(schema, resolve, name)));
  return sent.length === 0 ? '' : `?${query}`;
}

const hasValue = (schema: Schema): boolean => (schema.example ?? schema.default) !== undefined;

/** A value that is valid under the schema. */
function sampleOf(stated: Schema, resolve: Resolve, name = ''): unknown {
  const schema = resolve(stated);
  const value = schema.example ?? schema.default ?? schema.const ?? schema.enum?.[0];
  if (value !== undefined) return value;
  if (schema.anyOf?.[0] !== undefined) return sampleOf(schema.anyOf[0], resolve, name);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return sampleObject(schema, resolve);
    case 'array':
      return schema.items === undefined ? [] : [sampleOf(schema.items, resolve, name)];
    case 'integer':
    case 'number':
      return Math.min(Math.max(1, schema.minimum ?? 1), schema.maximum ?? 1);
    case 'boolean':
      return true;
    default:
      return sampleText(schema, name);
  }
}

/** The required properties, and others that have a value in the document. */
function sampleObject({ properties = {}, required = [] }: Schema, resolve: Resolve): object {
  const sent = Object.entries(properties).filter(
    ([key, property]) => required.includes(key) || hasValue(resolve(property)),
  );
  return Object.fromEntries(sent.map(([key, property]) => [key, sampleOf(property, resolve, key)]));
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  date: '2026-06-01',
  'date-time': '2026-06-01T12:00:00.000Z',
  uri: 'https://example.com/votes',
};

/** URLs are checked beyond the schema, so a field named `…url` gets a real URL. */
const sampleText = ({ format = '' }: Schema, name: string): string =>
  BY_FORMAT[/url$/i.test(name) ? 'uri' : format] ?? 'text';

const doubleQuotable = (text: string): string => text.replaceAll(/[\\"$`]/g, String.raw`\$&`);
const singleQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
