import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PlayerBalance } from '../../src/core/player-balance.ts';
import { Sqlite } from '../../src/platform/sqlite/driver.ts';
import { votingPluginPlayers } from '../../src/plugins/votingplugin-players.ts';
import { temporaryFolder } from '../support/folder.ts';

async function collected<T>(found: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const each of found) all.push(each);
  return all;
}

const services = new Map([
  ['planetminecraft', 'PlanetMinecraft.com'],
  ['mclist', 'MCList.example'],
]);

const sourceOf = (folder: string, data: string | null = null) =>
  votingPluginPlayers(folder, data, { services, bedrockPrefixes: ['.'] });

async function read(folder: string, data: string | null = null) {
  const found = await collected((await sourceOf(folder, data)).balances());
  const players = found.filter((each): each is PlayerBalance => each.kind === 'player');
  const faults = found.flatMap((each) => (each.kind === 'player' ? [] : [`${each.key} | ${each.why}`]));
  return { players, faults };
}

const NOTCH = '069a79f4-44e9-4726-a5be-fca90e38aaf5';
const OTHER = '61699b2e-d327-4a01-9f1e-0ea8c3f06bc6';

/** A folder whose Users.db has these players, and the source of it. */
function usersDb(rows: readonly Readonly<Record<string, string | number>>[]): string {
  const folder = temporaryFolder({});
  const database = new Sqlite(path.join(folder, 'Users.db'));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  database.exec(`CREATE TABLE Users (${columns.map((name) => `"${name}" TEXT`)})`);
  for (const row of rows)
    database
      .prepare(`INSERT INTO Users VALUES (${columns.map(() => '?')})`)
      .run(columns.map((name) => (row[name] === undefined ? null : String(row[name]))));
  database.close();
  return folder;
}

describe('Players of VotingPlugin', () => {
  const PLAYERS = [
    {
      ...{ uuid: NOTCH, PlayerName: 'Notch', AllTimeTotal: 412, MonthTotal: 38, WeeklyTotal: 9 },
      ...{ DayVoteStreak: 12, BestDayVoteStreak: 40, DayVoteStreakLastUpdate: '1795302000000' },
      ...{ WeekVoteStreak: 5, Points: 17, OfflineRewards: 'null' },
      LastVotes:
        'PlanetMinecraft//1795302000000%line%MCList//1795298400000%line%Old//1700000000000%line%MCList//0',
    },
    {
      uuid: OTHER,
      PlayerName: 'Dinnerbone',
      AllTimeTotal: 3,
      MonthTotal: 'many',
      LastVotes: 'Old//1700000000000',
    },
    { uuid: '', PlayerName: '@a', AllTimeTotal: 9 },
    { uuid: '', PlayerName: 'Alex', AllTimeTotal: 1, LastVotes: 'MCList//soon' },
  ];

  test('are read with totals, days in a row and last votes', async () => {
    const { players } = await read(usersDb(PLAYERS));
    expect(players[0]).toEqual({
      ...{ kind: 'player', player: 'Notch', uuid: NOTCH },
      totals: { all: 412, month: 38 },
      streak: { current: 12, best: 40, lastAt: 1_795_302_000_000 },
      lastVotes: new Map([
        ['PlanetMinecraft.com', Date.parse('2026-11-21T23:00:00Z')],
        ['MCList.example', Date.parse('2026-11-21T22:00:00Z')],
      ]),
    });
    expect(players.slice(1)).toMatchObject([
      { player: 'Dinnerbone', totals: { all: 3, month: null } },
      { player: 'Alex', uuid: null, totals: { all: 1 } },
    ]);
  });

  test('that cannot be read are reported with their column, and do not stop the others', async () => {
    expect((await read(usersDb(PLAYERS))).faults).toEqual([
      `${NOTCH} LastVotes | names the site Old, which VoteSites.yml does not have`,
      `${OTHER} MonthTotal | is no count: "many"`,
      'row 3 PlayerName | has no player name, but "@a"',
      'row 4 uuid | has no UUID; the player is imported by name',
      'row 4 LastVotes | has no time in "MCList//soon"',
    ]);
  });

  test.each([
    ['2026-11-22|15|1|true||0', 15, '2026-11-22'],
    // No vote has counted on that day yet, and none before was missed.
    ['2026-11-01|15|0|false||0', 15, '2026-10-31'],
    // It may have been the one before that was missed.
    ['2026-11-22|15|0|false|2026-11-21|1', 15, null],
    // The older streak is longer.
    ['2026-11-22|11|1|true||0', 12, '2026-11-21'],
    // These are no days.
    ...['2026-W47|40|3|true||0', '2026-11|20|1|true|2026-10|1', 'yesterday|15|1|true||0', ''].map(
      (text) => [text, 12, '2026-11-21'] as const,
    ),
    ['2026-13-99|15|1|true||0', 12, '2026-11-21'],
  ] as const)('have the longer of both kinds of days in a row, with %j', async (text, current, day) => {
    const old = { DayVoteStreak: 12, DayVoteStreakLastUpdate: Date.parse('2026-11-21T12:00:00Z') };
    for (const column of ['VoteStreak_Three', 'VoteStreakGroup_DAILY_Daily']) {
      const folder = usersDb([{ PlayerName: 'Notch', ...old, [column]: text }]);
      const lastAt = day === null ? null : Date.parse(`${day}T12:00:00Z`);
      expect((await read(folder)).players).toMatchObject([{ streak: { current, lastAt } }]);
    }
  });

  test('are read from a table of the database, as mysql -B or JSON lines', async () => {
    const values = {
      uuid: NOTCH,
      PlayerName: 'Notch',
      AllTimeTotal: '412',
      LastVotes: 'MCList//1795302000000',
    };
    const tsv = `${Object.keys(values).join('\t')}\n${Object.values(values).join('\t')}\nx\tAlex\t5\tNULL\n`;
    const json = `${JSON.stringify(values)}\n${JSON.stringify({ uuid: 'x', PlayerName: 'Alex', AllTimeTotal: 5 })}\n`;
    const folder = temporaryFolder({ 'users.tsv': tsv, 'users.jsonl': json });
    for (const name of ['users.tsv', 'users.jsonl']) {
      const { players, faults } = await read(folder, path.join(folder, name));
      expect(players.map((each) => [each.player, each.uuid, each.totals.all, each.lastVotes.size])).toEqual([
        ['Notch', NOTCH, 412, 1],
        ['Alex', null, 5, 0],
      ]);
      expect(faults).toEqual([
        expect.stringMatching(/^line \d uuid \| has no UUID; the player is imported by name$/),
      ]);
    }
  });

  test('are read from Users.db while the plugin has it open, and from a CSV file of its table', async () => {
    const folder = temporaryFolder({});
    const database = new Sqlite(path.join(folder, 'Users.db'));
    database.exec('CREATE TABLE Users (`uuid` VARCHAR(37), `PlayerName` TEXT, `AllTimeTotal` INTEGER)');
    database.exec(`INSERT INTO Users VALUES ('${NOTCH}', 'Notch', 412)`);
    database.exec('BEGIN IMMEDIATE');
    const source = await sourceOf(folder);
    expect((await collected(source.balances())).map((each) => each.kind)).toEqual(['player']);
    database.close();

    const csv = path.join(folder, 'users.csv');
    writeFileSync(csv, `"uuid","PlayerName","AllTimeTotal"\n"${NOTCH}","Notch","412"\n`);
    expect((await read(folder, csv)).players).toMatchObject([
      { player: 'Notch', totals: { all: 412, month: null } },
    ]);
  });

  test('are as old as the newest file that the plugin wrote', async () => {
    const folder = usersDb([{ PlayerName: 'Notch' }]);
    writeFileSync(path.join(folder, 'ServerData.yml'), '');
    utimesSync(path.join(folder, 'ServerData.yml'), 0, Date.parse('2026-11-22T10:00:00Z') / 1000);
    utimesSync(path.join(folder, 'Users.db'), 0, Date.parse('2026-11-21T10:00:00Z') / 1000);
    const source = await sourceOf(folder);
    expect(source.asOf).toBe(Date.parse('2026-11-22T10:00:00Z'));
  });

  test('in MySQL or in a file each are a problem that says how to export them', async () => {
    const folder = temporaryFolder({ 'Config.yml': 'DataStorage: MYSQL\n', 'Data/x.yml': '' });
    await expect(sourceOf(folder)).rejects.toMatchObject({
      code: 'import-nothing',
      message: expect.stringMatching(/mysql -B.*convert them to SQLite/),
    });
    await expect(sourceOf(folder, path.join(folder, 'Data'))).rejects.toMatchObject({
      code: 'import-unreadable',
      message: expect.stringContaining('convert them to SQLite'),
    });
    mkdirSync(path.join(folder, 'x'));
    await expect(sourceOf(folder, path.join(folder, 'gone.tsv'))).rejects.toMatchObject({
      code: 'import-nothing',
    });
    writeFileSync(
      path.join(folder, 'Users.db'),
      'no database, but long enough to be read as one '.repeat(30),
    );
    await expect(sourceOf(folder)).rejects.toMatchObject({ code: 'import-unreadable' });
    await expect(sourceOf(folder, path.join(folder, 'Config.yml'))).rejects.toMatchObject({
      code: 'import-unreadable',
    });
  });
});
