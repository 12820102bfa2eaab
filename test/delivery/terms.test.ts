import { describe, expect, onTestFinished, test } from 'vitest';
import { type GrantTerms, NO_TERMS } from '../../src/core/grant-terms.ts';
import { Delivery } from '../../src/delivery/delivery.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { DAILY, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { arrival } from '../support/votes.ts';
import { HOUR, MINUTE, quiet, ScriptedServer, startQueue, states } from './scripted-queue.ts';

const on = (terms: Partial<GrantTerms>, reward: Reward = THANKS): Reward => ({
  ...reward,
  terms: { ...NO_TERMS, ...terms },
});

/** A delivery to one game server that has started. */
async function delivering() {
  const here = startQueue({ name: 'elsewhere' });
  const { clock, log } = here.parts;
  const { ledger } = here;
  const server = new ScriptedServer();
  const delivery = new Delivery({
    queues: [new GameServerQueue({ ...here.parts, name: 'main', server })],
    kindByServer: new Map([['main', 'rcon']]),
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
  return { ...here, server, delivery, voted };
}

describe('a reward with a delay of two hours', () => {
  test('is paid when they are over, and not before', async () => {
    const here = await delivering();
    await here.voted('Steve', on({ delayMs: 2 * HOUR }));
    await here.pass(2 * HOUR - MINUTE, MINUTE);
    expect(here.server.commands).toEqual([]);
    await here.pass(2 * MINUTE);
    expect(here.server.commands).toEqual(['say Steve voted']);
  });

  test('for a player who is online waits for the player only after that: nobody is looked for before', async () => {
    const here = await delivering();
    here.server.online = ['Steve'];
    await here.voted('Steve', on({ delayMs: 2 * HOUR }, DAILY));
    await here.pass(HOUR, MINUTE);
    expect(here.server.reads).toEqual([]);
    await here.pass(HOUR + MINUTE, MINUTE);
    expect(await states(here)).toEqual(['delivered']);
  });
});

describe('a reward that expires after a day', () => {
  test('is not paid to a player who joins a second after that', async () => {
    const here = await delivering();
    await here.voted('Steve', on({ expiresAfterMs: 24 * HOUR }, DAILY));
    await here.pass(24 * HOUR, HOUR);
    here.server.online = ['Steve'];
    await here.pass(MINUTE);
    expect(here.server.commands).toEqual([]);
    expect(await here.ledger.grants({ limit: 9 })).toMatchObject([
      { state: 'cancelled', reason: { code: 'expired' } },
    ]);
  });

  test('expires although its game server cannot be reached', async () => {
    const here = await delivering();
    here.server.opening = async () => ({ kind: 'resting', reason: 'unreachable', restMs: 1_000 });
    await here.voted('Steve', on({ expiresAfterMs: 24 * HOUR }, DAILY));
    await here.pass(24 * HOUR + MINUTE, HOUR);
    expect(await states(here)).toEqual(['cancelled']);
  });

  test('is paid whole if its first command was delivered in time, however late the player is back', async () => {
    const here = await delivering();
    here.server.online = ['Steve'];
    here.server.outcome = () => {
      here.server.online = [];
      here.clock.advance(1_000);
      return { kind: 'delivered', reply: '' };
    };
    await here.voted('Steve', on({ expiresAfterMs: 24 * HOUR }, DAILY));
    await here.pass(99 * HOUR, HOUR);
    here.server.online = ['Steve'];
    await here.pass(MINUTE);
    expect(here.server.commands).toEqual(['give Steve diamond 1', 'give Steve emerald 2']);
    expect(await states(here)).toEqual(['delivered']);
  });
});

describe('while a clock that was set ahead has not been confirmed for an hour', () => {
  test('nothing expires: it is paid if the clock is set back', async () => {
    const here = await delivering();
    await here.voted('Steve', on({ expiresAfterMs: 24 * HOUR }, DAILY));
    await here.pass(5_000);
    here.clock.jump(365 * 24 * HOUR);
    await here.pass(59 * MINUTE, MINUTE);
    expect(await states(here)).toEqual(['waiting']);
    here.clock.jump(-365 * 24 * HOUR);
    here.server.online = ['Steve'];
    await here.pass(MINUTE);
    expect(await states(here)).toEqual(['delivered']);
  });

  test('but then it is believed', async () => {
    const here = await delivering();
    await here.voted('Steve', on({ expiresAfterMs: 24 * HOUR }, DAILY));
    await here.pass(5_000);
    here.clock.jump(365 * 24 * HOUR);
    await here.pass(61 * MINUTE, MINUTE);
    expect(await states(here)).toEqual(['cancelled']);
  });

  test('and a machine that slept is believed at once', async () => {
    const here = await delivering();
    await here.voted('Steve', on({ expiresAfterMs: 24 * HOUR }, DAILY));
    await here.pass(5_000);
    here.clock.sleep(25 * HOUR);
    await here.pass(5_000);
    expect(await states(here)).toEqual(['cancelled']);
  });
});

test('a process that does not deliver ends no delay and lets nothing expire', async () => {
  const here = startQueue({ name: 'elsewhere' });
  const { clock, log } = here.parts;
  const delivery = new Delivery({
    queues: [],
    kindByServer: new Map(),
    whileDelivering: [],
    ...{ ledger: { ...here.ledger, startDelivering: async () => false }, clock, log },
  });
  await delivery.start();
  onTestFinished(() => delivery.close());
  const rewards = [on({ delayMs: HOUR }), on({ expiresAfterMs: HOUR }, { ...DAILY, servers: ['sky'] })];
  await record(here.ledger, [arrival({ receivedAt: clock.now() })], rulesFor(...rewards));
  await here.pass(9 * HOUR, HOUR);
  expect(await states(here)).toEqual(['waiting', 'pending']);
});
