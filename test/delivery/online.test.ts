import { expect, test } from 'vitest';
import type { RconGame } from '../kit/game.ts';
import type { Here } from '../kit/here.ts';
import { lockLedger } from '../kit/ledger-file.ts';
import { page } from '../kit/page.ts';
import { paying } from '../kit/stuck.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const GIVE = { name: 'daily', when: 'online', commands: ['give {player} diamond 1'] };
const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };
const UUID = '069a79f4-44e9-4726-a5be-fca90e38aaf5';

/** The game server has a list that no client understands, and is asked about each player. @param isThere about one. */
function askEach(game: RconGame, isThere: (player: string) => boolean | Promise<boolean>): void {
  game.reply(async (command) => {
    const [, player] = /if entity (.*)/.exec(command) ?? [];
    if (player !== undefined) return (await isThere(player)) ? 'Test passed, count: 1' : 'Test failed';
    return /list/.test(command) ? 'Es ist niemand da' : undefined;
  });
}

/** The next list is answered when this is called, with this player in it; those after it show nobody. */
function holdList(game: RconGame): (player: string) => void {
  let answer = (_: string): void => expect.fail('it was not asked');
  let isHeld = false;
  game.show();
  game.reply((command) => {
    if (isHeld || !command.endsWith('list uuids')) return undefined;
    isHeld = true;
    return new Promise((resolve) => (answer = resolve));
  });
  return (player) => answer(`There are 1 of a max of 20 players online: ${player}`);
}

/** The codes of its log about whether the game server is reached, in order. */
const reached = ({ log }: Here): readonly string[] =>
  log.map(({ code }) => code).filter((code) => code.startsWith('server-'));

test.each(['advance', 'sleep'] as const)(
  'a player who has left is not paid because of an old answer: %s',
  async (passes) => {
    const { game, teller } = await paying([GIVE]);
    game.show('Steve');
    await teller.vote({ player: 'Steve' });
    await teller.untilGrants('delivered');
    game.show();
    teller.clock[passes](25 * HOUR);
    await teller.vote({ player: 'Steve' });
    await teller.untilGrants('delivered', 'waiting');
    expect(game.ran).toEqual(['give Steve diamond 1']);
  },
);

test('a player is not paid because of an answer that grew old while others were asked about', async () => {
  const { game, teller } = await paying([GIVE], { presenceInterval: '20s' });
  let isThere = false;
  askEach(game, async (player) => {
    const is = player === 'Alice' && isThere;
    if (is) isThere = false;
    await new Promise<void>((resolve) => teller.clock.after(200, resolve));
    return is;
  });
  const players = ['Alice', ...Array.from({ length: 9 }, (_, n) => `P${n}`)];
  for (const player of players) await teller.vote({ player });
  await teller.untilGrants(...players.map(() => 'waiting'));
  isThere = true;
  await teller.pass(MINUTE);
  expect([isThere, game.ran]).toEqual([false, []]);
});

test('a player who has left is not paid because of an older answer, which the ledger stored later', async () => {
  const { game, teller } = await paying([GIVE]);
  const answer = holdList(game);
  const asked = (times: number) => teller.until(() => game.asked.length === times, 10);
  await page(teller, '/');
  await asked(1);
  await teller.vote({ player: 'Steve' });
  await teller.pass(100);
  const unlock = lockLedger(teller);
  answer(`Steve (${UUID})`);
  await asked(2);
  await teller.pass(100);
  unlock();
  await teller.until(async () => (await teller.grants())[0]?.state === 'waiting', 10);
  await teller.vote({ player: 'Steve', site: 'Other' });
  await teller.untilGrants('waiting', 'waiting');
  expect(game.ran).toEqual([]);
});

test('a command with {uuid} is not sent if a page learns that its player has left while it is cleared', async () => {
  const { game, teller } = await paying([{ ...GIVE, commands: ['lp {uuid}'] }], { commandPause: '100ms' });
  game.show(`Steve (${UUID})`);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  await teller.pass(10_000);
  const answer = holdList(game);
  const before = game.asked.length;
  await teller.vote({ player: 'Steve', site: 'Other' });
  await teller.until(() => game.asked.length > before);
  await page(teller, '/');
  answer(`Steve (${UUID})`);
  await teller.untilGrants('delivered', 'waiting');
  expect(game.ran).toEqual([`lp ${UUID}`]);
});

test('a player is not judged by an answer about another one', async () => {
  const { game, teller } = await paying([GIVE]);
  const there = new Set(['Bob']);
  askEach(game, (player) => there.has(player));
  game.show('Alice', 'Bob');
  await teller.vote({ player: 'Alice' });
  await teller.vote({ player: 'Bob' });
  await teller.untilGrants('waiting', 'delivered');
  there.add('Alice');
  await teller.untilGrants('delivered', 'delivered');
  expect(game.ran).toEqual(['give Bob diamond 1', 'give Alice diamond 1']);
});

test('a command whose player the game server does not find is tried again 10 s later', async () => {
  const { game, teller } = await paying([{ ...GIVE, when: 'always' }]);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting');
  game.show('Steve');
  await teller.pass(8_000);
  expect(game.ran).toHaveLength(1);
  await teller.untilGrants('delivered');
  expect((await teller.grants())[0]?.commands).toMatchObject([{ attempts: 2 }]);
});

test('grants of one player do not delay each other for a player who has just left', async () => {
  const { game, teller } = await paying([GIVE, { ...GIVE, name: 'second' }]);
  game.show('Steve');
  game.reply((command) => (command.startsWith('give') ? 'No player was found' : undefined));
  await teller.vote({ player: 'Steve' });
  await teller.until(() => game.ran.length > 0);
  game.show();
  await teller.untilGrants('waiting', 'waiting');
  expect(game.ran).toEqual(['give Steve diamond 1']);
});

test('a player who joins is paid, although grants wait for a hundred others', async () => {
  const { game, teller } = await paying([GIVE]);
  for (let n = 0; n < 102; n++) await teller.vote({ player: `P${n}` });
  await teller.until(async () => (await teller.grants()).every(({ state }) => state === 'waiting'));
  game.show('P5', 'P101');
  await teller.until(() => game.ran.length === 2);
  game.show('P7', 'P100');
  await teller.until(() => game.ran.length === 4);
  expect(game.ran.slice(0, 2)).toEqual(['give P5 diamond 1', 'give P101 diamond 1']);
  expect(game.ran.slice(2)).toEqual(['give P7 diamond 1', 'give P100 diamond 1']);
});

test('many grants for a player who is not there begin to wait with one look at the list', async () => {
  const rewards = Array.from({ length: 150 }, (_, n) => ({ ...GIVE, name: `r${n}` }));
  const { game, teller } = await paying([...rewards, SAY], { presenceInterval: '1h' });
  await teller.vote({ player: 'Steve' });
  await teller.until(() => game.ran.length === 1);
  const grants = await teller.grants();
  expect(grants.filter(({ state }) => state === 'waiting')).toHaveLength(150);
  expect(game.asked.filter((question) => question.endsWith('uuids'))).toHaveLength(1);
});

test('grants that wait have the reason why nobody knows who is there', async () => {
  const { game, teller } = await paying([GIVE]);
  game.reply((command) => (/list|execute/.test(command) ? 'Es ist niemand da' : undefined));
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting');
  expect(await teller.grants()).toMatchObject([{ reason: 'list-not-understood' }]);
  game.reply(() => undefined);
  await teller.pass(2_000);
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('waiting', 'waiting');
  expect((await teller.grants())[1]).toMatchObject({ reason: 'player-offline' });
});

test('all commands of a grant need one look at the list, if they take less than a second', async () => {
  const commands = Array.from({ length: 20 }, (_, n) => `say ${n}`);
  const { game, teller } = await paying([{ ...GIVE, commands }]);
  game.show('Steve');
  game.reply((command) => (command.startsWith('say') ? 'ok' : undefined));
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(commands);
  expect(game.asked.filter((question) => question.endsWith('uuids')).length).toBeLessThan(8);
});

test('a command is not claimed while the connection does not answer', async () => {
  const { game, teller } = await paying([SAY], { commandTimeout: '1s' });
  let isDead = true;
  game.script(({ type }) => isDead && type !== 3);
  await teller.vote({ player: 'Steve' });
  await teller.pass(5_000);
  expect(await teller.grants()).toMatchObject([
    { state: 'pending', commands: [{ outcome: null, attempts: 0 }] },
  ]);
  isDead = false;
  await teller.untilGrants('delivered');
  await teller.until(() => reached(teller).length === 2);
  expect(reached(teller)).toEqual(['server-unreachable', 'server-reached']);
});

test('a player is paid as soon as the list can be read again, however rarely it is read', async () => {
  const { game, teller } = await paying([GIVE], { presenceInterval: '1h' });
  game.show('Steve');
  let isDown = true;
  game.script((_, socket) => (isDown ? void socket.destroy() : false));
  await teller.vote({ player: 'Steve' });
  await teller.pass(5_000);
  isDown = false;
  await teller.untilGrants('delivered');
  await teller.until(() => reached(teller).length === 2);
});

test('a command with {uuid} waits, without an attempt, until the list shows UUIDs', async () => {
  const { game, teller } = await paying([
    { ...GIVE, commands: ['say hi', 'lp user {uuid} parent add voter'] },
  ]);
  game.show('Steve');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting');
  expect(await teller.grants()).toMatchObject([
    { reason: 'uuid-unknown', commands: [{ outcome: 'delivered' }, { outcome: null, attempts: 0 }] },
  ]);
  game.show(`Steve (${UUID})`);
  await teller.pass(MINUTE, 200);
  await teller.untilGrants('delivered');
  const command = `lp user ${UUID} parent add voter`;
  expect(game.ran).toEqual(['say hi', command]);
  expect((await teller.grants())[0]?.commands[1]).toMatchObject({ command, outcome: 'delivered' });
});

test('a list without UUIDs is not read for each of the grants that need one', async () => {
  const rewards = Array.from({ length: 70 }, (_, n) => ({ ...GIVE, name: `r${n}`, commands: ['lp {uuid}'] }));
  const { game, teller } = await paying(rewards, { presenceInterval: '10s' });
  game.show('Steve');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants(...rewards.map(() => 'waiting'));
  await teller.pass(MINUTE, 200);
  expect(game.ran).toEqual([]);
  expect(game.asked.filter((question) => question.endsWith('list uuids')).length).toBeLessThan(25);
});

test('a grant that the operator redirects to the player with a Bedrock prefix is paid at once', async () => {
  const { game, teller } = await paying([GIVE], { presenceInterval: '1h' });
  game.show('.BedHead');
  await teller.vote({ player: 'BedHead' });
  await teller.untilGrants('waiting');
  expect(await teller.run('grants', 'pay', '1', '--player', '.bedhead', '--yes')).toMatchObject({ exit: 0 });
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['give .BedHead diamond 1']);
});
