import { parseInstant } from '../core/instant.ts';
import { parseVotedName } from '../core/player-name.ts';
import { SERVICE_NAME_MAX, serviceNameOf } from '../core/service-name.ts';
import { csvRecords } from './csv.ts';

/** One vote of a file of votes. */
export interface VoteLine {
  readonly kind: 'vote';
  readonly line: number;
  /** Checked (rule 8). */
  readonly player: string;
  readonly service: string;
  /** When it was cast, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** As written; null if there is none. */
  readonly address: string | null;
}

export interface LineFault {
  readonly kind: 'fault';
  readonly line: number;
  /** The end of a sentence. */
  readonly why: string;
}

/** Names that plugins and databases give these columns. */
const COLUMNS = {
  player: ['player', 'username', 'playername', 'player_name', 'name', 'user'],
  service: ['service', 'servicename', 'service_name', 'site', 'servicesite'],
  time: ['time', 'timestamp', 'at', 'vote_time', 'cast', 'date'],
  address: ['address', 'ip'],
} as const;

type Column = keyof typeof COLUMNS;
type Fields = Readonly<Record<Column, unknown>>;

/**
 * Reads a file of votes with player, service, time and, optionally, address: JSON lines if it begins with `{`, otherwise
 * CSV with a first line that names the columns. Times are ISO 8601 (in UTC without a zone) or milliseconds since the Unix
 * epoch. A line that is no vote is reported, and the others are read.
 *
 * @param chunks the text, cut anywhere.
 */
export async function* voteLines(
  chunks: AsyncIterable<string>,
  bedrockPrefixes: readonly string[],
): AsyncGenerator<VoteLine | LineFault> {
  for await (const { line, fields } of fieldsIn(chunks)) {
    if (typeof fields === 'string') yield { kind: 'fault', line, why: fields };
    else yield voteOf(line, fields, bedrockPrefixes);
  }
}

interface Line {
  readonly line: number;
  /** A string is why there are none. */
  readonly fields: Fields | string;
}

async function* fieldsIn(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  const iterator = chunks[Symbol.asyncIterator]();
  let begin = '';
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) break;
    begin += next.value;
    if (begin.trim() !== '') break;
  }
  const all = from(begin, iterator);
  yield* /^\s*\{/.test(begin) ? jsonLines(all) : csvLines(all);
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

async function* jsonLines(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let rest = '';
  let line = 0;
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      line += 1;
      if (text.trim() !== '') yield { line, fields: jsonFields(text) };
    }
    if (rest.length > LINE_MAX) {
      yield { line: line + 1, fields: 'is too long; what follows is not read' };
      return;
    }
  }
  if (rest.trim() !== '') yield { line: line + 1, fields: jsonFields(rest) };
}

function jsonFields(text: string): Fields | string {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== 'object') return 'is no JSON object';
    const keys = new Map(Object.entries(value).map(([key, each]) => [key.toLowerCase(), each as unknown]));
    return fieldsBy((column) =>
      COLUMNS[column].map((name) => keys.get(name)).find((each) => each !== undefined),
    );
  } catch {
    return 'is not JSON';
  }
}

async function* csvLines(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let places: Readonly<Record<Column, number>> | null = null;
  for await (const record of csvRecords(chunks)) {
    const { line } = record;
    if ('why' in record) {
      yield { line, fields: record.why };
    } else if (places === null) {
      places = placesIn(record.values);
      const missing = (['player', 'service', 'time'] as const).filter(
        (column) => (places?.[column] ?? -1) < 0,
      );
      if (missing.length === 0) continue;
      yield {
        line,
        fields: `has to name the columns player, service and time; ${missing.join(' and ')} is missing`,
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

function voteOf(line: number, fields: Fields, bedrockPrefixes: readonly string[]): VoteLine | LineFault {
  const fault = (why: string): LineFault => ({ kind: 'fault', line, why });
  const player = parseVotedName(String(fields.player ?? ''), bedrockPrefixes);
  if (player.kind !== 'name') return fault(`has no player name, but ${shown(fields.player)}`);
  const service = typeof fields.service === 'string' ? serviceNameOf(fields.service) : null;
  if (service === null || service.length > SERVICE_NAME_MAX) {
    return fault(`has no service name, but ${shown(fields.service)}`);
  }
  const at = timeOf(fields.time);
  if (at === null) return fault(`has no time, but ${shown(fields.time)}`);
  const address =
    typeof fields.address === 'string' && fields.address.trim() !== '' ? fields.address.trim() : null;
  return { kind: 'vote', line, player: player.name, service, at, address };
}

/** Milliseconds of 2001 to 2286 have 12 or 13 digits; seconds have 10, and are refused, because nothing tells them from others. */
function timeOf(value: unknown): number | null {
  const text = String(value ?? '').trim();
  return /^\d{12,13}$/.test(text) ? Number(text) : parseInstant(text.replace(' ', 'T'));
}

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60);
