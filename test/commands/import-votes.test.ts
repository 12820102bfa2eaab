import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { type Desk, desk } from '../kit/place.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { makePipe } from '../support/make-pipe.ts';

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
  const ran = await importing(one, ['Steve,List.net,soon', 'Steve,List.net,2030-01-01', ...STEVES], '--json');
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
    const { err, exit } = await one.run('votes', 'reward', String(id), '--yes');
    expect([exit, err]).toEqual([1, expect.stringContaining('[vote-imported]')]);
  }
  expect(await grantsIn(one)).toEqual([]);
});

test('explain promises no payment for an imported vote in the window that unlisted services share', async () => {
  const one = desk({ rewards: REWARDS });
  await importing(one, ['Steve,First.net,2026-05-10T12:00:00Z', 'Steve,Second.net,2026-05-10T13:00:00Z']);
  const { out } = await one.run('explain', 'Steve');
  expect(out).toContain('unlisted, so counted for its day and not rewarded: ');
  expect(out).not.toContain('votes reward');
  expect(out).not.toContain('pays this vote');
});

test('explain says that a vote was imported and is not paid here', async () => {
  const one = desk({ rewards: REWARDS });
  await importing(one, STEVES);
  const { out } = await one.run('explain', 'Steve');
  expect(out).toContain('imported, votes by ');
  expect(out).toContain('not paid here: it is of the time before Teller');
});
