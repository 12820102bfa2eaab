import { commonJs } from '../core/common-js.ts';

const yaml = (): typeof import('yaml') => commonJs('yaml');

/**
 * As plugins read YAML, with version 1.1: `yes` and `on` are true, and of two equal keys the last one counts. A file
 * without content is an empty object.
 *
 * @throws an Error whose first line says what is wrong and where.
 */
export function parsePluginYaml(text: string): Readonly<Record<string, unknown>> {
  const value = yaml().parse(text, {
    version: '1.1',
    uniqueKeys: false,
    logLevel: 'error',
    maxAliasCount: 1000,
  });
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new Error('is a list or a single value, not keys');
  return value as Readonly<Record<string, unknown>>;
}

const ENTRY = /^([A-Za-z_][\w.-]*):(?: +(.*))?$/;
const SINGLE_QUOTED = /^'((?:[^']|'')*)'$/;
const DOUBLE_QUOTED = /^"([^"\\]*)"$/;
const PLAIN = /^[A-Za-z0-9_][^#:{}[\],&*!|>'"%@`\\]*$/;

/**
 * The values of a file that has one plain value on each line, as plugins write for each player. Such a file needs no YAML
 * parser, which takes 1.7 ms for it, and so 86 s for 50,000 of them.
 *
 * @returns null if it has anything else: parse it then.
 */
export function flatValues(text: string): ReadonlyMap<string, string | null> | null {
  const values = new Map<string, string | null>();
  for (const line of text.split(/\r?\n/)) {
    if (line === '' || line.startsWith('#')) continue;
    const [, key, written = ''] = ENTRY.exec(line) ?? [];
    const value = key === undefined ? undefined : scalar(written);
    if (key === undefined || value === undefined) return null;
    values.set(key, value);
  }
  return values;
}

/** undefined: it takes a parser to read it. */
function scalar(written: string): string | null | undefined {
  if (written === 'null' || written === '~') return null;
  if (written === '[]') return '';
  const [, single] = SINGLE_QUOTED.exec(written) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  const [, double] = DOUBLE_QUOTED.exec(written) ?? [];
  if (double !== undefined) return double;
  return PLAIN.test(written) ? written.trimEnd() : undefined;
}
