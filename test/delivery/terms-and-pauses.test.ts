import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { paying as payingOn } from '../kit/stuck.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };
const GIVE = {
  name: 'daily',
  when: 'online',
  commands: ['give {player} diamond 1', 'give {player} emerald 2'],
};
const BOTH = ['give Steve diamond 1', 'give Steve emerald 2'];

/** A Teller with one game server, which is asked every 10 s who is there. */
const paying = (...rewards: readonly object[]) => payingOn(rewards, { presenceInterval: '10s' });

test('a reward with a delay of two hours is paid when they are over; its player is not looked for before that', async () => {
  const { game, teller } = await paying({ ...GIVE, delay: '2h' });
  game.show('Steve');
  await teller.vote({ player: 'Steve' });
  await teller.pass(2 * HOUR - MINUTE, MINUTE);
  expect([game.asked, game.ran]).toEqual([[], []]);
  await teller.pass(MINUTE, 1_000);
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(BOTH);
});

test('a reward that expires after a day is not paid to a player who joins then', async () => {
  const { game, teller } = await paying({ ...GIVE, expiresAfter: '24h' });
  await teller.vote({ player: 'Steve' });
  await teller.pass(24 * HOUR - MINUTE, 10 * MINUTE);
  expect(await teller.grants()).toMatchObject([{ state: 'waiting' }]);
  await teller.pass(MINUTE + 1_000, 1_000);
  game.show('Steve');
  await teller.pass(MINUTE, 500);
  expect(await teller.grants()).toMatchObject([{ state: 'cancelled', reason: 'expired' }]);
  expect(game.ran).toEqual([]);
});

test('it expires although its game server cannot be reached', async () => {
  const { game, teller } = await paying({ ...GIVE, expiresAfter: '24h' });
  game.script((_, socket) => void socket.destroy());
  await teller.vote({ player: 'Steve' });
  await teller.pass(24 * HOUR + MINUTE, 10 * MINUTE);
  await teller.untilGrants('cancelled');
});

test('it is paid whole if its first command was delivered in time, however late the player is back', async () => {
  const { game, teller } = await paying({ ...GIVE, expiresAfter: '24h' });
  game.show('Steve');
  game.reply((command) => {
    if (command !== BOTH[0]) return undefined;
    game.show();
    // So the list is read again before the next command.
    return new Promise((resolve) => teller.clock.after(2_000, () => resolve('Gave 1 [Diamond] to Steve')));
  });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting');
  expect((await teller.grants())[0]?.commands).toMatchObject([
    { outcome: 'delivered', attempts: 1 },
    { outcome: null, attempts: 0 },
  ]);
  await teller.pass(48 * HOUR, 10 * MINUTE);
  game.show('Steve');
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(BOTH);
});

const YEAR = 365 * 24 * HOUR;

test.each([
  [
    'is not believed for an hour: nothing expires, and it is paid if the clock is set back',
    59 * MINUTE,
    'waiting',
  ],
  ['is believed then', 61 * MINUTE, 'cancelled'],
])('a clock that was set ahead %s', async (_, ms, state) => {
  const { game, teller } = await paying({ ...GIVE, expiresAfter: '24h' });
  await teller.vote({ player: 'Steve' });
  await teller.pass(5_000);
  teller.clock.jump(YEAR);
  await teller.pass(ms, 15_000);
  expect(await teller.grants()).toMatchObject([{ state }]);
  teller.clock.jump(-YEAR);
  game.show('Steve');
  await teller.untilGrants(state === 'waiting' ? 'delivered' : 'cancelled');
});

test('a machine that slept is believed at once', async () => {
  const { teller } = await paying({ ...GIVE, expiresAfter: '24h' });
  await teller.vote({ player: 'Steve' });
  await teller.pass(5_000);
  teller.clock.sleep(25 * HOUR);
  await teller.untilGrants('cancelled');
});

test('during a pause nothing is paid, also after a restart, and it is logged when it begins and ends', async () => {
  const { game, teller } = await paying(SAY);
  expect(await teller.run('pause')).toMatchObject({ exit: 0 });
  await teller.restart();
  await teller.vote({ player: 'Steve' });
  await teller.pass(9 * HOUR, 5 * MINUTE);
  expect(game.ran).toEqual([]);
  await teller.run('resume');
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say Steve voted']);
  const codes = teller.log.map(({ code }) => code);
  expect(codes.filter((code) => /^(?:paused|resumed)$/.test(code))).toEqual(['paused', 'resumed']);
});

test('a pause of one game server leaves the other alone, and a pause of one reward those behind it', async () => {
  const [main, sky] = [await rconGame(), await rconGame()];
  const teller = await here({
    gameServers: { main: main.entry, sky: sky.entry },
    rewards: [
      { ...SAY, servers: 'all' },
      { ...SAY, name: 'more', servers: 'all', commands: ['say more'] },
    ],
  });
  await teller.run('pause', '--server', 'sky');
  await teller.run('pause', '--reward', 'thanks');
  await teller.vote({ player: 'Steve' });
  await teller.pass(MINUTE, 500);
  expect([main.ran, sky.ran]).toEqual([['say more'], []]);
  await teller.run('resume', '--reward', 'thanks');
  await teller.until(() => main.ran.length === 2);
  expect([main.ran, sky.ran]).toEqual([['say more', 'say Steve voted'], []]);
});

test('a pause between two commands stops the second one; the first ends normally', async () => {
  const { game, teller } = await paying({ ...SAY, commands: ['say one', 'say two'] });
  game.reply(async (command) => {
    if (command === 'say one') await teller.run('pause');
    return undefined;
  });
  await teller.vote({ player: 'Steve' });
  await teller.until(() => game.ran.length === 1);
  await teller.pass(MINUTE, 500);
  expect(game.ran).toEqual(['say one']);
  expect(await teller.grants()).toMatchObject([
    { state: 'pending', commands: [{ outcome: 'delivered' }, { outcome: null, attempts: 0 }] },
  ]);
});

test('a player who came during a pause is paid soon after it, however rarely the list is read', async () => {
  const { game, teller } = await payingOn([GIVE], { presenceInterval: '1h' });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting');
  await teller.run('pause');
  game.show('Steve');
  await teller.pass(MINUTE, 500);
  expect(game.ran).toEqual([]);
  await teller.run('resume');
  await teller.untilGrants('delivered');
});
