import { PERS, type Per } from '../../core/period.ts';
import type { BalanceRun, PlayerBalance, UnreadableEntry } from '../../core/player-balance.ts';
import { parseVotedName } from '../../core/player-name.ts';
import { parsePlayerUuid } from '../../core/player-uuid.ts';
import type { Row } from '../rows.ts';
import { isStreakColumn, parseStreakState, type StreakState } from './streak-state.ts';

/** Between the entries of a list that is stored in one value. */
export const LIST_SEPARATOR = '%line%';

/** What the rows of players are read with. */
export interface PlayerContext {
  readonly file: string;
  readonly bedrockPrefixes: readonly string[];
  /** Service names by the key of a site in VoteSites.yml, in lower case. */
  readonly services: ReadonlyMap<string, string>;
}

type Found = PlayerBalance | UnreadableEntry;

/**
 * What a row of VotingPlugin's table of users says, in all of its storages: columns of SQLite and MySQL are the keys of
 * the YAML files. Read from VotingPluginUser.java and UserManager.java of VotingPlugin 7.1, and from UserData.java of
 * AdvancedCore, which stores lists in one value.
 *
 * A value that cannot be read is reported and left out; without a name or UUID, the whole row is.
 */
export function playerOf(row: Row, context: PlayerContext): readonly Found[] {
  const uuid = parsePlayerUuid(row.values.get('uuid') ?? '');
  const written = textIn(row, 'PlayerName') ?? '';
  const key = uuid ?? row.at;
  const faults: UnreadableEntry[] = [];
  const fault = (column: string, why: string): null => {
    faults.push({
      kind: 'unreadable',
      file: context.file,
      key: column === '' ? key : `${key} ${column}`,
      why,
    });
    return null;
  };
  const read = parseVotedName(written, context.bedrockPrefixes);
  if (read.kind !== 'name') {
    fault(
      'PlayerName',
      written === '' ? 'has no player name' : `has no player name, but ${JSON.stringify(written)}`,
    );
    return faults;
  }
  const { name } = read;
  if (uuid === null && row.values.has('uuid')) fault('uuid', 'has no UUID; the player is imported by name');
  const count = (column: string): number | null => countIn(row, column, fault);
  const balance: PlayerBalance = {
    ...{ kind: 'player', player: name, uuid },
    totals: {
      all: count('AllTimeTotal'),
      month: count('MonthTotal'),
      week: count('WeeklyTotal'),
      day: count('DailyTotal'),
    },
    streaks: streaksIn(row, count, fault),
    lastVotes: lastVotesIn(row, context, fault),
  };
  return [balance, ...faults];
}

type Fault = (column: string, why: string) => null;

/** The plugin writes the word `null` where it has no value. */
const textIn = ({ values }: Row, column: string): string | null => {
  const value = values.get(column)?.trim() ?? '';
  return value === '' || value === 'null' ? null : value;
};

const listIn = (row: Row, column: string): readonly string[] =>
  (textIn(row, column)?.split(LIST_SEPARATOR) ?? []).filter((entry) => entry !== '' && entry !== 'null');

function countIn(row: Row, column: string, fault: Fault): number | null {
  const text = textIn(row, column);
  if (text === null) return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : fault(column, `is no count: ${JSON.stringify(text)}`);
}

/** A time before 2010 or after 9999 is no time of a vote. */
const timeOf = (text: string): number | null =>
  /^\d{13,15}$/.test(text) && Number(text) < MAX_MS ? Number(text) : null;

const MAX_MS = Date.UTC(9999, 11, 31);

function lastVotesIn(row: Row, { services }: PlayerContext, fault: Fault): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const entry of listIn(row, 'LastVotes')) {
    const [site = '', written = ''] = entry.split('//');
    const at = timeOf(written);
    const service = services.get(site.toLowerCase());
    if (at === null && written !== '0') fault('LastVotes', `has no time in ${JSON.stringify(entry)}`);
    else if (service === undefined)
      fault('LastVotes', `names the site ${site}, which VoteSites.yml does not have`);
    else if (at !== null) found.set(service, Math.max(at, found.get(service) ?? 0));
  }
  return found;
}

const OLD_COLUMNS = { day: 'DayVoteStreak', week: 'WeekVoteStreak', month: 'MonthVoteStreak' } as const;

/** The plugin has two systems of streaks, of which one or both are on. The longer run counts. */
function streaksIn(
  row: Row,
  count: (column: string) => number | null,
  fault: Fault,
): PlayerBalance['streaks'] {
  const states = [...row.values.keys()].filter(isStreakColumn).flatMap((column) => {
    const text = textIn(row, column);
    const state = text === null ? null : parseStreakState(text);
    if (text !== null && state === null) fault(column, `is no streak: ${JSON.stringify(text)}`);
    return state ?? [];
  });
  const [day, week, month] = PERS.map((per) => runOf(per, row, count, states)) as [
    BalanceRun,
    BalanceRun,
    BalanceRun,
  ];
  return { day, week, month };
}

function runOf(
  per: Per,
  row: Row,
  count: (column: string) => number | null,
  states: readonly StreakState[],
): BalanceRun {
  const column = OLD_COLUMNS[per];
  const old = count(column);
  const best = count(`Best${column}`);
  const [longest] = states.filter((state) => state.per === per).toSorted((a, b) => b.length - a.length);
  const isNew = longest !== undefined && longest.length > (old ?? 0);
  if (isNew)
    return { current: longest.length, best: Math.max(best ?? 0, longest.length), lastAt: longest.lastAt };
  if (per === 'day')
    return { current: old, best, lastAt: timeOf(textIn(row, 'DayVoteStreakLastUpdate') ?? '') };
  // Counted when a week or month begins, for the one before. It then also gives 1 to players who did not vote.
  return old === 1 ? { current: 0, best, lastAt: null } : { current: old, best, lastAt: 'previous' };
}
