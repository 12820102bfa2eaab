import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { payload, post, SECRET, type StartedSink, signature, startedSink } from './started-sink.ts';

const BODY = payload();

/** Unlike `once`, does not reject on an error. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()));

/** Writes bytes to a new connection; resolves to the answer. */
async function raw({ port }: StartedSink, bytes: Buffer | string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  let back = '';
  socket.setEncoding('utf8').on('data', (text: string) => (back += text));
  socket.end(bytes);
  await closed(socket);
  return back;
}

/** Sends the beginning of a request and resets the connection. */
async function reset({ port }: StartedSink): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"event"');
  socket.resetAndDestroy();
  await closed(socket);
}

const stillServes = async (sink: StartedSink): Promise<void> => {
  expect((await post(sink, BODY, signature(BODY))).status).toBe(204);
};

describe('a request that is not a delivery is answered, reported with its reason, and not counted', () => {
  test.each([
    ['truncated JSON', '{"event":', 'not-json', 400],
    ['an empty body', '', 'not-json', 400],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x00]), 'not-json', 400],
    ['deep nesting', '['.repeat(60_000), 'not-json', 400],
    ['JSON of another kind', '{"content":"Steve voted"}', 'not-a-vote', 400],
    ['null', 'null', 'not-a-vote', 400],
    ['another event', payload({ event: 'vote.deleted' }), 'not-a-vote', 400],
    ['another version', payload({ version: 2 }), 'not-a-vote', 400],
    ['64 KiB and a byte', ' '.repeat(64 * 1024 + 1), 'too-large', 413],
    ['half a MiB', ' '.repeat(512 * 1024), 'too-large', 413],
  ])('%s', async (_case, body, reason, status) => {
    const sink = await startedSink();
    expect((await post(sink, body)).status).toBe(status);
    expect(sink.others).toMatchObject([{ kind: 'no-delivery', reason, answered: status }]);
    expect(sink.deliveries).toEqual([]);
    await stillServes(sink);
  });

  test.each(['GET', 'PUT', 'DELETE', 'HEAD'])('%s', async (method) => {
    const sink = await startedSink();
    const response = await fetch(sink.url, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('Allow')).toBe('POST');
    expect(sink.others).toMatchObject([{ reason: 'not-post', answered: 405 }]);
  });

  test('TLS instead of http', async () => {
    const sink = await startedSink();
    expect(await raw(sink, Buffer.from('16030100', 'hex'))).toContain('HTTP/1.1 400');
    expect(sink.others).toMatchObject([{ reason: 'not-http' }]);
  });

  test('malformed JSON is reported with the state of its signature, which is checked first', async () => {
    const sink = await startedSink({ secret: SECRET });
    await post(sink, '{', signature('{'));
    await post(sink, '{');
    expect(sink.others).toMatchObject([
      { reason: 'not-json', signature: 'valid' },
      { reason: 'not-json', signature: 'missing' },
    ]);
  });
});

test('a body of exactly 64 KiB is read', async () => {
  const sink = await startedSink();
  const body = BODY.padEnd(64 * 1024);
  expect((await post(sink, body)).status).toBe(204);
});

test('an endless body is cut off with 413', async () => {
  const sink = await startedSink();
  const socket = connect(sink.port, '127.0.0.1');
  socket.on('error', () => {});
  const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more).resume();
  more();
  await closed(socket);
  expect(sink.others).toMatchObject([{ reason: 'too-large', answered: 413 }]);
});

test('it still serves after a thousand malformed requests and a hundred resets', async () => {
  const sink = await startedSink({ secret: SECRET });
  for (let round = 0; round < 50; round++) {
    const malformed = Array.from({ length: 20 }, (_, n) => {
      if (n % 4 === 0) return raw(sink, randomBytes(500));
      if (n % 4 === 1) return post(sink, '{"event":"vote.created"');
      if (n % 4 === 2) return post(sink, BODY, 'sha256=');
      return raw(sink, 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n');
    });
    await Promise.all([...malformed, reset(sink), reset(sink)]);
  }
  await stillServes(sink);
  expect(sink.deliveries.filter(({ signature: state }) => state === 'valid')).toHaveLength(1);
  expect(sink.others.filter(({ reason }) => reason === 'not-json')).toHaveLength(250);
});

test('at most a hundred pipelined requests are served on one connection', async () => {
  const sink = await startedSink();
  const request = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(BODY)}\r\n\r\n${BODY}`;
  const back = await raw(sink, request.repeat(150));
  expect(back.match(/HTTP\/1\.1 204/g)).toHaveLength(100);
});
