import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { startApp } from '../../src/main/app.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { configFolder, lookInto, TOKEN } from '../support/config-folder.ts';
import { testEnvironment } from '../support/environment.ts';
import { DAILY, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { silentLog } from '../support/log.ts';
import { answer, PASSWORD, scripted } from '../support/rcon.ts';
import { arrival } from '../support/votes.ts';
import { quiet, startQueue } from './scripted-queue.ts';

const BACKLOG_TURNS = 3_000;

/** Votes of this many players, one each. */
const voters = (count: number) => Array.from({ length: count }, (_, n) => arrival({ player: `P${n}` }));

/** A ledger that notes the calls with which delivery writes into it. */
const noting =
  (calls: string[]) =>
  (ledger: Ledger): Ledger => {
    const noted = (name: 'wait' | 'waitForAbsent' | 'storeLikelyPlayers' | 'claim' | 'settle') => ({
      [name]: (...given: never[]) => {
        calls.push(name);
        return (ledger[name] as (...given: never[]) => Promise<unknown>)(...given);
      },
    });
    return Object.assign(
      { ...ledger },
      ...(['wait', 'waitForAbsent', 'storeLikelyPlayers', 'claim', 'settle'] as const).map(noted),
    );
  };

/** Notes each turn of the event loop in which there was something else to note. */
function noteTurns(events: string[]): void {
  let isRunning = true;
  const turn = (): void => {
    if (events.length > 0 && events.at(-1) !== 'turn') events.push('turn');
    if (isRunning) setImmediate(turn);
  };
  turn();
  onTestFinished(() => {
    isRunning = false;
  });
}

describe('a backlog of grants for players who are not online', () => {
  test('begins to wait in portions of 500, and whatever happens meanwhile is handled between two of them', async () => {
    const calls: string[] = [];
    const here = startQueue({}, noting(calls));
    await record(here.ledger, voters(2_000), rulesFor(DAILY));
    noteTurns(calls);
    here.queue.nudge();
    await quiet(BACKLOG_TURNS);
    expect(await here.ledger.grantStates()).toEqual({ waiting: 2_000 });
    expect(calls).toEqual(Array.from({ length: 4 }, () => ['waitForAbsent', 'turn']).flat());
    expect(here.server.reads).toHaveLength(1);
  });

  test('waits with the reason that the game server gives if it cannot tell who is online', async () => {
    const calls: string[] = [];
    const here = startQueue({}, noting(calls));
    here.server.answer = () => ({ kind: 'cannot-tell', reason: 'list-not-understood' });
    await record(here.ledger, voters(600), rulesFor(DAILY));
    here.queue.nudge();
    await quiet(BACKLOG_TURNS);
    expect(calls).toEqual(['waitForAbsent', 'waitForAbsent']);
    const [grant] = await here.ledger.grants({ state: 'waiting', limit: 1 });
    expect(grant).toMatchObject({
      id: 600,
      reason: { code: 'list-not-understood' },
      changedAt: here.clock.now(),
    });
  });

  test('delays no grant of a player who is online or needs no player, and these are paid in the order of the votes', async () => {
    const here = startQueue();
    here.server.online = ['P3', 'P70'];
    await record(here.ledger, voters(71), rulesFor(DAILY, THANKS));
    here.queue.nudge();
    await quiet(BACKLOG_TURNS);
    expect(await here.ledger.grantStates()).toEqual({ waiting: 69, delivered: 73 });
    expect(here.server.commands.filter((command) => command.startsWith('give'))).toEqual([
      'give P3 diamond 1',
      'give P3 emerald 2',
      'give P70 diamond 1',
      'give P70 emerald 2',
    ]);
    expect(here.server.commands.indexOf('say P69 voted')).toBeLessThan(
      here.server.commands.indexOf('give P70 diamond 1'),
    );
  });

  test('does not wait for players whom the practice server lets join', async () => {
    const here = startQueue();
    here.server.join = (player) => here.server.online.push(player) > 0;
    await record(here.ledger, voters(70), rulesFor(DAILY));
    here.queue.nudge();
    await quiet(BACKLOG_TURNS);
    expect(await here.ledger.grantStates()).toEqual({ delivered: 70 });
  });

  test('stores the likely Bedrock players of a portion in one commit', async () => {
    const calls: string[] = [];
    const here = startQueue({}, noting(calls));
    here.queue.bedrockPrefixes = ['.'];
    here.server.online = ['.P7', '.P8', '.P9'];
    await quiet();
    await record(here.ledger, voters(100), rulesFor(DAILY));
    here.queue.nudge();
    await quiet(BACKLOG_TURNS);
    expect(calls).toEqual(['waitForAbsent', 'storeLikelyPlayers']);
    const grants = await here.ledger.grants({ limit: 999 });
    expect(grants.flatMap(({ likelyPlayer }) => likelyPlayer ?? [])).toEqual(['.P9', '.P8', '.P7']);
  });

  test('costs one commit for each 500 grants with a real connection, and a vote that comes meanwhile is answered', async () => {
    const at = await scripted(({ id, type, body }, socket) => {
      if (type === 3) answer(socket, id, '', 2);
      else answer(socket, id, body.includes('list') ? 'There are 0 of a max of 20 players online: ' : '');
    });
    const { config, ledger: file } = configFolder({
      gameServers: { main: { kind: 'rcon', host: at.host, port: at.port, password: PASSWORD } },
      rewards: [{ name: 'daily', when: 'online', commands: ['give {player} diamond 1'] }],
    });
    const before = await openLedger(file, 'create', { clock: systemClock });
    await record(before, voters(2_000), rulesFor(DAILY));
    await before.close();

    const calls: string[] = [];
    const around = testEnvironment(systemClock, silentLog);
    const app = await startApp(await loadConfig(config), {
      ...around,
      openLedger: async (...place) => noting(calls)(await around.openLedger(...place)),
    });
    onTestFinished(() => app.close());
    const vote = {
      serviceName: 'List',
      username: 'Steve',
      address: '192.0.2.1',
      timestamp: String(systemClock.now()),
    };
    const target = { ...app.listener, auth: { version: 'v2', token: TOKEN } } as const;
    expect(await sendVote(vote, target, { clock: systemClock })).toMatchObject({ kind: 'accepted' });
    const look = lookInto(file);
    await expect.poll(() => look.grantStates(), { timeout: 10_000 }).toEqual({ waiting: 2_001 });
    expect(calls.filter((call) => call !== 'waitForAbsent')).toEqual([]);
    expect(calls.length).toBeLessThanOrEqual(5);
  });
});

describe('a mass join', () => {
  test('pays 300 waiting players one grant at a time, with a turn of the event loop between two commands', async () => {
    const here = startQueue();
    await record(here.ledger, voters(300), rulesFor({ ...DAILY, commands: ['give {player} diamond 1'] }));
    here.queue.nudge();
    await quiet(BACKLOG_TURNS);
    expect(await here.ledger.grantStates()).toEqual({ waiting: 300 });
    here.server.online = Array.from({ length: 300 }, (_, n) => `P${n}`);
    const events: string[] = [];
    noteTurns(events);
    here.server.outcome = () => {
      events.push('command');
      return { kind: 'delivered', reply: '' };
    };
    await here.pass(11_000);
    await quiet(BACKLOG_TURNS);
    expect(await here.ledger.grantStates()).toEqual({ delivered: 300 });
    expect(events).toEqual(Array.from({ length: 300 }, () => ['command', 'turn']).flat());
  });
});
