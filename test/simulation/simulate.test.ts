import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { here } from '../kit/here.ts';
import { typed } from '../kit/typed.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';

const SITES = { 'My-List.com': {} };
const on = (player: string, at: string, more: object = {}): object => ({
  ...{ player, site: 'My-List.com', at: `2026-11-${at}` },
  ...more,
});

/** Types `teller rewards test` for a file with these examples. @returns what it printed, as `-expected` and `+run`. */
async function tried(content: object) {
  const file = join(temporaryFolder(), 'examples.json');
  writeFileSync(file, JSON.stringify({ sites: SITES, ...content }));
  const { exit, out } = await typed(['rewards', 'test', file], file);
  const differences = out.split('\n').flatMap((line) => {
    const [, mark, text = ''] = /^ *([-+]) (.*?)(?: {2}.*)?$/.exec(line) ?? [];
    return mark === undefined ? [] : [`${mark}${text.replace(/ \(.*/, '')}`];
  });
  return { exit, out, differences };
}

const passes = async (content: object): Promise<void> => {
  const { exit, out } = await tried(content);
  expect(exit, out).toBe(0);
};

test('each vote is recorded as a real one, so that the cooldown, totals and figures decide as in a ledger', async () => {
  const again = 'say vote again in 24 h';
  await passes({
    rewards: [
      { name: 'second', if: { votes: { at: [2] } }, commands: ['say {player} has {votes} votes'] },
      { name: 'again', when: 'always', commands: ['say vote again in {nextVote}'] },
    ],
    examples: [
      {
        name: 'three',
        votes: [
          on('Alex', '01T18:00', { expect: [again] }),
          on('Alex', '01T19:00', { expect: [] }),
          on('Alex', '02T18:00', { expect: ['say Alex has 2 votes', again] }),
        ],
      },
    ],
  });
});

test('the same vote counts once (rule 2)', async () => {
  await passes({
    rewards: [{ name: 'all', if: { not: { votes: { at: [9] } } }, commands: ['say {votes}'] }],
    examples: [
      {
        name: 'twice',
        votes: [on('Alex', '01T18:00'), on('Alex', '01T18:00', { expect: [] })],
        expect: ['say 1'],
      },
    ],
  });
});

test('what is simulated is what a running Teller owes for the same votes', async () => {
  const rewards = [
    {
      name: 'streak',
      if: { streak: { length: 2, repeat: true } },
      commands: ['give {player} diamond {streak}'],
    },
    { name: 'daily', if: { firstVote: 'day' }, commands: ['give {player} bread 1'] },
  ];
  const times = ['01T18:00', '01T20:00', '02T18:00', '04T18:00'];
  const clock = new FakeClock('2026-11-01T00:00:00Z');
  const teller = await here({ rewards, timeZone: 'UTC' }, clock);
  for (const time of times) {
    clock.advance(Date.parse(`2026-11-${time}:00Z`) - clock.now());
    expect(await teller.vote({ player: 'Alex' })).toBe('ok');
  }
  const owed = (await teller.grants()).flatMap(({ commands }) => commands.map(({ command }) => command));
  expect(owed).toHaveLength(4);
  await passes({
    rewards,
    examples: [{ name: 'same', votes: times.map((time) => on('Alex', time)), expect: owed }],
  });
});

test('nothing is left among the temporary files, and no file of the folder that it runs in is read or changed', async () => {
  const temporary = temporaryFolder();
  const folder = temporaryFolder({ '.lock': 'no database', '.mark': 'no mark', '-wal': 'no log' });
  const before = process.cwd();
  for (const name of ['TMPDIR', 'SQLITE_TMPDIR']) vi.stubEnv(name, temporary);
  process.chdir(folder);
  onTestFinished(() => {
    process.chdir(before);
    vi.unstubAllEnvs();
  });
  const votes = { player: 'Alex', site: 'My-List.com', from: '2026-01-01T18:00', days: 200 };
  const file = join(before, 'test', '..');
  expect(file).toBe(before);
  await passes({ rewards: [], examples: [{ name: 'many', votes: [votes], expect: [] }] });
  expect(readdirSync(folder).toSorted()).toEqual(['-wal', '.lock', '.mark']);
  expect(readdirSync(temporary).filter((name) => !name.startsWith('teller-'))).toEqual([]);
});

const FEAST = { name: 'feast', every: 3, commands: ['say {player} has {votes}, party of {partyVotes}'] };

test('a party is paid with the vote that reaches it, with figures of that moment', async () => {
  const three = ['say Alex has 2, party of 3', 'say Bob has 1, party of 3'];
  const expected = [[], [], three, [], [], ['say Bob has 4, party of 3'], []];
  const players = ['Alex', 'Bob', 'Alex', 'Bob', 'Bob', 'Bob', 'Alex'];
  const votes = players.map((player, day) => on(player, `0${day + 1}T18:00`, { expect: expected[day] }));
  await passes({ rewards: [], party: [FEAST], examples: [{ name: 'seven', votes }] });
});

test('a party for those online is paid to the given players, or to the voters if nobody is', async () => {
  const party = [{ ...FEAST, for: 'online', commands: ['give {player} cake 1'] }];
  const votes = ['Alex', 'Bob', 'Carol'].map((player, n) => on(player, `01T1${6 + n}:00`));
  const cakes = (...players: readonly string[]) => players.map((player) => `give ${player} cake 1`);
  await passes({
    ...{ rewards: [], party },
    examples: [
      { name: 'online', votes, online: ['Dave'], expect: cakes('Dave') },
      { name: 'nobody', votes, expect: cakes('Alex', 'Bob', 'Carol') },
    ],
  });
});

test('a top is settled before the first vote after the end of its period, and what ends until a time after the last', async () => {
  const tops = [{ name: 'best', period: 'day', prizes: { 1: ['say {player} won {occasion}'] } }];
  const votes = [on('Alex', '01T18:00'), on('Bob', '02T00:30'), on('Carol', '02T01:00')];
  const first = 'say Alex won top 2026-11-01 place 1';
  await passes({
    ...{ rewards: [], tops },
    examples: [
      { name: 'first', votes, expect: [first] },
      { name: 'both', votes, at: '2026-11-03T01:00', expect: [first, 'say Bob won top 2026-11-02 place 1'] },
    ],
  });
});

test('a difference is explained by as few lines as possible, in which the order counts unless only the numbers are given', async () => {
  const rewardsOf = (commands: readonly string[]) => [{ name: 'all', when: 'always', commands }];
  const lettersOf = (text: string): string[] => [...text].map((letter) => `say ${letter}`);
  for (const [expected, run, shown] of [
    ['abc', 'axc', ['-b', '+x']],
    ['abcd', 'bced', ['-a', '+e']],
    ['aa', 'a', ['-a']],
    ['', 'a', ['+a']],
    ['ab', 'ba', ['-a', '+a']],
  ] as const) {
    const one = { name: 'one', votes: [on('Alex', '01T18:00')], expect: lettersOf(expected) };
    const { differences } = await tried({ rewards: rewardsOf(lettersOf(run)), examples: [one] });
    expect(differences.map((line) => line.replace('say ', ''))).toEqual(shown);
  }
  const numbers = { name: 'n', votes: [on('Alex', '01T18:00')], expect: { 'say b': 1, 'say a': 1 } };
  await passes({ rewards: rewardsOf(['say a', 'say b']), examples: [numbers] });
});
