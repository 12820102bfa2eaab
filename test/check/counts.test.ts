import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { type Desk, desk } from '../kit/place.ts';
import { temporaryFolder } from '../support/folder.ts';

/** On the fifth, a plugin had counted seven votes of Steve, three of them in June and one on that day. */
async function importBalance({ run, clock }: ReturnType<typeof desk>): Promise<void> {
  const folder = temporaryFolder({ 'VoteSites.yml': 'VoteSites: {}\n' });
  const file = join(folder, 'Users.db');
  const database = new Sqlite(file);
  database.exec(`CREATE TABLE Users (PlayerName, AllTimeTotal, MonthTotal, WeeklyTotal, DailyTotal);
    INSERT INTO Users VALUES ('Steve', 7, 3, 5, 1)`);
  database.close();
  for (const each of [file, join(folder, 'VoteSites.yml')]) utimesSync(each, 0, clock.now() / 1000);
  expect((await run('import', 'players', 'votingplugin', folder)).err).toBe('');
}

/** Steve voted on three days in a row and once later, Alex once. */
async function voted() {
  const one = desk({ sites: { List: {} } });
  one.clock.set('2026-06-05T12:00:00Z');
  const vote = (player: string, day: string) =>
    one.run('votes', 'add', '--player', player, '--site', 'List', '--at', `2026-06-${day}T11:00:00Z`);
  for (const day of ['01', '02', '03', '05']) await vote('Steve', day);
  await vote('Alex', '05');
  const database = new Sqlite(join(one.folder, 'data/teller.db'));
  onTestFinished(() => void database.close());
  return { ...one, database };
}

const findings = async ({ run }: Desk) =>
  (await run('check', '--offline', '--deep', '--json')).json
    .filter(({ code }: { code: string }) => code.startsWith('counts'))
    .map(({ mark, code }: { mark: string; code: string }) => [mark, code]);

test('a deep check finds the counts that are those of the votes', async () => {
  const one = await voted();
  expect(await findings(one)).toEqual([['ok', 'counts']]);
});

test.each([
  ['a total', 'UPDATE recipients SET counted = 7 WHERE id = 1'],
  ['a run that is missing', 'DELETE FROM voted_runs'],
  ['a run that is too long', 'UPDATE recipients SET run_to = run_to + 3 WHERE id = 2'],
  ['a total of the network', "UPDATE network_counts SET counted = counted + 1 WHERE of = 'site List'"],
  ['all totals of the network', 'DELETE FROM network_counts'],
])('a deep check counts again where %s is not that of the votes', async (_, damage) => {
  const one = await voted();
  const counts = () =>
    [
      'SELECT id, counted, run_from, run_to FROM recipients',
      'SELECT * FROM voted_runs',
      'SELECT * FROM network_counts',
    ].map((sql) => one.database.prepare(sql).all());
  const before = counts();
  one.database.exec(damage);
  expect(counts()).not.toEqual(before);
  expect(await findings(one)).toEqual([['warning', 'counts-rebuilt']]);
  expect(counts()).toEqual(before);
  expect(await findings(one)).toEqual([['ok', 'counts']]);
});

test.each([
  ['an imported total', "UPDATE balances SET counted = 8 WHERE per = ''"],
  ['an imported count of a period', "UPDATE balances SET counted = 4 WHERE per = 'month'"],
  ['the end of an imported month', "UPDATE balances SET to_day = to_day + 1 WHERE per = 'month'"],
  ['the last day of the imported counts', 'UPDATE recipients SET balance_until = NULL'],
])('a deep check corrects %s', async (_, damage) => {
  const one = await voted();
  await importBalance(one);
  expect(await findings(one)).toEqual([['ok', 'counts']]);
  const counts = () =>
    [
      'SELECT per, from_day, to_day, counted FROM balances',
      'SELECT id, counted, balance_until FROM recipients',
    ].map((sql) => one.database.prepare(sql).all());
  const before = counts();
  one.database.exec(damage);
  expect(counts()).not.toEqual(before);
  expect(await findings(one)).toEqual([['warning', 'counts-rebuilt']]);
  expect(counts()).toEqual(before);
});

test.each([
  ['one that was not voted on', 'List\nOther'],
  ['one missing', ''],
])(
  'a deep check forgets services of the last day with %s, which are then read from the votes',
  async (_, names) => {
    const one = await voted();
    one.database.prepare('UPDATE recipients SET services = ? WHERE id = 1').run(`\n${names}\n`);
    expect(await findings(one)).toEqual([['warning', 'counts-rebuilt']]);
    expect(one.database.prepare('SELECT services FROM recipients WHERE id = 1').pluck().get()).toBeNull();
    expect(await findings(one)).toEqual([['ok', 'counts']]);
  },
);

test('a deep check finds the counts right after votes were voided', async () => {
  const one = await voted();
  await one.run('votes', 'void', '2', '5', '--reason', 'forged', '--yes');
  expect(await findings(one)).toEqual([['ok', 'counts']]);
});

test('a check that is not deep leaves the counts alone', async () => {
  const one = await voted();
  one.database.exec('DELETE FROM voted_runs');
  expect((await one.run('check', '--offline', '--json')).out).not.toContain('counts');
});
