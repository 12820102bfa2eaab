import { parseInstant } from '../core/instant.ts';
import { parseVotedName } from '../core/player-name.ts';
import { SERVICE_NAME_MAX, serviceNameOf } from '../core/service-name.ts';
import { type Row, type RowFault, tableRows } from './table.ts';

/** One vote of a file of votes. */
export interface VoteLine {
  readonly line: number;
  /** Checked (rule 8). */
  readonly player: string;
  readonly service: string;
  /** When it was cast, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/**
 * Reads a file of votes with player, service and time: JSON lines, or CSV with a first line that names the columns. Times
 * are ISO 8601 (in UTC without a zone) or milliseconds since the Unix epoch. A line that is no vote is reported, and the
 * others are read.
 *
 * @param chunks the text, cut anywhere.
 */
export async function* voteLines(
  chunks: AsyncIterable<string>,
  bedrockPrefixes: readonly string[],
): AsyncGenerator<VoteLine | RowFault> {
  for await (const row of tableRows(chunks, missingColumns))
    yield 'why' in row ? row : voteOf(row, bedrockPrefixes);
}

/** Names that plugins and databases give these columns. */
const COLUMNS = {
  player: ['player', 'username', 'playername', 'player_name', 'name', 'user'],
  service: ['service', 'servicename', 'service_name', 'site', 'servicesite'],
  time: ['time', 'timestamp', 'at', 'vote_time', 'cast', 'date'],
} as const;

function missingColumns(columns: readonly string[]): string | null {
  const missing = Object.entries(COLUMNS)
    .filter(([, names]) => !names.some((name) => columns.includes(name)))
    .map(([column]) => column);
  return missing.length === 0
    ? null
    : `has to name the columns player, service and time; ${missing.join(' and ')} is missing`;
}

/** A line may lack what follows its time. */
function voteOf({ line, values }: Row, bedrockPrefixes: readonly string[]): VoteLine | RowFault {
  const fieldOf = (column: keyof typeof COLUMNS): unknown =>
    COLUMNS[column].map((name) => values.get(name)).find((value) => value !== undefined);
  const [written, site, time] = [fieldOf('player'), fieldOf('service'), fieldOf('time')];
  const player = parseVotedName(String(written ?? ''), bedrockPrefixes);
  if (player.kind !== 'name') return { line, why: `has no player name, but ${shown(written)}` };
  const service = typeof site === 'string' ? serviceNameOf(site) : null;
  if (service === null || service.length > SERVICE_NAME_MAX)
    return { line, why: `has no service name, but ${shown(site)}` };
  const at = timeOf(time);
  return at === null
    ? { line, why: `has no time, but ${shown(time)}` }
    : { line, player: player.name, service, at };
}

/** Milliseconds of 2001 to 2286 have 12 or 13 digits; seconds have 10, and are refused, because nothing tells them from others. */
function timeOf(value: unknown): number | null {
  const text = String(value ?? '').trim();
  return /^\d{12,13}$/.test(text) ? Number(text) : parseInstant(text.replace(' ', 'T'));
}

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60);
