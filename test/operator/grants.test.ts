import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { changeGrants, type GrantChangeRequest, planGrantChange } from '../../src/operator/grants/change.ts';
import { commandChanges } from '../../src/operator/grants/rerender.ts';
import { selectionOf } from '../../src/operator/grants/selection.ts';
import { type Operator, operator } from '../commands/operator.ts';
import { writeConfig } from '../support/config-folder.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1', 'say {site}'] };

/** Steve’s grant 1 was refused by the game server; the outcome of Alex’s grant 2 is unknown. */
async function stuck(): Promise<Operator> {
  const one = await operator({ rewards: [DAILY] });
  for (const player of ['Steve', 'Alex']) await one.vote(player, 'List');
  await one.answer(1, 0, { kind: 'refused', reply: 'Unknown item' });
  await one.answer(2, 0, { kind: 'unknown', reason: 'timeout' });
  return one;
}

const PAY_1 = {
  action: 'pay',
  selection: { kind: 'ids', ids: [1] },
  payee: null,
  isRerendering: false,
} as const;

const plan = async ({ ledger, config }: Operator, request: GrantChangeRequest) =>
  planGrantChange(ledger, await loadConfig(config, { missingSecrets: 'defer' }), request);

async function change(one: Operator, request: GrantChangeRequest) {
  const planned = await plan(one, request);
  if (planned.kind !== 'planned') return planned;
  return changeGrants(one.ledger, await loadConfig(one.config, { missingSecrets: 'defer' }), planned, {
    by: 'ann',
    clock: one.clock,
  });
}

test('selects by ID or by filter, never by both, and selects nothing if neither is given', () => {
  expect(selectionOf([1, 2], {})).toEqual({ kind: 'ids', ids: [1, 2] });
  expect(selectionOf([], { reward: 'daily' })).toEqual({ kind: 'filter', filter: { reward: 'daily' } });
  expect(selectionOf([1], { state: 'held' })).toEqual({ kind: 'both' });
  expect(selectionOf([], {})).toEqual({ kind: 'neither' });
});

test('plans a change by filter with the number of grants by state, and changes nothing', async () => {
  const one = await stuck();
  const selection = { kind: 'filter', filter: { reward: 'daily' } } as const;
  expect(await plan(one, { ...PAY_1, selection })).toEqual({
    kind: 'planned',
    action: 'pay',
    to: null,
    ids: [1, 2],
    counts: new Map([
      ['held', 1],
      ['refused', 1],
    ]),
    shown: new Map(),
    isByFilter: true,
    rerendered: null,
    isDropping: false,
  });
  expect(await one.ledger.grantStates()).toEqual({ held: 1, refused: 1 });
});

test('returns the state and a code for each grant that cannot be changed, and changes the others', async () => {
  const one = await stuck();
  await one.ledger.cancel(1, { by: 'ann' }, one.clock.now());
  expect(await change(one, { ...PAY_1, selection: { kind: 'ids', ids: [1, 9, 2, 2] } })).toEqual([
    { kind: 'unchanged', id: 1, state: 'cancelled', problem: 'grant-moved-on' },
    { kind: 'unchanged', id: 9, state: 'missing', problem: 'grant-missing' },
    { kind: 'changed', id: 2, state: 'pending', redirected: null },
  ]);
});

test.each(['pay', 'ran'] as const)(
  '%s does not change a grant whose game server is not in the config',
  async (action) => {
    const one = await stuck();
    writeConfig(one.config, { gameServers: { survival: { kind: 'practice' } } });
    expect(await change(one, { ...PAY_1, action, selection: { kind: 'ids', ids: [2] } })).toEqual([
      { kind: 'unchanged', id: 2, state: 'held', problem: 'grant-nowhere', server: 'main' },
    ]);
  },
);

test('pays another player, and refuses a name that no player can have', async () => {
  const one = await stuck();
  expect(await plan(one, { ...PAY_1, payee: 'Steve; op Steve' })).toMatchObject({
    kind: 'player-not-allowed',
    payee: 'Steve; op Steve',
  });
  expect(await change(one, { ...PAY_1, payee: 'Alex' })).toEqual([
    { kind: 'changed', id: 1, state: 'pending', redirected: { to: 'Alex', insteadOf: 'Steve' } },
  ]);
});

test('compares the current commands with the old ones, and lists those that are dropped', async () => {
  const one = await stuck();
  writeConfig(one.config, { rewards: [{ name: 'daily', commands: ['give {player} emerald 1'] }] });
  const planned = await plan(one, { ...PAY_1, payee: 'Alex', isRerendering: true });
  if (planned.kind !== 'planned') throw new Error(planned.kind);
  const rerendered = planned.rerendered?.get(1);
  if (rerendered?.kind !== 'rendered') throw new Error(rerendered?.kind);
  expect(planned.isDropping).toBe(true);
  expect(commandChanges(rerendered, planned.to)).toEqual([
    { kind: 'old', command: 'give Steve diamond 1' },
    { kind: 'new', command: 'give Alex emerald 1' },
    { kind: 'drop', command: 'say List' },
  ]);
});

test.each([
  ['is gone', [], { kind: 'reward-gone', reward: 'daily' }],
  [
    'has more commands',
    [{ name: 'daily', commands: ['say a', 'say b', 'say c'] }],
    { kind: 'more-commands', reward: 'daily', has: 3, owed: 2 },
  ],
  [
    'uses a figure that was not stored',
    [{ name: 'daily', commands: ['say {votes}'] }],
    { kind: 'value-unknown', reward: 'daily', placeholder: '{votes}' },
  ],
  [
    'uses a draw that was not stored',
    [{ name: 'daily', commands: ['say {occasion} {random 1..6}'] }],
    { kind: 'value-unknown', reward: 'daily', placeholder: '{random 1..6}' },
  ],
  [
    'uses a user ID that the vote lacks',
    [{ name: 'daily', when: 'always', commands: ['say {userId}'] }],
    { kind: 'nothing-to-fill-in', reward: 'daily', placeholder: 'userId', voteId: 1 },
  ],
])('returns the reason why there are no new commands if the reward %s', async (_, rewards, fault) => {
  const one = await stuck();
  writeConfig(one.config, { rewards });
  expect(await change(one, { ...PAY_1, isRerendering: true })).toEqual({
    kind: 'rerender-impossible',
    faults: [{ grantId: 1, fault }],
  });
  expect(await one.ledger.grantStates()).toEqual({ held: 1, refused: 1 });
});

describe('a grant of a drawn entry', () => {
  const drawn = (...names: readonly string[]) => [
    {
      name: 'daily',
      oneOf: names.map((name) => ({ name, commands: [`say ${name} {votes} {random 5..5}`] })),
    },
  ];

  async function refused(): Promise<Operator> {
    const one = await operator({ rewards: drawn('rare', 'usual') });
    await one.vote('Steve', 'List');
    await one.answer(1, 0, { kind: 'refused', reply: 'Unknown item' });
    return one;
  }

  test('gets the new commands of that entry, filled in with what was stored', async () => {
    const one = await refused();
    const [{ choice } = { choice: null }] = await one.ledger.grants({ limit: 1 });
    writeConfig(one.config, {
      rewards: [
        {
          name: 'daily',
          oneOf: ['usual', 'rare'].map((name) => ({ name, commands: [`me ${name} {votes} {random 7..7}`] })),
        },
      ],
    });
    await change(one, { ...PAY_1, isRerendering: true });
    const [grant] = await one.ledger.grants({ limit: 1 });
    expect(choice).toMatchObject({ from: 'oneOf' });
    expect(grant?.commands.map(({ command }) => command)).toEqual([
      `me ${choice?.from === 'oneOf' ? choice.name : ''} 1 7`,
    ]);
  });

  test('cannot get those of another one', async () => {
    const one = await refused();
    const [{ choice } = { choice: null }] = await one.ledger.grants({ limit: 1 });
    writeConfig(one.config, { rewards: drawn('epic', 'common') });
    expect(await change(one, { ...PAY_1, isRerendering: true })).toEqual({
      kind: 'rerender-impossible',
      faults: [{ grantId: 1, fault: { kind: 'choice-gone', reward: 'daily', choice } }],
    });
  });
});
