import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PlayerBalance } from '../../src/core/player-balance.ts';
import { Sqlite } from '../../src/platform/sqlite/driver.ts';
import { votingPluginSource } from '../../src/plugins/votingplugin/source.ts';
import { temporaryFolder } from '../support/folder.ts';
import { collected } from './pieces.ts';

const SAMPLES = path.resolve(import.meta.dirname, 'samples/votingplugin');

const services = new Map([
  ['planetminecraft', 'PlanetMinecraft.com'],
  ['mclist', 'MCList.example'],
]);

const sourceOf = (folder: string, data: string | null = null) =>
  votingPluginSource({ folder, data, services, bedrockPrefixes: ['.'] });

async function read(folder: string, data: string | null = null) {
  const found = await collected((await sourceOf(folder, data)).balances());
  const players = found.filter((each): each is PlayerBalance => each.kind === 'player');
  const faults = found.flatMap((each) =>
    each.kind === 'player' ? [] : [`${path.basename(each.file)} | ${each.key} | ${each.why}`],
  );
  return { players, faults };
}

const NOTCH = '069a79f4-44e9-4726-a5be-fca90e38aaf5';

describe('Players of VotingPlugin', () => {
  test('are read from a file each, with totals, streaks and last votes', async () => {
    const { players } = await read(SAMPLES);
    expect(players[0]).toEqual({
      ...{ kind: 'player', player: 'Notch', uuid: NOTCH },
      totals: { all: 412, month: 38, week: 9, day: 2 },
      streaks: {
        day: { current: 15, best: 40, lastAt: Date.parse('2026-11-21T12:00:00Z') },
        week: { current: 5, best: 11, lastAt: 'previous' },
        month: { current: 2, best: 7, lastAt: 'previous' },
      },
      lastVotes: new Map([
        ['PlanetMinecraft.com', Date.parse('2026-11-21T23:00:00Z')],
        ['MCList.example', Date.parse('2026-11-21T22:00:00Z')],
      ]),
    });
    expect(players.slice(1)).toMatchObject([
      { player: 'Dinnerbone', totals: { all: 3, month: 3, week: null, day: 1 } },
    ]);
  });

  test('that cannot be read are reported with file and key, and do not stop the others', async () => {
    expect((await read(SAMPLES)).faults).toEqual([
      `${NOTCH}.yml | ${NOTCH} LastVotes | names the site Old, which VoteSites.yml does not have`,
      '61699b2e-d327-4a01-9f1e-0ea8c3f06bc6.yml | 61699b2e-d327-4a01-9f1e-0ea8c3f06bc6 WeeklyTotal | is no count: "many"',
      '7125ba8b-1c86-4508-b92b-b5c042ccfe2b.yml | 7125ba8b-1c86-4508-b92b-b5c042ccfe2b PlayerName | has no player name, but "@a"',
      expect.stringMatching(/^853c80ef-.*\.yml \| 853c80ef-.*\.yml \| cannot be read: Flow sequence/),
    ]);
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
        expect.stringMatching(/^users\.\w+ \| line \d uuid \| has no UUID; the player is imported by name$/),
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
      { player: 'Notch', totals: { all: 412, day: null } },
    ]);
  });

  test('have no weeks in a row where the plugin counts one, which it does for everyone', async () => {
    const folder = temporaryFolder({});
    const csv = path.join(folder, 'users.csv');
    writeFileSync(
      csv,
      `"uuid","PlayerName","WeekVoteStreak","MonthVoteStreak"\n"${NOTCH}","Notch","1","2"\n`,
    );
    expect((await read(folder, csv)).players).toMatchObject([
      { streaks: { week: { current: 0 }, month: { current: 2, lastAt: 'previous' } } },
    ]);
  });

  test('are as old as the newest file that the plugin wrote', async () => {
    const folder = temporaryFolder({ 'ServerData.yml': '', 'Data/x.txt': '' });
    utimesSync(path.join(folder, 'ServerData.yml'), 0, Date.parse('2026-11-22T10:00:00Z') / 1000);
    utimesSync(path.join(folder, 'Data'), 0, Date.parse('2026-11-21T10:00:00Z') / 1000);
    const source = await sourceOf(folder);
    expect(source.asOf).toBe(Date.parse('2026-11-22T10:00:00Z'));
  });

  test('in MySQL without an export are a problem that says how to export them', async () => {
    const folder = temporaryFolder({ 'Config.yml': 'DataStorage: MYSQL\n' });
    await expect(sourceOf(folder)).rejects.toMatchObject({ code: 'import-nothing' });
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
