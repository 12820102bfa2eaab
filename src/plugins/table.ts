import { createReadStream } from 'node:fs';
import { Problem } from '../core/problem.ts';
import { requireNoPipe } from '../platform/plain-file.ts';

/** One row of a table. */
export interface Row {
  /** The line that it begins on. */
  readonly line: number;
  /** By the name of the column in lower case, as text or as JSON has it; null is NULL. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Why its values may be in the wrong columns, as the end of a sentence; null: they are not. */
  readonly ragged: string | null;
}

/** A row that cannot be read. The others still can. */
export interface RowFault {
  readonly line: number;
  /** The end of a sentence, such as: is not JSON. */
  readonly why: string;
}

/**
 * The rows of a table: JSON lines if the text begins with `{`, otherwise comma-separated values as in RFC 4180, whose first
 * line names the columns. Semicolons and tabs separate values as well, if the first line has more of them than of commas.
 * Between tabs, a value is read as `mysql -B` writes it, with `\\t` for a tab. Empty lines are left out.
 *
 * @param chunks the text, cut anywhere.
 * @param headerFault why these columns are not enough, as the end of a sentence; null: they are.
 */
export async function* tableRows(
  chunks: AsyncIterable<string>,
  headerFault: (columns: readonly string[]) => string | null = () => null,
): AsyncGenerator<Row | RowFault> {
  const iterator = chunks[Symbol.asyncIterator]();
  let begin = '';
  while (begin.trim() === '') {
    const next = await iterator.next();
    if (next.done === true) return;
    begin += next.value;
  }
  const all = async function* (): AsyncGenerator<string> {
    yield begin;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  if (begin.trim().startsWith('{')) yield* jsonRows(all());
  else yield* csvRows(all(), headerFault);
}

const CHUNK_BYTES = 256 * 1024;

/** The text of a file in chunks. @throws Problem `import-unreadable` */
export async function* textOf(file: string): AsyncGenerator<string> {
  await requireNoPipe(file);
  try {
    yield* createReadStream(file, { encoding: 'utf8', highWaterMark: CHUNK_BYTES });
  } catch (error) {
    throw new Problem('import-unreadable', `${file} cannot be read: ${(error as Error).message}`);
  }
}

const LINE_MAX = 64 * 1024;

async function* jsonRows(chunks: AsyncIterable<string>): AsyncGenerator<Row | RowFault> {
  let rest = '';
  let line = 0;
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      line += 1;
      if (text.trim() !== '') yield jsonRow(text, line);
    }
    if (rest.length > LINE_MAX) {
      yield { line: line + 1, why: 'is too long; what follows is not read' };
      return;
    }
  }
  if (rest.trim() !== '') yield jsonRow(rest, line + 1);
}

function jsonRow(text: string, line: number): Row | RowFault {
  try {
    const value: unknown = JSON.parse(text.trim());
    if (value === null || typeof value !== 'object') return { line, why: 'is no JSON object' };
    const values = new Map(Object.entries(value).map(([key, each]) => [key.toLowerCase(), each]));
    return { line, values, ragged: null };
  } catch {
    return { line, why: 'is not JSON' };
  }
}

async function* csvRows(
  chunks: AsyncIterable<string>,
  headerFault: (columns: readonly string[]) => string | null,
): AsyncGenerator<Row | RowFault> {
  let columns: readonly string[] | null = null;
  let separator = ',';
  for await (const record of recordsIn(chunks)) {
    const { line } = record;
    if ('why' in record) yield record;
    else if (record.text.trim() === '') continue;
    else if (columns === null) {
      separator = separatorOf(record.text);
      columns = valuesOf(record.text, separator).map((name) => name.trim().toLowerCase());
      const why = headerFault(columns);
      if (why === null) continue;
      yield { line, why };
      return;
    } else {
      const values = valuesOf(record.text, separator);
      const ragged =
        values.length === columns.length ? null : `has ${values.length} values for ${columns.length} columns`;
      yield { line, values: new Map(columns.map((name, at) => [name, nullIfNull(values[at])])), ragged };
    }
  }
}

/** Database tools write NULL so. */
const nullIfNull = (value: string | undefined): string | null | undefined =>
  value === 'NULL' || value === '\\N' ? null : value;

/** A longer record is not one of such a table: a quote was not closed. */
const RECORD_MAX = 1024 * 1024;

async function* recordsIn(
  chunks: AsyncIterable<string>,
): AsyncGenerator<{ readonly line: number; readonly text: string } | RowFault> {
  let rest = '';
  let line = 1;
  for await (const chunk of chunks) {
    rest = (rest + chunk).replace(/^\uFEFF/, '');
    let from = 0;
    for (let end = recordEnd(rest, from); end !== null; end = recordEnd(rest, from)) {
      const text = rest.slice(from, end);
      yield { line, text: text.replace(/\r$/, '') };
      line += text.split('\n').length;
      from = end + 1;
    }
    rest = rest.slice(from);
    if (rest.length > RECORD_MAX) {
      yield { line, why: 'has a quote that is never closed; what follows is not read' };
      return;
    }
  }
  yield { line, text: rest.replace(/\r$/, '') };
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;

/** Where the record that begins at `from` ends; null if its end is not in the text. */
function recordEnd(text: string, from: number): number | null {
  let [isQuoted, closedAt] = [false, -1];
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE && isQuoted) [isQuoted, closedAt] = [false, at];
    else if (code === QUOTE) isQuoted = isValueStart(text, from, at) || closedAt === at - 1;
    else if (code === LINE_FEED && !isQuoted) return at;
  }
  return null;
}

/** Elsewhere, a quote is a character like any other. */
const isValueStart = (text: string, from: number, at: number): boolean =>
  at === from || /[,;\t]/.test(text[at - 1] ?? '');

const separatorOf = (header: string): string =>
  [',', ';', '\t'].reduce((best, each) => (count(header, each) > count(header, best) ? each : best));

const count = (text: string, part: string): number => text.split(part).length;

function valuesOf(record: string, separator: string): readonly string[] {
  const values: string[] = [];
  let at = 0;
  while (at <= record.length) {
    const isQuoted = record[at] === '"';
    const end = isQuoted ? closingQuote(record, at) : at;
    const next = record.indexOf(separator, end);
    const to = next < 0 ? record.length : next;
    values.push(isQuoted ? record.slice(at + 1, end).replaceAll('""', '"') : record.slice(at, to));
    at = to + 1;
  }
  return separator === '\t' ? values.map(unescaped) : values;
}

/** The end of the record if the quote is not closed. */
function closingQuote(record: string, from: number): number {
  let end = record.indexOf('"', from + 1);
  while (end >= 0 && record[end + 1] === '"') end = record.indexOf('"', end + 2);
  return end < 0 ? record.length : end;
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', '0': '\0', '\\': '\\' };

const unescaped = (value: string): string =>
  value.replaceAll(/\\([nt0\\])/g, (_, char: string) => ESCAPED[char] ?? char);
