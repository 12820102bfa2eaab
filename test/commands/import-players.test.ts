import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type Desk, desk } from '../kit/place.ts';
import { makePipe } from '../support/make-pipe.ts';

const REWARDS = [{ name: 'fifties', if: { votes: { every: 50 } }, commands: ['give {player} emerald 1'] }];
const NOTCH = '069a79f4-44e9-4726-a5be-fca90e38aaf5';
/** 31 May 2026, 12:00 in UTC. */
const LAST = Date.UTC(2026, 4, 31, 12);

function votingPlugin({ folder }: Desk, total: number, name = 'Notch'): string {
  const dir = path.join(folder, 'VotingPlugin');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  writeFileSync(path.join(dir, 'VoteSites.yml'), 'VoteSites:\n  List:\n    ServiceSite: List.net\n');
  const player = {
    ...{ uuid: NOTCH, PlayerName: name, AllTimeTotal: String(total), DayVoteStreak: '12' },
    ...{ BestDayVoteStreak: '40', DayVoteStreakLastUpdate: String(LAST), LastVotes: `List//${LAST}` },
  };
  const database = new Sqlite(path.join(dir, 'Users.db'));
  database.exec(`CREATE TABLE Users (${Object.keys(player).map((column) => `${column} TEXT`)})`);
  database.prepare('INSERT INTO Users VALUES (?, ?, ?, ?, ?, ?, ?)').run(Object.values(player));
  database.close();
  return dir;
}

const importing = ({ run }: Desk, ...words: readonly string[]) => run('import', 'players', ...words);

test('imports the players of VotingPlugin, and players show says from where', async () => {
  const one = desk({ rewards: REWARDS });
  const ran = await importing(one, 'votingplugin', votingPlugin(one, 120));
  expect(ran).toMatchObject({ exit: 0, err: '' });
  expect(ran.out).toContain(': 1, of which imported: 1, the same as before: 0');
  expect(ran.out).toContain('last votes on a site: 1 imported');
  expect(ran.out).toContain('reached elsewhere, so not paid here: 2 times a reward');
  expect(ran.out).not.toContain('not kept');
  const { out } = await one.run('players', 'show', 'Notch');
  expect(out).toContain('notch: 120 votes in totals');
  expect(out).toContain('imported from votingplugin for notch, as of ');
  expect(out).toContain(': 120 votes in all, 119 of them not in the ledger as votes');
  expect(out).toContain(': 12 days in a row\n');
  expect(out).toContain(`imported from votingplugin for notch: UUID ${NOTCH}, which joins nothing`);
  expect(out).toContain('reached elsewhere, not paid here: fifties for total 100');
});

test('reads a Bedrock name with a space as the listener does, as do the commands that take a name', async () => {
  const one = desk({ rewards: REWARDS });
  const ran = await importing(one, 'votingplugin', votingPlugin(one, 120, '.Bedrock Guy'));
  expect(ran).toMatchObject({ exit: 0, err: '' });
  for (const written of ['.Bedrock_Guy', '.Bedrock Guy']) {
    const { exit, out } = await one.run('players', 'show', written);
    expect([exit, out]).toEqual([0, expect.stringContaining('.bedrock_guy: 120 votes in totals')]);
  }
  const given = await one.run('reward', 'fifties', '--player', '.Bedrock Guy', '--json');
  expect([given.exit, given.json]).toMatchObject([0, [{ player: '.Bedrock_Guy' }]]);
});

test('lists many totals that were reached elsewhere in one line, and any of them can be given', async () => {
  const one = desk({ rewards: REWARDS });
  await importing(one, 'votingplugin', votingPlugin(one, 1_020));
  const shown = async () => (await one.run('players', 'show', 'Notch')).out;
  expect(await shown()).toContain(
    'fifties for total 50 to 1000, in steps of 50; `teller reward fifties --player notch --occasion "total 50"`',
  );
  const give = (count: number) =>
    one.run('reward', 'fifties', '--player', 'Notch', '--occasion', `total ${count}`);
  expect(await give(500)).toMatchObject({ exit: 0 });
  expect((await give(500)).err).toContain('[occasion-spent]');
  expect((await give(550)).exit).toBe(0);
});

test('adds nothing when it is repeated, and lists other values, of which the first ones stay', async () => {
  const one = desk({ rewards: REWARDS });
  await importing(one, 'votingplugin', votingPlugin(one, 120));
  const same = await importing(one, 'votingplugin', votingPlugin(one, 120));
  expect([same.exit, same.out]).toEqual([0, expect.stringContaining('imported: 0, the same as before: 1')]);
  const again = await importing(one, 'votingplugin', votingPlugin(one, 130));
  expect(again.exit).toBe(0);
  expect(again.out).toContain('other values than in an earlier import: 1; those of the earlier one stay');
  expect(again.out).toContain('  Notch: 120 votes in all before, now 130');
  expect((await one.run('players', 'show', 'Notch')).out).toContain('notch: 120 votes in totals');
});

test.skipIf(process.platform === 'win32')('refuses a pipe instead of waiting for it', async () => {
  const one = desk({ rewards: REWARDS });
  const dir = votingPlugin(one, 120);
  for (const name of ['players.csv', 'players.db', 'players.tsv']) {
    makePipe(path.join(one.folder, name));
    const ran = await importing(one, 'votingplugin', dir, '--data', path.join(one.folder, name));
    expect([ran.exit, ran.err]).toEqual([2, expect.stringMatching(/\[import-unreadable\]$/)]);
  }
});

test('lists what cannot be imported as text that a terminal shows as it is', async () => {
  const one = desk({ rewards: REWARDS });
  const dir = votingPlugin(one, 120, '\u001b[2J\u202e');
  const { exit, out } = await importing(one, 'votingplugin', dir);
  expect([exit, out.match(/[^\P{C}\n]/u)]).toEqual([1, null]);
  expect(out).toContain('not imported: 1 entry');
  expect(out).toContain('u202e');
});

test('imports a table of players from any program, and prints JSON for scripts', async () => {
  const one = desk();
  const file = path.join(one.folder, 'players.tsv');
  const rows = [
    ['uuid', 'last_name', 'votes', 'last_vote'],
    [NOTCH, 'Notch', '312', '2026-05-31 12:00:00'],
    [NOTCH, '@a', 'NULL', 'NULL'],
  ];
  writeFileSync(file, rows.map((row) => `${row.join('\t')}\n`).join(''));
  const ran = await importing(one, 'table', file, '--json');
  expect(ran.json).toMatchObject([{ source: 'table', players: 1, stored: 1, faulty: 1 }]);
  const shown = await one.run('players', 'show', 'Notch', '--json');
  expect(shown.json).toMatchObject([
    { votes: 312, balances: [{ source: 'table', what: 'total', stated: 312, counted: 312 }] },
  ]);
});

test.each([
  ['another plugin', ['otherplugin', '.'], 'usage'],
  ['a folder without the plugin', ['votingplugin', '/nowhere'], 'import-nothing'],
])('refuses %s with a code', async (_, words, code) => {
  const one = desk();
  const ran = await importing(one, ...words);
  expect(ran.exit).toBe(2);
  expect(ran.err).toContain(`[${code}]`);
});

/** A table with these players, each with a total, a run and a last vote. */
function table({ folder }: Desk, rows: readonly string[]): string {
  const file = path.join(folder, 'players.csv');
  writeFileSync(file, ['last_name,votes,last_vote', ...rows].map((row) => `${row}\n`).join(''));
  return file;
}

test('imports any number of players in portions', async () => {
  const one = desk();
  const rows = Array.from({ length: 450 }, (_, n) => `Player${n},${100 + n},`);
  expect((await importing(one, 'table', table(one, rows), '--json')).json).toMatchObject([
    { players: 450, stored: 450, same: 0, passed: 0, differing: 0, faulty: 0 },
  ]);
  expect((await one.run('players', 'show', 'Player449', '--json')).json).toMatchObject([{ votes: 549 }]);
});

test('a last vote keeps its player from being paid again within the cooldown', async () => {
  const one = desk({ sites: { 'List.net': {} }, rewards: REWARDS });
  await importing(one, 'votingplugin', votingPlugin(one, 120));
  const add = (at: string) => ['votes', 'add', '--player', 'Notch', '--site', 'List.net', '--at', at];
  const decided = async (at: string) => (await one.run(...add(at), '--json')).json[0].decision;
  expect(await decided('2026-06-01T11:59:59Z')).toBe('cooldown');
  one.clock.set('2026-06-01T12:00:00.001Z');
  expect(await decided('2026-06-01T12:00:00Z')).toBe('rewarded');
});

test('lists days in a row that nobody dates, and last votes that no vote can be', async () => {
  const one = desk();
  const dir = votingPlugin(one, 120);
  const database = new Sqlite(path.join(dir, 'Users.db'));
  database.exec(
    `UPDATE Users SET DayVoteStreakLastUpdate = '', LastVotes = 'List//${Date.UTC(2026, 5, 1, 12, 0, 1)}'`,
  );
  database.close();
  const { json } = await importing(one, 'votingplugin', dir, '--json');
  expect(json).toMatchObject([
    {
      notKept: { undatedRuns: 1 },
      faults: [{ key: 'Notch, last vote on List.net', why: 'has a time in the future' }],
    },
  ]);
});
