import { copyFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { check } from '../kit/check.ts';
import { freeDisk } from '../kit/disk.ts';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { type Desk, desk, rewrite } from '../kit/place.ts';
import { stuck } from '../kit/stuck.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

/** A Teller that runs, at noon. */
const running = (more: object = {}) => here(more, new FakeClock('2026-06-01T12:00:00Z'));

describe('the ledger', () => {
  const ledgerOf = ({ folder }: Desk): string => path.join(folder, 'data/teller.db');

  test('is a problem if the file is none, and is read completely with --deep', async () => {
    const one = desk();
    const [shallow] = (await check(one, '--offline')).of('ledger');
    const [deep] = (await check(one, '--offline', '--deep')).of('ledger');
    expect(deep).toMatchObject({ mark: 'ok' });
    expect(deep?.sentence).not.toBe(shallow?.sentence);
    rewrite(one, { ledger: 'other.db' });
    writeFileSync(path.join(one.folder, 'other.db'), 'this is no database, and long enough to be looked at');
    const { exit, of } = await check(one, '--offline');
    expect([exit, of('ledger-corrupt')]).toMatchObject([1, [{ mark: 'problem' }]]);
  });

  test('is a problem if its latest writes are missing, and the message names the file to put back', async () => {
    const { teller } = await stuck();
    const ledger = ledgerOf(teller);
    await teller.restart(async () => {
      renameSync(ledger, `${ledger}.placed`);
      copyFileSync(ledgerOf(desk()), ledger);
      const { exit, of } = await check(teller, '--offline');
      const sentence = naming(`${ledger}-wal`);
      expect([exit, of('ledger-behind')]).toMatchObject([1, [{ mark: 'problem', sentence }]]);
      renameSync(`${ledger}.placed`, ledger);
    });
  });

  test('has warnings for grants that need a decision', async () => {
    const { exit, of } = await check((await stuck()).teller, '--offline');
    expect(exit).toBe(0);
    expect(of('grants-stuck')).toMatchObject([
      {
        sentence: naming('main', '1 grant', 'held', 'A command may have run', '[no-frame]'),
        toDo: naming('`teller grants --state held`'),
      },
      {
        sentence: naming('1 grant', 'refused'),
        toDo: naming('`teller grants --state refused`', '`teller grants pay --rerender`'),
      },
    ]);
  });

  test('has one warning per kind of reply that looks like a failure, with the config entry that would refuse it', async () => {
    const game = await rconGame();
    const rewards = [{ name: 'bank', when: 'always', commands: ['bank {player}'] }];
    const one = await running({ gameServers: { main: game.entry }, rewards });
    for (const player of ['Steve', 'Alex']) await one.vote({ player });
    await one.untilGrants('delivered', 'delivered');
    const entry = '\\S+ has no account here';
    expect((await check(one, '--offline')).of('replies-doubtful')).toMatchObject([
      { mark: 'warning', toDo: naming(JSON.stringify(entry), 'gameServers.main.refusedReplies') },
    ]);
    rewrite(one, { rewards, gameServers: { main: { ...game.entry, refusedReplies: [entry] } } });
    expect((await check(one, '--offline')).of('replies-doubtful')).toEqual([]);
  });

  test('is on a disk with less than 32 MiB, which is a problem, or less than 1,024 MiB', async () => {
    const one = desk();
    const free = freeDisk();
    const BYTE = 1 / (1024 * 1024);
    for (const [mib, found] of [
      [32 - BYTE, 'problem ledger-full'],
      [32, 'warning disk-low'],
      [1_024 - BYTE, 'warning disk-low'],
      [1_024, 'ok disk'],
    ] as const) {
      free.mib = mib;
      const { marks, of } = await check(one, '--offline');
      expect(marks(/^(?:disk|ledger-full)/)).toEqual([found]);
      expect(of(found.split(' ')[1] ?? '')[0]?.sentence).toContain(path.join(one.folder, 'data'));
    }
  });
});

describe('the counts of a deep check', () => {
  /** Steve voted on three days in a row and once later, Alex once. */
  async function voted() {
    const one = desk({ sites: { List: {} } });
    one.clock.set('2026-06-05T12:00:00Z');
    for (const [player, day] of ['01', '02', '03', '05']
      .map((day) => ['Steve', day])
      .concat([['Alex', '05']]))
      await one.run(
        ...['votes', 'add', '--player', `${player}`, '--site', 'List', '--at', `2026-06-${day}T11:00:00Z`],
      );
    const database = new Sqlite(path.join(one.folder, 'data/teller.db'));
    onTestFinished(() => void database.close());
    const counts = () =>
      [
        'SELECT id, counted, run_from, run_to, balance_until FROM recipients',
        'SELECT * FROM voted_runs',
        'SELECT * FROM network_counts',
        'SELECT per, from_day, to_day, counted FROM balances',
      ].map((sql) => database.prepare(sql).all());
    const found = async (...words: string[]) => (await check(one, '--offline', ...words)).marks(/^counts/);
    return { ...one, database, counts, found };
  }

  /** On the fifth, a plugin had counted seven votes of Steve, three of them in June and one on that day. */
  async function importBalance({ run, clock }: Awaited<ReturnType<typeof voted>>): Promise<void> {
    const folder = temporaryFolder({ 'VoteSites.yml': 'VoteSites: {}\n' });
    const file = path.join(folder, 'Users.db');
    const users = new Sqlite(file);
    users.exec(`CREATE TABLE Users (PlayerName, AllTimeTotal, MonthTotal, WeeklyTotal, DailyTotal);
      INSERT INTO Users VALUES ('Steve', 7, 3, 5, 1)`);
    users.close();
    for (const each of [file, path.join(folder, 'VoteSites.yml')]) utimesSync(each, 0, clock.now() / 1000);
    expect((await run('import', 'players', 'votingplugin', folder)).err).toBe('');
  }

  test('are right after votes, also after some were voided; a check that is not deep leaves them alone', async () => {
    const one = await voted();
    expect(await one.found('--deep')).toEqual(['ok counts']);
    await one.run('votes', 'void', '2', '5', '--reason', 'forged', '--yes');
    expect(await one.found('--deep')).toEqual(['ok counts']);
    one.database.exec('DELETE FROM voted_runs');
    expect(await one.found()).toEqual([]);
  });

  test.each([
    ['a total', 'UPDATE recipients SET counted = 7 WHERE id = 1'],
    ['a run that is missing', 'DELETE FROM voted_runs'],
    ['a run that is too long', 'UPDATE recipients SET run_to = run_to + 3 WHERE id = 2'],
    ['a total of the network', "UPDATE network_counts SET counted = counted + 1 WHERE of = 'site List'"],
    ['all totals of the network', 'DELETE FROM network_counts'],
    ['an imported total', "UPDATE balances SET counted = 8 WHERE per = ''"],
    ['an imported count of a period', "UPDATE balances SET counted = 4 WHERE per = 'month'"],
    ['the end of an imported month', "UPDATE balances SET to_day = to_day + 1 WHERE per = 'month'"],
    ['the last day of the imported counts', 'UPDATE recipients SET balance_until = NULL'],
  ])('are corrected where %s is not that of the votes', async (what, damage) => {
    const one = await voted();
    if (what.includes('import')) await importBalance(one);
    expect(await one.found('--deep')).toEqual(['ok counts']);
    const before = one.counts();
    one.database.exec(damage);
    expect(one.counts()).not.toEqual(before);
    expect(await one.found('--deep')).toEqual(['warning counts-rebuilt']);
    expect(one.counts()).toEqual(before);
    expect(await one.found('--deep')).toEqual(['ok counts']);
  });

  test.each([
    ['one that was not voted on', 'List\nOther'],
    ['one missing', ''],
  ])('forget services of the last day with %s, which are then read from the votes', async (_, names) => {
    const { database, found } = await voted();
    database.prepare('UPDATE recipients SET services = ? WHERE id = 1').run(`\n${names}\n`);
    expect(await found('--deep')).toEqual(['warning counts-rebuilt']);
    expect(database.prepare('SELECT services FROM recipients WHERE id = 1').pluck().get()).toBeNull();
    expect(await found('--deep')).toEqual(['ok counts']);
  });
});
