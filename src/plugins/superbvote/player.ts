import type { PlayerBalance, UnreadableEntry } from '../../core/player-balance.ts';
import { parsePlayerName } from '../../core/player-name.ts';
import { parsePlayerUuid } from '../../core/player-uuid.ts';
import { NO_BALANCE } from '../no-balance.ts';
import type { Row } from '../rows.ts';

/** A row of the table of streaks. */
export interface StoredStreak {
  readonly uuid: string;
  readonly days: number;
  readonly lastAt: number | null;
  readonly lastVotes: ReadonlyMap<string, number>;
}

export interface PlayerContext {
  readonly file: string;
  readonly bedrockPrefixes: readonly string[];
  readonly streaks: ReadonlyMap<string, StoredStreak>;
}

/**
 * What a row of SuperbVote's votes says: `uuid`, `last_name`, `votes` (all of them) and `last_vote`. The plugin keeps
 * neither sites nor months. Read from MysqlVoteStorage.java and JsonVoteStorage.java of SuperbVote 0.5.5.
 */
export function playerOf(row: Row, context: PlayerContext): readonly (PlayerBalance | UnreadableEntry)[] {
  const uuid = parsePlayerUuid(row.values.get('uuid') ?? '');
  const player = row.values.get('last_name') ?? '';
  const written = row.values.get('votes') ?? '';
  const fault = (why: string): readonly UnreadableEntry[] => [
    { kind: 'unreadable', file: context.file, key: uuid ?? row.at, why },
  ];
  if (player === '') return fault(`has no player name, but ${written} votes`);
  if (parsePlayerName(player, context.bedrockPrefixes).kind !== 'name') {
    return fault(`has no player name, but ${JSON.stringify(player)}`);
  }
  if (!/^\d{1,9}$/.test(written)) return fault(`has no number of votes, but ${JSON.stringify(written)}`);
  const streak = uuid === null ? undefined : context.streaks.get(uuid);
  const day = { current: streak?.days ?? null, best: null, lastAt: streak?.lastAt ?? null };
  const balance: PlayerBalance = {
    ...{ ...NO_BALANCE, player, uuid },
    totals: { ...NO_BALANCE.totals, all: Number(written) },
    streaks: { ...NO_BALANCE.streaks, day },
    lastVotes: streak?.lastVotes ?? new Map(),
    lastVoteAt: timestampOf(row.values.get('last_vote') ?? ''),
  };
  return uuid === null ? [balance, ...fault('has no UUID; the player is imported by name')] : [balance];
}

/** A TIMESTAMP as mysqldump writes it, in UTC, or milliseconds since the Unix epoch. */
export function timestampOf(text: string): number | null {
  if (/^\d{12,14}$/.test(text)) return Number(text);
  const [, date, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(text) ?? [];
  const at = Date.parse(`${date}T${time}Z`);
  return Number.isNaN(at) ? null : at;
}

const DATE = /^\d{4}-\d\d-\d\d$/;

/** Noon in UTC of the last day stands for it. @returns null if the row is of another table. */
export function streakOf({ values }: Row): StoredStreak | null {
  const uuid = parsePlayerUuid(values.get('uuid') ?? '');
  const days = values.get('days');
  const services = values.get('services');
  if (uuid === null || services === undefined || !/^\d{1,7}$/.test(days ?? '')) return null;
  const last = values.get('last_day') ?? '';
  const lastAt = DATE.test(last) ? Date.parse(`${last}T12:00:00Z`) : null;
  return { uuid, days: Number(days), lastAt, lastVotes: lastVotesIn(services ?? '') };
}

/** Seconds since the Unix epoch by service name. */
function lastVotesIn(services: string): ReadonlyMap<string, number> {
  try {
    const entries = Object.entries(JSON.parse(services) as Readonly<Record<string, unknown>>);
    return new Map(entries.flatMap(([name, at]) => (typeof at === 'number' ? [[name, at * 1000]] : [])));
  } catch {
    return new Map();
  }
}
