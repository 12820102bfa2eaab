import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { desk, rewrite } from '../kit/place.ts';
import { DAILY, stuck } from '../kit/stuck.ts';
import { votifierGame } from '../kit/votifier.ts';
import { naming, refused, tableIn } from '../support/naming.ts';

const REPLY = "Unknown item 'minecraft:dimond'";
const AT = expect.stringMatching(/^2026-06-01T12:00:\d\d\.\d{3}Z$/);

const GRANT_1 = /\bgrant 1\b/i;
const GRANT_2 = /\bgrant 2\b/i;

const states = async ({ grants }: Here) => (await grants()).map(({ state }) => state);
const commands = async ({ grants }: Here, id: number) =>
  (await grants()).find((grant) => grant.id === id)?.commands.map(({ command }) => command);

test('grants --json has exactly the fields of the contract, in their order; the table shows the state, what ran and why it stopped; pay, mark-paid and cancel change the given grants, report each change, and show who made it; a grant in another state exits 1 and is named', async () => {
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
    ...{ note: REPLY, createdAt: AT, changedAt: AT, insteadOf: null },
    ...{ redirectedAt: null, reason: 'refused', facts: { reply: REPLY }, occasion: '', choice: null },
    ...{ cause: 'vote', given: null, dueFrom: null, expiresAt: null, whereOnline: null },
    ...{ actions: [], pauses: [] },
  };
  expect([exit, json]).toEqual([0, [contract]]);
  expect(Object.keys(json[0])).toEqual(Object.keys(contract));
  expect(Object.keys(json[0].commands[0])).toEqual(Object.keys(contract.commands[0] ?? {}));
  expect(tableIn((await teller.run('grants')).out)).toEqual([
    ['GRANT', 'VOTE', 'PLAYER', 'REWARD', 'SERVER', 'STATE', 'COMMANDS', 'NOTE'],
    ['3', '3', 'Zoe', 'daily', 'main', 'delivered', naming('2 of 2')],
    ['2', '2', 'Alex', 'daily', 'main', 'held', naming('0 of 2'), expect.any(String)],
    ['1', '1', 'Steve', 'daily', 'main', 'refused', naming('0 of 2'), REPLY],
  ]);

  const some = await teller.run('grants', 'pay', '3', '99', '1', '1');
  expect([some.exit, some.out.split('\n'), some.err.split('\n')]).toEqual([
    1,
    [naming(GRANT_1)],
    [
      naming(/grant 3\b/i, 'delivered', 'pay', 'held', 'refused', '[grant-moved-on]'),
      naming(/grant 99\b/i, '[grant-missing]'),
    ],
  ]);
  expect(await states(teller)).toEqual(['pending', 'held', 'delivered']);
  const paid = await teller.run('grants', 'mark-paid', '2');
  expect(paid).toMatchObject({ exit: 0, out: naming(GRANT_2), err: '' });
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

test('grants are listed newest first, and filters narrow them down', async () => {
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

test('grants pay, mark-paid and cancel with a filter count the grants first, and change nothing without a yes', async () => {
  const { teller } = await stuck();
  const words = ['grants', 'pay', '--reward', 'daily'];
  const question = naming(/pay 2 grants/i, '1 held', '1 refused');
  const unconfirmed = { exit: 1, err: naming('[not-confirmed]'), asked: [question] };
  expect(await teller.runBy({ answers: [false] }, ...words)).toMatchObject(unconfirmed);
  expect(await teller.run(...words)).toMatchObject({ exit: 2, err: question });
  expect(await states(teller)).toEqual(['refused', 'held', 'delivered']);
  const yes = await teller.runBy({ answers: [true] }, 'grants', 'pay', '--state', 'held');
  expect(yes).toMatchObject({ exit: 0, out: naming(GRANT_2) });
  expect((await teller.run('grants', 'cancel', '--player', 'Steve', '--yes')).exit).toBe(0);
  expect(await states(teller)).toEqual(['cancelled', 'pending', 'delivered']);
});

test('grants pay, mark-paid and cancel with a filter change all matching grants, even if there are many', async () => {
  const rewards = Array.from({ length: 50 }, (_, n) => ({ ...DAILY, name: `daily-${n}` }));
  const main = { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'nobody-listens-there' };
  const teller = await here({ rewards, gameServers: { main } });
  for (let bot = 1; bot <= 21; bot++) await teller.vote({ player: `Bot${bot}` });
  const { exit } = await teller.during(teller.run('grants', 'cancel', '--state', 'pending', '--yes'));
  expect([exit, (await states(teller)).filter((state) => state === 'cancelled').length]).toEqual([0, 1_050]);
});

test('grants pay, mark-paid and cancel exit 2 for wrong usage, and 0 without asking if nothing matches', async () => {
  const { run, runBy } = desk();
  for (const [line, ...facts] of [
    ['pay', 'ID', '--state held'],
    ['pay 1 --state held', 'ID', 'filter'],
    ['pay first', 'ID', 'first'],
    ['pay --state delivered', '--state', 'held, refused', '"delivered"'],
    ['mark-paid --state waiting', '--state', 'held, refused', '"waiting"'],
    ['cancel --state cancelled', '--state', 'pending, waiting, held, refused', '"cancelled"'],
  ] as const)
    expect(await run('grants', ...line.split(' '))).toEqual(refused(2, '[usage]', ...facts));
  const none = ['grants', 'pay', '--reward', 'weekly'];
  expect(await runBy({}, ...none)).toMatchObject({ exit: 0, out: '', asked: [] });
  expect((await run(...none, '--json')).out).toBe('[]');
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
  // No command of a grant can have run that the clock holds.
  teller.clock.jump(26 * 3_600_000);
  await teller.vote({ player: 'Kim' });
  expect(await teller.run('grants', 'ran', '4')).toEqual(refused(1, /grant 4\b/i, '[grant-none-ran]'));
  expect((await states(teller))[3]).toBe('held');
});

const renewed = (texts: readonly string[], name = 'daily') => [{ name, commands: texts }];

test('grants pay --rerender shows the old and the new command first, keeps one that already ran, and gives a drawn entry its own new commands, filled in with what was stored', async () => {
  const game = await rconGame();
  const gameServers = { main: game.entry };
  const daily = (...texts: string[]) => ({ name: 'daily', when: 'always', commands: texts });
  const drawn = (names: readonly string[], word: string) => ({
    ...{ name: 'crate', when: 'always' },
    oneOf: names.map((name) => ({ name, commands: [`${word} ${name} {votes} {random 7..7}`] })),
  });
  const first = drawn(['rare', 'usual'], 'nonsense');
  const teller = await here({ gameServers, rewards: [daily('say a', 'nonsense', 'say c'), first] });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('refused', 'refused');
  rewrite(teller, { gameServers, rewards: [daily('say x', 'say b', 'say c'), first] });
  const { err, exit } = await teller.run('grants', 'pay', '1', '--rerender');
  expect([exit, ...err.split('\n')]).toEqual([
    0,
    'grant 1: daily on main',
    '  ran   say a',
    '  old   nonsense',
    '  new   say b',
    '  same  say c',
  ]);
  await teller.untilGrants('delivered', 'refused');
  expect(game.ran.filter((command) => command.startsWith('say'))).toEqual(['say a', 'say b', 'say c']);

  const [{ choice }] = (await teller.run('grants', '--json')).json;
  const pay = () => teller.run('grants', 'pay', '2', '--rerender');
  rewrite(teller, { gameServers, rewards: [drawn(['epic', 'common'], 'me')] });
  expect(await pay()).toEqual(refused(1, 'crate', '[rerender-impossible]'));
  rewrite(teller, { gameServers, rewards: [drawn(['usual', 'rare'], 'me')] });
  await pay();
  expect(await commands(teller, 2)).toEqual([`me ${choice.name} 1 7`]);
});

test('grants pay --rerender refuses and changes nothing if the reward cannot say what was owed, or with --yes drops commands that it no longer has', async () => {
  const { game, teller } = await stuck();
  const gameServers = { main: game.entry };
  const always = (text: string) => [{ name: 'daily', when: 'always', commands: [text] }];
  for (const [rewards, ...facts] of [
    [renewed(['say hello'], 'other'), 'daily'],
    [renewed(['say a', 'say b', 'say c']), 'daily', '3', '2'],
    [renewed(['say {votes}']), 'daily', '{votes}'],
    [renewed(['say {occasion} {random 1..6}']), 'daily', '{random 1..6}'],
    [always('give {userId} diamond 1'), 'daily', '{userId}', /vote 1\b/i],
  ] as const) {
    rewrite(teller, { gameServers, rewards });
    expect(await teller.run('grants', 'pay', '--state', 'refused', '--rerender', '--yes')).toEqual(
      refused(1, GRANT_1, ...facts, '[rerender-impossible]'),
    );
  }
  expect(await states(teller)).toEqual(['refused', 'held', 'delivered']);
  expect((await teller.run('grants', 'pay', '3', '--rerender')).err).toEqual(
    naming(/grant 3\b/i, 'delivered', '[grant-moved-on]'),
  );

  rewrite(teller, { gameServers, rewards: renewed(['give {player} minecraft:diamond 1']) });
  const { err, exit } = await teller.run('grants', 'pay', '1', '--rerender');
  expect([exit, ...err.split('\n').slice(0, 4)]).toEqual([
    2,
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

test('a vote that is to be forwarded is listed with its player, and in the trace of its vote with what to do, such as mark-paid', async () => {
  const { teller } = await forwards();
  const { out } = await teller.run('grants', '--server', 'old');
  const rows = tableIn(out).map(([, , player, reward, server, state]) => [player, reward, server, state]);
  expect(rows.slice(1)).toEqual([
    ['Alex', '(forward)', 'old', 'pending'],
    ['Steve', '(forward)', 'old', 'held'],
  ]);
  const explained = async (player: string) => (await teller.run('explain', player)).out;
  const steve = await explained('Steve');
  expect(steve).toEqual(
    naming(GRANT_1, 'held', 'not forwarded', 'old', 'grants mark-paid 1', 'grants pay 1', 'Steve on List'),
  );
  expect(steve).not.toContain('192.0.2.1,');
  expect(await explained('Alex')).toEqual(naming(GRANT_2, 'to be forwarded to old', /\d attempt/));
  expect(await explained('Alex')).toEqual(naming('[votifier.error-answer]', 'Teller keeps trying'));

  expect((await teller.run('grants', 'pay', '1', '--player', 'Kim')).err).toContain('[grant-for-user]');
  expect((await teller.run('grants', 'mark-paid', '1')).exit).toBe(0);
  expect(await states(teller)).toEqual(['delivered', 'pending']);
  expect(await explained('Steve')).toContain('the operator said so');
});

test('a vote that is to be forwarded is forwarded again by pay, as it was, also if other grants get new commands, but not to a game server of that name', async () => {
  const { old, teller } = await forwards();
  const before = await commands(teller, 1);
  rewrite(teller, { gameServers: { old: { kind: 'practice' } }, rewards: [] });
  expect((await teller.run('grants', 'pay', '1')).err).toContain('[grant-nowhere]');
  expect(await states(teller)).toEqual(['held', 'pending']);
  rewrite(teller, { gameServers: { old: old.entry }, rewards: [] });
  expect((await teller.run('grants', 'pay', '1', '--rerender')).exit).toBe(0);
  expect((await teller.run('explain', 'Steve')).out).toEqual(naming(GRANT_1, 'to be forwarded to old'));
  await old.be('well');
  await teller.untilGrants('delivered', 'delivered');
  expect(await commands(teller, 1)).toEqual(before);
  expect([old.unconfirmed, old.ran.toSorted()]).toEqual([['Steve'], ['Alex', 'Steve']]);
  expect((await teller.run('explain', 'Steve')).out).toEqual(naming(GRANT_1, 'forwarded to old', 'ok'));
});
