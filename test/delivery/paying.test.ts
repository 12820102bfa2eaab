import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';

const GIVE = { name: 'daily', when: 'online', commands: ['give {player} diamond 1'] };
const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };

/** A Teller with one game server and these rewards. @param settings of the game server's entry. */
async function paying(rewards: readonly object[], settings: object = {}) {
  const game = await rconGame(settings);
  return { game, teller: await here({ gameServers: { main: game.entry }, rewards }) };
}

test('a player who is offline is paid when they join', async () => {
  const { game, teller } = await paying([GIVE]);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting');
  expect(game.ran).toEqual([]);

  game.show('Steve');

  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['give Steve diamond 1']);
});

test('a reward with "when": "always" is paid while its player is offline', async () => {
  const { game, teller } = await paying([SAY]);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say Steve voted']);
});

test('commands use the spelling of the game server’s list', async () => {
  const { game, teller } = await paying([GIVE]);
  game.show('STEVE');
  await teller.vote({ player: 'steve' });
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['give STEVE diamond 1']);
});

test('a player is paid only after they have been online for the join delay', async () => {
  const { game, teller } = await paying([GIVE], { joinDelay: '20s' });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting');
  game.show('Steve');
  await teller.pass(19_000);
  expect(game.ran).toEqual([]);
  await teller.pass(3_000);
  await teller.untilGrants('delivered');
});

test('the commands of a grant run in order, and a refused one stops the rest', async () => {
  const mixed = { name: 'mixed', when: 'always', commands: ['say one', 'nonsense two', 'say three'] };
  const { game, teller } = await paying([mixed]);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('refused');
  expect((await teller.grants())[0]?.commands).toMatchObject([
    { command: 'say one', outcome: 'delivered', attempts: 1 },
    { command: 'nonsense two', outcome: 'refused', attempts: 1 },
    { command: 'say three', outcome: null, attempts: 0 },
  ]);
  // What a game server does not know yet may be a plugin's that still starts, so it is tried once more.
  expect(game.ran).toEqual(['say one', 'nonsense two', 'nonsense two']);
});

test('a command that ran without an answer is unknown: its grant is held, and it does not run again', async () => {
  const { game, teller } = await paying([SAY]);
  game.fault('run-and-close');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('held');
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('held', 'delivered');
  expect(game.ran).toEqual(['say Steve voted', 'say Alex voted']);
});

test('a held grant is paid when the operator says so', async () => {
  const { game, teller } = await paying([SAY], { commandTimeout: '1s' });
  game.fault('silent');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('held');
  expect(await teller.run('grants', 'pay', '1', '--yes')).toMatchObject({ exit: 0 });
  await teller.untilGrants('delivered');
  expect((await teller.grants())[0]?.commands).toMatchObject([{ outcome: 'delivered', attempts: 2 }]);
  expect(game.ran).toEqual(['say Steve voted']);
});

test('a reward that is safe to run twice is retried after an unknown outcome', async () => {
  const { game, teller } = await paying([{ ...SAY, safeToRunTwice: true }]);
  game.fault('run-and-close');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say Steve voted', 'say Steve voted']);
});

test('a command that certainly never ran is retried until the game server accepts it', async () => {
  const { game, teller } = await paying([SAY]);
  game.fault('close-after-login', 2);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say Steve voted']);
  expect((await teller.grants())[0]?.commands).toMatchObject([{ attempts: 1 }]);
  const codes = () => teller.log.map(({ code }) => code).filter((code) => code.startsWith('server-'));
  await teller.until(() => codes().includes('server-reached'));
  expect(codes()).toEqual(['server-unreachable', 'server-reached']);
});

test('a grant waits for a player who is in the list but whom the command does not find', async () => {
  const commands = ['give {player} diamond 1', 'say done'];
  const { game, teller } = await paying([{ ...GIVE, commands }], { offlineReplies: ['^Gave 1'] });
  game.show('Steve');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting');
  await teller.until(async () => (await teller.grants())[0]?.commands[0]?.outcome === 'player-offline');
  expect((await teller.grants())[0]?.commands[1]).toMatchObject({ outcome: null });
});

test('each game server gets its own grants', async () => {
  const [lobby, survival] = [await rconGame(), await rconGame()];
  const teller = await here({
    gameServers: { lobby: lobby.entry, survival: survival.entry },
    rewards: [
      { ...SAY, servers: ['lobby'] },
      { name: 'both', when: 'always', servers: 'all', commands: ['say twice'] },
    ],
  });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered', 'delivered', 'delivered');
  expect([lobby.ran, survival.ran]).toEqual([['say Steve voted', 'say twice'], ['say twice']]);
});

test('a command for all players is delivered even if none is online, and waits for no player', async () => {
  const { teller } = await paying([
    { name: 'news', when: 'always', commands: ['tellraw @a {"text":"{site} has a vote"}', 'say next'] },
    { name: 'gift', when: 'always', commands: ['give {player} diamond 1'] },
  ]);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered', 'waiting');
  expect((await teller.grants())[0]?.commands).toMatchObject([
    { outcome: 'delivered', reply: 'No player was found', attempts: 1 },
    { outcome: 'delivered' },
  ]);
});
