import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

const commands = ['say hi'];
const SITES = { default: { token: TOKEN }, 'My-List.com': {}, 'Other.net': {} };

/** A Teller whose rewards first stood in a running config on Monday, 1 June 2026, after these votes by Steve. */
async function started(rewards: readonly object[], earlier: readonly string[] = []): Promise<Here> {
  const one = await here({ sites: SITES, rewards: [] }, new FakeClock('2026-06-01T12:00:00Z'));
  for (const time of earlier)
    await one.run('votes', 'add', '--player', 'Steve', '--site', 'My-List.com', '--at', time);
  await one.reload({ sites: SITES, rewards });
  return one;
}

type Coded = readonly { readonly rewards: readonly { readonly reward: string; readonly code: string }[] }[];

async function codesOf(one: Here, command: 'preview' | 'votes', ...words: string[]) {
  const { json } = await one.run(command, ...words, '--site', 'My-List.com', '--json');
  const [vote] = json as Coded;
  return Object.fromEntries((vote?.rewards ?? []).map(({ reward, code }) => [reward, code]));
}

const add = (one: Here, time: string) => codesOf(one, 'votes', 'add', '--player', 'Steve', '--at', time);
const preview = (one: Here, time: string) => codesOf(one, 'preview', 'Steve', '--at', time);

const OF_A_PERIOD = [
  { name: 'plain', commands, stop: true },
  { name: 'first-of-day', if: { firstVote: 'day' }, commands },
  { name: 'second-of-week', if: { votes: { at: [2], of: 'week' } }, commands },
  { name: 'fifth-of-month', if: { votes: { at: [5], of: 'month' } }, commands },
  { name: 'all-sites', if: { allSites: true }, commands },
  { name: 'returning', if: { returning: '30d' }, commands },
  { name: 'elsewhere', if: { site: 'Other.net', firstVote: 'day' }, commands },
  { name: 'either', if: { any: [{ firstVote: 'day' }, { allSites: true }] }, commands },
];
const ALL_BEFORE_START = Object.fromEntries(
  OF_A_PERIOD.map(({ name }) => [name, name === 'plain' ? 'granted' : 'before-start']),
);

test('a reward for a period that ended before the reward started says so, whatever else does not hold', async () => {
  const one = await started(OF_A_PERIOD);
  expect(await preview(one, '2026-05-30T12:00Z')).toEqual(ALL_BEFORE_START);
  expect(await add(one, '2026-05-30T12:00Z')).toEqual(ALL_BEFORE_START);
  // It is neither the first of its day nor in a free window.
  expect(await add(one, '2026-05-31T13:00Z')).toEqual(ALL_BEFORE_START);
  const { out } = await one.run('explain', 'Steve');
  expect(out.split('\n')).toContainEqual(naming('first-of-day', '2026-05-30', '2026-06-01'));
});

test('the period in which a reward started is judged like any other', async () => {
  const one = await started([
    { name: 'first-of-day', if: { firstVote: 'day' }, commands },
    { name: 'fifth-of-month', if: { votes: { at: [5], of: 'month' } }, commands },
    { name: 'total', if: { votes: { at: [5] } }, commands },
    { name: 'elsewhere', if: { site: 'Other.net', firstVote: 'day' }, commands },
  ]);
  const judged = { 'fifth-of-month': 'votes', total: 'votes', elsewhere: 'site' };
  expect(await add(one, '2026-06-01T09:00Z')).toEqual({ ...judged, 'first-of-day': 'granted' });
  expect(await preview(one, '2026-05-30T12:00Z')).toEqual({
    'first-of-day': 'before-start',
    'fifth-of-month': 'before-start',
    total: 'votes',
    elsewhere: 'before-start',
  });
});

test('a streak that was reached before its reward started says so, and one that was not says how far it is', async () => {
  const one = await started(
    [
      { name: 'two', if: { streak: 2 }, commands },
      { name: 'each-two', if: { streak: { length: 2, repeat: true } }, commands },
      { name: 'five', if: { streak: 5 }, commands },
    ],
    ['2026-05-29T08:00:00Z', '2026-05-30T08:00:00Z'],
  );
  expect(await preview(one, '2026-05-30T12:00Z')).toMatchObject({
    two: 'before-start',
    'each-two': 'before-start',
  });
  const third = { two: 'before-start', 'each-two': 'streak', five: 'streak' };
  expect(await add(one, '2026-05-31T09:00Z')).toEqual(third);
  expect(await preview(one, '2026-06-01T12:00Z')).toEqual({ ...third, 'each-two': 'granted' });
});

test('a total that was reached before its reward started, and again because votes were voided, says so', async () => {
  const one = await started(
    [{ name: 'second', if: { votes: { at: [2] } }, commands }],
    ['2026-05-29T08:00:00Z', '2026-05-30T08:00:00Z'],
  );
  await one.run('votes', 'void', '1', '--reason', 'forged', '--yes');
  expect(await preview(one, '2026-06-01T12:00Z')).toEqual({ second: 'before-start' });
});
