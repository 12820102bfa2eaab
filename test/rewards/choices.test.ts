/** What a reward pays once its `if` holds, and to whom. */
import { describe, expect, test } from 'vitest';
import { faultsOf } from '../config/examined.ts';
import { drawn, EACH_VOTE, judged } from '../kit/judged.ts';
import { type Cast, gameServers, june, NOON, reward, SECOND } from '../kit/ledgers.ts';
import { desk } from '../kit/place.ts';

/** So many votes of one player, each with a random number of its own. */
const times = (count: number): Cast[] =>
  Array.from({ length: count }, (_, n) => ({ at: NOON + 2 * n * SECOND, seed: n }));
/** For each of these votes, what this one reward grants it. */
const paid = async (one: object, votes: readonly Cast[], more: object = {}) =>
  (await judged({ rewards: [one], ...more }, votes)).map(({ grants }) => grants);
/** Why each vote was granted each reward, or not. */
const whyOf = async (rewards: readonly object[], votes: readonly Cast[] = [{}]) =>
  (await judged({ rewards }, votes)).map(({ why }) => why);

/** Within four standard deviations of what is expected. */
function expectAbout(found: number, draws: number, probability: number): void {
  const deviation = Math.sqrt(draws * probability * (1 - probability));
  expect(Math.abs(found - draws * probability)).toBeLessThan(4 * deviation);
}

const steps = {
  ...{ name: 'steps', when: 'always', if: { votes: { at: ['1..9 step 1'] } } },
  prizes: { '1': ['say first'], '2..3': ['say second', 'say third'] },
};

test('a reward with `prizes` runs those of the total that is reached, or else its own commands', async () => {
  const votes = await judged({ rewards: [{ ...steps, commands: ['say any'] }] }, times(4));
  expect(votes.map(({ grants, why }) => [...grants, why.steps])).toEqual([
    ['steps main: say first', 'granted for total 1, prize 1'],
    ['steps main: say second; say third', 'granted for total 2, prize 2..3'],
    ['steps main: say second; say third', 'granted for total 3, prize 2..3'],
    ['steps main: say any', 'granted for total 4'],
  ]);
});

test('a reward with `prizes` and without commands of its own pays nothing for a total that has none, and says so', async () => {
  const [, , , fourth] = await judged({ rewards: [steps] }, times(4));
  expect(fourth).toMatchObject({
    ...{ grants: [], rewards: { steps: 'no-prize' }, why: { steps: 'no prize for 4' } },
  });
});

const HUBS = { gameServers: gameServers('hub', 'sky') };

test('a reward with `oneOf` runs its commands and those of the entry that is drawn, the same on every game server, and says how likely it was', async () => {
  const crate = {
    ...{ name: 'crate', when: 'always', servers: ['hub', 'sky'], commands: ['say a crate'] },
    oneOf: [
      { name: 'rare', weight: 1, commands: ['give {player} beacon'] },
      { weight: 3, commands: ['give {player} stick'] },
    ],
  };
  const votes = await judged({ rewards: [crate], ...HUBS }, times(40));
  const found = new Set(votes.map(({ grants, why }) => JSON.stringify([...grants, why.crate])));
  expect([...found].toSorted()).toEqual([
    '["crate hub: say a crate; give Steve beacon","crate sky: say a crate; give Steve beacon","granted, drew rare, 25%"]',
    '["crate hub: say a crate; give Steve stick","crate sky: say a crate; give Steve stick","granted, drew 1, 75%"]',
  ]);
});

describe('a reward with a chance', () => {
  const LOST = /^rolled [\d.]+%, needed less than 50%$/;
  const lucky = reward('lucky', { if: { chance: '50%' } });
  const lost = { ...lucky, otherwise: ['say next time, {player}'] };

  test('is granted exactly if the number of the vote is below it, which is said either way', async () => {
    const numbers = times(30).map(({ seed = 0 }) => drawn(seed, 'chance', 'lucky', ''));
    const found = await judged({ rewards: [lucky] }, times(30));
    for (const [at, { rewards, why }] of found.entries()) {
      const isWon = (numbers[at] ?? 1) < 0.5;
      expect(rewards.lucky).toEqual(isWon ? [] : 'chance');
      expect(why.lucky).toMatch(isWon ? /^granted, rolled [\d.]+%, needed less than 50%$/ : LOST);
    }
  });

  test('of 100% is always granted', async () => {
    expect(await paid(reward('r', { if: { chance: '100%' } }), times(20))).toEqual(
      Array(20).fill(['r main: say Steve voted']),
    );
  });

  test('is lost by chance only if every other condition is met', async () => {
    const elsewhere = reward('lucky', { if: { chance: '1%', site: 'Other' } });
    expect(await whyOf([elsewhere])).toEqual([{ lucky: 'not this site' }]);
  });

  test('pays `otherwise` if it is lost, which says first that it was lost', async () => {
    const votes = await judged({ rewards: [lost] }, times(30));
    const found = votes.map(
      ({ grants, why }) => `${grants} ${why.lucky?.replaceAll(/rolled [\d.]+%/g, 'rolled')}`,
    );
    expect([...new Set(found)].toSorted()).toEqual([
      'lucky main: say Steve voted granted, rolled, needed less than 50%',
      'lucky main: say next time, Steve lost, paid otherwise, rolled, needed less than 50%',
    ]);
  });

  test('that pays otherwise counts as granted for `stop` and `firstOf`', async () => {
    const later = reward('later');
    for (const rewards of [[{ ...lost, stop: true }, later], [{ firstOf: [lost, later] }]])
      expect(new Set((await judged({ rewards }, times(9))).map((one) => one.rewards.later))).toEqual(
        new Set(['stop' in rewards[0]! ? 'stop' : 'first-of']),
      );
  });
});

test('what is drawn comes as often as its probability says, and says nothing about what is drawn for another reward', async () => {
  const crate = [
    { name: 'rare', weight: 5, commands: ['rare'] },
    { name: 'good', weight: 20, commands: ['good'] },
    { name: 'usual', weight: 75, commands: ['usual'] },
  ];
  const rewards = [
    reward('lucky', { if: { chance: '5%' }, commands: ['won'], otherwise: ['lost'] }),
    { name: 'crate', when: 'always', oneOf: crate },
    reward('dice', { commands: ['rolled {random 1..6}'] }),
  ];
  const votes = 600;
  const runs = new Map<string, number>();
  for (const { grants } of await judged({ rewards }, times(votes))) {
    const commands = grants.map((grant) => grant.split(': ')[1] ?? '');
    for (const command of [...commands, commands.slice(0, 2).join(' and ')])
      runs.set(command, (runs.get(command) ?? 0) + 1);
  }
  const expected: Readonly<Record<string, number>> = {
    ...{ won: 0.05, lost: 0.95, rare: 0.05, good: 0.2, usual: 0.75, 'won and usual': 0.05 * 0.75 },
    ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((face) => [`rolled ${face}`, 1 / 6])),
  };
  for (const [command, probability] of Object.entries(expected))
    expectAbout(runs.get(command) ?? 0, votes, probability);
});

test('{random 1..6} is the same number in every command and on every game server', async () => {
  const commands = ['eco give {player} {random 1..6}', 'say {random 1..6} coins'];
  const dice = { name: 'dice', when: 'always', servers: ['hub', 'sky'], commands };
  for (const [hub = '', sky] of await paid(dice, times(20), HUBS)) {
    const [, coins] = /([1-6]) coins/.exec(hub) ?? [];
    expect(hub).toBe(`dice hub: eco give Steve ${coins}; say ${coins} coins`);
    expect(sky).toBe(hub.replace('hub', 'sky'));
  }
});

describe('of the rewards of a `firstOf`', () => {
  const second = reward('second');
  /** The rewards that each vote is granted. */
  const names = async (first: object, votes: readonly Cast[] = [{}], ...others: readonly object[]) => {
    const rewards = [{ firstOf: [reward('first', first), second] }, ...others];
    const found = await judged({ rewards, sites: EACH_VOTE }, votes);
    return found.map(({ grants }) => grants.map((grant) => grant.split(' ')[0]).join());
  };

  test('only the first that holds is granted, and rewards outside of it as always', async () => {
    expect(await names({}, [{}], { firstOf: [reward('other'), reward('last')] }, reward('plain'))).toEqual([
      'first,other,plain',
    ]);
    expect(await whyOf([{ firstOf: [reward('first'), second] }])).toEqual([
      { first: 'granted', second: 'first came first' },
    ]);
  });

  test.each<[string, object, readonly string[]]>([
    ['a condition that does not hold', { if: { site: 'Other' } }, ['second', 'second']],
    ['a full limit', { limit: { per: 'player', count: 1, within: 'ever' } }, ['first', 'second']],
    ['an occasion that is spent', { if: { allSites: { sites: ['List'] } } }, ['first', 'second']],
    ['a total that is not reached', { if: { votes: { every: 2 } } }, ['second', 'first']],
  ])('one with %s leaves it to the next', async (_, first, expected) => {
    expect(await names(first, times(2))).toEqual(expected);
  });

  test('one whose chance is lost leaves it to the next', async () => {
    const won = times(20).map(({ seed = 0 }) => drawn(seed, 'chance', 'first', '') < 0.5);
    const expected = won.map((is) => (is ? 'first' : 'second'));
    expect(await names({ if: { chance: '50%' } }, times(20))).toEqual(expected);
  });
});

test('a reward with `stop` that is granted leaves nothing for those after it, and one that is not stops nothing', async () => {
  for (const [more, first, after] of [
    [{}, 'granted', 'stopped by first'],
    [{ if: { site: 'Other' } }, 'not this site', 'granted'],
  ] as const) {
    const rewards = [reward('before'), reward('first', { stop: true, ...more }), reward('after')];
    expect(await whyOf(rewards)).toEqual([{ before: 'granted', first, after }]);
  }
});

describe('a vote of a player or of a user ID', () => {
  const rewards = [
    reward('player', { commands: ['give {player} diamond 1'] }),
    reward('percent', { commands: ['say %player% voted'] }),
    reward('user', { commands: ['pay {userId} 5'] }),
    reward('uuid', { commands: ['lp user {uuid}'], when: 'online' }),
    reward('both', { commands: ['say a vote on {site}'] }),
    reward('online', { commands: ['say hello'], when: 'online' }),
    reward('lucky', { commands: ['say {player}'], if: { chance: '1%' } }),
  ];

  test('of a player earns rewards that name a player or no recipient, and none that names a user ID', async () => {
    const [vote] = await judged({ rewards }, [{}]);
    expect(vote?.rewards).toMatchObject({
      ...{ player: [], percent: [], user: 'recipient-kind', uuid: [], both: [], online: [] },
    });
    expect(vote?.why.user).toContain('uses {userId}');
  });

  test('of a user ID earns rewards that name it or no recipient, and none that names or waits for a player', async () => {
    const [vote] = await judged({ rewards }, [{ user: '80351110224678912' }]);
    expect(vote?.grants).toEqual(['user main: pay 80351110224678912 5', 'both main: say a vote on List']);
    expect(vote?.why).toMatchObject({
      player: expect.stringContaining('uses {player}'),
      percent: expect.stringContaining('uses {player}'),
      uuid: expect.stringContaining('uses {uuid}'),
      online: expect.stringContaining('waits for a player'),
      lucky: expect.stringContaining('uses {player}'),
    });
    expect(Object.values(vote?.rewards ?? {}).filter((one) => one === 'recipient-kind')).toHaveLength(5);
  });
});

test('{streak} is the streak that was reached, which a late vote may reach on a later day, also as %streak%', async () => {
  const commands = ['say {streak} %streak%'];
  const run = reward('run', { if: { streak: { length: 2, repeat: true } }, commands });
  const votes = [1, 2, 4, 5, 3].map((date) => ({ at: june(date) }));
  const [two, four] = [['run main: say 2 2'], ['run main: say 4 4']];
  expect(await paid(run, votes)).toEqual([[], two, [], two, four]);
});

describe('an occasion that the operator names', () => {
  const give = (text: string) =>
    desk({ rewards: [reward('r')] }).run(
      ...['reward', 'r', '--player', 'Steve', '--occasion', text, '--json'],
    );
  test.each([
    'total 25',
    'site My List, total 3 total 4',
    'day 2026-06-01 total 2',
    'week 2026-W23 total 5',
    'month 2026-06 total 60',
    'network 1000',
    'streak 7 reached 2026-06-01',
    'streak 3 reached 2026-06',
    'day 2026-06-01',
    'return 2026-06-01',
    'total 25, streak 7 reached 2026-06-01',
  ])('may be "%s"', async (text) => {
    expect((await give(text)).json).toMatchObject([{ occasion: text }]);
  });

  test.each([
    'total',
    'total 0',
    'total 25 ',
    'Total 25',
    'day 2026-06 total 2',
    'day 2026-06-31',
    'week 2026-W54',
    'month 2026-06',
    'streak 7',
    'streak 7 reached tomorrow',
    'total 25,streak 7 reached 2026-06-01',
  ])('cannot be "%s"', async (text) => {
    expect((await give(text)).err).toContain('[occasion-unknown]');
  });
});

const HI = { commands: ['say hi'] };
const limit = (per: string, count: number, within?: string) => ({ ...HI, limit: { per, count, within } });
const FIRST = { if: { firstVote: true } };
const RARE = { name: 'rare', weight: 30, ...HI };
const prizes = (...ranges: readonly string[]) => ({
  prizes: Object.fromEntries(ranges.map((range) => [range, HI.commands])),
});

test.each<[reward: object, ...keys: string[]]>([
  [{ ...FIRST, ...prizes('1', '2..3') }],
  [{ oneOf: [{ weight: 70, ...HI }, RARE] }],
  [{ if: { chance: '5%' }, ...HI, otherwise: ['say no'] }],
  [limit('player', 3, 'day')],
  [limit('player', 0, 'day'), 'limit.count'],
  [limit('team', 1, 'day'), 'limit.per'],
  [limit('player', 1), 'limit.within'],
  [{}, 'commands'],
  [{ commands: [] }, 'commands'],
  [prizes('1'), 'prizes'],
  [{ if: { weekday: ['sat'] }, ...prizes('1') }, 'prizes'],
  [{ if: { firstVote: true, streak: 7 }, ...prizes('1') }, 'prizes'],
  [{ ...FIRST, ...prizes() }, 'prizes'],
  [{ ...FIRST, ...prizes('3..2') }, 'prizes["3..2"]'],
  [{ ...FIRST, ...prizes('1..3', '3') }, 'prizes'],
  [{ ...HI, otherwise: ['say no'] }, 'otherwise'],
  [{ oneOf: [HI] }, 'oneOf'],
  [{ oneOf: [{ weight: 0, ...HI }, HI] }, 'oneOf[0].weight'],
  [{ oneOf: [{ name: '1', ...HI }, HI] }, 'oneOf'],
  [{ ...FIRST, ...prizes('1'), oneOf: [HI, HI] }, 'oneOf'],
  [{ oneOf: [HI, { commands: ['say {userId} {player}'] }] }, 'commands', 'when'],
])('a config in which a reward is %j has faults at these keys: %s', async (more, ...keys) => {
  expect(await faultsOf({ rewards: [{ name: 'one', ...more }] })).toEqual(
    keys.map((key) => `config-value rewards[0].${key}`),
  );
});

const A = { name: 'a', ...HI };
const B = { name: 'b', ...HI };

test.each<[firstOf: unknown, ...faults: string[]]>([
  [[A, B]],
  [[A], 'config-value firstOf'],
  [[A, { name: 'b', comands: [] }], 'config-unknown-key firstOf[1].comands'],
  [[A, A], 'config-value firstOf[1].name'],
  [[A, { ...B, if: { site: 'Lost' } }], 'config-unknown-name firstOf[1].if.site'],
  [[A, { firstOf: [] }], 'config-unknown-key firstOf[1].firstOf', 'config-value firstOf[1].name'],
])('a config with `firstOf` as %j has these faults: %s', async (firstOf, ...faults) => {
  expect((await faultsOf({ rewards: [{ firstOf }] })).toSorted()).toEqual(
    faults.map((fault) => fault.replace(' ', ' rewards[0].')),
  );
});
