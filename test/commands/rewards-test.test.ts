import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { furnish } from '../kit/place.ts';
import { typed } from '../kit/typed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

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

describe('rewards test', () => {
  test('prints a line for each example and exits 0 if all passed', async () => {
    const file = fileWith([example({ expect: ['give Alex diamond 1'] })]);
    const { out, exit } = await run(file);
    expect(out.split('\n')).toEqual([file, '  passed  ten votes', '1 passed, 0 failed']);
    expect(exit).toBe(0);
  });

  test('shows what was expected, what was run instead and by which vote, and exits 1', async () => {
    const { out, exit } = await run(fileWith([example({ expect: ['give Alex diamond 2'] })]));
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
      '0 passed, 1 failed',
    ]);
    expect(exit).toBe(1);
  });

  test('says why a single vote did not earn what was expected', async () => {
    const votes = [
      { ...TEN, days: 2 },
      { player: 'Alex', site: 'My-List.com', at: '2026-11-02T19:00', expect: ['give Alex diamond 1'] },
      { player: 'Alex', site: 'My-List.com', at: '2026-11-03T18:00', expect: ['give Alex diamond 1'] },
    ];
    const { out } = await run(fileWith([{ name: 'too early', votes }]));
    expect(out.split('\n').slice(2, -1)).toEqual([
      naming('votes[1]'),
      naming('- give Alex diamond 1'),
      naming('cooldown'),
      naming('votes[2]'),
      naming('- give Alex diamond 1'),
      naming('tenth', '3'),
    ]);
  });

  test('--json has one entry for each example, with its mismatches', async () => {
    const file = fileWith([example({ expect: [] }), example({ expect: ['give Alex diamond 1'] })]);
    const { out, exit } = await run(file, '--json');
    const rows = [
      {
        ...{
          kind: 'extra',
          command: 'give Alex diamond 1',
          reward: 'tenth',
          occasion: 'total 10',
          server: 'main',
        },
        ...{ player: 'Alex', site: 'My-List.com', castAt: '2026-11-10T18:00:00.000Z' },
      },
    ];
    const common = { file, line: 1, example: 'ten votes' };
    expect(JSON.parse(out)).toEqual([
      { ...common, passed: false, mismatches: [{ votes: null, rows }] },
      { ...common, passed: true, mismatches: [] },
    ]);
    expect(exit).toBe(1);
  });

  test('runs several files, with a fresh ledger for each example', async () => {
    const one = fileWith([example({ expect: ['give Alex diamond 1'] })]);
    const two = fileWith([
      example({ expect: ['give Alex diamond 1'] }),
      example({ expect: ['give Alex diamond 1'] }),
    ]);
    const { out, exit } = await run(one, two);
    expect(out.split('\n').at(-1)).toBe('3 passed, 0 failed');
    expect(exit).toBe(0);
  });

  test('tests the rewards of --config with a file that has none of its own', async () => {
    const { config } = furnish(temporaryFolder(), { rewards: REWARDS });
    const file = fileWith([example({ expect: ['give Alex diamond 1'] })], {});
    expect((await run(file, '--config', config)).exit).toBe(0);
  });

  test('runs each vote as if it was paid at once', async () => {
    const rewards = [{ name: 'coins', delay: '1h', commands: ['eco give {player} 1'] }];
    const file = fileWith([example({ expect: { 'eco give Alex 1': 10 } })], { rewards });
    expect(await run(file)).toMatchObject({ exit: 0 });
  });

  test('reads YAML by the ending of the file', async () => {
    const text = `rewards:
  - name: thanks
    commands: ["say {player} voted"]
examples:
  - name: one vote
    votes:
      - { player: Alex, site: My-List.com, at: 2026-11-01T18:00 }
    expect: [say Alex voted]
`;
    const { out, exit } = await run(fileOf(text, 'examples.yml'));
    expect([exit, out]).toEqual([0, naming('1 passed, 0 failed')]);
  });

  test('says that a file does not exist, and exits 2', async () => {
    const { err, exit } = await run('/nowhere/examples.json');
    expect([exit, err]).toEqual([2, naming('/nowhere/examples.json', '[examples-missing]')]);
  });

  test('reports everything that is wrong with a file at once, with lines and columns, and exits 2 before any example is run', async () => {
    const good = fileWith([example({ expect: [] })]);
    const file = fileOf(`{
  "rewards": [{ "name": "thanks", "comands": ["say hi"] }],
  "examples": [
    { "name": "one", "votes": [{ "player": "Alex", "site": "A", "at": "noon" }], "expect": 3 },
    { "name": "two", "votes": [{ "player": "Alex", "site": "A", "at": "2026-11-01T18:00" }] }
  ]
}`);
    const { out, err, exit } = await run(good, file);
    expect(exit).toBe(2);
    expect(out).toBe('');
    expect(err.split('\n')).toEqual([
      naming(`${file}:2:35`, 'rewards[0].comands', "perhaps you meant 'commands'", '[config-unknown-key]'),
      naming(`${file}:4:`, 'examples[0].votes[0].at:', '2026-11-01T18:00', '[config-value]'),
      naming(`${file}:4:`, 'examples[0].expect', '[config-value]'),
      naming(`${file}:5:`, 'examples[1].expect', '[config-value]'),
      naming('4 problems', '[config-invalid]'),
    ]);
  });

  test.each([
    [{ votes: [{ player: 'Alex', site: 'A' }] }, 'votes[0].at', 'config-value'],
    [{ votes: [{ ...TEN, at: '2026-11-01T18:00' }] }, 'votes[0].at', 'config-value'],
    [{ votes: [{ player: 'Alex', site: 'A', from: '2026-11-01T18:00' }] }, 'votes[0].days', 'config-value'],
    [
      { votes: [{ player: 'Alex', site: 'A', at: '2026-11-01T18:00', days: 3 }] },
      'votes[0].days',
      'config-value',
    ],
    [
      { votes: [{ player: 'Alex', site: 'A', at: '2026-11-01T18:00', skip: '2026-11-02' }] },
      'votes[0].skip',
      'config-value',
    ],
    [{ votes: [{ ...TEN, skip: '2026-11-31' }] }, 'votes[0].skip', 'config-value'],
    [{ votes: [{ ...TEN, from: '2026-11-01' }] }, 'votes[0].from', 'config-value'],
    [{ votes: [{ ...TEN, player: '@a' }] }, 'votes[0].player', 'config-value'],
    [
      { votes: [{ ...TEN, days: 3660, player: Array.from({ length: 28 }, (_, n) => `P${n}`) }] },
      'votes',
      'config-value',
    ],
    [{ only: { reward: 'tneth' } }, 'only.reward', 'config-unknown-name'],
    [{ at: '2026-11-10T17:59' }, 'at', 'config-value'],
    [{ online: 'no player!' }, 'online', 'config-value'],
    [{ only: { player: 'Steve' } }, 'only.player', 'config-unknown-name'],
    [{ only: { site: 'My-List' } }, 'only.site', 'config-unknown-name'],
    [{ seed: -1 }, 'seed', 'config-value'],
  ])('refuses %j', async (more, path, code) => {
    const { err, exit } = await run(fileWith([example({ expect: [], ...more })]));
    expect([exit, err.split('\n')[0]]).toEqual([2, naming(`examples[0].${path}`, `[${code}]`)]);
  });
});

describe('expectations', () => {
  const passes = async (more: object, parts?: object): Promise<boolean> =>
    (await run(fileWith([example(more)], parts))).exit === 0;

  const BOTH = {
    rewards: [{ name: 'thanks', commands: ['say {player} voted'] }, ...REWARDS],
  };

  test('an object says how often each command is run, in any order, and 0 or nothing means never', async () => {
    expect(await passes({ expect: { 'give Alex diamond 1': 1, 'say Alex voted': 10 } }, BOTH)).toBe(true);
    expect(await passes({ expect: { 'give Alex diamond 1': 1, 'say Alex voted': 9 } }, BOTH)).toBe(false);
    expect(await passes({ expect: { 'say Alex voted': 10 } }, BOTH)).toBe(false);
    expect(await passes({ expect: { 'give Alex diamond 1': 0, 'say Alex voted': 10 } }, BOTH)).toBe(false);
  });

  test('`only` leaves out the commands of other rewards, players and sites', async () => {
    const two = { votes: [TEN, { ...TEN, player: 'Steve', site: 'Other-List.net', days: 1 }] };
    const sites = { sites: { 'My-List.com': {}, 'Other-List.net': {} } };
    const one = async (only: object, expected: object): Promise<boolean> =>
      passes({ ...two, only, expect: expected }, { ...BOTH, ...sites });
    expect(await one({ reward: 'tenth' }, ['give Alex diamond 1'])).toBe(true);
    expect(await one({ player: ['Steve'] }, ['say Steve voted'])).toBe(true);
    expect(await one({ site: 'Other-List.net' }, ['say Steve voted'])).toBe(true);
    expect(await one({ reward: 'tenth', player: 'Steve' }, [])).toBe(true);
  });

  test('an entry of `votes` has expectations of its own, also for a run of votes', async () => {
    const votes = [
      { ...TEN, days: 9, expect: [] },
      { player: 'Alex', site: 'My-List.com', at: '2026-11-10T18:00', expect: ['give Alex diamond 1'] },
    ];
    expect(await passes({ votes })).toBe(true);
    expect(await passes({ votes: votes.toReversed() })).toBe(true);
  });

  test('a run skips the days of `skip`', async () => {
    expect(
      await passes({ votes: [{ ...TEN, days: 11, skip: ['2026-11-05'] }], expect: ['give Alex diamond 1'] }),
    ).toBe(true);
    expect(await passes({ votes: [{ ...TEN, skip: ['2026-11-05'] }], expect: [] })).toBe(true);
  });

  test('times without a zone are those of `timeZone`, by default UTC, and stay the same on the wall when clocks change', async () => {
    const evening = { name: 'evening', if: { hours: '18:00-18:01' }, commands: ['say evening'] };
    const votes = [{ ...TEN, from: '2026-10-20T18:00', days: 10 }];
    const cooldown = { default: { cooldown: 'day' } };
    const berlin = { timeZone: 'Europe/Berlin', sites: cooldown, rewards: [evening] };
    expect(await passes({ votes, expect: { 'say evening': 10 } }, berlin)).toBe(true);
    const written = [{ ...TEN, from: '2026-10-20T18:00+02:00', days: 10 }];
    expect(await passes({ votes: written, expect: { 'say evening': 10 } }, berlin)).toBe(true);
    expect(await passes({ votes: written, expect: [] }, { sites: cooldown, rewards: [evening] })).toBe(true);
  });

  test('the seed decides what is drawn', async () => {
    const lucky = { rewards: [{ name: 'lucky', if: { chance: '50%' }, commands: ['say won'] }] };
    const seeds = Array.from({ length: 12 }, (_, seed) => seed);
    const one = { votes: [{ ...TEN, days: 1 }], expect: ['say won'] };
    const won = await Promise.all(seeds.map((seed) => passes({ ...one, seed }, lucky)));
    expect(new Set(won)).toEqual(new Set([true, false]));
    expect(await Promise.all(seeds.map((seed) => passes({ ...one, seed }, lucky)))).toEqual(won);
  });
});

describe('rewards test with what players earn together', () => {
  const BOTH = ['Alex', 'Bob'];
  const parts = {
    rewards: [],
    party: [{ name: 'feast', every: 2, commands: ['give {player} cake 1'] }],
    tops: [{ name: 'best', period: 'day', ties: 'share', prizes: { 1: ['say {player} won'] } }],
  };
  const votes = [
    { player: 'Alex', site: 'My-List.com', at: '2026-11-01T18:00', expect: [] },
    {
      player: 'Bob',
      site: 'My-List.com',
      at: '2026-11-01T18:01',
      expect: BOTH.map((name) => `give ${name} cake 1`),
    },
  ];

  test('expects the commands of a party with the vote that reaches it, and those of a top with all votes', async () => {
    const expect_ = [...BOTH.map((name) => `give ${name} cake 1`), ...BOTH.map((name) => `say ${name} won`)];
    const ended = { name: 'both', votes, at: '2026-11-02T01:00' };
    expect((await run(fileWith([{ ...ended, expect: expect_ }], parts))).exit).toBe(0);
    const before = { ...ended, at: '2026-11-02T00:59', expect: expect_.slice(0, 2) };
    expect((await run(fileWith([before], parts))).exit).toBe(0);
  });

  test('says for what and when a command was run that was not expected', async () => {
    const file = fileWith(
      [{ name: 'both', votes, at: '2026-11-02T01:00', only: { player: 'Bob' }, expect: [] }],
      parts,
    );
    const { out, exit } = await run(file);
    expect(exit).toBe(1);
    const lines = out.split('\n').filter((line) => line.includes('+ '));
    expect(lines.slice(-2)).toEqual([
      naming('+ give Bob cake 1', 'feast for party 1: Bob, 2026-11-01T18:01:00.000Z'),
      naming('+ say Bob won', 'best for top 2026-11-01 place 1: Bob, 2026-11-02T01:00:00.000Z'),
    ]);
    const [json] = JSON.parse((await run(file, '--json')).out);
    expect(json.mismatches.at(-1).rows).toMatchObject([{ site: null, player: 'Bob' }, { reward: 'best' }]);
  });

  test('leaves them out where only some sites, or other entries, are asked for', async () => {
    const one = { name: 'none', votes: votes.map(({ expect: _, ...vote }) => vote), expect: [] };
    for (const only of [{ site: 'My-List.com' }, { reward: 'best' }])
      expect((await run(fileWith([{ ...one, only }], parts))).exit).toBe(0);
  });
});
