import { describe, expect, onTestFinished, test } from 'vitest';
import type { Outcome } from '../../src/core/outcome.ts';
import { Delivery } from '../../src/delivery/delivery.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { DAILY } from '../support/ledgers.ts';
import { MINUTE, quiet, ScriptedServer, startQueue, vote } from './scripted-queue.ts';

const ROAMING: Reward = { ...DAILY, servers: ['sky', 'survival'], whereOnline: true };
const BOTH = ['give Steve diamond 1', 'give Steve emerald 2'];
const UNREACHABLE = { kind: 'resting', reason: 'unreachable', restMs: 60_000 } as const;

/** A delivery to two game servers of one network. */
async function network(around: (ledger: Ledger) => Ledger = (ledger) => ledger) {
  const here = startQueue({ name: 'neither' }, around);
  const { clock, log, ledger } = here.parts;
  const [sky, survival] = [new ScriptedServer(), new ScriptedServer()];
  const queueFor = (name: string, server: ScriptedServer) =>
    new GameServerQueue({ ...here.parts, name, server });
  const delivery = new Delivery({
    queues: [queueFor('sky', sky), queueFor('survival', survival)],
    kindByServer: new Map([['sky', 'rcon'], ['survival', 'rcon']]), // biome-ignore format: as a table
    whileDelivering: [],
    ...{ ledger, clock, log },
  });
  await delivery.start();
  onTestFinished(() => delivery.close());
  const voted = async (...rewards: Reward[]): Promise<void> => {
    await vote(here, 'Steve', ...rewards);
    delivery.nudge();
    await quiet();
  };
  const grants = async () =>
    (await here.ledger.grants({ limit: 9 })).map(({ server, state }) => `${state} ${server}`);
  return { ...here, sky, survival, delivery, queueFor, voted, grants };
}

describe('a reward for the game server that the player is on', () => {
  test('is paid there at once, and on no other', async () => {
    const here = await network();
    here.survival.online = ['Steve'];
    await here.voted(ROAMING);
    expect([here.sky.commands, here.survival.commands]).toEqual([[], BOTH]);
    expect(await here.grants()).toEqual(['delivered survival']);
  });

  test('is paid on the one that the player is first on later', async () => {
    const here = await network();
    await here.voted(ROAMING);
    expect(await here.grants()).toEqual(['waiting sky or survival']);
    await here.pass(MINUTE);
    here.sky.online = ['Steve'];
    await here.pass(10_000);
    here.sky.online = [];
    here.survival.online = ['Steve'];
    await here.pass(MINUTE);
    expect([here.sky.commands, here.survival.commands]).toEqual([BOTH, []]);
    expect(await here.grants()).toEqual(['delivered sky']);
  });

  test('is paid once if both list the player at the same moment, as a network does while they move', async () => {
    const here = await network();
    here.sky.online = ['Steve'];
    here.survival.online = ['Steve'];
    await here.voted(ROAMING, { ...ROAMING, name: 'second' });
    await here.pass(MINUTE);
    expect([...here.sky.commands, ...here.survival.commands].toSorted()).toEqual(
      [...BOTH, ...BOTH].toSorted(),
    );
  });

  test('is paid by the other one at once if a game server cannot be reached', async () => {
    const here = await network();
    here.sky.opening = async () => UNREACHABLE;
    here.survival.online = ['Steve'];
    await here.voted(ROAMING);
    expect(here.survival.commands).toEqual(BOTH);
  });

  test('is paid by the other one if its command could not be sent', async () => {
    const here = await network();
    here.sky.online = ['Steve'];
    here.sky.outcome = () => {
      here.survival.online = ['Steve'];
      return { kind: 'not-sent', reason: 'unreachable' };
    };
    await here.voted(ROAMING);
    await here.pass(5_000);
    expect(await here.grants()).toEqual(['delivered survival']);
  });

  test('is found by the other one if the game server of its player comes back later', async () => {
    const here = await network();
    here.sky.opening = async () => UNREACHABLE;
    await here.voted(ROAMING);
    expect(await here.grants()).toEqual(['waiting sky or survival']);
    here.sky.opening = async () => ({ kind: 'open' });
    here.sky.online = ['Steve'];
    await here.pass(2 * MINUTE);
    expect(await here.grants()).toEqual(['delivered sky']);
  });

  test('is paid by the next one if the player moved before the first command', async () => {
    const here = await network();
    here.sky.online = ['Steve'];
    here.sky.outcome = () => {
      here.sky.online = [];
      here.survival.online = ['Steve'];
      return { kind: 'player-offline', reply: 'No player was found' };
    };
    await here.voted(ROAMING);
    await here.pass(MINUTE);
    expect([here.sky.commands, here.survival.commands]).toEqual([BOTH.slice(0, 1), BOTH]);
    expect(await here.grants()).toEqual(['delivered survival']);
  });

  test('is finished where it began, when the player is back there, if they move between its commands', async () => {
    const here = await network();
    here.sky.online = ['Steve'];
    here.sky.outcome = () => {
      here.clock.advance(2_000);
      here.sky.online = [];
      here.survival.online = ['Steve'];
      return { kind: 'delivered', reply: 'Gave' };
    };
    await here.voted(ROAMING);
    await here.pass(MINUTE);
    expect([here.sky.commands, here.survival.commands]).toEqual([BOTH.slice(0, 1), []]);
    expect(await here.grants()).toEqual(['waiting sky']);
    here.sky.online = ['Steve'];
    await here.pass(MINUTE);
    expect([here.sky.commands, here.survival.commands]).toEqual([BOTH, []]);
  });

  test.each<[string, Outcome, Partial<Reward>, string]>([
    ['held', { kind: 'unknown', reason: 'closed' }, {}, 'held sky'],
    ['run again there', { kind: 'unknown', reason: 'closed' }, { safeToRunTwice: true }, 'waiting sky'],
    ['refused', { kind: 'refused', reply: 'Unknown item' }, {}, 'refused sky'],
  ])(
    'is %s and never continued elsewhere after a command whose outcome says so',
    async (_, outcome, more, then) => {
      const here = await network();
      here.sky.online = ['Steve'];
      here.sky.outcome = () => {
        here.sky.online = [];
        here.survival.online = ['Steve'];
        return outcome;
      };
      await here.voted({ ...ROAMING, ...more });
      here.clock.advance(1_000);
      await here.pass(10 * MINUTE);
      expect(here.survival.commands).toEqual([]);
      expect(await here.grants()).toEqual([then]);
    },
  );

  test('makes no player join a practice server, because that would choose the game server', async () => {
    const here = await network();
    here.sky.join = () => true;
    here.survival.join = () => true;
    await here.voted(ROAMING);
    expect(await here.grants()).toEqual(['waiting sky or survival']);
    here.survival.online = ['Steve'];
    await here.pass(MINUTE);
    expect(here.survival.commands).toEqual(BOTH);
  });

  test('is left to the others if its game server is removed from the config', async () => {
    const here = await network();
    await here.voted(ROAMING);
    const survival = here.queueFor('survival', here.survival);
    await here.delivery.replace([survival], new Map([['survival', 'rcon']]));
    here.survival.online = ['Steve'];
    await here.pass(MINUTE);
    expect(await here.grants()).toEqual(['delivered survival']);
  });
});
