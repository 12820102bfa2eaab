import { expect, test } from 'vitest';
import { type Fault, rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';

const ROAMING = {
  name: 'daily',
  servers: 'where-online',
  commands: ['give {player} diamond 1', 'give {player} emerald 2'],
};
const BOTH = ['give Steve diamond 1', 'give Steve emerald 2'];

/** A Teller with two game servers of one network, and this reward. */
async function network(reward: object = ROAMING) {
  const [sky, survival] = [await rconGame(), await rconGame()];
  const config = { gameServers: { sky: sky.entry, survival: survival.entry }, rewards: [reward] };
  const teller = await here(config);
  /** The server and state of each grant, once they are these. */
  const grants = (...wanted: readonly string[]): Promise<void> =>
    teller.until(async () => {
      const found = (await teller.grants()).map(({ server, state }) => `${state} ${server}`);
      return found.join() === wanted.join();
    });
  /** Steve is on `sky`, and moves when its first command comes, which is answered with this. */
  const moveDuring = (answer: Parameters<typeof sky.reply>[0]): void => {
    sky.show('Steve');
    sky.reply((command) => {
      if (command !== BOTH[0]) return undefined;
      sky.show();
      survival.show('Steve');
      return answer(command);
    });
  };
  return { sky, survival, teller, grants, moveDuring, vote: () => teller.vote({ player: 'Steve' }), config };
}

test.each([
  ['which can be reached', false],
  ['which cannot be reached', true],
])(
  'a reward is paid at once on the game server that its player is on, and not on the other one, %s',
  async (_, isDown) => {
    const { sky, survival, grants, vote } = await network();
    if (isDown) sky.script((_packet, socket) => void socket.destroy());
    survival.show('Steve');
    await vote();
    await grants('delivered survival');
    expect([sky.ran, survival.ran]).toEqual([[], BOTH]);
  },
);

test('it is paid on the one that the player is first on later', async () => {
  const { sky, survival, teller, grants, vote } = await network();
  await vote();
  await grants('waiting sky or survival');
  await teller.pass(60_000, 1_000);
  sky.show('Steve');
  await grants('delivered sky');
  sky.show();
  survival.show('Steve');
  await teller.pass(10_000);
  expect([sky.ran, survival.ran]).toEqual([BOTH, []]);
});

test('it is paid once if both list the player at the same moment, as a network does while they move', async () => {
  const { sky, survival, teller, vote } = await network();
  sky.show('Steve');
  survival.show('Steve');
  await vote();
  await teller.untilGrants('delivered');
  await teller.pass(10_000);
  expect([...sky.ran, ...survival.ran]).toEqual(BOTH);
});

test('it is found by a game server that could not be reached when the player voted', async () => {
  const { sky, teller, grants, vote } = await network();
  let isDown = true;
  sky.script((_, socket) => (isDown ? void socket.destroy() : false));
  await vote();
  await grants('waiting sky or survival');
  isDown = false;
  sky.show('Steve');
  await teller.pass(5_000);
  await grants('delivered sky');
});

test.each<readonly [string, Fault | string, readonly string[]]>([
  ['its first command certainly did not run', 'unknown-command', []],
  ['the player moved before the first command', 'No player was found', BOTH.slice(0, 1)],
])('it is paid by the other one if %s', async (_, reply, ranOnSky) => {
  const { sky, survival, grants, moveDuring, vote } = await network();
  moveDuring(() => {
    if (reply === 'unknown-command') sky.script((_packet, socket) => void socket.destroy());
    return reply;
  });
  await vote();
  await grants('delivered survival');
  expect([sky.ran, survival.ran]).toEqual([ranOnSky, BOTH]);
});

test('it is finished where it began, when the player is back there, if they move between its commands', async () => {
  const { sky, survival, teller, grants, moveDuring, vote } = await network();
  // It takes so long that the list is read again before the next command.
  moveDuring(() => new Promise((resolve) => teller.clock.after(2_000, () => resolve('Gave 1 [Diamond]'))));
  await vote();
  await grants('waiting sky');
  await teller.pass(10_000);
  expect([sky.ran, survival.ran]).toEqual([BOTH.slice(0, 1), []]);
  sky.show('Steve');
  await grants('delivered sky');
  expect([sky.ran, survival.ran]).toEqual([BOTH, []]);
});

test.each<readonly [Fault | string, object, string]>([
  ['run-and-close', {}, 'held sky'],
  ['run-and-close', { safeToRunTwice: true }, 'waiting sky'],
  ['Usage: /give <player> <item>', {}, 'refused sky'],
])(
  'after a command that ended with %s (%j) it is %s, and never continued elsewhere',
  async (reply, more, state) => {
    const { sky, survival, teller, grants, moveDuring, vote } = await network({ ...ROAMING, ...more });
    moveDuring(() => reply);
    await vote();
    await grants(state);
    await teller.pass(10 * 60_000, 5_000);
    await grants(state);
    expect([sky.ran, survival.ran]).toEqual([BOTH.slice(0, 1), []]);
  },
);

test('it makes no player join a practice server, because that would choose the game server', async () => {
  const practice = { kind: 'practice', joinDelay: '0s', presenceInterval: '1s' };
  const teller = await here({ gameServers: { sky: practice, survival: practice }, rewards: [ROAMING] });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting');
  await teller.pass(20_000);
  expect(await teller.grants()).toMatchObject([{ server: 'sky or survival', state: 'waiting' }]);
});

test('it is left to the others if its game server is removed from the config', async () => {
  const { survival, teller, grants, vote, config } = await network();
  await vote();
  await grants('waiting sky or survival');
  const { survival: entry } = config.gameServers;
  await teller.reload({ ...config, gameServers: { survival: entry } });
  survival.show('Steve');
  await grants('delivered survival');
});
