import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseInstant } from '../../core/instant.ts';
import type { ImportSource, PlayerBalance, UnreadableEntry } from '../../core/player-balance.ts';
import { Problem } from '../../core/problem.ts';
import { requireNoPipe } from '../../platform/plain-file.ts';
import { type DataForm, formOf, textOf, writtenAt } from '../data-file.ts';
import { flatValues, parsePluginYaml } from '../plugin-yaml.ts';
import { isRowFault, type Row, type RowFault } from '../rows.ts';
import { checkSqlite, sqliteRows } from '../sqlite-rows.ts';
import { tableRows } from '../table-rows.ts';
import { LIST_SEPARATOR, type PlayerContext, playerOf } from './player.ts';

/** The SQLite file of `DataStorage: SQLITE`, and its table. */
const USERS_DB = 'Users.db';
const USERS = 'Users';

/** The folder of `DataStorage: FLAT`: a file for each player, named by the UUID. */
const DATA_FOLDER = 'Data';

export interface VotingPluginData extends Omit<PlayerContext, 'file'> {
  /** The folder of the plugin. */
  readonly folder: string;
  /** An export of its database; null: what the folder has. */
  readonly data: string | null;
}

/**
 * The players of VotingPlugin. Without `data`, they are in Users.db or in Data/<UUID>.yml of the plugin's folder; with
 * `DataStorage: MYSQL` they have to be exported first, as a table, or any of these.
 *
 * @throws Problem `import-nothing` if there are no players; `import-unreadable`
 */
export async function votingPluginSource(from: VotingPluginData): Promise<ImportSource> {
  const file = from.data ?? (await dataIn(from.folder));
  const form = await formOf(file);
  if (form === 'sqlite') checkSqlite(file, USERS);
  return {
    name: 'votingplugin',
    file,
    asOf: await writtenAt([file, `${file}-wal`, path.join(from.folder, 'ServerData.yml')]),
    balances: () => playersIn(file, form, from),
  };
}

/** A table of players of any program, which does not say on which sites they voted. @throws Problem `import-nothing`, `import-unreadable` */
export async function tableSource(file: string, bedrockPrefixes: readonly string[]): Promise<ImportSource> {
  const form = await formOf(file);
  if (form !== 'table')
    throw new Problem('import-unreadable', `${file} is no table: it has to be CSV, TSV or JSON lines`);
  const from = { folder: '', data: file, bedrockPrefixes, services: new Map() };
  return {
    ...{ name: 'table', file, asOf: await writtenAt([file]) },
    balances: () => playersIn(file, form, from),
  };
}

async function dataIn(folder: string): Promise<string> {
  for (const name of [USERS_DB, DATA_FOLDER]) {
    const file = path.join(folder, name);
    if ((await writtenAt([file])) > 0) return file;
  }
  throw new Problem(
    'import-nothing',
    `${folder} has neither ${USERS_DB} nor ${DATA_FOLDER}; if the plugin stores its players in MySQL, export its table with “mysql -B” into a .tsv file, and name that file with --data`,
  );
}

async function* playersIn(
  file: string,
  form: DataForm,
  from: VotingPluginData,
): AsyncGenerator<PlayerBalance | UnreadableEntry> {
  const reported = new Set<string>();
  for await (const row of rowsIn(file, form)) {
    const where = form === 'folder' ? path.join(file, row.at) : file;
    if (isRowFault(row)) yield { kind: 'unreadable', file: where, key: row.at, why: row.why };
    else yield* onceEach(playerOf(row, { ...from, file: where }), reported);
  }
}

/** A site that was removed from VoteSites.yml is in the last votes of thousands of players. */
const onceEach = (
  found: readonly (PlayerBalance | UnreadableEntry)[],
  reported: Set<string>,
): readonly (PlayerBalance | UnreadableEntry)[] =>
  found.filter((each) => {
    if (each.kind === 'player' || !each.key.endsWith(' LastVotes')) return true;
    const isNew = !reported.has(each.why);
    reported.add(each.why);
    return isNew;
  });

async function* rowsIn(file: string, form: DataForm): AsyncGenerator<Row | RowFault> {
  switch (form) {
    case 'sqlite':
      yield* sqliteRows(file, USERS);
      return;
    case 'folder':
      yield* fileRows(file);
      return;
    case 'table':
      for await (const row of tableRows(textOf(file))) yield isRowFault(row) ? row : named(row);
      return;
  }
}

/** What tables of other programs call these columns, in lower case. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  uuid: [],
  PlayerName: ['player', 'name', 'username', 'last_name'],
  AllTimeTotal: ['total', 'votes'],
  MonthTotal: ['month'],
  DayVoteStreak: ['streak'],
  BestDayVoteStreak: ['beststreak', 'best_streak'],
  DayVoteStreakLastUpdate: ['lastvote', 'last_vote'],
};

const COLUMN_OF = new Map(
  Object.entries(OTHER_NAMES).flatMap(([column, others]) =>
    [column.toLowerCase(), ...others].map((name) => [name, column] as const),
  ),
);

/** A row of a table with VotingPlugin's names of columns, and times in milliseconds. */
function named({ at, values }: Row): Row {
  const renamed = [...values].map(
    ([name, value]) => [COLUMN_OF.get(name.toLowerCase()) ?? name, value] as const,
  );
  const time = new Map(renamed).get('DayVoteStreakLastUpdate') ?? '';
  const written = parseInstant(time.replace(' ', 'T'));
  return {
    at,
    values: new Map([
      ...renamed,
      ...(written === null ? [] : [['DayVoteStreakLastUpdate', String(written)] as const]),
    ]),
  };
}

const playerFiles = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => /\.yml$/i.test(name)).sort();

/** Files that are read at one time: reading 50,000 of them one by one took 48 s on a busy machine, and 8 s so. */
const FILES_AT_ONCE = 64;

async function* fileRows(folder: string): AsyncGenerator<Row | RowFault> {
  const names = await playerFiles(folder);
  for (let at = 0; at < names.length; at += FILES_AT_ONCE) {
    yield* await Promise.all(names.slice(at, at + FILES_AT_ONCE).map((name) => fileRow(folder, name)));
  }
}

async function fileRow(folder: string, name: string): Promise<Row | RowFault> {
  const values = await valuesIn(path.join(folder, name));
  if (typeof values === 'string') return { at: name, why: values };
  return { at: name, values: new Map([...values, ['uuid', name.replace(/\.yml$/i, '')]]) };
}

/** The values of a player's file; a string is why it cannot be read. */
async function valuesIn(file: string): Promise<ReadonlyMap<string, string | null> | string> {
  try {
    await requireNoPipe(file);
    const text = await readFile(file, 'utf8');
    const flat = flatValues(text);
    return flat ?? new Map(Object.entries(parsePluginYaml(text)).map(([key, value]) => [key, asText(value)]));
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    return `cannot be read: ${reason.replace(/:$/, '')}`;
  }
}

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? value.map(String).join(LIST_SEPARATOR) : String(value);
}
