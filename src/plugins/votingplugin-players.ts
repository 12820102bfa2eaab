import { stat } from 'node:fs/promises';
import path from 'node:path';
import { DAY_MS } from '../core/duration.ts';
import { parseInstant } from '../core/instant.ts';
import type { ImportSource, PlayerBalance, UnreadableEntry } from '../core/player-balance.ts';
import { parseVotedName } from '../core/player-name.ts';
import { parsePlayerUuid } from '../core/player-uuid.ts';
import { Problem } from '../core/problem.ts';
import { requireNoPipe } from '../platform/plain-file.ts';
import { Sqlite } from '../platform/sqlite/driver.ts';
import { type Row, tableRows, textOf } from './table.ts';

/** The SQLite file of `DataStorage: SQLITE`, and its table. */
const USERS_DB = 'Users.db';
const USERS = 'Users';

/** What the rows of players are read with. */
export interface PlayerContext {
  readonly bedrockPrefixes: readonly string[];
  /** Service names by the key of a site in VoteSites.yml, in lower case. */
  readonly services: ReadonlyMap<string, string>;
}

/**
 * The players of VotingPlugin: of Users.db in the plugin's folder, or of an export of its table.
 *
 * @param data the export; null: there is none.
 * @throws Problem `import-nothing` if there are no players; `import-unreadable`
 */
export async function votingPluginPlayers(
  folder: string,
  data: string | null,
  context: PlayerContext,
): Promise<ImportSource> {
  const file = data ?? path.join(folder, USERS_DB);
  if (data === null && (await writtenAt(file)) === 0)
    throw new Problem(
      'import-nothing',
      `${folder} has no ${USERS_DB}; if the plugin stores its players in MySQL, export its table with “mysql -B” into a .tsv file, and name that file with --data; if it has a file for each player, let it convert them to SQLite first`,
    );
  const form = await formOf(file);
  if (form === 'sqlite') checkSqlite(file);
  const times = await Promise.all([file, `${file}-wal`, path.join(folder, 'ServerData.yml')].map(writtenAt));
  const balances = () => playersIn(file, form, context);
  return { name: 'votingplugin', file, asOf: Math.max(...times), balances };
}

/** A table of players of any program, which does not say on which sites they voted. @throws Problem `import-nothing`, `import-unreadable` */
export async function playersOfTable(
  file: string,
  bedrockPrefixes: readonly string[],
): Promise<ImportSource> {
  const form = await formOf(file);
  if (form !== 'table')
    throw new Problem('import-unreadable', `${file} is no table: it has to be CSV, TSV or JSON lines`);
  const balances = () => playersIn(file, form, { bedrockPrefixes, services: new Map() });
  return { name: 'table', file, asOf: await writtenAt(file), balances };
}

type Form = 'table' | 'sqlite';

const FORMS: Readonly<Record<string, Form>> = {
  ...{ csv: 'table', tsv: 'table', json: 'table', jsonl: 'table' },
  ...{ db: 'sqlite', sqlite: 'sqlite', sqlite3: 'sqlite' },
};

/** @throws Problem `import-nothing` if the file does not exist, `import-unreadable` if its ending says nothing. */
async function formOf(file: string): Promise<Form> {
  const found = await stat(file).catch(() => null);
  if (found === null) throw new Problem('import-nothing', `${file} does not exist`);
  await requireNoPipe(file);
  const form = FORMS[/\.([a-z0-9]+)$/i.exec(file)?.[1]?.toLowerCase() ?? ''];
  if (form !== undefined && !found.isDirectory()) return form;
  const endings = Object.keys(FORMS).map((ending) => `.${ending}`);
  throw new Problem(
    'import-unreadable',
    found.isDirectory()
      ? `${file} is a folder; if it has a file for each player, let the plugin convert them to SQLite, or export its table`
      : `the ending of ${file} does not say what it is; name it with one of ${endings.join(', ')}`,
  );
}

/** In ms since the Unix epoch; 0 if the file does not exist. */
const writtenAt = (file: string): Promise<number> =>
  stat(file).then(
    ({ mtimeMs }) => Math.floor(mtimeMs),
    () => 0,
  );

async function* playersIn(
  file: string,
  form: Form,
  context: PlayerContext,
): AsyncGenerator<PlayerBalance | UnreadableEntry> {
  const reported = new Set<string>();
  // A site that was removed from VoteSites.yml is in the last votes of thousands of players.
  const isNew = (found: PlayerBalance | UnreadableEntry): boolean => {
    if (found.kind === 'player' || !found.key.endsWith(' LastVotes')) return true;
    const before = reported.size;
    return reported.add(found.why).size > before;
  };
  for await (const row of form === 'sqlite' ? sqliteRows(file) : tableRows(textOf(file))) {
    const key = `${form === 'sqlite' ? 'row' : 'line'} ${row.line}`;
    if ('why' in row) yield { kind: 'unreadable', key, why: row.why };
    else if (row.ragged !== null) yield { kind: 'unreadable', key, why: row.ragged };
    else yield* playerOf(key, row.values, context).filter(isNew);
  }
}

/** Opened for reading only: the plugin can be running. @throws Problem `import-unreadable` if it has no such table. */
function* sqliteRows(file: string): Generator<Row> {
  let database: InstanceType<typeof Sqlite> | null = null;
  try {
    database = new Sqlite(file, { readonly: true, fileMustExist: true });
    const rows = database.prepare(`SELECT * FROM ${USERS}`).safeIntegers().iterate();
    let line = 0;
    for (const row of rows as Iterable<Readonly<Record<string, unknown>>>) {
      line += 1;
      const values = Object.entries(row).map(([name, value]) => [name.toLowerCase(), value] as const);
      yield { line, values: new Map(values), ragged: null };
    }
  } catch (error) {
    throw new Problem(
      'import-unreadable',
      `${file} cannot be read as the plugin's SQLite file: ${(error as Error).message}`,
    );
  } finally {
    database?.close();
  }
}

/** Before anything of it is stored. @throws Problem `import-unreadable` */
function checkSqlite(file: string): void {
  const rows = sqliteRows(file);
  rows.next();
  rows.return(undefined);
}

/** What tables of other programs call VotingPlugin's columns. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  PlayerName: ['player', 'name', 'username', 'last_name'],
  AllTimeTotal: ['total', 'votes'],
  MonthTotal: ['month'],
  DayVoteStreak: ['streak'],
  BestDayVoteStreak: ['beststreak', 'best_streak'],
  DayVoteStreakLastUpdate: ['lastvote', 'last_vote'],
};

/** Notes why a column cannot be read. */
type Fault = (column: string, why: string) => null;

/**
 * What a row says: one of VotingPlugin's table of users in any of its storages, or of a table with names like these. Read
 * from VotingPluginUser.java and UserManager.java of VotingPlugin 7.1, and from UserData.java of AdvancedCore, which stores
 * lists in one value.
 *
 * A value that cannot be read is reported and left out; without a name, the whole row is.
 *
 * @param at where the row is, such as `line 12`.
 * @param values by the name of the column in lower case.
 */
function playerOf(
  at: string,
  values: ReadonlyMap<string, unknown>,
  { bedrockPrefixes, services }: PlayerContext,
): readonly (PlayerBalance | UnreadableEntry)[] {
  const textIn = (column: string): string | null => textOfValue(cellOf(column, values));
  const uuid = parsePlayerUuid(textIn('uuid') ?? '');
  const faults: UnreadableEntry[] = [];
  const fault: Fault = (column, why) => {
    faults.push({ kind: 'unreadable', key: `${uuid ?? at} ${column}`, why });
    return null;
  };
  const written = textIn('PlayerName');
  const player = parseVotedName(written ?? '', bedrockPrefixes);
  if (player.kind !== 'name') {
    fault('PlayerName', `has no player name${written === null ? '' : `, but ${JSON.stringify(written)}`}`);
    return faults;
  }
  if (uuid === null && values.has('uuid')) fault('uuid', 'has no UUID; the player is imported by name');
  const count = (column: string): number | null => {
    const text = textIn(column);
    if (text === null) return null;
    return /^\d{1,9}$/.test(text) ? Number(text) : fault(column, `is no count: ${JSON.stringify(text)}`);
  };
  const balance: PlayerBalance = {
    ...{ kind: 'player', player: player.name, uuid },
    totals: { all: count('AllTimeTotal'), month: count('MonthTotal') },
    streak: longestStreak(values, {
      current: count('DayVoteStreak'),
      best: count('BestDayVoteStreak'),
      lastAt: timeOf(textIn('DayVoteStreakLastUpdate') ?? ''),
    }),
    lastVotes: lastVotesIn(textIn('LastVotes') ?? '', services, fault),
  };
  return [balance, ...faults];
}

const cellOf = (column: string, values: ReadonlyMap<string, unknown>): unknown =>
  [column.toLowerCase(), ...(OTHER_NAMES[column] ?? [])]
    .map((name) => values.get(name))
    .find((value) => value !== undefined);

/** The plugin writes the word `null` where it has no value. */
function textOfValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = (typeof value === 'object' ? JSON.stringify(value) : String(value)).trim();
  return text === '' || text === 'null' ? null : text;
}

/** Milliseconds or ISO 8601. A time after 9999 is no time of a vote, and neither is one with fewer digits than those since 2001. */
function timeOf(text: string): number | null {
  if (!/^\d+$/.test(text)) return parseInstant(text.replace(' ', 'T'));
  return /^\d{13,15}$/.test(text) && Number(text) < MAX_MS ? Number(text) : null;
}

const MAX_MS = Date.UTC(9999, 11, 31);

/** For each site its key, two slashes and milliseconds, with `%line%` between them. */
function lastVotesIn(
  text: string,
  services: ReadonlyMap<string, string>,
  fault: Fault,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const entry of text.split('%line%')) {
    if (entry === '' || entry === 'null') continue;
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

/**
 * A newer streak of days, or a group of them: the day of the last vote, the length, the votes of that day, whether it counts
 * already, since when days were missed, and how many. Read from VoteStreakHandler.java of VotingPlugin 7.1.
 */
const DAYS = /^(\d{4}-\d\d-\d\d)\|(\d{1,7})\|[^|]*\|([^|]*)\|[^|]*\|([^|]*)/;

/** The plugin has two systems of streaks, of which one or both are on. The longer run counts. */
function longestStreak(
  values: ReadonlyMap<string, unknown>,
  older: PlayerBalance['streak'],
): PlayerBalance['streak'] {
  const newer = [...values].flatMap(([column, value]) => {
    const [, date = '', length = '', counted, missed] = DAYS.exec(textOfValue(value) ?? '') ?? [];
    const noon = Date.parse(`${date}T12:00:00Z`);
    if (!/^votestreak(?:group_daily)?_./.test(column) || Number.isNaN(noon)) return [];
    // Where none was missed, the day before counts in any case.
    const lastAt = counted === 'true' ? noon : missed === '0' ? noon - DAY_MS : null;
    return [{ current: Number(length), best: Math.max(older.best ?? 0, Number(length)), lastAt }];
  });
  const [longest] = newer.toSorted((a, b) => b.current - a.current);
  return longest !== undefined && longest.current > (older.current ?? 0) ? longest : older;
}
