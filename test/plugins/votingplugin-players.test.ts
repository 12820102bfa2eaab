import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { desk } from '../kit/place.ts';
import { temporaryFolder } from '../support/folder.ts';

const NOTCH = '069a79f4-44e9-4726-a5be-fca90e38aaf5';
const OTHER = '61699b2e-d327-4a01-9f1e-0ea8c3f06bc6';
const SITES = `VoteSites:
  PlanetMinecraft:
    ServiceSite: PlanetMinecraft.com
  MCList:
    ServiceSite: MCList.example
`;

type Row = Readonly<Record<string, string | number>>;

/** A folder of the plugin whose Users.db has these players; the database stays open until the test ends. */
function usersDb(rows: readonly Row[]): { folder: string; database: Sqlite.Database } {
  const folder = temporaryFolder({ 'VoteSites.yml': SITES });
  const database = new Sqlite(path.join(folder, 'Users.db'));
  onTestFinished(() => void database.close());
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  database.exec(`CREATE TABLE Users (${columns.map((name) => `"${name}" TEXT`)})`);
  for (const row of rows)
    database
      .prepare(`INSERT INTO Users VALUES (${columns.map(() => '?')})`)
      .run(columns.map((name) => (row[name] === undefined ? null : String(row[name]))));
  return { folder, database };
}

/** What `teller import players votingplugin` takes over from there. */
async function imported(folder: string, ...more: readonly string[]) {
  const one = desk({ timeZone: 'UTC', rewards: [] });
  const { json, exit, err } = await one.run('import', 'players', 'votingplugin', folder, ...more, '--json');
  const show = async (name: string) => (await one.run('players', 'show', name)).out;
  const faults: readonly { key: string; why: string }[] = json?.[0].faults ?? [];
  return { result: json?.[0], exit, err, show, faults: faults.map(({ key, why }) => `${key} | ${why}`) };
}

/** 31 May 2026, 12:00 in UTC. */
const LAST = Date.UTC(2026, 4, 31, 12);
const PLAYERS: readonly Row[] = [
  {
    ...{ uuid: NOTCH, PlayerName: 'Notch', AllTimeTotal: 412, MonthTotal: 38, WeeklyTotal: 9 },
    ...{ DayVoteStreak: 12, BestDayVoteStreak: 40, DayVoteStreakLastUpdate: LAST },
    ...{ WeekVoteStreak: 5, Points: 17, OfflineRewards: 'null' },
    LastVotes: `PlanetMinecraft//${LAST}%line%MCList//${LAST - 3_600_000}%line%Old//1700000000000%line%MCList//0`,
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

test('players of VotingPlugin are read with totals, days in a row and last votes; those that cannot be read are reported with their column', async () => {
  const { result, show, faults } = await imported(usersDb(PLAYERS).folder);
  expect(result).toMatchObject({
    players: 3,
    stored: 3,
    faulty: 5,
    lastVotes: { counted: 1, uncounted: 1 },
  });
  const notch = await show('Notch');
  expect(notch).toContain('notch: 412 votes in totals');
  expect(notch).toContain(': 38 votes that month');
  expect(notch).toContain(': 12 days in a row\n');
  expect(notch).toContain(NOTCH);
  for (const [player, votes] of [
    ['Dinnerbone', 3],
    ['Alex', 1],
  ])
    expect(await show(String(player))).toContain(`${votes} vote`);
  expect(faults).toEqual([
    `${NOTCH} LastVotes | names the site Old, which VoteSites.yml does not have`,
    `${OTHER} MonthTotal | is no count: "many"`,
    'row 3 PlayerName | has no player name, but "@a"',
    'row 4 uuid | has no UUID; the player is imported by name',
    'row 4 LastVotes | has no time in "MCList//soon"',
  ]);
});

test('players of VotingPlugin have the longer of both kinds of days in a row', async () => {
  const runs = [
    ['2026-06-01|15|1|true||0', 15],
    // No vote has counted on that day yet, and none before was missed.
    ['2026-06-01|15|0|false||0', 15],
    // The older streak is longer.
    ['2026-06-01|11|1|true||0', 12],
    // These are no days.
    ['2026-W22|40|3|true||0', 12],
    ['2026-05|20|1|true|2026-04|1', 12],
    ['yesterday|15|1|true||0', 12],
    ['', 12],
    ['2026-13-99|15|1|true||0', 12],
  ] as const;
  const old = { DayVoteStreak: 12, DayVoteStreakLastUpdate: LAST, AllTimeTotal: 50 };
  for (const column of ['VoteStreak_Three', 'VoteStreakGroup_DAILY_Daily']) {
    const rows = runs.map(([text], at) => ({ PlayerName: `Player${at}`, ...old, [column]: text }));
    const { show } = await imported(usersDb(rows).folder);
    for (const [at, [text, current]] of runs.entries())
      expect(await show(`Player${at}`), `${column} ${text}`).toContain(`: ${current} days in a row`);
  }
});

test('players of VotingPlugin have no run whose last day is not known: it may have been missed', async () => {
  const { folder } = usersDb([
    { PlayerName: 'Notch', AllTimeTotal: 50, VoteStreak_Three: '2026-06-01|15|0|false|2026-05-31|1' },
  ]);
  expect((await imported(folder)).result).toMatchObject({ stored: 1, notKept: { undatedRuns: 1 } });
});

test.each(['users.tsv', 'users.jsonl', 'users.csv'])(
  'players of VotingPlugin are read from an exported table: %s',
  async (name) => {
    const values = { uuid: NOTCH, PlayerName: 'Notch', AllTimeTotal: '412', LastVotes: `MCList//${LAST}` };
    const rows = (mark: string) =>
      `${Object.keys(values).join(mark)}\n${Object.values(values).join(mark)}\nx${mark}Alex${mark}5${mark}NULL\n`;
    const folder = temporaryFolder({
      'VoteSites.yml': SITES,
      'users.tsv': rows('\t'),
      'users.csv': rows(','),
      'users.jsonl': `${JSON.stringify(values)}\n${JSON.stringify({ uuid: 'x', PlayerName: 'Alex', AllTimeTotal: 5 })}\n`,
    });
    const { result, show, faults } = await imported(folder, '--data', path.join(folder, name));
    expect(result).toMatchObject({ players: 2, stored: 2, lastVotes: { counted: 1 } });
    expect(await show('Notch')).toContain('notch: 412 votes in totals');
    expect(await show('Alex')).toContain('alex: 5 votes in totals');
    expect(faults).toEqual([
      expect.stringMatching(/^line \d uuid \| has no UUID; the player is imported by name$/),
    ]);
  },
);

test('players of VotingPlugin are read from Users.db while the plugin writes to it', async () => {
  const { folder, database } = usersDb([{ uuid: NOTCH, PlayerName: 'Notch', AllTimeTotal: 412 }]);
  database.exec('BEGIN IMMEDIATE');
  expect((await imported(folder)).result).toMatchObject({ players: 1, stored: 1 });
});

test('players of VotingPlugin are as old as the newest file that the plugin wrote', async () => {
  const { folder } = usersDb([{ PlayerName: 'Notch', AllTimeTotal: 3 }]);
  writeFileSync(path.join(folder, 'ServerData.yml'), '');
  utimesSync(path.join(folder, 'ServerData.yml'), 0, Date.parse('2026-05-22T10:00:00Z') / 1000);
  utimesSync(path.join(folder, 'Users.db'), 0, Date.parse('2026-05-21T10:00:00Z') / 1000);
  expect(await (await imported(folder)).show('Notch')).toContain('as of 2026-05-22T10:00:00');
});

test('players of VotingPlugin in MySQL or in a file each are a problem that says how to export them', async () => {
  const folder = temporaryFolder({
    'VoteSites.yml': SITES,
    'Config.yml': 'DataStorage: MYSQL\n',
    'Data/x.yml': '',
  });
  mkdirSync(path.join(folder, 'x'));
  const errorOf = async (...more: readonly string[]) => (await imported(folder, ...more)).err;
  expect(await errorOf()).toMatch(/mysql -B.*convert them to SQLite.*\[import-nothing\]/);
  expect(await errorOf('--data', path.join(folder, 'Data'))).toMatch(
    /convert them to SQLite.*\[import-unreadable\]/,
  );
  expect(await errorOf('--data', path.join(folder, 'gone.tsv'))).toContain('[import-nothing]');
  expect(await errorOf('--data', path.join(folder, 'Config.yml'))).toContain('[import-unreadable]');
  const text = 'no database, but long enough to be read as one '.repeat(30);
  writeFileSync(path.join(folder, 'Users.db'), text);
  expect(await errorOf()).toContain('[import-unreadable]');
});
