import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { type Desk, desk } from '../kit/place.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { makePipe } from '../support/folder.ts';

describe('players of another plugin', () => {
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

  test('imports any number of players in portions', async () => {
    const one = desk();
    const rows = Array.from({ length: 450 }, (_, n) => `Player${n},${100 + n},\n`);
    const file = path.join(one.folder, 'players.csv');
    writeFileSync(file, `last_name,votes,last_vote\n${rows.join('')}`);
    expect((await importing(one, 'table', file, '--json')).json).toMatchObject([
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
});

describe('votes of another program', () => {
  const REWARDS = [
    { name: 'daily', commands: ['give {player} diamond 1'] },
    { name: 'pair', if: { votes: { every: 2 } }, commands: ['give {player} emerald 1'] },
  ];

  function importing({ folder, run }: Desk, lines: readonly string[], ...words: readonly string[]) {
    const file = path.join(folder, 'votes.csv');
    writeFileSync(file, `${['player,service,time', ...lines].join('\n')}\n`);
    return run('import', 'votes', file, ...words);
  }

  const grantsIn = async ({ run }: Desk) =>
    (await run('grants', '--json')).json.map(
      ({ reward, state }: { reward: string; state: string }) => `${reward} ${state}`,
    );

  const STEVES = ['Steve,List.net,2026-05-10T12:00:00Z', 'Steve,List.net,2026-05-11T12:00:00Z'];

  test('imports votes without paying for them, and says what they reached', async () => {
    const one = desk({ rewards: REWARDS });
    await one.run('votes', 'add', '--player', 'Ben', '--site', 'List.net');
    const ran = await importing(one, [...STEVES, 'Steve,List.net,2026-05-11T13:00:00Z']);
    expect(ran).toMatchObject({ exit: 0, err: '' });
    expect(ran.out.split('\n')[0]).toBe('votes imported: 3, of which in totals: 2');
    const shown = await one.run('players', 'show', 'Steve');
    expect(shown.out).toContain('steve: 2 votes in totals');
    expect(shown.out).toContain('reached elsewhere, not paid here: pair for total 2');
    expect(await grantsIn(one)).toEqual(['daily pending']);
  });

  test('pays what was reached elsewhere if the operator orders it', async () => {
    const one = desk({ rewards: REWARDS });
    await importing(one, STEVES);
    const words = ['pair', '--player', 'Steve', '--occasion', 'total 2'];
    expect(await one.run('reward', ...words)).toMatchObject({ exit: 0 });
    expect(await grantsIn(one)).toEqual(['pair pending']);
    expect((await one.run('players', 'show', 'Steve')).out).not.toContain('reached elsewhere, not paid');
  });

  test('adds nothing when it is repeated', async () => {
    const one = desk({ rewards: REWARDS });
    await importing(one, STEVES);
    const ran = await importing(one, STEVES, '--json');
    expect(ran.json).toEqual([
      { counted: 0, uncounted: 0, same: 2, receivedHere: 0, passed: 0, faulty: 0, faults: [] },
    ]);
  });

  test('lists the lines that are no vote and imports the others', async () => {
    const one = desk({ rewards: REWARDS });
    const ran = await importing(
      one,
      ['Steve,List.net,soon', 'Steve,List.net,2030-01-01', ...STEVES],
      '--json',
    );
    expect(ran.exit).toBe(1);
    expect(ran.json).toMatchObject([
      {
        ...{ counted: 2, faulty: 2 },
        faults: [{ line: 2 }, { line: 3, why: 'has a time in the future' }],
      },
    ]);
  });

  test('prints what a terminal would obey as text, and refuses a pipe', async () => {
    const one = desk({ rewards: REWARDS });
    const evil = '\u001b[2J\u009b31m\u202e';
    const { out } = await importing(one, [`${evil},List.net,${evil}`, `Steve,List.net,${evil}`]);
    expect(out.match(/[^\P{C}\n]/u)).toBeNull();
    expect(out).toContain('\\u202e');
    if (process.platform === 'win32') return;
    makePipe(path.join(one.folder, 'pipe.csv'));
    const { exit, err } = await one.run('import', 'votes', path.join(one.folder, 'pipe.csv'));
    expect([exit, err]).toEqual([2, expect.stringMatching(/\[import-unreadable\]$/)]);
  });

  test('leaves out votes that Teller has received itself by then', async () => {
    const one = await here({ rewards: REWARDS }, new FakeClock('2026-05-11T00:00:00Z'));
    await one.vote({ player: 'Ben', site: 'List.net' });
    one.clock.jump(20 * 86_400_000);
    const ran = await importing(one, STEVES);
    expect(ran.out).toContain('left out: 1, cast when Teller received votes of their service');
  });

  test('refuses to reward an imported vote, whether or not it took its window', async () => {
    const one = desk({ rewards: REWARDS });
    await importing(one, [...STEVES, 'Steve,List.net,2026-05-11T13:00:00Z']);
    const rows: { id: number; decision: string }[] = (await one.run('votes', '--json')).json;
    expect(rows.map(({ decision }) => decision).toSorted()).toEqual(['cooldown', 'rewarded', 'rewarded']);
    for (const { id } of rows) {
      expect(await one.run('votes', 'reward', String(id), '--yes')).toMatchObject({
        ...{ exit: 1, err: expect.stringContaining('[vote-imported]') },
      });
    }
    expect(await grantsIn(one)).toEqual([]);
  });

  test('explain says that a vote was imported, and promises no payment in the window that unlisted services share', async () => {
    const one = desk({ rewards: REWARDS });
    await importing(one, ['Steve,First.net,2026-05-10T12:00:00Z', 'Steve,Second.net,2026-05-10T13:00:00Z']);
    const { out } = await one.run('explain', 'Steve');
    expect(out).toContain('unlisted, so counted for its day and not rewarded: ');
    expect(out).not.toContain('votes reward');
    expect(out).not.toContain('pays this vote');
    expect(out).toContain('imported, votes by ');
    expect(out).toContain('not paid here: it is of the time before Teller');
  });
});
