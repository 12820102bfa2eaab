import { expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { nextTurn } from '../../src/core/clock.ts';
import { Problem } from '../../src/core/problem.ts';
import type { Presence } from '../../src/delivery/game-server.ts';
import type { ServedGameServer } from '../../src/delivery/served-game-server.ts';
import { GameServerWatch } from '../../src/operator/now/game-server-watch.ts';
import { connectionOf } from '../../src/operator/now/game-servers.ts';
import { FakeClock } from '../support/fake-clock.ts';

const STEVE: Presence = { kind: 'known', names: ['Steve'], uuids: new Map() };
const UNCLEAR: Presence = { kind: 'cannot-tell', reason: 'list-not-understood' };

/** A watch of one game server that gives these answers, the last one again and again. */
function watching(kind: 'rcon' | 'http', ...answers: readonly (Presence | Problem)[]) {
  const clock = new FakeClock();
  let asked = 0;
  const served: ServedGameServer = {
    ...{ name: 'main', trouble: undefined, retryAt: null, lastPresence: null },
    askPresence: async () => {
      const answer = answers[Math.min(asked, answers.length - 1)]!;
      asked += 1;
      if (answer instanceof Problem) throw answer;
      return answer;
    },
    asksOneByOne: async () => true,
  };
  const config = { gameServers: new Map([['main', { kind }]]) } as unknown as Config;
  const watch = new GameServerWatch({ teller: { config, gameServers: [served] }, clock });
  const look = async (afterMs = 0) => {
    clock.advance(afterMs);
    watch.look();
    await nextTurn(clock);
    return watch.of(served);
  };
  return { clock, served, watch, look, asked: () => asked };
}

test('a game server is asked at most every 5 seconds, and only when somebody looks', async () => {
  const { look, asked } = watching('rcon', STEVE);
  await look();
  await look(4_999);
  expect(asked()).toBe(1);
  await look(1);
  expect(asked()).toBe(2);
});

test('an answer is forgotten when nobody has looked for 15 seconds', async () => {
  const { look, clock, watch, served } = watching('rcon', STEVE);
  expect(await look()).toMatchObject({ presence: STEVE, hasUuids: true });
  clock.advance(15_000);
  expect(watch.of(served)).not.toBeNull();
  clock.advance(1);
  expect(watch.of(served)).toBeNull();
});

test('one whose list is not understood is asked once a minute, and whether it answers about one player', async () => {
  const { look, asked } = watching('rcon', UNCLEAR);
  expect(await look()).toMatchObject({ isAskedOneByOne: true });
  await look(59_999);
  expect(asked()).toBe(1);
  await look(1);
  expect(asked()).toBe(2);
});

test('one whose kind cannot report who is online is never asked', async () => {
  const { look, asked } = watching('http', STEVE);
  expect(await look()).toBeNull();
  expect(asked()).toBe(0);
});

test('that it shows UUIDs is remembered while nobody is online', async () => {
  const { look } = watching('rcon', STEVE, { kind: 'known', names: [] });
  await look();
  expect(await look(5_000)).toMatchObject({ presence: { names: [] }, hasUuids: true });
});

test('while the ledger cannot store who was seen, nothing is known, and it is asked again', async () => {
  const { look, asked } = watching('rcon', new Problem('ledger-full', 'no space'), STEVE);
  expect(await look()).toBeNull();
  expect(await look(5_000)).toMatchObject({ presence: STEVE });
  expect(asked()).toBe(2);
});

test('an answer about who is online counts more than what the queue knew before', async () => {
  const { look, served } = watching('rcon', STEVE);
  const paused = { ...served, trouble: 'unreachable' };
  expect(connectionOf(paused, null)).toMatchObject({ kind: 'trouble', code: 'unreachable' });
  expect(connectionOf(paused, await look())).toEqual({ kind: 'connected' });
  expect(connectionOf(served, null)).toEqual({ kind: 'untried' });
});
