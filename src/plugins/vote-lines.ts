import { parseInstant } from '../core/instant.ts';
import { parseVotedName } from '../core/player-name.ts';
import { SERVICE_NAME_MAX, serviceNameOf } from '../core/service-name.ts';
import { type Fields, fieldsIn } from './line-fields.ts';

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
  for await (const { line, fields } of fieldsIn(chunks, ['player', 'service', 'time'])) {
    if (typeof fields === 'string') yield { kind: 'fault', line, why: fields };
    else yield voteOf(line, fields, bedrockPrefixes);
  }
}

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
