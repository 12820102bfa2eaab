import { expect, onTestFinished, test } from 'vitest';
import { Delivery } from '../../src/delivery/delivery.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { DAILY, freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { keptLog } from '../support/log.ts';
import { arrival } from '../support/votes.ts';
import { HOUR, MINUTE, quiet, ScriptedServer, startQueue, states } from './scripted-queue.ts';

const ALL = { server: null, reward: null };

/** A delivery to the game servers main and sky. `operator` is the ledger as another process has it open. */
async function delivering() {
  const { ledger, file } = freshLedger();
  const operator = freshLedger(file).ledger;
  const here = startQueue({ name: 'elsewhere' }, () => ledger);
  const { clock } = here;
  const { log, codes } = keptLog();
  const [main, sky] = [new ScriptedServer(), new ScriptedServer()];
  const queue = (name: string, server: ScriptedServer) =>
    new GameServerQueue({ ...here.parts, name, server, log });
  const delivery = new Delivery({
    queues: [queue('main', main), queue('sky', sky)],
    kindByServer: new Map([
      ['main', 'rcon'],
      ['sky', 'rcon'],
    ]),
    whileDelivering: [],
    ...{ ledger, clock, log },
  });
  await delivery.start();
  onTestFinished(() => delivery.close());
  const voted = async (player: string, ...rewards: Reward[]): Promise<void> => {
    await record(ledger, [arrival({ player, receivedAt: clock.now() })], rulesFor(...rewards));
    delivery.nudge();
    await quiet();
  };
  return { ...here, ledger, operator, main, sky, delivery, voted, codes };
}

const BOTH: Reward = { ...THANKS, servers: ['main', 'sky'] };

test('nothing is paid during a pause, and everything is paid within a second after it', async () => {
  const here = await delivering();
  await here.operator.pause(ALL, 'admin', here.clock.now());
  await here.voted('Steve', BOTH);
  await here.pass(9 * HOUR, HOUR);
  expect([here.main.commands, here.sky.commands]).toEqual([[], []]);
  await here.operator.resume(ALL, here.clock.now());
  await here.pass(1_000);
  expect([here.main.commands, here.sky.commands]).toEqual([['say Steve voted'], ['say Steve voted']]);
});

test('a pause of one game server leaves the other alone', async () => {
  const here = await delivering();
  await here.operator.pause({ server: 'sky', reward: null }, 'admin', here.clock.now());
  await here.voted('Steve', BOTH);
  await here.pass(MINUTE);
  expect([here.main.commands, here.sky.commands]).toEqual([['say Steve voted'], []]);
});

test('a pause of one reward leaves those behind it in the queue alone', async () => {
  const here = await delivering();
  await here.operator.pause({ server: null, reward: 'thanks' }, 'admin', here.clock.now());
  await here.voted('Steve', THANKS, { ...THANKS, name: 'more', commands: ['say more'] });
  await here.pass(MINUTE);
  expect(here.main.commands).toEqual(['say more']);
});

test('a pause between two commands of a grant stops the second one; the first ends normally', async () => {
  const here = await delivering();
  here.main.outcome = () => {
    void here.operator.pause(ALL, 'admin', here.clock.now());
    return { kind: 'delivered', reply: '' };
  };
  await here.voted('Steve', { ...DAILY, when: 'always' });
  await here.pass(MINUTE);
  expect(here.main.commands).toEqual(['give Steve diamond 1']);
  expect(await here.ledger.grants({ limit: 1 })).toMatchObject([
    { state: 'pending', commands: [{ outcome: 'delivered' }, { outcome: null, attempts: 0 }] },
  ]);
});

test('a player who waited and is online when the pause ends is paid within a second', async () => {
  const here = await delivering();
  await here.voted('Steve', DAILY);
  expect(await states(here)).toEqual(['waiting']);
  await here.operator.pause(ALL, 'admin', here.clock.now());
  here.main.online = ['Steve'];
  await here.pass(MINUTE);
  expect(here.main.commands).toEqual([]);
  await here.operator.resume(ALL, here.clock.now());
  await here.pass(1_000);
  expect(await states(here)).toEqual(['delivered']);
});

test('a pause is logged once when the running process notices it, and once when it is over', async () => {
  const here = await delivering();
  await here.operator.pause(ALL, 'admin', here.clock.now());
  await here.pass(5_000);
  await here.operator.resume(ALL, here.clock.now());
  await here.pass(5_000);
  expect(here.codes).toEqual(['paused', 'resumed']);
});

test('a pause outlasts the process: the next one pays nothing either', async () => {
  const { ledger, file } = freshLedger();
  await ledger.pause(ALL, 'admin', 0);
  await ledger.close();
  const next = freshLedger(file).ledger;
  const here = startQueue({}, () => next);
  await record(next, [arrival()], rulesFor(THANKS));
  here.queue.nudge();
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual([]);
});
