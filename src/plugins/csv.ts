import { type Row, type RowFault, rowOf } from './rows.ts';

/** A record that is longer is not of a table of players: a quote was not closed. */
const RECORD_MAX = 1024 * 1024;

/** Values of one record, and the line that it begins on. */
export interface CsvRecord {
  readonly line: number;
  readonly values: readonly string[];
}

/**
 * Reads comma-separated values as in RFC 4180: quotes around a value may contain commas, line breaks and doubled quotes.
 * Semicolons and tabs separate values as well, if the first line has more of them than of commas. Empty lines are left
 * out. Between tabs, a value is read as `mysql -B` writes it, with `\\t` for a tab.
 *
 * @param chunks the text, cut anywhere.
 */
export async function* csvRecords(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord | CsvFault> {
  let separator = '';
  for await (const found of recordTexts(chunks)) {
    if ('why' in found) yield found;
    else {
      separator ||= separatorOf(found.text);
      if (found.text.trim() === '') continue;
      const values = valuesOf(found.text, separator);
      yield { line: found.line, values: separator === '\t' ? values.map(unescaped) : values };
    }
  }
}

export type CsvFault = RowFault & { readonly line: number };

async function* recordTexts(
  chunks: AsyncIterable<string>,
): AsyncGenerator<{ readonly line: number; readonly text: string } | CsvFault> {
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
      yield { line, at: `line ${line}`, why: 'has a quote that is never closed; what follows is not read' };
      return;
    }
  }
  yield { line, text: rest.replace(/\r$/, '') };
}

/** Rows by the names in the first record. */
export async function* csvRows(chunks: AsyncIterable<string>): AsyncGenerator<Row | RowFault> {
  let columns: readonly string[] | null = null;
  for await (const record of csvRecords(chunks)) {
    if ('why' in record) yield record;
    else if (columns === null) columns = record.values.map((name) => name.trim());
    else yield rowOf(`line ${record.line}`, columns, record.values.map(nullIfNull));
  }
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', '0': '\0', '\\': '\\' };

const unescaped = (value: string): string =>
  value.replaceAll(/\\([nt0\\])/g, (_, char: string) => ESCAPED[char] ?? char);

/** Database tools write NULL so. */
const nullIfNull = (value: string): string | null => (value === 'NULL' || value === '\\N' ? null : value);

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

const QUOTE = 0x22;
const LINE_FEED = 0x0a;

const separatorOf = (header: string): string =>
  [',', ';', '\t'].reduce((best, each) => (count(header, each) > count(header, best) ? each : best));

const count = (text: string, part: string): number => text.split(part).length;

function valuesOf(record: string, separator: string): readonly string[] {
  const values: string[] = [];
  let at = 0;
  while (at <= record.length) {
    const [value, end] = record[at] === '"' ? quoted(record, at) : plain(record, at, separator);
    values.push(value);
    const next = record.indexOf(separator, end);
    at = next < 0 ? record.length + 1 : next + 1;
  }
  return values;
}

function plain(record: string, from: number, separator: string): readonly [string, number] {
  const end = record.indexOf(separator, from);
  const to = end < 0 ? record.length : end;
  return [record.slice(from, to), to];
}

function quoted(record: string, from: number): readonly [string, number] {
  let end = record.indexOf('"', from + 1);
  while (end >= 0 && record[end + 1] === '"') end = record.indexOf('"', end + 2);
  const to = end < 0 ? record.length : end;
  return [record.slice(from + 1, to).replaceAll('""', '"'), to + 1];
}
