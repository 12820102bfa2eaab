import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import type { GrantRow } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { PracticeServer } from '../../src/practice/server.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN } from '../support/config-folder.ts';
import { keptLog, silentLog } from '../support/log.ts';
import { type RunningApp, runningApp } from '../support/running-app.ts';

/** No game server has changed its kind. */
const NO_CHANGE = new Map<string, string>();

type Kind = Config['gameServers'] extends ReadonlyMap<string, infer Server> ? Server : never;

const PRACTICE: { kind: Kind['kind']; [key: string]: unknown } = {
  kind: 'practice',
  autoJoin: false,
  joinDelay: '0s',
  presenceInterval: '1s',
  commandTimeout: '1s',
};

const setUp = (rewards: readonly object[], server: object = {}, log = silentLog): Promise<RunningApp> =>
  runningApp(systemClock, { gameServers: { main: { ...PRACTICE, ...server } }, rewards }, log);

const practiceOf = ({ app }: RunningApp): PracticeServer => app.practiceServers.get('main') as PracticeServer;

const vote = ({ app }: RunningApp, username = 'Steve', serviceName = 'List') =>
  sendVote(
    { serviceName, username, address: '192.0.2.1', timestamp: String(systemClock.now()) },
    { ...app.listener, auth: { version: 'v2', token: TOKEN } },
    { clock: systemClock },
  );

const grants = ({ look }: RunningApp): Promise<readonly GrantRow[]> => look.grants({ limit: 99 });

const states = async (running: RunningApp): Promise<string[]> =>
  (await grants(running)).map(({ state }) => state);

/** The commands that ran, without those that ask who is online. */
const commandsRun = (running: RunningApp): string[] =>
  practiceOf(running)
    .commands()
    .map(({ command }) => command)
    .filter((command) => /^(?:say|give|nonsense)/.test(command));

const GIVE = { name: 'daily', when: 'online', commands: ['give {player} diamond 1'] };
const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };
const waitFor = { timeout: 10_000 };

test('a player who is offline is paid when they join', async () => {
  const running = await setUp([GIVE]);
  await vote(running);
  await expect.poll(() => states(running), waitFor).toEqual(['waiting']);
  expect(commandsRun(running)).toEqual([]);

  practiceOf(running).join('Steve');

  await expect.poll(() => states(running), waitFor).toEqual(['delivered']);
  expect(practiceOf(running).inventory('Steve')).toEqual({ diamond: 1 });
});

test('a reward with "when": "always" is paid while its player is offline', async () => {
  const running = await setUp([SAY]);
  await vote(running);
  await expect.poll(() => states(running), waitFor).toEqual(['delivered']);
  expect(commandsRun(running)).toEqual(['say Steve voted']);
});

test('commands use the spelling of the game server’s list', async () => {
  const running = await setUp([GIVE]);
  practiceOf(running).join('STEVE');
  await vote(running, 'steve');
  await expect.poll(() => states(running), waitFor).toEqual(['delivered']);
  expect(commandsRun(running)).toEqual(['give STEVE diamond 1']);
});

test('a player is paid only after they have been online for the join delay', async () => {
  const running = await setUp([GIVE], { joinDelay: '400ms' });
  const joinedAfter = systemClock.monotonic();
  practiceOf(running).join('Steve');
  await vote(running);
  await expect.poll(() => states(running), waitFor).toEqual(['delivered']);
  expect(systemClock.monotonic() - joinedAfter).toBeGreaterThanOrEqual(400);
});

test('the commands of a grant run in order, and a refused one stops the rest', async () => {
  const running = await setUp([
    { name: 'mixed', when: 'always', commands: ['say one', 'nonsense two', 'say three'] },
  ]);
  await vote(running);
  await expect.poll(() => states(running), waitFor).toEqual(['refused']);
  expect((await grants(running))[0]?.commands).toMatchObject([
    { command: 'say one', outcome: 'delivered', attempts: 1 },
    { command: 'nonsense two', outcome: 'refused', attempts: 1 },
    { command: 'say three', outcome: null, attempts: 0 },
  ]);
  expect(commandsRun(running)).not.toContain('say three');
});

test('a command that ran without an answer is unknown: its grant is held, and it does not run again', async () => {
  const running = await setUp([SAY]);
  practiceOf(running).setFault('run-and-close', 1);
  await vote(running);
  await expect.poll(() => states(running), waitFor).toEqual(['held']);
  await vote(running, 'Alex');
  await expect.poll(() => states(running), waitFor).toEqual(['delivered', 'held']);
  expect(commandsRun(running)).toEqual(['say Steve voted', 'say Alex voted']);
});

test('a held grant is paid when the operator says so, from another process', async () => {
  const running = await setUp([SAY]);
  practiceOf(running).setFault('silent-without-running', 1);
  await vote(running);
  await expect.poll(() => states(running), waitFor).toEqual(['held']);

  const { openLedger } = await import('../../src/ledger/sqlite/in-process.ts');
  const desk = await openLedger(`${running.folder}/data/teller.db`, 'write', { clock: systemClock });
  expect(await desk.pay(1, { texts: null, by: 'ann', kindByServer: NO_CHANGE }, systemClock.now())).toEqual({
    kind: 'changed',
  });
  desk.close();

  await expect.poll(() => states(running), waitFor).toEqual(['delivered']);
  expect((await grants(running))[0]?.commands).toMatchObject([{ outcome: 'delivered', attempts: 2 }]);
});

test('a reward that is safe to run twice is retried after an unknown outcome', {
  timeout: 20_000,
}, async () => {
  const running = await setUp([{ ...SAY, safeToRunTwice: true }]);
  practiceOf(running).setFault('run-and-close', 1);
  await vote(running);
  await expect.poll(() => states(running), { timeout: 15_000 }).toEqual(['delivered']);
  expect(commandsRun(running)).toEqual(['say Steve voted', 'say Steve voted']);
});

test('a command that certainly never ran is retried until the game server accepts it', async () => {
  const { log, codes } = keptLog();
  const running = await setUp([SAY], {}, log);
  practiceOf(running).setFault('close-after-login', 2);
  await vote(running);
  await expect.poll(() => states(running), { timeout: 15_000 }).toEqual(['delivered']);
  expect(commandsRun(running)).toEqual(['say Steve voted']);
  expect((await grants(running))[0]?.commands).toMatchObject([{ attempts: 1 }]);
  // It is logged after the outcome is stored.
  await expect
    .poll(() => codes.filter((code) => code.startsWith('server-')), waitFor)
    .toEqual(['server-unreachable', 'server-reached']);
});

test('a grant waits for a player who is in the list but whom the command does not find', async () => {
  const running = await setUp([{ ...GIVE, commands: ['give {player} diamond 1', 'say done'] }], {
    offlineReplies: ['^Gave 1'],
  });
  practiceOf(running).join('Steve');
  await vote(running);
  await expect.poll(() => states(running), waitFor).toEqual(['waiting']);
  expect((await grants(running))[0]?.commands).toMatchObject([
    { outcome: 'player-offline' },
    { outcome: null },
  ]);
});

test('each game server gets its own grants', async () => {
  const running = await runningApp(systemClock, {
    gameServers: { lobby: PRACTICE, survival: PRACTICE },
    rewards: [
      { ...SAY, servers: ['lobby'] },
      { name: 'both', when: 'always', servers: 'all', commands: ['say twice'] },
    ],
  });
  await vote(running);
  await expect.poll(() => states(running), waitFor).toEqual(['delivered', 'delivered', 'delivered']);
  const run = (name: string) =>
    running.app.practiceServers
      .get(name)
      ?.commands()
      .map(({ command }) => command)
      .filter((command) => command !== 'list');
  expect(run('lobby')).toEqual(['say Steve voted', 'say twice']);
  expect(run('survival')).toEqual(['say twice']);
});

test('an announcement to all players is delivered even if none is online, and waits for no player', async () => {
  const running = await setUp([
    { name: 'news', when: 'always', commands: ['tellraw @a {"text":"{site} has a vote"}', 'say next'] },
    { name: 'gift', when: 'always', commands: ['give @a[name={player}] diamond 1'] },
  ]);
  await vote(running);
  await expect.poll(() => states(running), waitFor).toEqual(['waiting', 'delivered']);
  expect((await grants(running))[1]?.commands).toMatchObject([
    { outcome: 'delivered', reply: 'No player was found', attempts: 1 },
    { outcome: 'delivered' },
  ]);
});

test('an announcement is sent for anybody on a game server that cannot report who is online', async () => {
  const posted: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (part: Buffer) => posted.push(String(part)));
    request.on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const main = { kind: 'http', url: `http://127.0.0.1:${port}/`, secret: 'the-secret-of-that-server' };
  const rewards = [{ ...SAY, announce: true }];
  const running = await runningApp(systemClock, { gameServers: { main }, rewards });
  await vote(running, 'Stranger');
  await expect.poll(() => states(running), waitFor).toEqual(['delivered']);
  expect(posted.join('')).toContain('say Stranger voted');
});
