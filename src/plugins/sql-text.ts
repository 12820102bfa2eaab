/**
 * The syntax of statements in a dump, as far as rows need it. Each function reads from `at` and says where it stopped;
 * null means that the text ends first, so that it has to be called again with more.
 */

export type Read<T> = { readonly value: T; readonly end: number } | null;

/** Characters of one row, or one statement between rows. mysqldump writes statements of 16 MiB, but rows are small. */
export const ROW_MAX = 8 * 1024 * 1024;

/** Where the next statement begins: after white space, comments and semicolons. */
export function statementStart(text: string, from: number): number | null {
  let at = from;
  for (;;) {
    while (at < text.length && /[\s;]/.test(text[at] as string)) at++;
    if (at >= text.length) return null;
    const comment = commentEnd(text, at);
    if (comment === undefined) return at;
    if (comment === null) return null;
    at = comment;
  }
}

/** undefined: no comment begins here; null: its end is not in the text. */
function commentEnd(text: string, at: number): number | null | undefined {
  const isLine = text[at] === '#' || (text.startsWith('--', at) && /[\s]|^$/.test(text[at + 2] ?? ''));
  if (isLine) return after(text.indexOf('\n', at), 1);
  // A comment that begins with /*! is a statement for newer servers; none of them has rows.
  if (text.startsWith('/*', at)) return after(text.indexOf('*/', at + 2), 2);
  return undefined;
}

const after = (found: number, length: number): number | null => (found < 0 ? null : found + length);

/** Where the statement ends, behind its semicolon. */
export function statementEnd(text: string, from: number): number | null {
  let at = from;
  while (at < text.length) {
    const char = text[at] as string;
    if (char === ';') return at + 1;
    const end = char === "'" || char === '"' || char === '`' ? quotedEnd(text, at) : at + 1;
    if (end === null) return null;
    at = end;
  }
  return null;
}

/** Where a quoted string or name ends, behind its quote. */
function quotedEnd(text: string, from: number): number | null {
  const quote = text[from] as string;
  let at = from + 1;
  while (at < text.length) {
    const char = text[at];
    if (char === '\\' && quote !== '`') at += 2;
    else if (char !== quote) at += 1;
    else if (at + 1 >= text.length) return null;
    else if (text[at + 1] === quote) at += 2;
    else return at + 1;
  }
  return null;
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '0': '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\x1a' },
};

const unquoted = (text: string): string => {
  const quote = text[0] as string;
  const inner = text.slice(1, -1).replaceAll(quote + quote, quote);
  if (quote === '`' || !inner.includes('\\')) return inner;
  return inner.replaceAll(/\\([\s\S])/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
};

const PLAIN = /[^\s,()';]+/y;

/** A value: a string, NULL, or a number as it is written. */
function readValue(text: string, from: number): Read<string | null> {
  const at = skipIntroducer(text, from);
  if (text[at] === "'" || text[at] === '"') {
    const end = quotedEnd(text, at);
    return end === null ? null : { value: unquoted(text.slice(at, end)), end };
  }
  PLAIN.lastIndex = at;
  const [word] = PLAIN.exec(text) ?? [''];
  const end = at + word.length;
  if (end >= text.length) return null;
  return { value: word.toUpperCase() === 'NULL' ? null : word, end };
}

/** `_binary '…'` and `_utf8mb4'…'`: the character set of the string that follows. */
function skipIntroducer(text: string, at: number): number {
  INTRODUCER.lastIndex = at;
  return at + (INTRODUCER.exec(text)?.[0].length ?? 0);
}

const INTRODUCER = /_[a-z0-9]+\s*(?=')/iy;

/** The values of a row in parentheses. Throws a SyntaxError if there is something else. */
export function readTuple(text: string, from: number): Read<readonly (string | null)[]> {
  const values: (string | null)[] = [];
  let at = from + 1;
  for (;;) {
    const start = skipSpace(text, at);
    const read = start === null ? null : readValue(text, start);
    const next = read === null ? null : skipSpace(text, read.end);
    if (read === null || next === null) return null;
    values.push(read.value);
    if (text[next] === ')') return { value: values, end: next + 1 };
    if (text[next] !== ',') throw new SyntaxError(`has “${text[next]}” where a comma belongs`);
    at = next + 1;
  }
}

export function skipSpace(text: string, from: number): number | null {
  let at = from;
  while (at < text.length && /\s/.test(text[at] as string)) at++;
  return at < text.length ? at : null;
}

const NAME = '(?:`(?:[^`]|``)*`|"(?:[^"]|"")*"|[A-Za-z0-9_$]+)';
const TABLE = `(?:${NAME}\\s*\\.\\s*)?(${NAME})`;
const INSERT = new RegExp(
  `^(?:INSERT|REPLACE)(?:\\s+(?:IGNORE|DELAYED|LOW_PRIORITY))*\\s+INTO\\s+${TABLE}\\s*(?:\\(([^)]*)\\))?\\s*VALUES\\s*(?=\\()`,
  'i',
);
const CREATE = new RegExp(
  `^CREATE\\s+(?:TEMPORARY\\s+)?TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?${TABLE}\\s*\\(`,
  'i',
);

export interface Head {
  readonly table: string;
  /** Names, if the statement has them. */
  readonly columns: readonly string[] | null;
  readonly end: number;
}

/** The part of an INSERT before its rows; null if the statement is another one. */
export function insertHead(text: string, at: number): Head | null {
  const found = INSERT.exec(text.slice(at, at + HEAD_MAX));
  const [whole = '', table = '', columns] = found ?? [];
  if (found === null) return null;
  return {
    table: named(table),
    columns: columns === undefined ? null : namesIn(columns),
    end: at + whole.length,
  };
}

/** Characters that the part before the rows has at most, with all its columns. */
export const HEAD_MAX = 64 * 1024;

export const isInsert = (text: string, at: number): boolean =>
  /^(?:INSERT|REPLACE)\s/i.test(text.slice(at, at + 8));

/** The columns of a CREATE TABLE, in their order; null for another statement. */
export function createdTable(
  statement: string,
): { readonly table: string; readonly columns: readonly string[] } | null {
  const found = CREATE.exec(statement);
  if (found === null) return null;
  const [whole, table = ''] = found;
  return { table: named(table), columns: partsOf(statement.slice(whole.length)).flatMap(columnOf) };
}

const named = (written: string): string => (/^[`"]/.test(written) ? unquoted(written) : written);

const namesIn = (list: string): readonly string[] =>
  [...list.matchAll(new RegExp(NAME, 'g'))].map(([written]) => named(written));

/** Quoted text, a comma or parenthesis, or anything between these. */
const TOKEN = /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|[(),]|[^'"`(),]+/g;

/** The parts between commas that are outside parentheses and quotes, up to the closing parenthesis. */
function partsOf(body: string): readonly string[] {
  const parts = [''];
  let depth = 1;
  for (const [token] of body.matchAll(TOKEN)) {
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (depth === 0) break;
    if (token === ',' && depth === 1) parts.push('');
    else parts.push(`${parts.pop()}${token}`);
  }
  return parts;
}

const COLUMN = new RegExp(`^\\s*(${NAME})\\s+\\S`);
const NO_COLUMN = /^\s*(?:PRIMARY\s+KEY|UNIQUE|KEY|INDEX|CONSTRAINT|FULLTEXT|SPATIAL|FOREIGN|CHECK)\b/i;

const columnOf = (part: string): readonly string[] => {
  const [, name] = NO_COLUMN.test(part) ? [] : (COLUMN.exec(part) ?? []);
  return name === undefined ? [] : [named(name)];
};
