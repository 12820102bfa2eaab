import { describe, expect, test } from 'vitest';
import { writeConfig } from '../support/config-folder.ts';
import { type Operator, operator } from './operator.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1', 'say {site}'] };
const THANKS = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };

const REFUSED = { kind: 'refused', reply: 'Unknown item' } as const;
const UNKNOWN = { kind: 'unknown', reason: 'timeout' } as const;
const DELIVERED = { kind: 'delivered', reply: 'Gave 1 [Diamond] to Steve' } as const;

const NOON = '2026-06-01T12:00:00.000Z';

const states = async ({ ledger }: Operator): Promise<Record<number, string>> =>
  Object.fromEntries((await ledger.grants({ limit: 2000 })).map(({ id, state }) => [id, state]));

/** Steve is owed grant 1, which the server refused; Alex 2, whose outcome is unknown; Zoe 3, which was paid. */
async function stuck(overrides: object = {}): Promise<Operator> {
  const one = await operator({ rewards: [DAILY], ...overrides });
  for (const player of ['Steve', 'Alex', 'Zoe']) await one.vote(player, 'List');
  await one.answer(1, 0, REFUSED);
  await one.answer(2, 0, UNKNOWN);
  await one.answer(3, 0, DELIVERED);
  await one.answer(3, 1, DELIVERED);
  return one;
}

describe('grants', () => {
  test('--json has exactly the fields of the contract, in their order', async () => {
    const { teller } = await stuck();
    const { out, exit } = await teller('grants', '--json', '--player', 'steve');
    expect(exit).toBe(0);
    expect(out).toBe(
      JSON.stringify([
        {
          id: 1,
          voteId: 1,
          player: 'Steve',
          reward: 'daily',
          server: 'main',
          practice: true,
          state: 'refused',
          commands: [
            {
              command: 'give Steve diamond 1',
              outcome: 'refused',
              attempts: 1,
              reply: 'Unknown item',
              startedAt: NOON,
              endedAt: NOON,
            },
            {
              command: 'say List',
              outcome: null,
              attempts: 0,
              reply: null,
              startedAt: null,
              endedAt: null,
            },
          ],
          note: 'Unknown item',
          createdAt: NOON,
          changedAt: NOON,
          likelyPlayer: null,
          insteadOf: null,
          redirectedAt: null,
        },
      ]),
    );
  });

  test('are listed newest first, and filters narrow them down', async () => {
    const one = await operator({ rewards: [THANKS, DAILY] });
    await one.vote('Steve', 'List');
    await one.vote('Alex', 'List');
    await one.answer(1, 0, REFUSED);
    const found = async (...words: string[]) =>
      JSON.parse((await one.teller('grants', '--json', ...words)).out).map(({ id }: { id: number }) => id);
    expect(await found()).toEqual([4, 3, 2, 1]);
    expect(await found('--state', 'refused')).toEqual([1]);
    expect(await found('--reward', 'daily')).toEqual([4, 2]);
    expect(await found('--server', 'elsewhere')).toEqual([]);
    expect(await found('--player', 'ALEX')).toEqual([4, 3]);
    expect(await found('--after', '3', '--limit', '1')).toEqual([2]);
  });

  test('the table shows the state, what ran and why it stopped', async () => {
    const { teller } = await stuck();
    expect((await teller('grants')).out.split('\n')).toEqual([
      'GRANT  VOTE  PLAYER  REWARD  SERVER           STATE      COMMANDS    NOTE',
      '3      3     Zoe     daily   main (practice)  delivered  2 of 2 ran',
      '2      2     Alex    daily   main (practice)  held       0 of 2 ran  no complete reply came in time',
      '1      1     Steve   daily   main (practice)  refused    0 of 2 ran  Unknown item',
    ]);
  });
});

describe('grants pay, mark-paid and cancel', () => {
  test('change the grants that are named, and say so', async () => {
    const one = await stuck();
    expect(await one.teller('grants', 'pay', '1')).toEqual({
      exit: 0,
      out: 'grant 1 will be paid by the running Teller',
      err: '',
    });
    expect((await one.teller('grants', 'mark-paid', '2')).out).toBe('grant 2 counts as paid');
    expect((await one.teller('grants', 'cancel', '1', '--json')).out).toBe(
      '[{"id":1,"changed":true,"state":"cancelled","problem":null}]',
    );
    expect(await states(one)).toEqual({ 1: 'cancelled', 2: 'delivered', 3: 'delivered' });
  });

  test('a grant that has moved on is 1, naming the state it is in; the others are changed', async () => {
    const one = await stuck();
    const { err, out, exit } = await one.teller('grants', 'pay', '3', '99', '2');
    expect(exit).toBe(1);
    expect(err).toContain(
      'grant 3 is delivered; pay is for held or refused ones, so nothing was changed [grant-moved-on]',
    );
    expect(err).toContain('there is no grant 99');
    expect(err).toContain('[grant-missing]');
    expect(out).toBe('grant 2 will be paid by the running Teller');
  });

  test('a grant whose command is being sent cannot be cancelled', async () => {
    const one = await operator({ rewards: [THANKS] });
    await one.vote('Steve', 'List');
    await one.ledger.claim(1, 0, 'Steve', one.clock.now());
    const { err, exit } = await one.teller('grants', 'cancel', '1');
    expect(exit).toBe(1);
    expect(err).toContain('grant 1 is being sent at this moment (sending)');
  });

  test('a grant for a game server that is gone from the config is not paid, and can be cancelled', async () => {
    const one = await stuck();
    writeConfig(one.config, { gameServers: { survival: { kind: 'practice' } } });
    const { err, exit } = await one.teller('grants', 'pay', '1');
    expect(exit).toBe(1);
    expect(err).toBe(
      'error: grant 1 is for main, a game server that the config does not have: name it in gameServers again, or cancel the grant [grant-nowhere]',
    );
    expect(await states(one)).toMatchObject({ 1: 'refused' });
    expect((await one.teller('grants', 'cancel', '1')).exit).toBe(0);
  });

  test('by filter they count first, and change nothing without a yes', async () => {
    const one = await stuck();
    const no = await one.tellerAsked(
      { interactive: true, answer: false },
      'grants',
      'pay',
      '--reward',
      'daily',
    );
    expect(no).toMatchObject({ exit: 1, err: 'error: nothing was changed [not-confirmed]' });
    expect(one.asked).toEqual(['Pay 2 grants (1 held, 1 refused)?']);
    const nobody = await one.teller('grants', 'pay', '--reward', 'daily');
    expect(nobody.exit).toBe(2);
    expect(nobody.err).toContain('Pay 2 grants (1 held, 1 refused)?');
    expect(await states(one)).toMatchObject({ 1: 'refused', 2: 'held' });
    const yes = await one.tellerAsked(
      { interactive: true, answer: true },
      'grants',
      'pay',
      '--state',
      'held',
    );
    expect(yes).toMatchObject({ exit: 0, out: 'grant 2 will be paid by the running Teller' });
    expect((await one.teller('grants', 'cancel', '--player', 'Steve', '--yes')).exit).toBe(0);
    expect(await states(one)).toEqual({ 1: 'cancelled', 2: 'pending', 3: 'delivered' });
  });

  test('a filter reaches grants beyond every page', async () => {
    const one = await operator({ rewards: [THANKS] });
    for (let n = 1; n <= 1_101; n++) await one.vote(`Bot${n}`, 'List');
    const { exit } = await one.teller('grants', 'cancel', '--reward', 'thanks', '--yes');
    expect(exit).toBe(0);
    expect(await one.ledger.grantStates()).toEqual({ cancelled: 1_101 });
  });

  test('no such grants is 0, and nothing is asked', async () => {
    const one = await stuck();
    expect(await one.teller('grants', 'pay', '--reward', 'weekly')).toEqual({
      exit: 0,
      out: '',
      err: 'no such grants; nothing was changed',
    });
  });

  test.each([
    [['pay'], 'name the grants: by ID, or by a filter such as --state held'],
    [['pay', '1', '--state', 'held'], 'by ID or by a filter, not by both'],
    [['pay', 'first'], 'ID must be a whole number'],
    [['pay', '--state', 'delivered'], '--state must be one of held, refused, not "delivered"'],
    [['mark-paid', '--state', 'waiting'], '--state must be one of held, refused, not "waiting"'],
    [['cancel', '--state', 'cancelled'], '--state must be one of pending, waiting, held, refused'],
  ])('%j is wrong usage, and 2', async (words, sentence) => {
    const { teller } = await stuck();
    const { err, exit } = await teller('grants', ...words);
    expect(exit).toBe(2);
    expect(err).toContain(sentence);
    expect(err).toContain('[usage]');
  });
});

describe('grants ran', () => {
  test('counts the command that stopped a grant as run, pays what is left, and explain keeps that it was said', async () => {
    const one = await stuck();
    expect(await one.teller('grants', 'ran', '2')).toEqual({
      exit: 0,
      out: 'grant 2 goes on after the command that ran',
      err: '',
    });
    expect((await one.ledger.grants({ id: 2, limit: 1 }))[0]).toMatchObject({
      state: 'pending',
      commands: [{ outcome: 'delivered', attempts: 1 }, { outcome: null }],
    });
    expect((await one.teller('explain', 'Alex')).out).toContain(
      'counted as run by the operator’s word; until then: timeout',
    );
    await one.answer(2, 1, UNKNOWN);
    expect((await one.teller('grants', 'ran', '2', '--json')).out).toBe(
      '[{"id":2,"changed":true,"state":"delivered","problem":null}]',
    );
  });

  test('says why where no command may have run, or the game server is gone', async () => {
    const one = await stuck();
    await one.vote('Bob', 'List');
    await one.ledger.holdStrangers(new Map([['other', 'rcon']]), one.clock.now());
    expect((await one.teller('grants', 'ran', '4')).err).toContain('[grant-none-ran]');
    expect((await one.teller('grants', 'ran', '3')).err).toContain('[grant-moved-on]');
    writeConfig(one.config, { gameServers: { survival: { kind: 'practice' } } });
    expect((await one.teller('grants', 'ran', '2')).err).toContain('[grant-nowhere]');
    expect(await states(one)).toMatchObject({ 2: 'held', 3: 'delivered', 4: 'held' });
  });
});

describe('grants pay --rerender', () => {
  const renewed = (commands: readonly string[], name = 'daily') => ({ rewards: [{ name, commands }] });

  test('shows the commands that the reward no longer has, and drops them with --yes only', async () => {
    const one = await stuck();
    writeConfig(one.config, renewed(['give {player} minecraft:diamond 1']));
    const { err, exit } = await one.teller('grants', 'pay', '1', '--rerender');
    expect(exit).toBe(2);
    expect(err.split('\n').slice(0, 4)).toEqual([
      'grant 1: daily on main',
      '  old   give Steve diamond 1',
      '  new   give Steve minecraft:diamond 1',
      '  drop  say List',
    ]);
    expect(err).toContain('drop the commands shown');
    expect(await states(one)).toMatchObject({ 1: 'refused' });
    expect((await one.teller('grants', 'pay', '1', '--rerender', '--yes')).exit).toBe(0);
    expect((await one.ledger.grants({ id: 1, limit: 1 }))[0]).toMatchObject({
      state: 'pending',
      commands: [{ command: 'give Steve minecraft:diamond 1' }],
    });
  });

  test('shows old and new text first, and pays the new one', async () => {
    const one = await stuck();
    writeConfig(one.config, renewed(['give {player} minecraft:diamond 1', 'say {site}']));
    const { err, exit } = await one.teller('grants', 'pay', '1', '--rerender');
    expect(exit).toBe(0);
    expect(err.split('\n')).toEqual([
      'grant 1: daily on main',
      '  old   give Steve diamond 1',
      '  new   give Steve minecraft:diamond 1',
      '  same  say List',
    ]);
    expect((await one.ledger.grants({ id: 1, limit: 1 }))[0]?.commands[0]?.command).toBe(
      'give Steve minecraft:diamond 1',
    );
  });

  test('a command that ran already stays as it was', async () => {
    const one = await operator({ rewards: [DAILY] });
    await one.vote('Steve', 'List');
    await one.answer(1, 0, DELIVERED);
    await one.answer(1, 1, REFUSED);
    writeConfig(one.config, renewed(['give {player} emerald 1', 'say thanks']));
    const { err } = await one.teller('grants', 'pay', '1', '--rerender');
    expect(err.split('\n').slice(1)).toEqual([
      '  ran   give Steve diamond 1',
      '  old   say List',
      '  new   say thanks',
    ]);
    const [grant] = await one.ledger.grants({ id: 1, limit: 1 });
    expect(grant?.commands.map(({ command }) => command)).toEqual(['give Steve diamond 1', 'say thanks']);
  });

  test.each([
    ['is gone', renewed(['say hello'], 'other'), 'grant 1: the config has no reward daily any more'],
    [
      'has more commands',
      renewed(['say a', 'say b', 'say c']),
      'has 3 commands in the config now, where 2 were owed',
    ],
    [
      'names the voter by his user ID',
      { rewards: [{ name: 'daily', when: 'always', commands: ['give {userId} diamond 1', 'say {site}'] }] },
      'grant 1: the reward daily uses {userId} in the config now, and vote 1 names none',
    ],
  ])('where the reward %s it refuses, and changes nothing', async (_, config, sentence) => {
    const one = await stuck();
    writeConfig(one.config, config);
    const { err, exit } = await one.teller('grants', 'pay', '--state', 'refused', '--rerender', '--yes');
    expect(exit).toBe(1);
    expect(err).toContain(sentence);
    expect(err).toContain('[rerender-impossible]');
    expect(await states(one)).toMatchObject({ 1: 'refused' });
  });

  test('a grant that has moved on is not paid with its old commands', async () => {
    const one = await stuck();
    const { err, exit } = await one.teller('grants', 'pay', '3', '--rerender');
    expect(exit).toBe(1);
    expect(err).toContain('grant 3 is delivered');
  });
});
