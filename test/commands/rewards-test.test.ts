import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { here } from '../kit/here.ts';
import { furnish } from '../kit/place.ts';
import { typed } from '../kit/typed.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming, refused } from '../support/naming.ts';
import { configsIn } from '../support/page-code.ts';

const REWARDS = [{ name: 'tenth', if: { votes: { at: [10] } }, commands: ['give {player} diamond 1'] }];
const TEN = { player: 'Alex', site: 'My-List.com', from: '2026-11-01T18:00', days: 10 };

const run = (...words: string[]) => typed(['rewards', 'test', ...words], null);

function fileOf(content: unknown, name = 'examples.json'): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return join(temporaryFolder({ [name]: text }), name);
}

const fileWith = (examples: readonly object[], parts: object = { rewards: REWARDS }): string =>
  fileOf({ ...parts, examples });

const example = (more: object): object => ({ name: 'ten votes', votes: [TEN], ...more });

test('rewards test shows what was expected, what was run instead and by which vote, or why a vote did not earn it, and exits 1', async () => {
  const early = [
    { ...TEN, days: 2 },
    { player: 'Alex', site: 'My-List.com', at: '2026-11-02T19:00', expect: ['give Alex diamond 1'] },
    { player: 'Alex', site: 'My-List.com', at: '2026-11-03T18:00', expect: ['give Alex diamond 1'] },
  ];
  const { out, exit } = await run(
    fileWith([example({ expect: ['give Alex diamond 2'] }), { name: 'too early', votes: early }]),
  );
  expect(out.split('\n').slice(1)).toEqual([
    naming('FAILED', 'ten votes', 'line 1'),
    naming('all votes'),
    naming(/^ *- give Alex diamond 2$/),
    naming(
      /^ *\+ give Alex diamond 1 /,
      'tenth for total 10',
      'Alex',
      'My-List.com',
      '2026-11-10T18:00:00.000Z',
    ),
    naming('FAILED', 'too early'),
    naming('votes[1]'),
    naming('- give Alex diamond 1'),
    naming('cooldown'),
    naming('votes[2]'),
    naming('- give Alex diamond 1'),
    naming('tenth', '3'),
    '0 passed, 2 failed',
  ]);
  expect(exit).toBe(1);
});

test('rewards test prints a line for each example and exits 0 if all passed; --json has its mismatches', async () => {
  const file = fileWith([example({ expect: ['give Alex diamond 1'] })]);
  const passed = await run(file);
  expect(passed.out.split('\n')).toEqual([file, '  passed  ten votes', '1 passed, 0 failed']);
  expect(passed.exit).toBe(0);
  const both = fileWith([example({ expect: [] }), example({ expect: ['give Alex diamond 1'] })]);
  const { json, exit } = await run(both, '--json');
  const row = {
    ...{ kind: 'extra', command: 'give Alex diamond 1', reward: 'tenth', occasion: 'total 10' },
    ...{ server: 'main', player: 'Alex', site: 'My-List.com', castAt: '2026-11-10T18:00:00.000Z' },
  };
  const common = { file: both, line: 1, example: 'ten votes' };
  expect(json).toEqual([
    { ...common, passed: false, mismatches: [{ votes: null, rows: [row] }] },
    { ...common, passed: true, mismatches: [] },
  ]);
  expect(exit).toBe(1);
});

test('rewards test tests the rewards of --config with a file that has none of its own, each vote as if it was paid at once', async () => {
  const rewards = [{ name: 'coins', delay: '1h', commands: ['eco give {player} 1'] }];
  const { config } = furnish(temporaryFolder(), { rewards });
  const file = fileWith([example({ expect: { 'eco give Alex 1': 10 } })], {});
  expect((await run(file, '--config', config)).exit).toBe(0);
});

test('rewards test reports that a file does not exist, or everything that is wrong with it at once, with lines and columns, before any example is run', async () => {
  expect(await run('/nowhere/examples.json')).toEqual(
    refused(2, '/nowhere/examples.json', '[examples-missing]'),
  );
  const good = fileWith([example({ expect: [] })]);
  const file = fileOf(`{
  "rewards": [{ "name": "thanks", "comands": ["say hi"] }],
  "examples": [
    { "name": "one", "votes": [{ "player": "Alex", "site": "A", "at": "noon" }], "expect": 3 },
    { "name": "two", "votes": [{ "player": "Alex", "site": "A", "at": "2026-11-01T18:00" }] }
  ]
}`);
  const { out, err, exit } = await run(good, file);
  expect([exit, out]).toEqual([2, '']);
  expect(err.split('\n')).toEqual([
    naming(`${file}:2:35`, 'rewards[0].comands', "perhaps you meant 'commands'", '[config-unknown-key]'),
    naming(`${file}:4:`, 'examples[0].votes[0].at:', '2026-11-01T18:00', '[config-value]'),
    naming(`${file}:4:`, 'examples[0].expect', '[config-value]'),
    naming(`${file}:5:`, 'examples[1].expect', '[config-value]'),
    naming('4 problems', '[config-invalid]'),
  ]);
});

test('rewards test refuses an example that means nothing, with its place', async () => {
  const alex = { player: 'Alex', site: 'A' };
  const at = '2026-11-01T18:00';
  const many = Array.from({ length: 28 }, (_, n) => `P${n}`);
  for (const [more, path, code = 'config-value'] of [
    [{ votes: [alex] }, 'votes[0].at'],
    [{ votes: [{ ...TEN, at }] }, 'votes[0].at'],
    [{ votes: [{ ...alex, from: at }] }, 'votes[0].days'],
    [{ votes: [{ ...alex, at, days: 3 }] }, 'votes[0].days'],
    [{ votes: [{ ...alex, at, skip: '2026-11-02' }] }, 'votes[0].skip'],
    [{ votes: [{ ...TEN, skip: '2026-11-31' }] }, 'votes[0].skip'],
    [{ votes: [{ ...TEN, from: '2026-11-01' }] }, 'votes[0].from'],
    [{ votes: [{ ...TEN, player: '@a' }] }, 'votes[0].player'],
    [{ votes: [{ ...TEN, days: 3660, player: many }] }, 'votes'],
    [{ only: { reward: 'tneth' } }, 'only.reward', 'config-unknown-name'],
    [{ at: '2026-11-10T17:59' }, 'at'],
    [{ online: 'no player!' }, 'online'],
    [{ only: { player: 'Steve' } }, 'only.player', 'config-unknown-name'],
    [{ only: { site: 'My-List' } }, 'only.site', 'config-unknown-name'],
    [{ seed: -1 }, 'seed'],
  ] as const) {
    const { err, exit } = await run(fileWith([example({ expect: [], ...more })]));
    expect([exit, err.split('\n')[0]]).toEqual([2, naming(`examples[0].${path}`, `[${code}]`)]);
  }
});

const isRight = async (more: object, parts?: object): Promise<boolean> =>
  (await run(fileWith([example(more)], parts))).exit === 0;

const BOTH = { rewards: [{ name: 'thanks', commands: ['say {player} voted'] }, ...REWARDS] };
const DIAMOND = 'give Alex diamond 1';
const VOTED = 'say Alex voted';

test('an object in `expect` says how often each command is run, in any order, and 0 or nothing means never', async () => {
  for (const [expected, right] of [
    [{ [DIAMOND]: 1, [VOTED]: 10 }, true],
    [{ [DIAMOND]: 1, [VOTED]: 9 }, false],
    [{ [VOTED]: 10 }, false],
    [{ [DIAMOND]: 0, [VOTED]: 10 }, false],
  ] as const)
    expect(await isRight({ expect: expected }, BOTH)).toBe(right);
});

test('`only` leaves out the commands of other rewards, players and sites', async () => {
  const votes = [TEN, { ...TEN, player: 'Steve', site: 'Other-List.net', days: 1 }];
  const parts = { ...BOTH, sites: { 'My-List.com': {}, 'Other-List.net': {} } };
  for (const [only, expected] of [
    [{ reward: 'tenth' }, [DIAMOND]],
    [{ player: ['Steve'] }, ['say Steve voted']],
    [{ site: 'Other-List.net' }, ['say Steve voted']],
    [{ reward: 'tenth', player: 'Steve' }, []],
  ] as const)
    expect(await isRight({ votes, only, expect: expected }, parts)).toBe(true);
});

test('an entry of `votes` has its own, also for a run of votes, which leaves out the days of `skip`', async () => {
  const votes = [
    { ...TEN, days: 9, expect: [] },
    { player: 'Alex', site: 'My-List.com', at: '2026-11-10T18:00', expect: [DIAMOND] },
  ];
  for (const more of [
    { votes },
    { votes: votes.toReversed() },
    { votes: [{ ...TEN, days: 11, skip: ['2026-11-05'] }], expect: [DIAMOND] },
    { votes: [{ ...TEN, skip: ['2026-11-05'] }], expect: [] },
  ])
    expect(await isRight(more)).toBe(true);
});

test('times without a zone are those of `timeZone`, by default UTC, and stay the same on the wall when clocks change', async () => {
  const evening = { name: 'evening', if: { hours: '18:00-18:01' }, commands: ['say evening'] };
  const utc = { sites: { default: { cooldown: 'day' } }, rewards: [evening] };
  const berlin = { ...utc, timeZone: 'Europe/Berlin' };
  const from = (time: string) => [{ ...TEN, from: time, days: 10 }];
  for (const [time, expected, parts] of [
    ['2026-10-20T18:00', { 'say evening': 10 }, berlin],
    ['2026-10-20T18:00+02:00', { 'say evening': 10 }, berlin],
    ['2026-10-20T18:00+02:00', [], utc],
  ] as const)
    expect(await isRight({ votes: from(time), expect: expected }, parts)).toBe(true);
});

test('the seed decides what is drawn', async () => {
  const lucky = { rewards: [{ name: 'lucky', if: { chance: '50%' }, commands: ['say won'] }] };
  const one = { votes: [{ ...TEN, days: 1 }], expect: ['say won'] };
  const drawn = () => Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((seed) => isRight({ ...one, seed }, lucky)));
  const won = await drawn();
  expect(new Set(won)).toEqual(new Set([true, false]));
  expect(await drawn()).toEqual(won);
});

test('what players earn together is shown with its cause where it was not expected, and left out where only some sites or other entries are asked for', async () => {
  const parts = {
    rewards: [],
    party: [{ name: 'feast', every: 2, commands: ['give {player} cake 1'] }],
    tops: [{ name: 'best', period: 'day', ties: 'share', prizes: { 1: ['say {player} won'] } }],
  };
  const votes = [on('Alex', '01T18:00'), on('Bob', '01T18:01')];
  const cakes = ['give Alex cake 1', 'give Bob cake 1'];
  const shown = votes.map((vote, at) => ({ ...vote, expect: at === 0 ? [] : cakes }));
  const file = fileWith(
    [{ name: 'both', votes: shown, at: '2026-11-02T01:00', only: { player: 'Bob' }, expect: [] }],
    parts,
  );
  const { out, exit } = await run(file);
  expect(exit).toBe(1);
  expect(out.match(/^.*\+ .*$/gm)?.slice(-2)).toEqual([
    naming('+ give Bob cake 1', 'feast for party 1: Bob, 2026-11-01T18:01:00.000Z'),
    naming('+ say Bob won', 'best for top 2026-11-01 place 1: Bob, 2026-11-02T01:00:00.000Z'),
  ]);
  const [json] = (await run(file, '--json')).json;
  expect(json.mismatches.at(-1).rows).toMatchObject([{ site: null, player: 'Bob' }, { reward: 'best' }]);
  const one = { name: 'none', votes, expect: [] };
  const examples = [{ site: 'My-List.com' }, { reward: 'best' }].map((only) => ({ ...one, only }));
  expect((await run(fileWith(examples, parts))).exit).toBe(0);
});

const SITES = { 'My-List.com': {} };
const on = (player: string, at: string, more: object = {}): object => ({
  ...{ player, site: 'My-List.com', at: `2026-11-${at}` },
  ...more,
});

/** Types `teller rewards test` for a file with these examples. @returns what it printed, as `-expected` and `+run`. */
async function tried(content: object) {
  const { exit, out } = await run(fileOf({ sites: SITES, ...content }));
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
  await passes({ rewards: [], examples: [{ name: 'many', votes: [votes], expect: [] }] });
  expect(readdirSync(folder).toSorted()).toEqual(['-wal', '.lock', '.mark']);
  expect(readdirSync(temporary).filter((name) => !name.startsWith('teller-'))).toEqual([]);
});

test('a party is paid with the vote that reaches it, with figures of that moment; one for those online to the given players, or to the voters', async () => {
  const feast = { name: 'feast', every: 3, commands: ['say {player} has {votes}, party of {partyVotes}'] };
  const three = ['say Alex has 2, party of 3', 'say Bob has 1, party of 3'];
  const expected = [[], [], three, [], [], ['say Bob has 4, party of 3'], []];
  const players = ['Alex', 'Bob', 'Alex', 'Bob', 'Bob', 'Bob', 'Alex'];
  const seven = players.map((player, day) => on(player, `0${day + 1}T18:00`, { expect: expected[day] }));
  await passes({ rewards: [], party: [feast], examples: [{ name: 'seven', votes: seven }] });
  const votes = ['Alex', 'Bob', 'Carol'].map((player, n) => on(player, `01T1${6 + n}:00`));
  const cakes = (...of: readonly string[]) => of.map((player) => `give ${player} cake 1`);
  await passes({
    ...{ rewards: [], party: [{ ...feast, for: 'online', commands: ['give {player} cake 1'] }] },
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
      { name: 'not yet', votes, at: '2026-11-03T00:59', expect: [first] },
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
  const numbers = { name: 'n', votes: [on('Alex', '01T18:00')], expect: { 'say b': 1, 'say a': 1, x: 0 } };
  await passes({ rewards: rewardsOf(['say a', 'say b']), examples: [numbers] });
});

const FOLDER = join(import.meta.dirname, '../../docs/operators/examples');
const FILES = readdirSync(FOLDER).map((name) => join(FOLDER, name));

test.each(FILES)('the examples of %s pass', { timeout: 60_000 }, async (file) => {
  const { exit, out } = await run(file);
  expect(exit, out).toBe(0);
  expect(out).toMatch(/\n[1-9]\d* passed, 0 failed$/);
});

interface WithRewards {
  readonly rewards?: readonly object[];
  readonly examples?: unknown;
}

test('each reward on docs/operators/rewards.md is in one of them, so that it is tested', () => {
  const page = readFileSync(join(FOLDER, '../rewards.md'), 'utf8');
  const onPage = configsIn(page)
    .map(({ value }) => value as WithRewards)
    // A block with examples of its own is run by test/docs.test.ts.
    .filter(({ examples }) => examples === undefined)
    .flatMap(({ rewards = [] }) => rewards);
  const inFiles = FILES.flatMap((file) =>
    configsIn(`\`\`\`json\n${readFileSync(file, 'utf8')}\n\`\`\``),
  ).flatMap(({ value }) => (value as WithRewards).rewards ?? []);
  expect(onPage.length).toBeGreaterThan(15);
  expect(inFiles).toEqual(expect.arrayContaining([...onPage]));
});
