import { describe, expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { desk, rewrite } from '../kit/place.ts';
import { DAILY, stuck } from '../kit/stuck.ts';
import { votifierGame } from '../kit/votifier.ts';
import { naming, tableIn } from '../support/naming.ts';

const REPLY = "Unknown item 'minecraft:dimond'";
const AT = expect.stringMatching(/^2026-06-01T12:00:\d\d\.\d{3}Z$/);

const GRANT_1 = /\bgrant 1\b/i;
const GRANT_2 = /\bgrant 2\b/i;

const states = async ({ grants }: Here) => (await grants()).map(({ state }) => state);
const commands = async ({ grants }: Here, id: number) =>
  (await grants()).find((grant) => grant.id === id)?.commands.map(({ command }) => command);

describe('grants', () => {
  test('--json has exactly the fields of the contract, in their order', async () => {
    const { teller } = await stuck();
    const { json, exit } = await teller.run('grants', '--json', '--player', 'steve');
    const command = { outcome: 'refused', attempts: 1, reply: REPLY, startedAt: AT, endedAt: AT };
    const never = { outcome: null, attempts: 0, reply: null, startedAt: null, endedAt: null };
    const none = { reason: null, facts: null };
    const contract = {
      ...{ id: 1, voteId: 1, player: 'Steve', reward: 'daily', server: 'main', practice: false },
      state: 'refused',
      commands: [
        { command: 'give Steve diamond 1', ...command, ...none },
        { command: 'say List', ...never, ...none },
      ],
      ...{ note: REPLY, createdAt: AT, changedAt: AT, likelyPlayer: null, insteadOf: null },
      ...{ redirectedAt: null, reason: 'refused', facts: { reply: REPLY }, occasion: '', choice: null },
      ...{ cause: 'vote', given: null, dueFrom: null, expiresAt: null, whereOnline: null },
      ...{ actions: [], pauses: [] },
    };
    expect([exit, json]).toEqual([0, [contract]]);
    expect(Object.keys(json[0])).toEqual(Object.keys(contract));
    expect(Object.keys(json[0].commands[0])).toEqual(Object.keys(contract.commands[0] ?? {}));
  });

  test('are listed newest first, and filters narrow them down', async () => {
    const game = await rconGame();
    const news = { name: 'news', when: 'always', commands: ['nonsense'] };
    const teller = await here({ gameServers: { main: game.entry }, rewards: [news, DAILY] });
    for (const player of ['Steve', 'Alex']) await teller.vote({ player });
    await teller.untilGrants('refused', 'waiting', 'refused', 'waiting');
    const found = async (...words: string[]) =>
      (await teller.run('grants', '--json', ...words)).json.map(({ id }: { id: number }) => id);
    expect(await found()).toEqual([4, 3, 2, 1]);
    expect(await found('--state', 'waiting')).toEqual([4, 2]);
    expect(await found('--reward', 'news')).toEqual([3, 1]);
    expect(await found('--server', 'elsewhere')).toEqual([]);
    expect(await found('--player', 'ALEX')).toEqual([4, 3]);
    expect(await found('--after', '3', '--limit', '1')).toEqual([2]);
  });

  test('the table shows the state, what ran and why it stopped', async () => {
    const { teller } = await stuck();
    expect(tableIn((await teller.run('grants')).out)).toEqual([
      ['GRANT', 'VOTE', 'PLAYER', 'REWARD', 'SERVER', 'STATE', 'COMMANDS', 'NOTE'],
      ['3', '3', 'Zoe', 'daily', 'main', 'delivered', naming('2 of 2')],
      ['2', '2', 'Alex', 'daily', 'main', 'held', naming('0 of 2'), expect.any(String)],
      ['1', '1', 'Steve', 'daily', 'main', 'refused', naming('0 of 2'), REPLY],
    ]);
  });
});

describe('grants pay, mark-paid and cancel', () => {
  test('change the given grants, report each change, and show who made it', async () => {
    const { teller } = await stuck();
    expect(await teller.run('grants', 'pay', '1')).toMatchObject({ exit: 0, out: naming(GRANT_1), err: '' });
    expect(await states(teller)).toEqual(['pending', 'held', 'delivered']);
    expect((await teller.run('grants', 'mark-paid', '2')).out).toEqual(naming(GRANT_2));
    expect((await teller.run('grants', 'cancel', '1', '--json')).out).toBe(
      '[{"id":1,"changed":true,"state":"cancelled","problem":null}]',
    );
    expect(await states(teller)).toEqual(['cancelled', 'delivered', 'delivered']);
    const [{ actions }] = (await teller.run('grants', '--json', '--state', 'cancelled')).json;
    const { by } = actions[0];
    expect(actions).toEqual([
      { action: 'pay', at: AT, by },
      { action: 'cancel', at: AT, by },
    ]);
    expect((await teller.run('grants')).out).toContain(`${by} cancelled it at 2026-06-01T12:00:`);
    const { out } = await teller.run('explain', 'Steve');
    expect(out).toContain(`operator: ${by} ordered its payment at 2026-06-01T12:00:`);
    expect(out).toContain(`operator: ${by} cancelled it at 2026-06-01T12:00:`);
  });

  test('exit 1 for a grant in another state, name the state, and change the others once', async () => {
    const { teller } = await stuck();
    const { err, out, exit } = await teller.run('grants', 'pay', '3', '99', '2', '2');
    expect(exit).toBe(1);
    expect(err.split('\n')).toEqual([
      naming(/grant 3\b/i, 'delivered', 'pay', 'held', 'refused', '[grant-moved-on]'),
      naming(/grant 99\b/i, '[grant-missing]'),
    ]);
    expect(out.split('\n')).toEqual([naming(GRANT_2)]);
    expect(await states(teller)).toEqual(['refused', 'pending', 'delivered']);
  });

  test('do not cancel a grant whose command is being sent', async () => {
    const game = await rconGame({ commandTimeout: '30s' });
    const teller = await here({
      gameServers: { main: game.entry },
      rewards: [{ name: 'thanks', when: 'always', commands: ['say {player} voted'] }],
    });
    game.fault('silent');
    await teller.vote({ player: 'Steve' });
    await teller.until(async () => /being sent|sending/.test((await teller.run('explain', 'Steve')).out));
    expect(await teller.run('grants', 'cancel', '1')).toMatchObject({
      exit: 1,
      err: naming(GRANT_1, 'sending', '[grant-moved-on]'),
    });
    const { out } = await teller.run('explain', 'Steve');
    expect(out.split('\n')).toContainEqual(naming('thanks', 'main', /being sent|sending/));
    expect(out.split('\n')).toContainEqual(naming('1.', 'say Steve voted', /being sent|sending/));
    teller.clock.advance(30_000);
    await teller.untilGrants('held');
  });

  test('with a filter count the grants first, and change nothing without a yes', async () => {
    const { teller } = await stuck();
    const words = ['grants', 'pay', '--reward', 'daily'];
    const question = naming(/pay 2 grants/i, '1 held', '1 refused');
    expect(await teller.runBy({ answers: [false] }, ...words)).toMatchObject({
      ...{ exit: 1, err: naming('[not-confirmed]'), asked: [question] },
    });
    expect(await teller.run(...words)).toMatchObject({ exit: 2, err: question });
    expect(await states(teller)).toEqual(['refused', 'held', 'delivered']);
    const yes = await teller.runBy({ answers: [true] }, 'grants', 'pay', '--state', 'held');
    expect(yes).toMatchObject({ exit: 0, out: naming(GRANT_2) });
    expect((await teller.run('grants', 'cancel', '--player', 'Steve', '--yes')).exit).toBe(0);
    expect(await states(teller)).toEqual(['cancelled', 'pending', 'delivered']);
  });

  test('with a filter change all matching grants, even if there are many', async () => {
    const rewards = Array.from({ length: 50 }, (_, n) => ({ ...DAILY, name: `daily-${n}` }));
    const main = { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'nobody-listens-there' };
    const teller = await here({ rewards, gameServers: { main } });
    for (let bot = 1; bot <= 21; bot++) await teller.vote({ player: `Bot${bot}` });
    const { exit } = await teller.during(teller.run('grants', 'cancel', '--state', 'pending', '--yes'));
    expect([exit, (await states(teller)).filter((state) => state === 'cancelled').length]).toEqual([
      0, 1_050,
    ]);
  });

  test('wrong usage exits 2, and no match exits 0 without asking', async () => {
    const { run, runBy } = desk();
    for (const [line, ...facts] of [
      ['pay', 'ID', '--state held'],
      ['pay 1 --state held', 'ID', 'filter'],
      ['pay first', 'ID', 'first'],
      ['pay --state delivered', '--state', 'held, refused', '"delivered"'],
      ['mark-paid --state waiting', '--state', 'held, refused', '"waiting"'],
      ['cancel --state cancelled', '--state', 'pending, waiting, held, refused', '"cancelled"'],
    ] as const)
      expect(await run('grants', ...line.split(' '))).toMatchObject({
        ...{ exit: 2, err: naming('[usage]', ...facts) },
      });
    const none = ['grants', 'pay', '--reward', 'weekly'];
    expect(await runBy({}, ...none)).toMatchObject({ exit: 0, out: '', asked: [] });
    expect((await run(...none, '--json')).out).toBe('[]');
  });
});

test('grants ran marks the command that stopped a grant as run and pays the rest, and explain says so', async () => {
  const { game, teller } = await stuck();
  expect((await teller.run('grants', 'ran', '3')).err).toContain('[grant-moved-on]');
  expect(await teller.run('grants', 'ran', '2')).toMatchObject({ exit: 0, out: naming(GRANT_2), err: '' });
  const ran = { outcome: 'delivered', attempts: 1, reason: 'ran-by-operator', facts: { before: 'no-frame' } };
  expect((await teller.grants())[1]?.commands).toMatchObject([ran, { outcome: null }]);
  expect((await teller.run('explain', 'Alex')).out.split('\n')).toContainEqual(
    naming('1.', 'give Alex diamond 1', 'delivered', 'operator said that it ran; before that: no reply'),
  );
  game.fault('silent');
  await teller.pass(1_000);
  await teller.untilGrants('refused', 'held', 'delivered');
  expect((await teller.run('grants', 'ran', '2', '--json')).out).toBe(
    '[{"id":2,"changed":true,"state":"delivered","problem":null}]',
  );
});

test('grants ran refuses a grant of which no command can have run', async () => {
  const teller = await here({ rewards: [DAILY] });
  await teller.vote({ player: 'Steve' });
  teller.clock.jump(26 * 3_600_000);
  await teller.vote({ player: 'Alex' });
  const { exit, err } = await teller.run('grants', 'ran', '2');
  expect([exit, err]).toEqual([1, naming(GRANT_2, '[grant-none-ran]')]);
  expect((await states(teller))[1]).toBe('held');
});

describe('grants pay --rerender', () => {
  const renewed = (texts: readonly string[], name = 'daily') => [{ name, commands: texts }];

  test('shows commands that the reward no longer has, and drops them only with --yes', async () => {
    const { game, teller } = await stuck();
    const gameServers = { main: game.entry };
    rewrite(teller, { gameServers, rewards: renewed(['give {player} minecraft:diamond 1']) });
    const { err, exit } = await teller.run('grants', 'pay', '1', '--rerender');
    expect(exit).toBe(2);
    expect(err.split('\n').slice(0, 4)).toEqual([
      'grant 1: daily on main',
      '  old   give Steve diamond 1',
      '  new   give Steve minecraft:diamond 1',
      '  drop  say List',
    ]);
    expect(err).toEqual(naming(/pay 1 grant/i, /drop/, '--yes', '[usage]'));
    expect((await teller.run('grants', 'pay', '1', '--rerender', '--yes')).exit).toBe(0);
    expect(await states(teller)).toEqual(['pending', 'held', 'delivered']);
    expect(await commands(teller, 1)).toEqual(['give Steve minecraft:diamond 1']);
    expect((await teller.run('explain', 'Steve')).out).toContain('1 command was dropped');
  });

  test('shows the old and the new command first, keeps one that already ran, and runs the new one', async () => {
    const game = await rconGame();
    const gameServers = { main: game.entry };
    const written = { name: 'daily', when: 'always' };
    const teller = await here({
      gameServers,
      rewards: [{ ...written, commands: ['say a', 'nonsense', 'say c'] }],
    });
    await teller.vote({ player: 'Steve' });
    await teller.untilGrants('refused');
    rewrite(teller, { gameServers, rewards: [{ ...written, commands: ['say x', 'say b', 'say c'] }] });
    const { err, exit } = await teller.run('grants', 'pay', '1', '--rerender');
    expect([exit, ...err.split('\n')]).toEqual([
      0,
      'grant 1: daily on main',
      '  ran   say a',
      '  old   nonsense',
      '  new   say b',
      '  same  say c',
    ]);
    await teller.untilGrants('delivered');
    expect(game.ran.filter((command) => command !== 'nonsense')).toEqual(['say a', 'say b', 'say c']);
  });

  test('gives a grant of a drawn entry the new commands of that entry, filled in with what was stored', async () => {
    const drawn = (names: readonly string[], word: string) => ({
      name: 'daily',
      when: 'always',
      oneOf: names.map((name) => ({ name, commands: [`${word} ${name} {votes} {random 7..7}`] })),
    });
    const game = await rconGame();
    const gameServers = { main: game.entry };
    const teller = await here({ gameServers, rewards: [drawn(['rare', 'usual'], 'nonsense')] });
    await teller.vote({ player: 'Steve' });
    await teller.untilGrants('refused');
    const [{ choice }] = (await teller.run('grants', '--json')).json;
    rewrite(teller, { gameServers, rewards: [drawn(['epic', 'common'], 'me')] });
    expect(await teller.run('grants', 'pay', '1', '--rerender')).toMatchObject({
      ...{ exit: 1, err: naming('daily', '[rerender-impossible]') },
    });
    rewrite(teller, { gameServers, rewards: [drawn(['usual', 'rare'], 'me')] });
    await teller.run('grants', 'pay', '1', '--rerender');
    expect(await commands(teller, 1)).toEqual([`me ${choice.name} 1 7`]);
  });

  test('refuses and changes nothing if the reward cannot say what was owed', async () => {
    const { game, teller } = await stuck();
    const always = (text: string) => [{ name: 'daily', when: 'always', commands: [text] }];
    for (const [rewards, ...facts] of [
      [renewed(['say hello'], 'other'), 'daily'],
      [renewed(['say a', 'say b', 'say c']), 'daily', '3', '2'],
      [renewed(['say {votes}']), 'daily', '{votes}'],
      [renewed(['say {occasion} {random 1..6}']), 'daily', '{random 1..6}'],
      [always('give {userId} diamond 1'), 'daily', '{userId}', /vote 1\b/i],
    ] as const) {
      rewrite(teller, { gameServers: { main: game.entry }, rewards });
      const refused = await teller.run('grants', 'pay', '--state', 'refused', '--rerender', '--yes');
      expect([refused.exit, refused.err]).toEqual([1, naming(GRANT_1, ...facts, '[rerender-impossible]')]);
    }
    expect(await states(teller)).toEqual(['refused', 'held', 'delivered']);
    expect((await teller.run('grants', 'pay', '3', '--rerender')).err).toEqual(
      naming(/grant 3\b/i, 'delivered', '[grant-moved-on]'),
    );
  });
});

describe('a vote that is to be forwarded', () => {
  /** The forward of a vote may have arrived; another listener answered with an error to that of the next vote. */
  async function forwards() {
    const old = await votifierGame();
    const teller = await here({ gameServers: { old: old.entry }, rewards: [] });
    await old.be('closes in the middle of its answer');
    await teller.vote({ player: 'Steve' });
    await teller.untilGrants('held');
    await old.be('answers with an error');
    await teller.vote({ player: 'Alex' });
    await teller.until(async () => (await teller.grants())[1]?.commands[0]?.attempts === 1);
    return { old, teller };
  }

  test('is listed with its player, and in the trace of its vote with what to do', async () => {
    const { teller } = await forwards();
    const { out } = await teller.run('grants', '--server', 'old');
    const rows = tableIn(out).map(([, , player, reward, server, state]) => [player, reward, server, state]);
    expect(rows.slice(1)).toEqual([
      ['Alex', '(forward)', 'old', 'pending'],
      ['Steve', '(forward)', 'old', 'held'],
    ]);
    const steve = (await teller.run('explain', 'Steve')).out;
    expect(steve).toEqual(
      naming(GRANT_1, 'held', 'not forwarded', 'old', 'grants mark-paid 1', 'grants pay 1', 'Steve on List'),
    );
    expect(steve).not.toContain('192.0.2.1,');
    expect((await teller.run('explain', 'Alex')).out).toEqual(
      naming(
        GRANT_2,
        'to be forwarded to old',
        /\d attempt/,
        '[votifier.error-answer]',
        'Teller keeps trying',
      ),
    );
  });

  test('is forwarded again by pay, as it was, also if other grants get new commands', async () => {
    const { old, teller } = await forwards();
    const before = await commands(teller, 1);
    expect((await teller.run('grants', 'pay', '1', '--rerender')).exit).toBe(0);
    expect((await teller.run('explain', 'Steve')).out).toEqual(naming(GRANT_1, 'to be forwarded to old'));
    await old.be('well');
    await teller.untilGrants('delivered', 'delivered');
    expect(await commands(teller, 1)).toEqual(before);
    expect([old.unconfirmed, old.ran.toSorted()]).toEqual([['Steve'], ['Alex', 'Steve']]);
    expect((await teller.run('explain', 'Steve')).out).toEqual(naming(GRANT_1, 'forwarded to old', 'ok'));
  });

  test('is not sent as a command to a game server that has taken the name of the other listener', async () => {
    const { teller } = await forwards();
    rewrite(teller, { gameServers: { old: { kind: 'practice' } }, rewards: [] });
    expect((await teller.run('grants', 'pay', '1')).err).toContain('[grant-nowhere]');
    expect(await states(teller)).toEqual(['held', 'pending']);
  });

  test('is done after mark-paid, and cannot be paid to another player', async () => {
    const { teller } = await forwards();
    expect((await teller.run('grants', 'pay', '1', '--player', 'Kim')).err).toContain('[grant-for-user]');
    expect((await teller.run('grants', 'mark-paid', '1')).exit).toBe(0);
    expect(await states(teller)).toEqual(['delivered', 'pending']);
    expect((await teller.run('explain', 'Steve')).out).toContain('the operator said so');
  });
});
