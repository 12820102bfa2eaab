import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Fault, rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { httpGame } from '../kit/http-game.ts';

const MINUTE = 60_000;
/** Only announces. */
const NEWS = { name: 'news', when: 'always', announce: true, commands: ['say {player} voted'] };
/** Pays, and tells everyone. */
const COINS = {
  name: 'coins',
  when: 'always',
  commands: ['eco give {player} 100'],
  broadcast: '{player} voted',
};
const paid = (player: string): string => `eco give ${player} 100`;
const told = (player: string): string => expect.stringMatching(new RegExp(`^tellraw @a .*${player}`));

/** A Teller with one game server. @param settings of its entry. */
async function announcing(rewards: readonly object[], settings: object = {}) {
  const game = await rconGame({ version: '1.21.4', ...settings });
  const teller = await here({ gameServers: { main: game.entry }, rewards });
  const { run, clock } = teller;
  /** The game server accepts no connection from now on, and closes those that it has; or it does again. */
  let isDown = false;
  game.script((_, socket) => (isDown ? void socket.destroy() : false));
  return { game, run, clock, teller, down: (now: boolean) => (isDown = now) };
}

/** What became of each command of a grant: `delivered`, or `not-sent stranger`. */
const fates = async (teller: Here, at: number): Promise<readonly string[]> =>
  ((await teller.grants())[at]?.commands ?? []).map(({ outcome, reason }) =>
    [outcome, reason].filter((each) => each !== null).join(' '),
  );

test('an announcement is sent for a player who is on the game server, and later also while they are away', async () => {
  const { game, teller } = await announcing([NEWS]);
  game.show('Steve');
  await teller.vote({ player: 'Steve' });
  await teller.until(() => game.ran.length === 1);
  game.show();
  await teller.pass(MINUTE, 1_000);
  await teller.vote({ player: 'Steve', site: 'Other' });
  await teller.untilGrants('delivered', 'delivered');
  expect(game.ran).toEqual(['say Steve voted', 'say Steve voted']);
});

test('it is never sent for a player whom no game server has shown, who is still paid', async () => {
  const { game, teller } = await announcing([NEWS, COINS]);
  await teller.vote({ player: 'Stranger' });
  await teller.untilGrants('cancelled', 'delivered');
  expect((await teller.grants())[0]).toMatchObject({ reason: 'stranger' });
  expect(await fates(teller, 1)).toEqual(['delivered', 'not-sent stranger']);
  game.show('Stranger');
  await teller.pass(MINUTE, 1_000);
  expect(game.ran).toEqual([paid('Stranger')]);
});

test('it is sent for anybody on a game server that cannot report who is online, without asking it', async () => {
  const game = await httpGame();
  const teller = await here({ gameServers: { main: game.entry }, rewards: [NEWS] });
  await teller.vote({ player: 'Stranger' });
  await teller.untilGrants('delivered');
  expect(game.received.map(({ said }) => said)).toMatchObject([{ command: 'say Stranger voted' }]);
});

test('a player who was seen on a practice server only is a stranger on a real one', async () => {
  const game = await rconGame();
  const teller = await here({
    gameServers: { main: game.entry, lab: { kind: 'practice', joinDelay: '0s' } },
    rewards: [
      { ...NEWS, servers: ['main'] },
      { name: 'shown', servers: ['lab'], commands: ['say {player} is here'] },
    ],
  });
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('cancelled', 'delivered');
  await teller.vote({ player: 'Alex', site: 'Other' });
  await teller.untilGrants('cancelled', 'delivered', 'cancelled', 'delivered');
  expect(game.ran).toEqual([]);
});

const atMost = (count: number, within: string) => ({ atMost: { count, within } });

test('it waits for the connection, but no longer than two minutes; atMost does not count what could not be sent', async () => {
  const { game, teller, down } = await announcing([NEWS, { ...COINS, ...atMost(1, '10m') }]);
  game.show('Alex', 'Steve');
  down(true);
  await teller.vote({ player: 'Alex' });
  await teller.pass(2 * MINUTE, 500);
  expect(game.connections()).toBeGreaterThan(3);
  down(false);
  await teller.untilGrants('cancelled', 'delivered');
  expect(game.ran).toEqual([paid('Alex')]);
  expect((await teller.grants())[0]).toMatchObject({ reason: 'expired' });
  expect(await fates(teller, 1)).toEqual(['delivered', 'not-sent expired']);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('cancelled', 'delivered', 'delivered', 'delivered');
  expect(game.ran.slice(1)).toEqual(['say Steve voted', paid('Steve'), told('Steve')]);
});

test.each([
  [2 * MINUTE, [told('Alex')]],
  [2 * MINUTE + 1, []],
])('it is sent two minutes after its vote, and not a millisecond later: %i', async (ms, sent) => {
  const { game, teller, clock } = await announcing([COINS], { commandTimeout: '10m' });
  game.show('Alex', 'Steve');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  game.ran.length = 0;
  const replies: ((said: string) => void)[] = [];
  game.reply((command) =>
    command === paid('Alex') ? new Promise((resolve) => replies.push(resolve)) : undefined,
  );
  // The connection is open, so the payment is sent while time stands still.
  await teller.vote({ player: 'Alex' });
  while (replies.length === 0) await sleep(1);
  clock.advance(ms);
  replies[0]?.('Paid');
  await teller.untilGrants('delivered', 'delivered');
  expect(game.ran).toEqual([paid('Alex'), ...sent]);
});

test.each<readonly [string, Fault | string, string, string]>([
  ['unknown', 'run-and-close', 'delivered', 'unknown closed'],
  ['refused', 'Usage: /say <message>', 'cancelled', 'refused'],
])('it is over if its outcome is %s: neither held nor sent again', async (_, reply, state, fate) => {
  const { game, teller } = await announcing([NEWS, COINS]);
  game.show('Alex');
  game.reply((command) => (/^(?:say|tellraw)/.test(command) ? reply : undefined));
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants(state, 'delivered');
  await teller.pass(10 * MINUTE, 10_000);
  expect(game.ran).toEqual(['say Alex voted', paid('Alex'), told('Alex')]);
  expect([await fates(teller, 0), (await fates(teller, 1))[1]]).toEqual([[fate], fate]);
});

test('of several commands those after a refused one are sent', async () => {
  const { game, teller } = await announcing([{ ...NEWS, commands: ['say one', 'say two', 'say three'] }]);
  game.show('Alex');
  game.reply((command) => (command === 'say one' ? 'Usage: /say <message>' : undefined));
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say one', 'say two', 'say three']);
});

test('with "when": "online" it is sent while its player is there', async () => {
  const { game, teller } = await announcing([{ ...NEWS, when: 'online' }]);
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('waiting');
  game.show('Alex');
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say Alex voted']);
});

test('a payment that has waited for its player is not announced when they come an hour later', async () => {
  const { game, teller } = await announcing([{ ...COINS, when: 'online' }]);
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('waiting');
  await teller.pass(60 * MINUTE, MINUTE);
  game.show('Alex');
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual([paid('Alex')]);
});

test.each([
  [10 * MINUTE - 1, [], 'not-sent too-often'],
  [10 * MINUTE, [told('Steve')], 'delivered'],
])('atMost leaves out what comes too soon, which is paid: %i ms after the last', async (ms, sent, fate) => {
  const { game, teller, clock } = await announcing([{ ...COINS, ...atMost(1, '10m') }]);
  game.show('Alex', 'Steve');
  game.reply((command) => (command.startsWith('eco') ? 'Paid' : undefined));
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  await teller.pass(11 * MINUTE, MINUTE);
  await teller.until(async () => (await teller.vote({ player: 'Noor' })) === 'ok');
  await teller.untilGrants('delivered', 'delivered');
  await teller.pass(11 * MINUTE, MINUTE);
  game.ran.length = 0;
  // Neither an answer nor a pause is waited for, so both are judged at the time of their vote.
  await teller.vote({ player: 'Alex', site: 'One' });
  while ((await teller.grants()).some(({ state }) => state !== 'delivered')) await sleep(5);
  clock.advance(ms);
  await teller.vote({ player: 'Steve', site: 'Two' });
  await teller.untilGrants('delivered', 'delivered', 'delivered', 'delivered');
  expect(game.ran).toEqual([paid('Alex'), told('Alex'), paid('Steve'), ...sent]);
  expect(await fates(teller, 3)).toEqual(['delivered', fate]);
});

test('atMost counts each reward by itself, and cancels what would only have been announced', async () => {
  const limited = (name: string) => ({ ...NEWS, name, ...atMost(2, '1m') });
  const { game, teller } = await announcing([limited('a'), limited('b')]);
  game.show('Alex', 'Steve', 'Sasha');
  for (const player of ['Alex', 'Steve', 'Sasha']) await teller.vote({ player });
  await teller.untilGrants('delivered', 'delivered', 'delivered', 'delivered', 'cancelled', 'cancelled');
  expect((await teller.grants())[4]).toMatchObject({ reason: 'too-often' });
});

test('atMost counts a grant of several announcements once, also if the connection breaks between them', async () => {
  const twice = { ...NEWS, commands: ['say one', 'say two'], ...atMost(1, '1m') };
  const { game, teller, down } = await announcing([twice]);
  game.show('Alex');
  game.reply((command) => {
    if (command !== 'say one') return undefined;
    down(true);
    return 'reply-and-close';
  });
  await teller.vote({ player: 'Alex' });
  await teller.until(() => game.ran.length === 1);
  await teller.pass(5_000);
  down(false);
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say one', 'say two']);
});

test('atMost counts anew after a restart', async () => {
  const { game, teller } = await announcing([{ ...COINS, ...atMost(1, '10m') }]);
  game.show('Alex', 'Steve');
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('delivered');
  await teller.restart();
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered', 'delivered');
  expect(game.ran).toEqual([paid('Alex'), told('Alex'), paid('Steve'), told('Steve')]);
});
