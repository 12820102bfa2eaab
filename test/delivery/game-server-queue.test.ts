import { describe, expect, onTestFinished, test } from 'vitest';
import type { Outcome } from '../../src/core/outcome.ts';
import type { PlayerName } from '../../src/core/player-name.ts';
import { Problem } from '../../src/core/problem.ts';
import { Delivery, type DeliveryParts } from '../../src/delivery/delivery.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { DAILY, freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { keptLog } from '../support/log.ts';
import { arrival } from '../support/votes.ts';
import {
  HOUR,
  MINUTE,
  type QueueFixture,
  quiet,
  ScriptedServer,
  startQueue,
  states,
  vote,
} from './scripted-queue.ts';

describe('a reward for a player who is online', () => {
  test('is not paid because of an old presence reply: the list is read again', async () => {
    const here = startQueue();
    here.server.online = ['Steve'];
    await vote(here, 'Steve', DAILY);
    expect(await states(here)).toEqual(['delivered']);
    here.server.online = [];
    await here.pass(25 * HOUR, HOUR);
    await vote(here, 'Steve', DAILY);
    expect(await states(here)).toEqual(['delivered', 'waiting']);
    expect(here.server.commands).toEqual(['give Steve diamond 1', 'give Steve emerald 2']);
  });

  test('is not paid because of a presence reply from before the machine slept', async () => {
    const here = startQueue();
    here.server.online = ['Steve'];
    await vote(here, 'Steve', DAILY);
    here.clock.jump(25 * HOUR);
    here.server.online = [];
    await vote(here, 'Steve', DAILY);
    expect(await states(here)).toEqual(['delivered', 'waiting']);
  });

  test('is not paid because of a presence reply that grew old while other players were looked up', async () => {
    const here = startQueue();
    const there = new Set<string>();
    here.server.answer = (wanted) => {
      const names = wanted.filter((name) => there.has(name));
      if (wanted.length > 1) {
        here.clock.advance(100 * wanted.length);
        there.clear();
      }
      return { kind: 'asked', names };
    };
    for (const player of ['Alice', ...Array.from({ length: 50 }, (_, n) => `P${n}`)])
      await vote(here, player, DAILY);
    there.add('Alice');
    await here.pass(MINUTE);
    expect(here.server.commands).toEqual([]);
    expect(await here.ledger.grantStates()).toEqual({ waiting: 51 });
  });

  test('is retried after the server said that the player is offline', async () => {
    const here = startQueue();
    here.server.online = ['Steve'];
    here.server.outcome = () => ({ kind: 'player-offline', reply: 'No player was found' });
    await vote(here, 'Steve', { ...DAILY, when: 'always' });
    expect(await states(here)).toEqual(['waiting']);
    here.server.outcome = () => ({ kind: 'delivered', reply: 'Gave' });
    await here.pass(MINUTE);
    expect(await states(here)).toEqual(['delivered']);
  });

  test.each([99, 100, 101, 250])(
    'is paid when the player joins, even while grants wait for %i players',
    async (waiting) => {
      const here = startQueue();
      for (let n = 0; n < waiting; n++) await vote(here, `P${n}`, DAILY);
      here.server.online = ['P5', `P${waiting - 1}`];
      await here.pass(MINUTE);
      expect(
        (await here.ledger.grants({ state: 'delivered', limit: 999 })).map(({ player }) => player),
      ).toEqual([`P${waiting - 1}`, 'P5']);
      here.server.online = ['P7'];
      await here.pass(MINUTE);
      expect(await here.ledger.grantStates()).toEqual({ waiting: waiting - 3, delivered: 3 });
    },
  );

  test('never waits for a user ID: if the server says that it is offline, the grant is refused and the operator can pay it', async () => {
    const here = startQueue();
    here.server.outcome = () => ({ kind: 'player-offline', reply: 'Player not found' });
    const recipient = { kind: 'user', key: '80351110224678912' } as const;
    const coins: Reward = { ...DAILY, when: 'always', commands: ['coins {userId} 5'] };
    await record(here.ledger, [arrival({ recipient } as object)], rulesFor(coins));
    here.queue.nudge();
    await quiet();
    expect(await here.ledger.grants({ limit: 9 })).toMatchObject([
      { player: null, state: 'refused', reason: { code: 'refused', facts: { reply: 'Player not found' } } },
    ]);
    here.server.outcome = () => ({ kind: 'delivered', reply: '' });
    const order = { texts: null, by: 'ann', kindByServer: new Map<string, string>() };
    expect(await here.ledger.pay(1, order, here.clock.now())).toEqual({ kind: 'changed' });
    here.queue.nudge();
    await quiet();
    expect(await states(here)).toEqual(['delivered']);
  });

  test('is not decided by an answer about another player, if players have to be queried one by one', async () => {
    const here = startQueue();
    const there = new Set(['Bob']);
    here.server.answer = (wanted) => ({ kind: 'asked', names: wanted.filter((name) => there.has(name)) });
    await vote(here, 'Alice', DAILY);
    await vote(here, 'Bob', DAILY);
    expect(here.server.reads.flat()).toEqual(expect.arrayContaining(['Alice', 'Bob']));
    expect(await states(here)).toEqual(['waiting', 'delivered']);
    there.add('Alice');
    await here.pass(MINUTE);
    expect(await states(here)).toEqual(['delivered', 'delivered']);
  });

  test('is not logged as an unreachable server during the pause after a broken connection', async () => {
    const here = startQueue();
    here.server.online = ['Steve'];
    let isResting = true;
    here.server.opening = async () =>
      isResting ? { kind: 'resting', reason: 'between-connections', restMs: 1_000 } : { kind: 'open' };
    await vote(here, 'Steve', DAILY);
    isResting = false;
    await here.pass(5_000);
    expect(await states(here)).toEqual(['delivered']);
    expect(here.codes.filter((code) => code.startsWith('server-'))).toEqual([]);
  });

  test('whose player leaves between two commands continues when they are back, without a wasted attempt', async () => {
    const here = startQueue();
    here.server.online = ['Steve'];
    here.server.outcome = () => {
      here.server.online = [];
      here.clock.advance(1_000);
      return { kind: 'delivered', reply: '' };
    };
    await vote(here, 'Steve', DAILY);
    expect(here.server.commands).toEqual(['give Steve diamond 1']);
    expect(await here.ledger.grants({ limit: 9 })).toMatchObject([
      { state: 'waiting', commands: [{ outcome: 'delivered' }, { outcome: null, attempts: 0 }] },
    ]);

    here.server.online = ['Steve'];
    await here.pass(MINUTE);
    expect(await states(here)).toEqual(['delivered']);
    expect(here.server.commands).toEqual(['give Steve diamond 1', 'give Steve emerald 2']);
  });

  test('needs one read of the player list for all of its commands, if they take less than a second', async () => {
    const here = startQueue();
    here.server.online = ['Steve'];
    await vote(here, 'Steve', { ...DAILY, commands: Array.from({ length: 80 }, (_, n) => `say ${n}`) });
    expect(await states(here)).toEqual(['delivered']);
    expect(here.server.reads).toHaveLength(1);
  });

  test('is not claimed while the connection does not answer', async () => {
    const here = startQueue();
    let isDead = true;
    here.server.ready = async () =>
      isDead ? { kind: 'resting', reason: 'list-unanswered', restMs: 1_000 } : { kind: 'open' };
    await vote(here, 'Steve', THANKS);
    expect(await here.ledger.grants({ limit: 9 })).toMatchObject([
      { state: 'pending', commands: [{ outcome: null, attempts: 0 }] },
    ]);
    isDead = false;
    await here.pass(5_000);
    expect(await states(here)).toEqual(['delivered']);
    expect(here.codes.filter((code) => code.startsWith('server-'))).toEqual([
      'server-unreachable',
      'server-reached',
    ]);
  });

  test('has the reason stored in the ledger while its server cannot be reached', async () => {
    const here = startQueue();
    let isWrong = true;
    here.server.opening = async () =>
      isWrong ? { kind: 'resting', reason: 'wrong-password', restMs: 1_000 } : { kind: 'open' };
    const since = here.clock.now();
    await vote(here, 'Steve', THANKS);
    await here.pass(5_000);
    expect((await here.ledger.queues()).get('main')).toEqual({ reason: 'wrong-password', since });
    isWrong = false;
    await here.pass(5_000);
    expect((await here.ledger.queues()).get('main')).toMatchObject({ reason: null });
    await here.ledger.settleInterrupted(here.clock.now());
    expect(await here.ledger.queues()).toEqual(new Map());
  });

  test('does not cause a list query for each player who joins a practice server automatically', async () => {
    const here = startQueue();
    here.server.join = (player) => here.server.online.push(player) > 0;
    for (let n = 0; n < 50; n++) await vote(here, `P${n}`, DAILY);
    expect(await here.ledger.grantStates()).toEqual({ delivered: 50 });
    expect(here.server.reads).toHaveLength(1);
  });

  test('with {uuid} waits without an attempt until the list shows UUIDs', async () => {
    const here = startQueue();
    const ID = '069a79f4-44e9-4726-a5be-fca90e38aaf5';
    here.server.online = ['Steve'];
    await vote(here, 'Steve', { ...DAILY, commands: ['say hi', 'lp user {uuid} parent add voter'] });
    const [grant] = await here.ledger.grants({ limit: 9 });
    expect(grant).toMatchObject({
      state: 'waiting',
      reason: { code: 'uuid-unknown' },
      commands: [{ outcome: 'delivered' }, { outcome: null, attempts: 0 }],
    });
    here.server.answer = () => ({ kind: 'known', names: ['Steve'], uuids: new Map([['steve', ID]]) });
    await here.pass(2 * MINUTE);
    expect(here.server.commands).toEqual(['say hi', `lp user ${ID} parent add voter`]);
    expect((await here.ledger.grants({ limit: 9 }))[0]?.commands[1]).toMatchObject({
      command: `lp user ${ID} parent add voter`,
      outcome: 'delivered',
    });
  });

  test('with {uuid} causes at most one list query a minute if the list has no UUIDs, however many grants need them', async () => {
    const here = startQueue();
    here.server.online = ['Steve'];
    const rewards = Array.from({ length: 70 }, (_, n) => ({
      ...DAILY,
      name: `r${n}`,
      commands: ['lp {uuid}'],
    }));
    await vote(here, 'Steve', ...rewards);
    await here.pass(MINUTE);
    expect(here.server.commands).toEqual([]);
    expect(here.server.reads.length).toBeLessThan(10);
    expect(await here.ledger.grantStates()).toEqual({ waiting: 70 });
  });

  test('is paid as soon as the player list can be read again', async () => {
    const here = startQueue({ presenceIntervalMs: HOUR });
    here.server.online = ['Steve'];
    let isDown = true;
    here.server.answer = () =>
      isDown ? { kind: 'unreachable', reason: 'timeout' } : { kind: 'known', names: ['Steve'] };
    await vote(here, 'Steve', DAILY);
    isDown = false;
    await here.pass(5_000);
    expect(await states(here)).toEqual(['delivered']);
    expect(here.codes.filter((code) => code.startsWith('server-'))).toEqual([
      'server-unreachable',
      'server-reached',
    ]);
  });
});

/** A ledger whose method `breaks` fails while `isBroken` says so. */
const failing =
  (isBroken: () => boolean, breaks: 'claim' | 'settle' | 'holdOrphaned') =>
  (ledger: Ledger): Ledger => ({
    ...ledger,
    [breaks]: async (...given: never[]) => {
      if (isBroken()) throw new Problem('ledger-full', 'The disk is full.');
      return (ledger[breaks] as (...given: never[]) => Promise<unknown>)(...given);
    },
  });

describe('while the ledger cannot be written', () => {
  test('the outcome of a command that has run is kept and stored once, however long that takes', async () => {
    let isFull = true;
    const here = startQueue(
      {},
      failing(() => isFull, 'settle'),
    );
    await vote(here, 'Steve', THANKS);
    await here.pass(HOUR, 10_000);
    expect(here.server.commands).toEqual(['say Steve voted']);
    isFull = false;
    await here.pass(10_000);
    expect(await states(here)).toEqual(['delivered']);
    expect(here.server.commands).toEqual(['say Steve voted']);
    expect(here.codes.filter((code) => code === 'ledger-full')).toHaveLength(1);
  });

  test('no command is sent, and the problem is logged once', async () => {
    let isFull = true;
    const here = startQueue(
      {},
      failing(() => isFull, 'claim'),
    );
    await vote(here, 'Steve', THANKS);
    await here.pass(5 * MINUTE);
    expect(here.server.commands).toEqual([]);
    expect(here.codes.filter((code) => code === 'ledger-full')).toHaveLength(1);
    isFull = false;
    await here.pass(10_000);
    expect(await states(here)).toEqual(['delivered']);
  });
});

/** A delivery to two game servers from a ledger in trouble. */
async function delivering(around: (ledger: Ledger) => Ledger) {
  const here = startQueue({ name: 'neither' }, around);
  const { clock, log, ledger } = here.parts;
  const names = ['main', 'other'];
  const delivery = new Delivery({
    queues: names.map((name) => new GameServerQueue({ ...here.parts, name, server: new ScriptedServer() })),
    kindByServer: new Map(names.map((name) => [name, 'rcon'])),
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
  return { here, delivery, voted };
}

describe('a queue that is replaced', () => {
  const NO_SERVERS = new Map<string, string>();

  test('before its last outcome is stored leaves that grant held, not pending forever', async () => {
    let isFull = false;
    const isBroken = () => isFull;
    const { here, delivery, voted } = await delivering((ledger) =>
      failing(isBroken, 'settle')(failing(isBroken, 'holdOrphaned')(ledger)),
    );
    isFull = true;
    await voted({ ...DAILY, when: 'always' });
    await delivery.replace([], NO_SERVERS);
    isFull = false;
    for (const _ of [1, 2, 3]) await here.pass(1_000);
    expect(await here.ledger.grants({ limit: 9 })).toMatchObject([
      { state: 'held', commands: [{ outcome: 'delivered' }, { outcome: null }] },
    ]);
  });

  test('leaves every grant of its game server held, and says so once', async () => {
    const { here, delivery, voted } = await delivering((ledger) => ledger);
    await voted(...Array.from({ length: 501 }, (_, number) => ({ ...DAILY, name: `daily ${number}` })));
    await delivery.replace([], NO_SERVERS);
    expect(await here.ledger.grantStates()).toEqual({ held: 501 });
    expect(here.codes.filter((code) => code === 'held')).toHaveLength(1);
  });

  test('leaves what was earned for another kind of game server held if the first kind is back before all else is held', async () => {
    const [http, rcon] = [new Map([['main', 'http']]), new Map([['main', 'rcon']])];
    let isBroken = true;
    let meanwhile = async (): Promise<void> => {};
    const { here, delivery, voted } = await delivering((ledger) => ({
      ...ledger,
      holdOrphaned: async (kinds, now, upTo) => {
        if (isBroken && kinds === http) throw new Problem('ledger-full', 'the disk is full');
        const portion = await ledger.holdOrphaned(kinds, now, upTo);
        if (kinds === http && upTo === undefined) await meanwhile();
        return portion;
      },
    }));
    await voted(...Array.from({ length: 501 }, (_, number) => ({ ...DAILY, name: `daily ${number}` })));
    await delivery.replace([], http);
    await vote(here, 'Alex', DAILY);
    let back: Promise<void> | null = null;
    meanwhile = async () => {
      await vote(here, 'Cas', DAILY);
      back = delivery.replace([], rcon);
      await quiet();
    };
    isBroken = false;
    await here.pass(2_000);
    await back;
    expect(await here.ledger.grantStates()).toEqual({ held: 503 });
  });

  test('tries once more to store its last outcome when the process exits', async () => {
    let isFull = true;
    const { here, delivery, voted } = await delivering(failing(() => isFull, 'settle'));
    await voted(THANKS);
    await delivery.replace([], NO_SERVERS);
    isFull = false;
    await delivery.close();
    expect(await here.ledger.grantStates()).toEqual({ delivered: 1 });
  });

  test('loses no outcome if storing one takes longer than the interval at which it polls the ledger', async () => {
    let ledgerIs: 'full' | 'slow' | 'well' = 'full';
    const waiting: (() => void)[] = [];
    const troubled = (ledger: Ledger): Ledger => ({
      ...ledger,
      settle: async (settlement) => {
        if (ledgerIs === 'full') throw new Problem('ledger-full', 'The disk is full.');
        if (ledgerIs === 'well' || settlement.grantId === 1) return ledger.settle(settlement);
        await new Promise<void>((resolve) => waiting.push(resolve));
        throw new Problem('ledger-locked', 'The ledger is held locked.');
      },
    });
    const { here, delivery, voted } = await delivering(troubled);
    await voted(THANKS, { ...THANKS, name: 'second', servers: ['other'] });
    await delivery.replace([], NO_SERVERS);
    ledgerIs = 'slow';
    await here.pass(3_000);
    ledgerIs = 'well';
    for (const goOn of waiting) goOn();
    await quiet();
    await here.pass(3_000);
    expect(await here.ledger.grantStates()).toEqual({ delivered: 2 });
  });
});

describe('closing', () => {
  test('waits for the command in flight, and starts no other command', async () => {
    const here = startQueue();
    let answer: (outcome: Outcome) => void = () => {};
    here.server.run = (command) => {
      here.server.commands.push(command);
      return new Promise((resolve) => (answer = resolve));
    };
    await vote(here, 'Steve', { ...DAILY, when: 'always' });
    const closed = here.queue.close();
    await quiet();
    answer({ kind: 'delivered', reply: '' });
    await closed;
    expect(here.server.commands).toEqual(['give Steve diamond 1']);
    expect(await here.ledger.grants({ limit: 9 })).toMatchObject([
      { state: 'pending', commands: [{ outcome: 'delivered' }, { outcome: null }] },
    ]);
  });

  test('does not wait for a login that never completes', async () => {
    const here = startQueue();
    here.server.opening = async () => {
      await here.server.untilClosed();
      return { kind: 'resting', reason: 'shut-down', restMs: 0 };
    };
    await vote(here, 'Steve', THANKS);
    await here.queue.close();
    expect(await states(here)).toEqual(['pending']);
  });
});

describe('the lock', () => {
  /** A delivery that has started, on a ledger whose lock is `startDelivering`. */
  const startDelivery = async (
    ledger: Ledger,
    startDelivering: Ledger['startDelivering'],
    whileDelivering: DeliveryParts['whileDelivering'] = [],
  ) => {
    const clock = new FakeClock('2026-06-01T12:00:00Z');
    const { log, codes } = keptLog();
    const around = { queues: [], kindByServer: new Map(), whileDelivering };
    const delivery = new Delivery({ ...around, ledger: { ...ledger, startDelivering }, clock, log });
    await delivery.start();
    onTestFinished(() => delivery.close());
    return { clock, codes };
  };

  test('is acquired by the waiting process, even if the ledger is locked at that moment', async () => {
    const { ledger } = freshLedger();
    let [isHeld, isLocked] = [true, true];
    const settleInterrupted: Ledger['settleInterrupted'] = async (now) => {
      if (isLocked) throw new Problem('ledger-locked', 'The ledger is held locked.');
      return ledger.settleInterrupted(now);
    };
    const { clock, codes } = await startDelivery({ ...ledger, settleInterrupted }, async () => !isHeld);
    isHeld = false;
    clock.advance(2_000);
    await quiet();
    isLocked = false;
    clock.advance(2_000);
    await quiet();
    expect(codes).toEqual(['not-delivering', 'ledger-locked', 'delivering']);
  });

  test('starts each part that works while delivering once, also if a later one fails at first', async () => {
    const starts: string[] = [];
    let isLocked = true;
    const second = async (): Promise<void> => {
      starts.push('second');
      if (isLocked) throw new Problem('ledger-locked', 'The ledger is held locked.');
    };
    const parts = [
      { start: () => void starts.push('first') },
      { start: second },
      { start: () => void starts.push('third') },
    ];
    const { clock } = await startDelivery(freshLedger().ledger, async () => true, parts);
    isLocked = false;
    clock.advance(2_000);
    await quiet();
    expect(starts).toEqual(['first', 'second', 'second', 'third']);
  });

  test('does not stop the waiting process if it cannot be read for a while, which is logged once', async () => {
    const tooManyFiles = async (): Promise<never> => {
      throw new Problem('data-unwritable', 'The lock cannot be used (unable to open database file).');
    };
    let look = async (): Promise<boolean> => false;
    const { clock, codes } = await startDelivery(freshLedger().ledger, () => look());
    look = tooManyFiles;
    for (const _ of [1, 2, 3]) {
      clock.advance(2_000);
      await quiet();
    }
    look = async () => true;
    clock.advance(2_000);
    await quiet();
    expect(codes).toEqual(['not-delivering', 'data-unwritable', 'delivering']);
  });
});

describe('a player who voted without their Bedrock prefix', () => {
  const likely = async ({ ledger }: QueueFixture) =>
    (await ledger.grants({ limit: 9 })).map(({ state, likelyPlayer }) => [state, likelyPlayer]);

  test('is not paid, but is stored with the grant, if a player of that name is online with the prefix', async () => {
    const here = startQueue();
    here.queue.bedrockPrefixes = ['.', '*'];
    here.server.online = ['*BedHead'];
    await vote(here, 'BedHead', DAILY);
    expect(await likely(here)).toEqual([['waiting', '*BedHead']]);
    expect(here.server.commands).toEqual([]);
  });

  test('is stored when they join later', async () => {
    const here = startQueue();
    here.queue.bedrockPrefixes = ['.'];
    await vote(here, 'BedHead', DAILY);
    expect(await likely(here)).toEqual([['waiting', null]]);
    here.server.online = ['.bedhead'];
    await here.pass(MINUTE);
    expect(await likely(here)).toEqual([['waiting', '.bedhead']]);
  });

  test('is paid at once when the operator redirects the grant to them', async () => {
    const here = startQueue();
    here.server.online = ['.BedHead'];
    await vote(here, 'BedHead', DAILY);
    const to = '.bedhead' as PlayerName;
    await here.ledger.pay(1, { texts: null, by: 'ann', kindByServer: new Map(), to }, here.clock.now());
    here.queue.nudge();
    await quiet();
    expect(here.server.commands).toEqual(['give .BedHead diamond 1', 'give .BedHead emerald 2']);
    expect(await states(here)).toEqual(['delivered']);
  });
});
