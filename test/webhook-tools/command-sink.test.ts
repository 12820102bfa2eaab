import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/config/config.ts';
import type { CommandAbout } from '../../src/delivery/game-server.ts';
import { type HttpSettings, httpGameServer } from '../../src/delivery/kinds/http/game-server.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type {
  AskedPlayers,
  NoCommand,
  ReceivedCommand,
} from '../../src/practice/webhook-tools/command-receiver.ts';
import { type CommandSinkSettings, startCommandSink } from '../../src/practice/webhook-tools/sink.ts';
import { post, SECRET, signature } from './started-sink.ts';

const ABOUT: CommandAbout = {
  ...{ grant: 7, position: 0, vote: 31, reward: 'daily', occasion: 'total 25', site: 'A.example' },
  ...{ player: 'Steve', uuid: null, attempt: 1 },
};

/** A sink for commands, and a game server of kind http that posts to it. */
async function running(settings: Partial<CommandSinkSettings> = {}, change: Partial<HttpSettings> = {}) {
  const commands: ReceivedCommand[] = [];
  const others: (AskedPlayers | NoCommand)[] = [];
  const sink = await startCommandSink({
    ...{ host: '127.0.0.1', port: 0, clock: systemClock, secret: SECRET, delayMs: 0 },
    ...{ outcomes: [], online: null },
    onCommand: (command) => commands.push(command),
    onOther: (other) => others.push(other),
    ...settings,
  });
  onTestFinished(() => sink.close());
  const server = httpGameServer({
    ...{ name: 'city', url: sink.url, secret: new Secret(SECRET), answers: true },
    ...{ commandTimeoutMs: 10_000, commandPauseMs: 0 },
    ...{ refusedReplies: [], offlineReplies: [], deliveredReplies: [] },
    ...{ clock: systemClock, random: systemRandom },
    ...change,
  });
  onTestFinished(() => server.close());
  const run = (attempt = 1, position = 0) =>
    server.run('give Steve diamond', 'give {player} diamond', { ...ABOUT, attempt, position });
  const reported = async (count: number): Promise<readonly ReceivedCommand[]> => {
    await expect.poll(() => commands.length).toBe(count);
    return commands;
  };
  return { sink, server, run, reported, others };
}

test('says that a command ran, and what was posted with it', async () => {
  const { run, reported } = await running();
  expect(await run()).toMatchObject({ kind: 'delivered' });
  expect(await reported(1)).toMatchObject([
    {
      ...{ kind: 'command', command: 'give Steve diamond', server: 'city', commandId: '7-0', grant: 7 },
      ...{ reward: 'daily', occasion: 'total 25', vote: 31, site: 'A.example', player: 'Steve', uuid: null },
      ...{ attempt: 1, signature: 'valid', again: false, replayed: false, answered: 204, outcome: null },
    },
  ]);
});

test.each(['delivered', 'refused', 'player-offline'] as const)('says %s, signed', async (outcome) => {
  const { run, reported } = await running({ outcomes: [outcome] });
  expect(await run()).toEqual({ kind: outcome, reply: `the sink says ${outcome}` });
  expect(await reported(1)).toMatchObject([{ answered: 200, outcome }]);
});

test('a command that ran does not run again, and one that did not does', async () => {
  const { run, reported } = await running({ outcomes: ['player-offline', 'delivered', 'refused'] });
  const kinds = [];
  for (const attempt of [1, 2, 3]) kinds.push((await run(attempt))?.kind);
  kinds.push((await run(1, 1))?.kind);
  expect(kinds).toEqual(['player-offline', 'delivered', 'delivered', 'refused']);
  expect((await reported(4)).map(({ commandId, again }) => [commandId, again])).toEqual([
    ['7-0', false],
    ['7-0', false],
    ['7-0', true],
    ['7-1', false],
  ]);
});

test('says who is online', async () => {
  const { server, others } = await running({ online: ['Steve', '.Alex'] });
  expect(await server.presence([])).toEqual({ kind: 'known', names: ['Steve', '.Alex'] });
  expect(others).toMatchObject([
    { kind: 'players', server: 'city', players: ['Steve', '.Alex'], answered: 200 },
  ]);
});

test('that nobody is online is an answer, and no answer is none', async () => {
  const empty = await running({ online: [] });
  expect(await empty.server.presence([])).toMatchObject({ kind: 'known', names: [] });
  const untold = await running();
  expect(await untold.server.presence([])).toMatchObject({ kind: 'cannot-tell' });
  expect(untold.others).toMatchObject([{ kind: 'players', players: null, answered: 400 }]);
});

test('a request with another secret is refused, and the real one is then no repeat', async () => {
  const { sink, run, reported } = await running({ outcomes: ['delivered'], online: ['Steve'] });
  const body = JSON.stringify({ id: 'a', command: 'op evil', server: 'city', commandId: '7-0' });
  expect((await post(sink, body, signature(body, 'another'))).status).toBe(401);
  const question = JSON.stringify({ id: 'b', ask: 'players', server: 'city' });
  expect((await post(sink, question, undefined)).status).toBe(401);
  expect(await run()).toMatchObject({ kind: 'delivered' });
  expect(await reported(2)).toMatchObject([
    { signature: 'wrong', answered: 401, outcome: null },
    { signature: 'valid', answered: 200, again: false },
  ]);
});

test('the same request twice is a replay, and is refused', async () => {
  const { sink, reported } = await running();
  const body = JSON.stringify({ id: 'a', command: 'say hi', server: 'city' });
  expect((await post(sink, body, signature(body))).status).toBe(204);
  expect((await post(sink, body, signature(body))).status).toBe(409);
  expect(await reported(2)).toMatchObject([
    { replayed: false, commandId: null },
    { replayed: true, answered: 409 },
  ]);
});

test.each([
  ['not-json', '{'],
  ['not-a-command', '{"id":"a","server":"city"}'],
  ['not-a-command', '{"command":"say hi","server":"city"}'],
  ['not-a-command', '[]'],
  ['not-a-command', 'null'],
])('a request that is %s is refused: %s', async (reason, body) => {
  const { sink, others } = await running();
  expect((await post(sink, body, signature(body))).status).toBe(400);
  expect(others).toMatchObject([{ kind: 'no-command', reason, signature: 'valid' }]);
});

test('a command that is answered too late is held by Teller, and reported as not answered', async () => {
  const { run, reported } = await running({ delayMs: 60_000 }, { commandTimeoutMs: 100 });
  expect(await run()).toEqual({ kind: 'unknown', reason: 'timeout' });
  expect(await reported(1)).toMatchObject([{ answered: null }]);
});
