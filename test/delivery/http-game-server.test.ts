import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/config/config.ts';
import { Problem } from '../../src/core/problem.ts';
import type { GameServer } from '../../src/delivery/game-server.ts';
import { type HttpSettings, httpGameServer } from '../../src/delivery/kinds/http/game-server.ts';
import { cannotTellReasons } from '../../src/delivery/reasons.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { serve } from '../kit/serve.ts';
import { selfSigned } from '../support/certificate.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { isSettled } from '../support/listening.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { naming } from '../support/naming.ts';

const SECRET = 'whsec_of-the-game-server';
const TIMEOUT_MS = 10_000;

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A receiver of commands. The test answers each. */
async function receiver(answer: (response: ServerResponse, n: number) => void) {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      received.push({ method, path, headers, body: Buffer.concat(chunks) });
      for (const wake of waiting.splice(0)) wake();
      answer(response, received.length);
    });
  });
  const port = await serve(server);
  const untilReceived = async (count: number): Promise<void> => {
    while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { url: `http://127.0.0.1:${port}/command`, received, untilReceived };
}

/** A receiver that writes raw bytes when the request has come. */
async function rawReceiver(answer: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    let got = '';
    socket.on('data', (chunk: Buffer) => {
      got += chunk.toString();
      if (got.endsWith('}')) answer(socket);
    });
  });
  return `http://127.0.0.1:${await serve(server)}/`;
}

/** A port that nothing listens on. */
async function deadUrl(): Promise<string> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/`;
}

function serverAt(url: string, settings: Partial<HttpSettings> = {}, name: string | null = 'main') {
  const clock = new FakeClock();
  const { log, lines } = loggedLines();
  const gameServer: GameServer = httpGameServer({
    ...(name === null ? {} : { name }),
    url,
    secret: new Secret(SECRET),
    answers: false,
    commandTimeoutMs: TIMEOUT_MS,
    commandPauseMs: 0,
    refusedReplies: [],
    offlineReplies: [],
    deliveredReplies: [],
    clock,
    random: { next: () => 0, bytes: systemRandom.bytes },
    log,
    ...settings,
  });
  onTestFinished(() => gameServer.close());
  return { gameServer, clock, lines };
}

const status =
  (code: number, body = '', headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(code, headers).end(body);
  };

describe('a command', () => {
  test('is posted as JSON with the name of the game server, signed over its bytes', async () => {
    const { url, received } = await receiver(status(200, 'Gave 1 [Diamond] to Bob'));
    const { gameServer } = serverAt(`${url}?for=me`);
    expect(await gameServer.run('give Bob diamond 1 “ö”')).toEqual({
      kind: 'delivered',
      reply: 'Gave 1 [Diamond] to Bob',
    });
    const [{ method, path, headers, body }] = received as [Received];
    expect([method, path]).toEqual(['POST', '/command?for=me']);
    expect(JSON.parse(body.toString())).toEqual({
      id: expect.any(String),
      command: 'give Bob diamond 1 “ö”',
      server: 'main',
    });
    expect(headers).toMatchObject({
      host: new URL(url).host,
      'content-type': 'application/json',
      'content-length': String(body.length),
      'user-agent': 'Teller',
      'x-webhook-signature': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
    });
  });

  test('does not contain a server name if there is none', async () => {
    const { url, received } = await receiver(status(204));
    const { gameServer } = serverAt(url, {}, null);
    await gameServer.run('say hi');
    expect(Object.keys(JSON.parse(String(received[0]?.body)))).toEqual(['id', 'command']);
  });

  test('gets a new UUID for each attempt', async () => {
    const { url, received } = await receiver(status(204));
    const { gameServer } = serverAt(url);
    for (let n = 0; n < 3; n++) await gameServer.run('say hi');
    const ids = received.map(({ body }) => String(JSON.parse(body.toString()).id));
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(new Set(ids).size).toBe(3);
  });

  test.each([
    ['command-too-long', `say ${'x'.repeat(1_443)}`],
    ['command-not-one-line', 'say a\nop evil'],
  ])('is refused before it is sent: %s', async (code, command) => {
    const { url, received } = await receiver(status(204));
    const { gameServer } = serverAt(url);
    expect(await gameServer.run(command)).toEqual({ kind: 'refused', reply: null, reason: code });
    expect(received).toEqual([]);
  });
});

describe('a complete 2xx response', () => {
  test.each([200, 201, 202, 204, 299])('%i is delivered, even if the reply is empty', async (code) => {
    const { url } = await receiver(status(code));
    expect(await serverAt(url).gameServer.run('say hi')).toEqual({ kind: 'delivered', reply: '' });
  });

  test.each([
    ['Unknown command', {}, 'refused'],
    ['No player was found', {}, 'refused'],
    ['{"ok":false,"why":"no such kit"}', { refusedReplies: [/"ok":false/] }, 'refused'],
    ['{"ok":false,"why":"away"}', { refusedReplies: [/false/], offlineReplies: [/"away"/] }, 'refused'],
  ])('is judged by its reply, as over RCON: %s', async (reply, patterns, kind) => {
    const { url } = await receiver(status(200, reply));
    expect(await serverAt(url, patterns).gameServer.run('kit Bob')).toEqual({ kind, reply });
  });

  test('is delivered if it says that no player matched and the template names no player', async () => {
    const { url } = await receiver(status(200, 'No player was found'));
    const { gameServer } = serverAt(url);
    expect(await gameServer.run('tellraw @a "hi"', 'tellraw @a "hi"')).toMatchObject({ kind: 'delivered' });
    expect(await gameServer.run('give Bob diamond', 'give {player} diamond')).toMatchObject({
      kind: 'refused',
    });
  });

  test('keeps the first 1 KiB without splitting a character, and is judged only when it has ended', async () => {
    const { url, received, untilReceived } = await receiver((response) => {
      response.write(`x${'ö'.repeat(1_000)}`);
      response.write('y'.repeat(100_000));
      finish = () => response.end();
    });
    let finish = (): void => {};
    const outcome = serverAt(url).gameServer.run('say hi');
    await untilReceived(1);
    expect(await isSettled(outcome)).toBe(false);
    finish();
    expect(await outcome).toEqual({ kind: 'delivered', reply: `x${'ö'.repeat(511)}` });
    expect(received).toHaveLength(1);
  });

  test('may end with the connection', async () => {
    const url = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\ndone'));
    expect(await serverAt(url).gameServer.run('say hi')).toEqual({ kind: 'delivered', reply: 'done' });
  });
});

test.each([
  [401, 'http-not-let-in'],
  [408, 'http-busy'],
  [425, 'http-busy'],
  [429, 'http-busy'],
])(
  '%i is not the command’s fault: it did not run, and is posted again after a pause',
  async (code, reason) => {
    const { url, received } = await receiver(status(code, 'no'));
    const { gameServer, clock } = serverAt(url);
    expect(await gameServer.run('say hi')).toEqual({ kind: 'not-sent', reason });
    expect(await gameServer.open()).toEqual({ kind: 'resting', reason, restMs: expect.any(Number) });
    expect(await gameServer.run('say hi')).toEqual({ kind: 'not-sent', reason });
    expect(received).toHaveLength(1);
    clock.advance(1_000);
    expect(await gameServer.run('say hi')).toEqual({ kind: 'not-sent', reason });
    expect(received).toHaveLength(2);
  },
);

test.each([400, 403, 404, 409, 422, 499])(
  'a complete %i response is refused, with its reply',
  async (code) => {
    const { url } = await receiver((response, n) => status(code, n === 1 ? 'not here' : '')(response));
    const { gameServer } = serverAt(url);
    expect(await gameServer.run('say hi')).toEqual({ kind: 'refused', reply: `HTTP ${code}: not here` });
    expect(await gameServer.run('say hi')).toEqual({ kind: 'refused', reply: `HTTP ${code}` });
    expect(await gameServer.open()).toEqual({ kind: 'open' });
  },
);

describe('a command that was sent without a clear answer is unknown', () => {
  test.each([
    [500, 'http-server-fault'],
    [502, 'http-server-fault'],
    [599, 'http-server-fault'],
    [301, 'http-redirect'],
    [307, 'http-redirect'],
  ])('%i', async (code, reason) => {
    const { url, received } = await receiver(status(code, 'sorry\u001b', { Location: '/elsewhere' }));
    const { gameServer, lines } = serverAt(url);
    expect(await gameServer.run('say hi')).toEqual({ kind: 'unknown', reason });
    expect(received).toHaveLength(1);
    expect(lines).toMatchObject([{ level: 'warn', code: reason, fields: { server: 'main', status: code } }]);
    expect(lines[0]?.sentence).toEqual(naming('main', String(code), 'sorry?'));
  });

  test.each([
    ['a reset', 'closed', (socket: Socket) => socket.resetAndDestroy()],
    ['an end without an answer', 'closed', (socket: Socket) => socket.end()],
    ['half of the headers', 'closed', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nX')],
    [
      'half a body',
      'closed',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok'),
    ],
    [
      'half a 4xx',
      'closed',
      (socket: Socket) => socket.end('HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n'),
    ],
    [
      'a reset in the body',
      'closed',
      (socket: Socket) =>
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok', () => socket.resetAndDestroy()),
    ],
    ['another protocol', 'http-bad-reply', (socket: Socket) => socket.end('SSH-2.0-x\r\n')],
    [
      'a broken body',
      'http-bad-reply',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
    ],
    [
      'an upgrade',
      'http-bad-reply',
      (socket: Socket) => socket.write('HTTP/1.1 101 OK\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
    [
      'headers without end',
      'http-bad-reply',
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`),
    ],
  ])('%s', async (_case, reason, answer) => {
    const url = await rawReceiver(answer as (socket: Socket) => void);
    expect(await serverAt(url).gameServer.run('say hi')).toEqual({ kind: 'unknown', reason });
  });

  test.each([
    ['no answer', () => {}],
    ['an answer that does not end', (response: ServerResponse) => void response.write('x')],
  ])('%s in time', async (_case, answer) => {
    const { url, untilReceived } = await receiver(answer);
    const { gameServer, clock } = serverAt(url);
    const outcome = gameServer.run('say hi');
    await untilReceived(1);
    clock.advance(TIMEOUT_MS - 1);
    expect(await isSettled(outcome)).toBe(false);
    clock.advance(1);
    expect(await outcome).toEqual({ kind: 'unknown', reason: 'timeout' });
  });
});

describe('a command is not-sent if no byte of it was sent', () => {
  test('a refused connection', async () => {
    const { gameServer } = serverAt(await deadUrl());
    expect(await gameServer.run('say hi')).toEqual({ kind: 'not-sent', reason: 'http-unreachable' });
  });

  test('an unknown host name', async () => {
    // A label of 64 characters does not fit into a DNS query, so no name server is asked.
    const { gameServer } = serverAt(`http://${'x'.repeat(64)}.invalid/`);
    expect(await gameServer.run('say hi')).toEqual({ kind: 'not-sent', reason: 'http-host-unknown' });
  });

  test('an untrusted certificate', async () => {
    let requests = 0;
    const port = await serve(createTlsServer(selfSigned(), () => requests++));
    for (const host of ['localhost', '127.0.0.1']) {
      const { gameServer } = serverAt(`https://${host}:${port}/`);
      expect(await gameServer.run('say hi')).toEqual({ kind: 'not-sent', reason: 'http-tls-failed' });
    }
    expect(requests).toBe(0);
  });

  test('TLS to a server that does not speak TLS, or that hangs up', async () => {
    const { url, received } = await receiver(status(200));
    const closing = await serve(createTcpServer((socket) => socket.destroy()));
    for (const at of [url.replace('http:', 'https:'), `https://127.0.0.1:${closing}/`]) {
      const { gameServer } = serverAt(at);
      expect(await gameServer.run('say hi')).toEqual({ kind: 'not-sent', reason: 'http-tls-failed' });
    }
    expect(received).toEqual([]);
  });

  test('a TLS handshake that does not finish in time', async () => {
    let accepted = (): void => {};
    const hello = new Promise<void>((resolve) => (accepted = resolve));
    const port = await serve(createTcpServer((socket) => socket.once('data', accepted)));
    const { gameServer, clock } = serverAt(`https://127.0.0.1:${port}/`);
    const outcome = gameServer.run('say hi');
    await hello;
    clock.advance(TIMEOUT_MS);
    expect(await outcome).toEqual({ kind: 'not-sent', reason: 'http-tls-failed' });
  });
});

describe('after a failure the client pauses, longer with each failure in a row', () => {
  test('if it could not connect, and says why', async () => {
    const { gameServer, clock } = serverAt(await deadUrl());
    expect(await gameServer.open()).toEqual({ kind: 'open' });
    for (const restMs of [1_000, 2_000, 4_000]) {
      await gameServer.run('say hi');
      expect(await gameServer.open()).toEqual({ kind: 'resting', reason: 'http-unreachable', restMs });
      expect(await gameServer.run('say hi')).toEqual({ kind: 'not-sent', reason: 'http-unreachable' });
      clock.advance(restMs);
      expect(await gameServer.open()).toEqual({ kind: 'open' });
    }
  });

  test('if a command became unknown, so that the following commands do not become unknown as well', async () => {
    const { url, received } = await receiver((response, n) => status(n === 2 ? 200 : 503)(response));
    const { gameServer, clock } = serverAt(url);
    expect(await gameServer.run('say a')).toMatchObject({ kind: 'unknown' });
    expect(await gameServer.run('say b')).toEqual({ kind: 'not-sent', reason: 'between-connections' });
    clock.advance(1_000);
    expect(await gameServer.run('say b')).toMatchObject({ kind: 'delivered' });
    expect(await gameServer.run('say c')).toMatchObject({ kind: 'unknown' });
    expect(await gameServer.open()).toMatchObject({ kind: 'resting', restMs: 1_000 });
    expect(received).toHaveLength(3);
  });
});

describe('commands are sent', () => {
  test('one at a time, in order, with the pause between them', async () => {
    const finish: (() => void)[] = [];
    const { url, received, untilReceived } = await receiver((response) =>
      finish.push(() => response.end('ok')),
    );
    const { gameServer, clock } = serverAt(url, { commandPauseMs: 500 });
    const [first, second] = [gameServer.run('say 1'), gameServer.run('say 2')];
    await untilReceived(1);
    expect(await isSettled(first)).toBe(false);
    finish[0]?.();
    await first;
    expect(await isSettled(second)).toBe(false);
    expect(received).toHaveLength(1);
    clock.advance(500);
    await untilReceived(2);
    finish[1]?.();
    await second;
    expect(received.map(({ body }) => JSON.parse(body.toString()).command)).toEqual(['say 1', 'say 2']);
  });

  test('only after ready() has waited for the end of the pause, so that no command is claimed long before', async () => {
    const { url } = await receiver((response) => response.end('ok'));
    const { gameServer, clock } = serverAt(url, { commandPauseMs: 500 });
    await gameServer.run('say 1');
    const ready = gameServer.ready();
    expect(await isSettled(ready)).toBe(false);
    clock.advance(500);
    expect(await ready).toEqual({ kind: 'open' });
  });
});

test('cannot report who is online', async () => {
  const { gameServer } = serverAt('http://127.0.0.1:1/');
  expect(await gameServer.presence(['Bob'])).toEqual({ kind: 'cannot-tell', reason: 'http-tells-nobody' });
  expect(cannotTellReasons['http-tells-nobody']).toContain('always');
});

test('closing makes a command in flight unknown, and later commands not-sent', async () => {
  const { url, received, untilReceived } = await receiver(() => {});
  const { gameServer } = serverAt(url);
  const inFlight = gameServer.run('say 1');
  const waiting = gameServer.run('say 2');
  await untilReceived(1);
  await gameServer.close();
  expect(await inFlight).toEqual({ kind: 'unknown', reason: 'shut-down' });
  expect(await waiting).toEqual({ kind: 'not-sent', reason: 'shut-down' });
  expect(await gameServer.run('say 3')).toEqual({ kind: 'not-sent', reason: 'shut-down' });
  expect(await gameServer.open()).toMatchObject({ kind: 'resting', reason: 'shut-down' });
  expect(received).toHaveLength(1);
});

test('reports a missing secret at the start', () => {
  expect(() => serverAt('http://127.0.0.1:1/', { secret: Secret.missing('none') })).toThrowError(Problem);
});
