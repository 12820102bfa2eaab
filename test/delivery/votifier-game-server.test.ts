import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { privateKeyText, publicKeyText } from '../../protocol/votifier/key-text.ts';
import { decryptV1Block } from '../../protocol/votifier/v1.ts';
import { Secret } from '../../src/config/config.ts';
import { forwardText } from '../../src/core/forward.ts';
import type { Problem } from '../../src/core/problem.ts';
import type { GameServer } from '../../src/delivery/game-server.ts';
import { votifier } from '../../src/delivery/kinds/votifier/kind.ts';
import type { VotifierConfig } from '../../src/delivery/kinds/votifier/schema.ts';
import {
  afterBlock,
  afterFrame,
  freePort,
  scriptedListener,
  V2_GREETING,
} from '../sender/scripted-listener.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loggedLines } from '../support/logged-lines.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const TOKEN = 'the-token-of-the-old-listener';
const TIMEOUT_MS = 10_000;
const MINUTE = 60_000;

const voteOn = (service: string, player = 'Steve'): string =>
  forwardText({ service, player, address: '203.0.113.9', at: 1_780_315_200_123 });
const VOTE = voteOn('Liste fünf');

async function target(port: number, change: Partial<VotifierConfig> = {}) {
  const clock = new FakeClock();
  const { log, lines } = loggedLines();
  const config: VotifierConfig = {
    kind: 'votifier',
    ...{ host: '127.0.0.1', port, protocol: 'v2', token: new Secret(TOKEN), publicKey: undefined },
    ...{ maxAge: 24 * 60 * MINUTE, pays: false },
    ...{ commandPauseMs: 0, commandTimeoutMs: TIMEOUT_MS, joinDelayMs: 0, presenceIntervalMs: 0 },
    ...{ refusedReplies: [], offlineReplies: [], deliveredReplies: [] },
    ...change,
  };
  const parts = { name: 'old', clock, random: fixedRandom(0), log, embedded: null };
  const server = await votifier.connect(config, parts);
  onTestFinished(() => server.close());
  return { server, clock, lines };
}

const v1 = { protocol: 'v1', publicKey: publicKeyText(publicKey) } as const;

const OK = '{"status":"ok"}\r\n';
const refusing = (words: string) =>
  afterFrame((socket) =>
    socket.end(`${JSON.stringify({ status: 'error', cause: 'Refused', error: words })}\r\n`),
  );

const payloadOf = (frame: Buffer): Record<string, unknown> =>
  JSON.parse(JSON.parse(frame.toString('utf8', 4)).payload) as Record<string, unknown>;

const opening = async (server: GameServer) => ({ ...(await server.ready()) });

describe('a forward by version 2', () => {
  test('keeps the service, the player, the address and the time, and is delivered when the listener says ok', async () => {
    let frame: Buffer = Buffer.alloc(0);
    const { port } = await scriptedListener(
      afterFrame((socket, bytes) => {
        frame = bytes;
        socket.end(OK);
      }),
    );
    const { server } = await target(port);
    expect(await server.run(VOTE)).toEqual({ kind: 'delivered', reply: 'ok' });
    expect(payloadOf(frame)).toEqual({
      serviceName: 'Liste fünf',
      username: 'Steve',
      address: '203.0.113.9',
      timestamp: 1_780_315_200_123,
      challenge: 'c0ffee',
    });
  });

  test('is greeted before it is claimed, and then uses that connection', async () => {
    const listener = await scriptedListener(afterFrame((socket) => socket.end(OK)));
    const { server } = await target(listener.port);
    expect(await opening(server)).toEqual({ kind: 'open' });
    expect(await opening(server)).toEqual({ kind: 'open' });
    expect((await server.run(VOTE)).kind).toBe('delivered');
    expect(listener.connections()).toBe(1);
    expect((await server.run(VOTE)).kind).toBe('delivered');
    expect(listener.connections()).toBe(2);
  });

  test('a service name that looks like a placeholder is forwarded as it is', async () => {
    let frame: Buffer = Buffer.alloc(0);
    const { port } = await scriptedListener(
      afterFrame((socket, bytes) => {
        frame = bytes;
        socket.end(OK);
      }),
    );
    const { server } = await target(port);
    expect(voteOn('{player} {nextVote 9}')).not.toContain('{player}');
    await server.run(voteOn('{player} {nextVote 9}'));
    expect(payloadOf(frame).serviceName).toBe('{player} {nextVote 9}');
  });

  test.each<readonly [string, string, (socket: Socket) => void]>([
    ['closes before its greeting', 'votifier.no-greeting', (socket) => socket.end()],
    ['resets before its greeting', 'votifier.no-greeting', (socket) => socket.resetAndDestroy()],
    [
      'greets as a web server',
      'votifier.foreign-greeting',
      (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
    ],
    ['supports version 1 alone', 'votifier.other-version', (socket) => socket.write('VOTIFIER 1.9\n')],
  ])('a listener that %s gets nothing, and the vote is not begun: %s', async (_what, reason, script) => {
    let received = 0;
    const { port } = await scriptedListener((socket) => {
      socket.on('data', (chunk) => {
        received += chunk.length;
      });
      script(socket);
    });
    const { server } = await target(port);
    expect(await opening(server)).toEqual({ kind: 'resting', reason, restMs: 1_000 });
    expect(await server.run(VOTE)).toEqual({ kind: 'not-sent', reason });
    expect(received).toBe(0);
  });

  test('a listener that sends no greeting in time is not waited for any longer', async () => {
    const { port } = await scriptedListener(() => {});
    const { server, clock } = await target(port);
    const ready = server.ready();
    await untilSettled(ready, clock, TIMEOUT_MS);
    expect(await ready).toMatchObject({ kind: 'resting', reason: 'votifier.no-greeting' });
  });

  test('nothing that listens, and a name without an address, are told apart', async () => {
    const { server } = await target(await freePort());
    expect(await opening(server)).toMatchObject({ reason: 'votifier.unreachable' });
    const { server: nameless } = await target(1, { host: 'no-such-host.invalid' });
    expect(await opening(nameless)).toMatchObject({ reason: 'votifier.host-unknown' });
  });

  test.each<readonly [string, (socket: Socket) => void]>([
    ['closes', (socket) => socket.end()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ])(
    'a listener that %s between its greeting and the vote got nothing, so the vote is not sent',
    async (_what, end) => {
      const sockets: Socket[] = [];
      const { port } = await scriptedListener((socket) => {
        sockets.push(socket);
        socket.write(V2_GREETING);
      });
      const { server } = await target(port);
      await server.ready();
      end(sockets[0] as Socket);
      await turns();
      expect(await server.run(VOTE)).toEqual({ kind: 'not-sent', reason: 'votifier.closed-early' });
      expect(sockets).toHaveLength(1);
    },
  );

  test('a vote that cannot be written because the connection was reset is not sent', async () => {
    const sockets: Socket[] = [];
    const { port } = await scriptedListener((socket) => {
      sockets.push(socket);
      socket.write(V2_GREETING);
    });
    const { server } = await target(port);
    await server.ready();
    // The reset has arrived, and nothing has read it yet.
    sockets[0]?.resetAndDestroy();
    expect(await server.run(VOTE)).toEqual({ kind: 'not-sent', reason: 'votifier.closed-early' });
  });

  test.each<readonly [string, string, (socket: Socket) => void]>([
    ['closes after the vote without an answer', 'closed', (socket) => socket.end()],
    ['resets after the vote', 'closed', (socket) => socket.resetAndDestroy()],
    ['closes in the middle of its answer', 'votifier.bad-answer', (socket) => socket.end('{"status":"o')],
    ['answers with something else', 'votifier.bad-answer', (socket) => socket.end('thanks\r\n')],
  ])('a vote to a listener that %s is unknown: %s', async (_what, reason, script) => {
    const { port } = await scriptedListener(afterFrame(script));
    const { server } = await target(port);
    expect(await server.run(VOTE)).toEqual({ kind: 'unknown', reason });
    expect(await opening(server)).toEqual({ kind: 'resting', reason: 'between-connections', restMs: 1_000 });
  });

  test('a vote that is not answered in time is unknown, however slow the greeting was', async () => {
    const frames: Buffer[] = [];
    const { port } = await scriptedListener(afterFrame((_, frame) => frames.push(frame)));
    const { server, clock } = await target(port);
    await server.ready();
    clock.advance(TIMEOUT_MS - 1);
    const running = server.run(VOTE);
    while (frames.length === 0) await turns();
    clock.advance(TIMEOUT_MS - 1);
    await turns();
    await untilSettled(running, clock, 1);
    expect(await running).toEqual({ kind: 'unknown', reason: 'timeout' });
  });

  test('a slow answer counts', async () => {
    const sockets: Socket[] = [];
    const { port } = await scriptedListener(afterFrame((socket) => sockets.push(socket)));
    const { server, clock } = await target(port);
    const running = server.run(VOTE);
    while (sockets.length === 0) await turns();
    clock.advance(TIMEOUT_MS - 1);
    sockets[0]?.end(OK);
    expect(await running).toEqual({ kind: 'delivered', reply: 'ok' });
  });

  test('a vote with a line break in it, and one that is too long, are refused and never sent', async () => {
    const { port } = await scriptedListener(afterFrame((socket) => socket.end(OK)));
    const { server } = await target(port);
    expect(await server.run(voteOn('List\nSteve'))).toEqual({
      kind: 'refused',
      reply: null,
      reason: 'votifier.line-break',
    });
    const long = forwardText({ service: 'List', player: 'Steve', address: 'x'.repeat(5000), at: 1 });
    expect(await server.run(long)).toEqual({ kind: 'refused', reply: null, reason: 'votifier.too-long' });
    expect((await server.run(VOTE)).kind).toBe('delivered');
  });

  test('a command is refused and not sent', async () => {
    const { server } = await target(await freePort());
    for (const command of ['give Steve diamond 1', '{"text":"hi"}', '{"service":1}', '{"service":'])
      expect(await server.run(command)).toEqual({
        kind: 'refused',
        reply: null,
        reason: 'votifier.not-a-vote',
      });
  });
});

describe('error answers', () => {
  test.each([
    ['votifier.wrong-token', 'Signature is not valid (invalid token?)'],
    ['votifier.unknown-service', "Unknown service 'Liste fünf'"],
    ['votifier.error-answer', 'Overloaded'],
    ['votifier.error-answer', 'Challenge is not valid'],
  ])('are tried again with growing pauses, and logged once: %s', async (reason, words) => {
    const { port } = await scriptedListener(refusing(words));
    const { server, clock, lines } = await target(port);
    for (const restMs of [1_000, 2_000, 4_000, 8_000]) {
      expect(await server.run(VOTE)).toEqual({ kind: 'not-sent', reason });
      expect(await opening(server)).toEqual({ kind: 'resting', reason, restMs });
      clock.advance(restMs);
    }
    expect(lines.map(({ code }) => code)).toEqual([reason]);
  });

  /** Tries one vote until it is given up. */
  async function tries(server: GameServer, clock: FakeClock, vote: string) {
    const before = clock.monotonic();
    for (let count = 1; ; count++) {
      const outcome = await server.run(vote);
      if (outcome.kind !== 'not-sent') return { outcome, count, ms: clock.monotonic() - before };
      const { restMs } = (await opening(server)) as { restMs: number };
      clock.advance(restMs);
    }
  }

  test('of five minutes are enough: the vote is refused with the answer, and the next goes on at once', async () => {
    const { port } = await scriptedListener(refusing('Overloaded'));
    const { server, clock } = await target(port);
    const { outcome, count, ms } = await tries(server, clock, VOTE);
    expect(outcome).toEqual({ kind: 'refused', reply: 'Overloaded' });
    expect(count).toBeGreaterThanOrEqual(6);
    expect(ms).toBeGreaterThanOrEqual(5 * MINUTE);
    expect(ms).toBeLessThan(7 * MINUTE);
    expect(await opening(server)).toEqual({ kind: 'open' });
  });

  test('about the length of a name is about this vote alone: it is refused at once, and the next one goes on', async () => {
    const { port } = await scriptedListener(
      afterFrame((socket, frame) => {
        const isShort = String(payloadOf(frame).username).length <= 16;
        socket.end(isShort ? OK : '{"status":"error","cause":"Refused","error":"Username too long"}\r\n');
      }),
    );
    const { server } = await target(port);
    const refused = await server.run(voteOn('A.example', 'ANameOfMoreThan16Characters'));
    expect(refused).toEqual({ kind: 'refused', reply: 'Username too long' });
    expect(await server.ready()).toEqual({ kind: 'open' });
    expect(await server.run(VOTE)).toEqual({ kind: 'delivered', reply: 'ok' });
  });

  test('about a service that has no token there hold up the other services once only', async () => {
    const { port } = await scriptedListener(
      afterFrame((socket, frame) => {
        const isKnown = payloadOf(frame).serviceName !== 'New.com';
        socket.end(isKnown ? OK : '{"status":"error","cause":"Unknown","error":"Unknown service"}\r\n');
      }),
    );
    const { server, clock } = await target(port);
    expect((await tries(server, clock, voteOn('New.com'))).ms).toBeGreaterThanOrEqual(5 * MINUTE);
    // Nothing shows yet that others would be accepted.
    expect((await tries(server, clock, voteOn('New.com', 'Alex'))).ms).toBeGreaterThanOrEqual(5 * MINUTE);
    expect((await server.run(voteOn('Old.com'))).kind).toBe('delivered');
    expect(await tries(server, clock, voteOn('New.com', 'Bob'))).toMatchObject({
      count: 1,
      outcome: { kind: 'refused', reply: 'Unknown service' },
    });
  });
});

describe('a forward by version 1', () => {
  test('is written after the greeting, and counts as delivered when the listener closes', async () => {
    let text = '';
    const { port } = await scriptedListener((socket) => {
      socket.write('VOTIFIER 1.9\n');
      afterBlock((_, block) => {
        text = decryptV1Block(privateKey, block);
        socket.end();
      })(socket);
    });
    const { server } = await target(port, v1);
    expect(await server.run(VOTE)).toEqual({ kind: 'delivered', reply: '' });
    expect(text).toBe('VOTE\nListe fünf\nSteve\n203.0.113.9\n1780315200123\n');
  });

  test('is not written without a greeting', async () => {
    let received = 0;
    const { port } = await scriptedListener((socket) => {
      socket.on('data', (chunk) => {
        received += chunk.length;
      });
    });
    const { server, clock } = await target(port, v1);
    const running = server.run(VOTE);
    await untilSettled(running, clock, TIMEOUT_MS);
    expect(await running).toEqual({ kind: 'not-sent', reason: 'votifier.no-greeting' });
    expect(received).toBe(0);
  });

  test('is unknown if the connection is reset after it', async () => {
    const { port } = await scriptedListener((socket) => {
      socket.write('VOTIFIER 1.9\n');
      afterBlock(() => socket.resetAndDestroy())(socket);
    });
    const { server } = await target(port, v1);
    expect(await server.run(VOTE)).toEqual({ kind: 'unknown', reason: 'votifier.reset' });
  });

  test('is unknown if the listener closes while it is being written: it was not read', async () => {
    const sockets: Socket[] = [];
    const { port } = await scriptedListener((socket) => {
      sockets.push(socket);
      socket.write('VOTIFIER 1.9\n');
    });
    const { server } = await target(port, v1);
    await server.ready();
    // The close has arrived, and nothing has read it yet. Unlike a reset, it lets the vote be written.
    sockets[0]?.destroy();
    expect(await server.run(VOTE)).toEqual({ kind: 'unknown', reason: 'votifier.reset' });
  });

  test('is unknown if the listener does not close in time', async () => {
    const blocks: Buffer[] = [];
    const { port } = await scriptedListener((socket) => {
      socket.write('VOTIFIER 1.9\n');
      afterBlock((_, block) => blocks.push(block))(socket);
    });
    const { server, clock } = await target(port, v1);
    const running = server.run(VOTE);
    while (blocks.length === 0) await turns();
    await untilSettled(running, clock, TIMEOUT_MS);
    expect(await running).toEqual({ kind: 'unknown', reason: 'votifier.not-closed' });
  });

  test('finds its key in a file, which may come later', async () => {
    const { port } = await scriptedListener((socket) => {
      socket.write('VOTIFIER 1.9\n');
      afterBlock(() => socket.end())(socket);
    });
    const file = join(temporaryFolder(), 'public.key');
    const { server, clock } = await target(port, { ...v1, publicKey: file });
    expect(await opening(server)).toMatchObject({ reason: 'votifier.key-unusable' });
    writeFileSync(file, privateKeyText(privateKey));
    clock.advance(MINUTE);
    expect(await opening(server)).toMatchObject({ reason: 'votifier.key-unusable' });
    writeFileSync(file, publicKeyText(publicKey));
    clock.advance(MINUTE);
    expect((await server.run(VOTE)).kind).toBe('delivered');
  });

  test('does not fit if its fields are longer than a block', async () => {
    const { port } = await scriptedListener((socket) => socket.write('VOTIFIER 1.9\n'));
    const { server } = await target(port, v1);
    expect(await server.run(voteOn('L'.repeat(230)))).toMatchObject({ reason: 'votifier.too-long' });
  });
});

describe('the game server', () => {
  test('is tried less and less often while it is down, and at once again after a success', async () => {
    const port = await freePort();
    const { server, clock } = await target(port);
    const rests: number[] = [];
    for (let failures = 0; failures < 8; failures++) {
      const { restMs } = (await opening(server)) as { restMs: number };
      rests.push(restMs);
      clock.advance(restMs);
    }
    expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  test('closes its connection; a vote in progress is unknown, and the next one is not sent', async () => {
    const frames: Buffer[] = [];
    const { port } = await scriptedListener(afterFrame((_, frame) => frames.push(frame)));
    const { server } = await target(port);
    const running = server.run(VOTE);
    while (frames.length === 0) await turns();
    await server.close();
    expect(await running).toEqual({ kind: 'unknown', reason: 'shut-down' });
    expect(await server.run(VOTE)).toEqual({ kind: 'not-sent', reason: 'shut-down' });
  });

  test('cannot report who is online, and answers no question', async () => {
    const { server } = await target(await freePort());
    expect(await server.presence([])).toEqual({ kind: 'cannot-tell', reason: 'votifier.shows-nobody' });
    expect(await server.ask('list')).toEqual({ kind: 'unanswered', reason: 'votifier.shows-nobody' });
  });

  test('waits between two votes for as long as the config says', async () => {
    const { port } = await scriptedListener(afterFrame((socket) => socket.end(OK)));
    const { server, clock } = await target(port, { commandPauseMs: 500 });
    await server.run(VOTE);
    const next = server.run(VOTE);
    clock.advance(499);
    await turns();
    clock.advance(1);
    expect((await next).kind).toBe('delivered');
  });

  test('does not start without its token, which it never shows', async () => {
    const missing = target(1, { token: Secret.missing('no token') });
    await expect(missing).rejects.toThrow(expect.objectContaining({ code: 'secret-missing' }) as Problem);
    const { port } = await scriptedListener(refusing('Signature is not valid'));
    const { server, lines } = await target(port);
    const outcome = await server.run(VOTE);
    expect(outcome.kind).toBe('not-sent');
    expect(JSON.stringify({ outcome, lines })).not.toContain(TOKEN);
  });
});

/** Lets sockets move. */
async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Moves the clock once the sockets have moved, until the promise is settled. */
async function untilSettled(promise: Promise<unknown>, clock: FakeClock, ms: number): Promise<void> {
  let isSettled = false;
  void promise.finally(() => {
    isSettled = true;
  });
  for (let tries = 0; !isSettled && tries < 100; tries++) {
    await turns();
    clock.advance(ms);
  }
}
