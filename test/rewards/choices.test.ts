import { describe, expect, test } from 'vitest';
import { choiceText } from '../../src/core/choice.ts';
import { earnedBy } from '../../src/rewards/decide.ts';
import { ALL_WON, type Draws } from '../../src/rewards/draws.ts';
import { type History, NO_HISTORY } from '../../src/rewards/history.ts';
import { reasonText } from '../../src/rewards/reasons.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { faultsOf } from '../config/examined.ts';
import { drawsWhere, historyWith, reward, rewardWith, rulesFor, vote } from '../support/rewards.ts';

const seed = (number: number): Draws => ({ kind: 'drawn', seed: number });

/** What a vote earns: each grant as reward, game server and commands. */
function earned(rewards: readonly Reward[], draws = seed(1), history: History = NO_HISTORY) {
  const { grants, spent, reasons } = earnedBy(vote(), rulesFor(...rewards), draws, history);
  return {
    grants: grants.map((grant) => [grant.reward, grant.server, ...grant.commands]),
    choices: grants.map(({ choice }) => choice),
    spent: spent.map(({ occasion }) => occasion.name),
    reason: (name: string) => reasons.get(name),
  };
}

/** A player with this many counted votes before. */
const withVotes = (votes: number): History => historyWith({ count: () => votes });

describe('a reward with `prizes`', () => {
  const counting = reward('steps', {
    if: { votes: { of: 'total', at: [{ from: 1, to: 9, step: 1 }] } },
    commands: ['say any'],
    prizes: [
      { from: 1, to: 1, commands: ['say first'] },
      { from: 2, to: 3, commands: ['say second', 'say third'] },
    ],
  });

  test.each([
    [0, 'total 1', ['say first'], { from: 'prizes', name: '1' }],
    [2, 'total 3', ['say second', 'say third'], { from: 'prizes', name: '2..3' }],
    [3, 'total 4', ['say any'], null],
  ])('runs those of the total after %i votes: %s', (votes, occasion, commands, choice) => {
    const found = earned([counting], seed(1), withVotes(votes));
    expect(found.grants).toEqual([['steps', 'main', ...commands]]);
    expect(found.choices).toEqual([choice]);
    expect(found.spent).toEqual([occasion]);
    expect(found.reason('steps')).toEqual({
      code: 'granted',
      facts: { occasions: [occasion], ...(choice === null ? {} : { choices: [choice] }) },
    });
  });

  test('and without commands of its own spends the occasion of a total that has none', () => {
    const found = earned([{ ...counting, commands: [] }], seed(1), withVotes(3));
    expect(found.grants).toEqual([]);
    expect(found.spent).toEqual(['total 4']);
    expect(found.reason('steps')).toEqual({ code: 'no-prize', facts: { threshold: 4 } });
  });
});

describe('a reward with `oneOf`', () => {
  const crate = reward('crate', {
    servers: ['hub', 'sky'],
    commands: ['say a crate'],
    oneOf: [
      { name: 'rare', weight: 1, commands: ['give {player} beacon'] },
      { name: 'usual', weight: 3, commands: ['give {player} stick'] },
    ],
  });
  const isRare = (number: number) =>
    earned([crate], seed(number)).grants[0]?.includes('give {player} beacon');

  test('runs its commands and those of the entry that is drawn, the same on every game server', () => {
    for (let number = 0; number < 20; number++) {
      const [hub, sky] = earned([crate], seed(number)).grants;
      expect(hub?.slice(2)).toEqual(sky?.slice(2));
      expect(hub?.slice(2)).toEqual([
        'say a crate',
        isRare(number) ? 'give {player} beacon' : 'give {player} stick',
      ]);
    }
  });

  test('draws each entry as often as its weight says: a quarter of 20,000 votes within four standard deviations', () => {
    const rare = Array.from({ length: 20_000 }, (_, number) => isRare(number)).filter(Boolean).length;
    expect(Math.abs(rare - 5000)).toBeLessThan(4 * Math.sqrt(20_000 * 0.25 * 0.75));
  });

  test('draws for each occasion separately', () => {
    const daily = { ...crate, if: { firstVote: true } } as const;
    const drawn = (number: number) =>
      earned([crate, daily], seed(number)).choices.map((each) => JSON.stringify(each));
    expect(Array.from({ length: 40 }, (_, number) => new Set(drawn(number)).size)).toContain(2);
  });

  test('says what was drawn and how likely it was', () => {
    const { reason } = earned([crate], seed([0, 1, 2, 3, 4, 5, 6, 7].find(isRare) ?? -1));
    const choices = [{ from: 'oneOf', name: 'rare', share: 0.25 }];
    expect(reason('crate')).toEqual({ code: 'granted', facts: { choices } });
  });

  test('shows every entry where nothing is drawn yet', () => {
    expect(earned([crate], ALL_WON).choices).toEqual(
      ['hub', 'sky', 'hub', 'sky'].map((_, at) =>
        at < 2 ? { from: 'oneOf', name: 'rare', share: 0.25 } : { from: 'oneOf', name: 'usual', share: 0.75 },
      ),
    );
  });
});

describe('a reward with `otherwise`', () => {
  const lucky = reward('lucky', { if: { chance: 0.5 }, otherwise: ['say next time, {player}'] });
  const won = drawsWhere('lucky', (drawn) => drawn < 0.5);
  const lost = drawsWhere('lucky', (drawn) => drawn >= 0.5);

  test('is paid either way', () => {
    expect(earned([lucky], won).grants).toEqual([['lucky', 'main', 'say {player} voted']]);
    expect(earned([lucky], lost).grants).toEqual([['lucky', 'main', 'say next time, {player}']]);
    expect(earned([lucky], lost).reason('lucky')).toMatchObject({
      code: 'granted',
      facts: { chance: 0.5, choices: [{ from: 'otherwise' }] },
    });
  });

  test('counts as granted for `stop` and `firstOf`', () => {
    const next = reward('next', { firstOf: 'lucky' });
    expect(earned([{ ...lucky, stop: true }, reward('later')], lost).reason('later')).toEqual({
      code: 'stop',
      facts: { by: 'lucky' },
    });
    expect(earned([{ ...lucky, firstOf: 'lucky' }, next], lost).reason('next')).toEqual({
      code: 'first-of',
      facts: { by: 'lucky' },
    });
  });
});

describe('of the rewards of a `firstOf`', () => {
  const first = (more: Partial<Reward> = {}) => reward('first', { firstOf: 'first', ...more });
  const second = reward('second', { firstOf: 'first' });
  const names = (rewards: readonly Reward[], draws?: Draws, history?: History) =>
    earned(rewards, draws, history).grants.map(([name]) => name);

  test('only the first that holds is granted, and rewards outside of it as always', () => {
    const other = reward('other', { firstOf: 'elsewhere' });
    expect(names([first(), second, other, reward('plain')])).toEqual(['first', 'other', 'plain']);
  });

  test('one with a condition that does not hold leaves it to the next', () => {
    expect(names([first({ if: { site: ['Other'] } }), second])).toEqual(['second']);
  });

  test('one with a full limit leaves it to the next', () => {
    const full = historyWith({ reward: () => rewardWith({ countGranted: () => 1 }) });
    const limit = { per: 'player', count: 1, within: 'ever' } as const;
    expect(names([first({ limit }), second], seed(1), full)).toEqual(['second']);
  });

  test('one whose occasion is spent leaves it to the next', () => {
    const spent = historyWith({ reward: () => rewardWith({ isSpent: () => true }) });
    const everyVote = { votes: { of: 'total', every: 1 } } as const;
    expect(names([first({ if: everyVote }), second], seed(1), spent)).toEqual(['second']);
  });

  test('one whose chance is lost leaves it to the next', () => {
    const lost = drawsWhere('first', (drawn) => drawn >= 0.5);
    expect(names([first({ if: { chance: 0.5 } }), second], lost)).toEqual(['second']);
  });

  test('all that a draw may reach are shown where nothing is drawn yet', () => {
    expect(names([first({ if: { chance: 0.5 } }), second], ALL_WON)).toEqual(['first', 'second']);
    expect(names([first(), second], ALL_WON)).toEqual(['first']);
  });
});

describe('{random 1..6}', () => {
  const dice = reward('dice', {
    servers: ['hub', 'sky'],
    commands: ['eco give {player} {random 1..6}', 'say {random 1..6} coins', 'say {random 6..1}'],
  });
  const rolled = (number: number) => earned([dice], seed(number)).grants;

  test('is the same number in every command and on every game server', () => {
    for (let number = 0; number < 20; number++) {
      const [hub, sky] = rolled(number);
      const [, coins = ''] = /(\d) coins/.exec(hub?.[3] ?? '') ?? [];
      expect(hub?.slice(2)).toEqual([
        `eco give {player} ${coins}`,
        `say ${coins} coins`,
        'say {random 6..1}',
      ]);
      expect(sky?.slice(2)).toEqual(hub?.slice(2));
    }
  });

  test('is each number from the first to the last about equally often: 6,000 votes within four standard deviations', () => {
    const counts = new Map<string, number>();
    for (let number = 0; number < 6000; number++) {
      const command = rolled(number)[0]?.[2] ?? '';
      counts.set(command, (counts.get(command) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6].map((face) => `eco give {player} ${face}`));
    for (const count of counts.values()) {
      expect(Math.abs(count - 1000)).toBeLessThan(4 * Math.sqrt(6000 * (1 / 6) * (5 / 6)));
    }
  });
});

test('each choice is told in a few words', () => {
  expect(choiceText({ from: 'oneOf', name: 'rare', share: 0.3 })).toBe('drew rare, 30%');
  expect(choiceText({ from: 'prizes', name: '2..3' })).toBe('prize 2..3');
  expect(choiceText({ from: 'otherwise' })).toBe('lost, paid otherwise');
});

const HI = { commands: ['say hi'] };

test.each<[object, string[]]>([
  [{ if: { firstVote: true }, prizes: { '1': ['say hi'], '2..3': ['say hi'] } }, []],
  [
    {
      oneOf: [
        { weight: 70, ...HI },
        { name: 'rare', weight: 30, ...HI },
      ],
    },
    [],
  ],
  [{ if: { chance: '5%' }, ...HI, otherwise: ['say no'] }, []],
  [{}, ['config-value rewards[0].commands']],
  [{ commands: [] }, ['config-value rewards[0].commands']],
  [{ prizes: { '1': ['say hi'] } }, ['config-value rewards[0].prizes']],
  [{ if: { weekday: ['sat'] }, prizes: { '1': ['say hi'] } }, ['config-value rewards[0].prizes']],
  [{ if: { firstVote: true, streak: 7 }, prizes: { '1': ['say hi'] } }, ['config-value rewards[0].prizes']],
  [{ if: { firstVote: true }, prizes: {} }, ['config-value rewards[0].prizes']],
  [{ if: { firstVote: true }, prizes: { '3..2': ['say hi'] } }, ['config-value rewards[0].prizes["3..2"]']],
  [
    { if: { firstVote: true }, prizes: { '1..3': ['say hi'], '3': ['say hi'] } },
    ['config-value rewards[0].prizes'],
  ],
  [{ ...HI, otherwise: ['say no'] }, ['config-value rewards[0].otherwise']],
  [{ oneOf: [HI] }, ['config-value rewards[0].oneOf']],
  [{ oneOf: [{ weight: 0, ...HI }, HI] }, ['config-value rewards[0].oneOf[0].weight']],
  [{ oneOf: [{ name: '1', ...HI }, HI] }, ['config-value rewards[0].oneOf']],
  [
    { if: { firstVote: true }, prizes: { '1': ['say hi'] }, oneOf: [HI, HI] },
    ['config-value rewards[0].oneOf'],
  ],
  [
    { oneOf: [HI, { commands: ['say {userId} {player}'] }] },
    ['config-value rewards[0].commands', 'config-value rewards[0].when'],
  ],
])('the reward %j has these faults: %j', async (more, faults) => {
  expect(await faultsOf({ rewards: [{ name: 'one', ...more }] })).toEqual(faults);
});

test.each<[unknown, string[]]>([
  [
    [
      { name: 'a', ...HI },
      { name: 'b', ...HI },
    ],
    [],
  ],
  [[{ name: 'a', ...HI }], ['config-value rewards[0].firstOf']],
  [
    [
      { name: 'a', ...HI },
      { name: 'b', comands: [] },
    ],
    ['config-unknown-key rewards[0].firstOf[1].comands'],
  ],
  [
    [
      { name: 'a', ...HI },
      { name: 'a', ...HI },
    ],
    ['config-value rewards[0].firstOf[1].name'],
  ],
  [
    [
      { name: 'a', ...HI },
      { name: 'b', if: { site: 'Lost' }, ...HI },
    ],
    ['config-unknown-name rewards[0].firstOf[1].if.site'],
  ],
  [
    [{ name: 'a', ...HI }, { firstOf: [] }],
    ['config-value rewards[0].firstOf[1].name', 'config-unknown-key rewards[0].firstOf[1].firstOf'],
  ],
])('`firstOf` with %j has these faults: %j', async (firstOf, faults) => {
  expect((await faultsOf({ rewards: [{ firstOf }] })).sort()).toEqual([...faults].sort());
});

test('a reason says first that a lost chance was paid otherwise, and what was drawn at its end', () => {
  const lost = { chance: 0.05, rolled: 0.31, choices: [{ from: 'otherwise' }] };
  expect(reasonText({ code: 'granted', facts: lost })).toBe(
    'lost, paid otherwise, rolled 31%, needed less than 5%',
  );
  const drew = { occasions: ['total 25'], choices: [{ from: 'oneOf', name: 'rare', share: 0.3 }] };
  expect(reasonText({ code: 'granted', facts: drew })).toBe('granted for total 25, drew rare, 30%');
  expect(reasonText({ code: 'first-of', facts: { by: 'jackpot' } })).toBe('jackpot came first');
});
