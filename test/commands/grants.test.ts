import { describe, expect, test } from 'vitest';
import { accountName } from '../../src/platform/account.ts';
import { writeConfig } from '../support/config-folder.ts';
import { naming, tableIn } from '../support/naming.ts';
import { type Operator, operator } from './operator.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1', 'say {site}'] };
const THANKS = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };

const REFUSED = { kind: 'refused', reply: 'Unknown item' } as const;
const UNKNOWN = { kind: 'unknown', reason: 'timeout' } as const;
const DELIVERED = { kind: 'delivered', reply: 'Gave 1 [Diamond] to Steve' } as const;

const NOON = '2026-06-01T12:00:00.000Z';

const GRANT_1 = /\bgrant 1\b/i;
const GRANT_2 = /\bgrant 2\b/i;

const states = async ({ ledger }: Operator): Promise<Record<number, string>> =>
  Object.fromEntries((await ledger.grants({ limit: 2000 })).map(({ id, state }) => [id, state]));

/** Steve’s grant 1 was refused, the outcome of Alex’s grant 2 is unknown, and Zoe’s grant 3 was paid. */
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
              reason: null,
              facts: null,
            },
            {
              command: 'say List',
              outcome: null,
              attempts: 0,
              reply: null,
              startedAt: null,
              endedAt: null,
              reason: null,
              facts: null,
            },
          ],
          note: 'Unknown item',
          createdAt: NOON,
          changedAt: NOON,
          likelyPlayer: null,
          insteadOf: null,
          redirectedAt: null,
          reason: 'refused',
          facts: { reply: 'Unknown item' },
          occasion: '',
          choice: null,
          cause: 'vote',
          given: null,
          dueFrom: null,
          expiresAt: null,
          whereOnline: null,
          actions: [],
          pauses: [],
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
    expect(tableIn((await teller('grants')).out)).toEqual([
      ['GRANT', 'VOTE', 'PLAYER', 'REWARD', 'SERVER', 'STATE', 'COMMANDS', 'NOTE'],
      ['3', '3', 'Zoe', 'daily', 'main (practice)', 'delivered', naming('2 of 2')],
      ['2', '2', 'Alex', 'daily', 'main (practice)', 'held', naming('0 of 2'), expect.any(String)],
      ['1', '1', 'Steve', 'daily', 'main (practice)', 'refused', naming('0 of 2'), 'Unknown item'],
    ]);
  });
});

describe('grants pay, mark-paid and cancel', () => {
  test('change the given grants, and report each change', async () => {
    const one = await stuck();
    expect(await one.teller('grants', 'pay', '1')).toEqual({ exit: 0, out: naming(GRANT_1), err: '' });
    expect(await states(one)).toMatchObject({ 1: 'pending' });
    expect((await one.teller('grants', 'mark-paid', '2')).out).toEqual(naming(GRANT_2));
    expect((await one.teller('grants', 'cancel', '1', '--json')).out).toBe(
      '[{"id":1,"changed":true,"state":"cancelled","problem":null}]',
    );
    expect(await states(one)).toEqual({ 1: 'cancelled', 2: 'delivered', 3: 'delivered' });
  });

  test('store the account that made them, which the list and `explain` show', async () => {
    const one = await stuck();
    await one.teller('grants', 'pay', '1');
    await one.teller('grants', 'cancel', '1', '2');
    const by = accountName();
    const [, first] = JSON.parse((await one.teller('grants', '--json', '--state', 'cancelled')).out);
    expect(first.actions).toEqual([
      { action: 'pay', at: '2026-06-01T12:00:00.000Z', by },
      { action: 'cancel', at: '2026-06-01T12:00:00.000Z', by },
    ]);
    expect((await one.teller('grants')).out).toContain(`${by} cancelled it at 2026-06-01T12:00:00.000Z`);
    const { out } = await one.teller('explain', 'Steve');
    expect(out).toContain(`operator: ${by} ordered its payment at 2026-06-01T12:00:00.000Z`);
    expect(out).toContain(`operator: ${by} cancelled it at 2026-06-01T12:00:00.000Z`);
  });

  test('exit 1 for a grant in another state, name the state, and change the others', async () => {
    const one = await stuck();
    const { err, out, exit } = await one.teller('grants', 'pay', '3', '99', '2');
    expect(exit).toBe(1);
    expect(err.split('\n')).toEqual([
      naming(/grant 3\b/i, 'delivered', 'pay', 'held', 'refused', '[grant-moved-on]'),
      naming(/grant 99\b/i, '[grant-missing]'),
    ]);
    expect(out).toEqual(naming(GRANT_2));
    expect(await states(one)).toMatchObject({ 2: 'pending', 3: 'delivered' });
  });

  test('do not cancel a grant whose command is being sent', async () => {
    const one = await operator({ rewards: [THANKS] });
    await one.vote('Steve', 'List');
    await one.ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: one.clock.now() });
    const { err, exit } = await one.teller('grants', 'cancel', '1');
    expect(exit).toBe(1);
    expect(err).toEqual(naming(GRANT_1, 'sending', '[grant-moved-on]'));
  });

  test('do not pay a grant whose game server is gone from the config, but can cancel it', async () => {
    const one = await stuck();
    writeConfig(one.config, { gameServers: { survival: { kind: 'practice' } } });
    const { err, exit } = await one.teller('grants', 'pay', '1');
    expect(exit).toBe(1);
    expect(err).toEqual(naming(GRANT_1, 'main', 'gameServers', '[grant-nowhere]'));
    expect(await states(one)).toMatchObject({ 1: 'refused' });
    expect((await one.teller('grants', 'cancel', '1')).exit).toBe(0);
  });

  test('with a filter count the grants first, and change nothing without a yes', async () => {
    const one = await stuck();
    const no = await one.tellerAsked(
      { interactive: true, answer: false },
      'grants',
      'pay',
      '--reward',
      'daily',
    );
    expect(no).toMatchObject({ exit: 1, err: naming('[not-confirmed]') });
    const question = naming(/pay 2 grants/i, '1 held', '1 refused');
    expect(one.asked).toEqual([question]);
    const unanswered = await one.teller('grants', 'pay', '--reward', 'daily');
    expect(unanswered).toMatchObject({ exit: 2, err: question });
    expect(await states(one)).toMatchObject({ 1: 'refused', 2: 'held' });
    const yes = await one.tellerAsked(
      { interactive: true, answer: true },
      'grants',
      'pay',
      '--state',
      'held',
    );
    expect(yes).toMatchObject({ exit: 0, out: naming(GRANT_2) });
    expect((await one.teller('grants', 'cancel', '--player', 'Steve', '--yes')).exit).toBe(0);
    expect(await states(one)).toEqual({ 1: 'cancelled', 2: 'pending', 3: 'delivered' });
  });

  test('with a filter change all matching grants, even if there are many', async () => {
    const one = await operator({ rewards: [THANKS] });
    await Promise.all(Array.from({ length: 1_101 }, (_, n) => one.vote(`Bot${n + 1}`, 'List')));
    const { exit } = await one.teller('grants', 'cancel', '--reward', 'thanks', '--yes');
    expect(exit).toBe(0);
    expect(await one.ledger.grantStates()).toEqual({ cancelled: 1_101 });
  });

  test('exit 0 without asking if no grants match', async () => {
    const one = await stuck();
    const before = await states(one);
    expect(await one.teller('grants', 'pay', '--reward', 'weekly')).toMatchObject({ exit: 0, out: '' });
    expect((await one.teller('grants', 'pay', '--reward', 'weekly', '--json')).out).toBe('[]');
    expect([one.asked, await states(one)]).toEqual([[], before]);
  });

  test.each([
    [['pay'], ['ID', '--state held']],
    [
      ['pay', '1', '--state', 'held'],
      ['ID', 'filter'],
    ],
    [
      ['pay', 'first'],
      ['ID', 'first'],
    ],
    [
      ['pay', '--state', 'delivered'],
      ['--state', 'held, refused', '"delivered"'],
    ],
    [
      ['mark-paid', '--state', 'waiting'],
      ['--state', 'held, refused', '"waiting"'],
    ],
    [
      ['cancel', '--state', 'cancelled'],
      ['--state', 'pending, waiting, held, refused', '"cancelled"'],
    ],
  ])('%j is wrong usage and exits 2', async (words, facts) => {
    const { teller } = await stuck();
    expect(await teller('grants', ...words)).toMatchObject({ exit: 2, err: naming('[usage]', ...facts) });
  });
});

describe('grants ran', () => {
  test('marks the command that stopped a grant as run and pays the rest, and explain shows that the operator did so', async () => {
    const one = await stuck();
    expect(await one.teller('grants', 'ran', '2')).toEqual({ exit: 0, out: naming(GRANT_2), err: '' });
    expect((await one.ledger.grants({ id: 2, limit: 1 }))[0]).toMatchObject({
      state: 'pending',
      commands: [{ outcome: 'delivered', attempts: 1 }, { outcome: null }],
    });
    const [command] = (await one.ledger.grants({ id: 2, limit: 1 }))[0]?.commands ?? [];
    expect(command?.reason).toEqual({ code: 'ran-by-operator', facts: { before: 'timeout' } });
    expect((await one.teller('explain', 'Alex')).out.split('\n')).toContainEqual(
      naming('1.', 'give Alex diamond 1', 'delivered', 'operator', 'timeout'),
    );
    await one.answer(2, 1, UNKNOWN);
    expect((await one.teller('grants', 'ran', '2', '--json')).out).toBe(
      '[{"id":2,"changed":true,"state":"delivered","problem":null}]',
    );
  });

  test('refuses with a reason if no command can have run, or if the game server is gone', async () => {
    const one = await stuck();
    await one.vote('Bob', 'List');
    await one.ledger.holdOrphaned(new Map([['other', 'rcon']]), one.clock.now());
    expect((await one.teller('grants', 'ran', '4')).err).toContain('[grant-none-ran]');
    expect((await one.teller('grants', 'ran', '3')).err).toContain('[grant-moved-on]');
    writeConfig(one.config, { gameServers: { survival: { kind: 'practice' } } });
    expect((await one.teller('grants', 'ran', '2')).err).toContain('[grant-nowhere]');
    expect(await states(one)).toMatchObject({ 2: 'held', 3: 'delivered', 4: 'held' });
  });
});

describe('grants pay --rerender', () => {
  const renewed = (commands: readonly string[], name = 'daily') => ({ rewards: [{ name, commands }] });

  test('shows commands that the reward no longer has, and drops them only with --yes', async () => {
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
    expect(err).toEqual(naming(/pay 1 grant/i, /drop/, '--yes', '[usage]'));
    expect(await states(one)).toMatchObject({ 1: 'refused' });
    expect((await one.teller('grants', 'pay', '1', '--rerender', '--yes')).exit).toBe(0);
    expect((await one.ledger.grants({ id: 1, limit: 1 }))[0]).toMatchObject({
      state: 'pending',
      commands: [{ command: 'give Steve minecraft:diamond 1' }],
    });
  });

  test('shows the old and the new command first, and runs the new one', async () => {
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

  test('keeps a command that already ran', async () => {
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
    ['is gone', renewed(['say hello'], 'other'), ['daily']],
    ['has more commands', renewed(['say a', 'say b', 'say c']), ['daily', '3', '2']],
    [
      'uses the user ID',
      { rewards: [{ name: 'daily', when: 'always', commands: ['give {userId} diamond 1', 'say {site}'] }] },
      ['daily', '{userId}', /vote 1\b/i],
    ],
  ])('refuses and changes nothing if the reward %s', async (_, config, facts) => {
    const one = await stuck();
    writeConfig(one.config, config);
    const { err, exit } = await one.teller('grants', 'pay', '--state', 'refused', '--rerender', '--yes');
    expect([exit, err]).toEqual([1, naming(GRANT_1, ...facts, '[rerender-impossible]')]);
    expect(await states(one)).toMatchObject({ 1: 'refused' });
  });

  test('does not pay the old commands of a grant whose state has changed meanwhile', async () => {
    const one = await stuck();
    const { err, exit } = await one.teller('grants', 'pay', '3', '--rerender');
    expect([exit, err]).toEqual([1, naming(/grant 3\b/i, 'delivered', '[grant-moved-on]')]);
  });
});

describe('a vote that is to be forwarded', () => {
  const OLD = { old: { kind: 'votifier', port: 9, token: 'the-token-of-the-old-listener' } };

  /** The forwards of two votes that the operator added: the first is unknown, the second was refused. */
  async function forwards(): Promise<Operator> {
    const one = await operator({ gameServers: OLD, rewards: [] });
    for (const player of ['Steve', 'Alex'])
      expect((await one.teller('votes', 'add', '--player', player, '--site', 'List')).exit).toBe(0);
    await one.answer(1, 0, UNKNOWN);
    await one.answer(2, 0, { kind: 'refused', reply: 'Unknown service' });
    return one;
  }

  test('is listed with its player, and in the trace of its vote with what to do', async () => {
    const one = await forwards();
    const { out } = await one.teller('grants', '--server', 'old');
    const rows = tableIn(out).map(([, , player, reward, server, state]) => [player, reward, server, state]);
    expect(rows).toContainEqual(['Alex', '(forward)', 'old', 'refused']);
    expect(rows).toContainEqual(['Steve', '(forward)', 'old', 'held']);
    expect((await one.teller('explain', 'Steve')).out).toEqual(
      naming(GRANT_1, 'held', 'old', 'grants mark-paid 1', 'grants pay 1'),
    );
  });

  test('is forwarded again by pay, as it was, also if other grants get new commands', async () => {
    const one = await forwards();
    const before = (await one.ledger.grants({ limit: 9 })).map(({ commands }) => commands[0]?.command);
    expect((await one.teller('grants', 'pay', '1', '2', '--rerender')).exit).toBe(0);
    expect(await states(one)).toEqual({ 1: 'pending', 2: 'pending' });
    const after = (await one.ledger.grants({ limit: 9 })).map(({ commands }) => commands[0]?.command);
    expect(after).toEqual(before);
  });

  test('is not sent as a command to a game server that has taken the name of the other listener', async () => {
    const one = await forwards();
    writeConfig(one.config, { gameServers: { old: { kind: 'practice' } }, rewards: [] });
    expect((await one.teller('grants', 'pay', '1')).err).toContain('[grant-nowhere]');
    expect(await states(one)).toEqual({ 1: 'held', 2: 'refused' });
  });

  test('is done after mark-paid, and cannot be paid to another player', async () => {
    const one = await forwards();
    expect((await one.teller('grants', 'pay', '2', '--player', 'Kim')).err).toContain('[grant-for-user]');
    expect((await one.teller('grants', 'mark-paid', '1')).exit).toBe(0);
    expect(await states(one)).toEqual({ 1: 'delivered', 2: 'refused' });
    expect((await one.teller('explain', 'Steve')).out).toContain('the operator said so');
  });
});
