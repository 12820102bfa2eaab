import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { DAILY, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { answer, client, scripted } from '../support/rcon.ts';
import { arrival } from '../support/votes.ts';
import { quiet, startQueue } from './scripted-queue.ts';

interface Watch {
  /** Called while a settlement that also claims is being stored. */
  meanwhile(): void;
  readonly commits: string[];
}

/** A ledger that notes the commits of delivery, and lets something happen while a shared one is stored. */
const watched =
  (watch: Watch) =>
  (ledger: Ledger): Ledger => ({
    ...ledger,
    claim: (claim) => {
      watch.commits.push('claim');
      return ledger.claim(claim);
    },
    settle: async (settlement, next) => {
      const kind = settlement.outcome.kind;
      watch.commits.push(next === undefined ? kind : `${kind} and claim`);
      const isClaimed = await ledger.settle(settlement, next);
      if (next !== undefined) watch.meanwhile();
      return isClaimed;
    },
  });

/** A queue whose game server has already answered a command, with these rewards due for players who are online. */
function running(watch: Partial<Watch> = {}) {
  const given: Watch = { meanwhile: () => {}, commits: [], ...watch };
  const here = startQueue({}, watched(given));
  here.server.online = ['Steve', 'Alex'];
  const pay = async (...rewards: readonly Reward[]): Promise<void> => {
    await record(here.ledger, [arrival({ player: 'Alex' })], rulesFor({ ...THANKS, name: 'first' }));
    here.queue.nudge();
    await quiet();
    given.commits.length = 0;
    await record(here.ledger, [arrival({ player: 'Steve' })], rulesFor(...rewards));
    here.queue.nudge();
    await quiet(99);
  };
  return { here, commits: given.commits, pay };
}

describe('the outcome of one command and the claim of the next share a commit', () => {
  test('within a grant and from one grant to the next', async () => {
    const { here, commits, pay } = running();
    await pay(DAILY, THANKS);
    expect(commits).toEqual(['claim', 'delivered and claim', 'delivered and claim', 'delivered']);
    expect(here.server.commands.slice(1)).toEqual([
      'give Steve diamond 1',
      'give Steve emerald 2',
      'say Steve voted',
    ]);
    expect(await here.ledger.grantStates()).toEqual({ delivered: 3 });
  });

  test('after a refusal, with a command of the next grant', async () => {
    const { here, commits, pay } = running();
    here.server.outcome = (command) => ({
      kind: command.includes('diamond') ? 'refused' : 'delivered',
      reply: '',
    });
    await pay(DAILY, THANKS);
    expect(commits).toEqual(['claim', 'refused and claim', 'delivered']);
    expect(here.server.commands.slice(1)).toEqual(['give Steve diamond 1', 'say Steve voted']);
  });

  test('but not when the answer about who is online has grown old', async () => {
    const { here, commits, pay } = running();
    here.server.outcome = () => {
      here.clock.advance(1_000);
      return { kind: 'delivered', reply: '' };
    };
    await pay(DAILY);
    expect(commits).toEqual(['claim', 'delivered', 'claim', 'delivered']);
  });

  test('but not with another grant of a player whom the server calls offline', async () => {
    const { here, commits, pay } = running();
    here.server.outcome = (command) =>
      command.startsWith('give') ? { kind: 'player-offline', reply: '' } : { kind: 'delivered', reply: '' };
    await pay(DAILY, { ...DAILY, name: 'second' });
    expect(commits.slice(0, 2)).toEqual(['claim', 'player-offline']);
    expect(await here.ledger.grantStates()).toEqual({ delivered: 1, waiting: 2 });
  });

  test('but not while the connection could not take it at once', async () => {
    const { here, commits, pay } = running();
    here.server.isConnected = false;
    await pay(DAILY);
    expect(commits).toEqual(['claim', 'delivered', 'claim', 'delivered']);
  });
});

describe('a command that was claimed with the last outcome', () => {
  test('is not sent if the connection breaks before it is written, and is claimed again', async () => {
    const { here, commits, pay } = running({
      meanwhile: () => {
        here.server.isConnected = false;
      },
    });
    await pay(DAILY);
    expect(commits).toEqual(['claim', 'delivered and claim', 'not-sent', 'claim', 'delivered']);
    expect(here.server.commands.slice(1)).toEqual(['give Steve diamond 1', 'give Steve emerald 2']);
  });

  test('is not sent if Teller closes before it is written, and is pending for the next start', async () => {
    let closed: Promise<void> = Promise.resolve();
    const { here, pay } = running({
      meanwhile: () => {
        closed = here.queue.close();
      },
    });
    await pay(DAILY);
    await closed;
    expect(here.server.commands.slice(1)).toEqual(['give Steve diamond 1']);
    expect((await here.ledger.grants({ limit: 1 }))[0]).toMatchObject({
      state: 'pending',
      reason: { code: 'shut-down' },
      commands: [{ outcome: 'delivered' }, { outcome: 'not-sent', reason: { code: 'shut-down' } }],
    });
    expect(await here.ledger.settleInterrupted(here.clock.now())).toBe(0);
  });
});

describe('an RCON server takes a command at once', () => {
  const empty = () =>
    scripted(({ id, type, body }, socket) => {
      if (type === 3) answer(socket, id, '', 2);
      else if (body === 'say close') socket.end();
      else answer(socket, id, 'done');
    });

  test('when a connection is open and has answered, and not after it has closed', async () => {
    const server = client(await empty(), { provenForMs: 10_000 });
    expect(server.sendsAtOnce()).toBe(false);
    await server.open();
    expect(server.sendsAtOnce()).toBe(false);
    await server.ready();
    expect(server.sendsAtOnce()).toBe(true);
    await server.run('say close');
    expect(server.sendsAtOnce()).toBe(false);
  });

  test('not while the pause after a command lasts', async () => {
    const clock = Object.assign(new FakeClock(), { after: systemClock.after });
    const server = client(await empty(), { commandPauseMs: 200, clock });
    await server.run('say hi');
    expect(server.sendsAtOnce()).toBe(false);
    clock.advance(200);
    expect(server.sendsAtOnce()).toBe(true);
  });

  test('not once it is closed', async () => {
    const server = client(await empty());
    await server.run('say hi');
    expect(server.sendsAtOnce()).toBe(true);
    await server.close();
    expect(server.sendsAtOnce()).toBe(false);
  });
});
