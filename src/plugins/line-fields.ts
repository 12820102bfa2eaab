import { csvRecords } from './csv.ts';

/** Names that plugins and databases give these columns. */
const COLUMNS = {
  player: ['player', 'username', 'playername', 'player_name', 'name', 'user'],
  service: ['service', 'servicename', 'service_name', 'site', 'servicesite'],
  time: ['time', 'timestamp', 'at', 'vote_time', 'cast', 'date'],
  address: ['address', 'ip'],
} as const;

export type Column = keyof typeof COLUMNS;
export type Fields = Readonly<Record<Column, unknown>>;

/** A line of a file, with what it says. */
export interface Line {
  readonly line: number;
  /** A string is why there are none. */
  readonly fields: Fields | string;
}

/**
 * Reads JSON lines if the text begins with `{`, otherwise CSV with a first line that names the columns.
 *
 * @param chunks the text, cut anywhere.
 * @param required the columns that CSV has to have.
 */
export async function* fieldsIn(
  chunks: AsyncIterable<string>,
  required: readonly Column[],
): AsyncGenerator<Line> {
  const { begin, all } = await begun(chunks);
  if (!isJson(begin)) {
    yield* csvLines(all, required);
    return;
  }
  for await (const { line, value } of jsonObjects(all))
    yield { line, fields: typeof value === 'string' ? value : jsonFields(value) };
}

export const isJson = (begin: string): boolean => /^\s*\{/.test(begin);

/** The text, and its beginning, which has more than space unless all of it is space. */
export async function begun(
  chunks: AsyncIterable<string>,
): Promise<{ readonly begin: string; readonly all: AsyncIterable<string> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let begin = '';
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) break;
    begin += next.value;
    if (begin.trim() !== '') break;
  }
  return { begin, all: from(begin, iterator) };
}

async function* from(begin: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield begin;
  for (;;) {
    const next = await rest.next();
    if (next.done === true) return;
    yield next.value;
  }
}

const LINE_MAX = 64 * 1024;

/** The object of a line of JSON; a string is why there is none. */
export interface JsonLine {
  readonly line: number;
  readonly value: Readonly<Record<string, unknown>> | string;
}

export async function* jsonObjects(chunks: AsyncIterable<string>): AsyncGenerator<JsonLine> {
  let rest = '';
  let line = 0;
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      line += 1;
      if (text.trim() !== '') yield { line, value: jsonObject(text) };
    }
    if (rest.length > LINE_MAX) {
      yield { line: line + 1, value: 'is too long; what follows is not read' };
      return;
    }
  }
  if (rest.trim() !== '') yield { line: line + 1, value: jsonObject(rest) };
}

function jsonObject(text: string): JsonLine['value'] {
  try {
    const value: unknown = JSON.parse(text);
    return value === null || typeof value !== 'object'
      ? 'is no JSON object'
      : (value as Readonly<Record<string, unknown>>);
  } catch {
    return 'is not JSON';
  }
}

function jsonFields(value: Readonly<Record<string, unknown>>): Fields {
  const keys = new Map(Object.entries(value).map(([key, each]) => [key.toLowerCase(), each]));
  return fieldsBy((column) =>
    COLUMNS[column].map((name) => keys.get(name)).find((each) => each !== undefined),
  );
}

async function* csvLines(chunks: AsyncIterable<string>, required: readonly Column[]): AsyncGenerator<Line> {
  let places: Readonly<Record<Column, number>> | null = null;
  for await (const record of csvRecords(chunks)) {
    const { line } = record;
    if ('why' in record) {
      yield { line, fields: record.why };
    } else if (places === null) {
      places = placesIn(record.values);
      const missing = required.filter((column) => (places?.[column] ?? -1) < 0);
      if (missing.length === 0) continue;
      yield {
        line,
        fields: `has to name the columns ${named(required)}; ${missing.join(' and ')} is missing`,
      };
      return;
    } else {
      const found = places;
      yield { line, fields: fieldsBy((column) => record.values[found[column]]) };
    }
  }
}

function placesIn(header: readonly string[]): Readonly<Record<Column, number>> {
  const names = header.map((name) => name.trim().toLowerCase());
  const placeOf = (column: Column): number =>
    COLUMNS[column].map((name) => names.indexOf(name)).find((place) => place >= 0) ?? -1;
  return {
    player: placeOf('player'),
    service: placeOf('service'),
    time: placeOf('time'),
    address: placeOf('address'),
  };
}

const fieldsBy = (read: (column: Column) => unknown): Fields => ({
  player: read('player'),
  service: read('service'),
  time: read('time'),
  address: read('address'),
});

/** `player, service and time` */
const named = (columns: readonly Column[]): string => columns.join(', ').replace(/, ([^,]*)$/, ' and $1');
