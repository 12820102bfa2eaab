import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { WireVote } from '../../protocol/votifier/vote.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { successes } from '../../src/sender/result.ts';
import { type SendOptions, sendVote } from '../../src/sender/send-vote.ts';
import { afterFrame, scriptedListener, V2_GREETING } from './scripted-listener.ts';

const VOTE: WireVote = {
  serviceName: 'Liste fünf',
  username: 'Steve',
  address: '203.0.113.9',
  timestamp: '1780315200000',
};

const send = (port: number, vote: Partial<WireVote> = {}, options: Partial<SendOptions> = {}) =>
  sendVote(
    { ...VOTE, ...vote },
    { host: '127.0.0.1', port, auth: { version: 'v2', token: 's3cret' } },
    { clock: systemClock, ...options },
  );

test('sends the frame that the protocol describes, and accepts an ok', async () => {
  let frame: Buffer = Buffer.alloc(0);
  const listener = await scriptedListener(
    afterFrame((socket, bytes) => {
      frame = bytes;
      socket.end('{"status":"ok"}\r\n');
    }),
  );
  const result = await send(listener.port);
  expect(result).toEqual({
    kind: 'accepted',
    code: 'accepted',
    where: `127.0.0.1:${listener.port}`,
    detail: '',
    sentence: successes.accepted.sentence({ where: `127.0.0.1:${listener.port}`, detail: '' }),
  });
  expect(frame.toString('latin1', 0, 2)).toBe('s:');
  expect(frame.readUInt16BE(2)).toBe(frame.length - 4);
  const { payload, signature } = JSON.parse(frame.toString('utf8', 4)) as Record<
    'payload' | 'signature',
    string
  >;
  expect(JSON.parse(payload)).toEqual({ ...VOTE, timestamp: 1780315200000, challenge: 'c0ffee' });
  expect(signature).toBe(createHmac('sha256', 's3cret').update(payload, 'utf8').digest('base64'));
});

test.each([
  ['a greeting that ends in CRLF', 'VOTIFIER 2 c0ffee\r\n', ['{"status":"ok"}\r\n']],
  ['a reply without a line end', V2_GREETING, ['{"status":"ok"}']],
  ['a reply after an empty line', V2_GREETING, ['\r\n', '{"status":"ok"}\r\n']],
  ['a pretty-printed reply', V2_GREETING, ['{\n  "status": "ok"\n}\n']],
  ['a reply with something after it', V2_GREETING, ['{"status":"ok"}\r\n{"status":"error"}\r\n']],
])('accepts %s', async (_what, greeting, reply) => {
  const listener = await scriptedListener((socket) => {
    socket.write(greeting);
    socket.once('data', () => socket.end(reply.join('')));
  });
  expect((await send(listener.port)).code).toBe('accepted');
});

test('accepts a greeting and a reply that arrive byte by byte, from a listener that stays open', async () => {
  const listener = await scriptedListener((socket) => {
    trickle(socket, V2_GREETING);
    socket.once('data', () => trickle(socket, '{"status":"ok"}\r\n'));
  });
  expect((await send(listener.port)).code).toBe('accepted');
});

test.each([
  ['wrong-token', 'Signature is not valid (invalid token?)'],
  ['name-too-long', 'Username too long'],
  ['unknown-service', "Unknown service 'Liste fünf'"],
  ['challenge-refused', 'Challenge is not valid'],
  ['error-reply', 'Overloaded'],
])('an error reply is reported as %s with the listener’s message: %s', async (code, words) => {
  const reply = JSON.stringify({ status: 'error', cause: 'Refused', error: words });
  const listener = await scriptedListener(afterFrame((socket) => socket.end(`${reply}\r\n`)));
  const result = await send(listener.port);
  expect(result).toMatchObject({ kind: 'failed', code, reached: 'no', detail: words });
  expect(result.sentence).toContain(words);
});

test('a message of the listener is shortened, and shown without control characters', async () => {
  const reply = JSON.stringify({ status: 'error', error: `a\u001b[31m\n${'b'.repeat(900)}` });
  const listener = await scriptedListener(afterFrame((socket) => socket.end(reply)));
  const result = await send(listener.port);
  expect(result).toMatchObject({ code: 'error-reply', detail: `a [31m ${'b'.repeat(193)}` });
});

test('an error reply that arrives together with the greeting is read when the listener closes', async () => {
  const listener = await scriptedListener((socket) => {
    socket.end(`${V2_GREETING}{"status":"error","cause":"Busy","error":"Too many connections"}\r\n`);
  });
  expect(await send(listener.port)).toMatchObject({ code: 'error-reply', detail: 'Too many connections' });
});

test.each([
  ['other text', 'thanks\r\n'],
  ['a JSON object without a known status', '{"status":"maybe"}\r\n'],
  ['half an object', '{"status":"o'],
  ['an object without end', `{"status":"${'o'.repeat(5000)}`],
])('%s is an unreadable reply, after which the vote may have counted', async (_what, reply) => {
  const listener = await scriptedListener(afterFrame((socket) => socket.end(reply)));
  expect(await send(listener.port)).toMatchObject({ code: 'unreadable-reply', reached: 'unknown' });
});

test('a vote is reported as unknown if the connection is closed after it', async () => {
  const listener = await scriptedListener(afterFrame((socket) => socket.end()));
  expect(await send(listener.port)).toMatchObject({ code: 'closed-without-answer', reached: 'unknown' });
});

test('a vote is reported as unknown if the connection is reset after it', async () => {
  const listener = await scriptedListener(afterFrame((socket) => socket.resetAndDestroy()));
  expect(await send(listener.port)).toMatchObject({ code: 'closed-without-answer', reached: 'unknown' });
});

test('a listener that supports only version 1 is reported as such, and gets nothing', async () => {
  let received = 0;
  const listener = await scriptedListener((socket) => {
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.write('VOTIFIER 1.9\n');
  });
  const result = await send(listener.port);
  expect(result).toMatchObject({ code: 'v1-only', reached: 'no', detail: '1.9' });
  expect(received).toBe(0);
});

test.each([
  ['HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'a web server (HTTP)'],
  ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n', 'an SSH server'],
  ['TLS', '\x15\x03\x01\x00\x02\x02\x0a', 'a TLS port'],
  ['Minecraft', '\xff\x00\x04\x00k\x00i\x00c\x00k', 'a Minecraft game server'],
  ['FTP', '220 ready\r\n', 'a mail or FTP server'],
  ['MySQL', 'J\0\0\0\n8.0.36', 'a MySQL server'],
  ['unknown', 'VOTE here\n', 'something unknown that begins "VOTE here"'],
])('%s is reported as not-votifier, and named', async (_what, banner, detail) => {
  const listener = await scriptedListener((socket) => socket.write(banner, 'latin1'));
  expect(await send(listener.port)).toMatchObject({ code: 'not-votifier', reached: 'no', detail });
});

test.each([
  ['at once', ''],
  ['after half a greeting', 'VOTIF'],
])('a vote is reported as not sent if the listener closes %s', async (_when, greeting) => {
  const listener = await scriptedListener((socket) => socket.end(greeting));
  expect(await send(listener.port)).toMatchObject({ code: 'closed-without-greeting', reached: 'no' });
});

test.each([
  ['service name', { serviceName: 'a\nb' }],
  ['player name', { username: 'a\nb' }],
  ['player name (carriage return)', { username: 'a\rb' }],
  ['address', { address: '1.2.3.4\nb' }],
  ['timestamp', { timestamp: '1\n2' }],
])('a line break in the %s is refused without connecting', async (_field, vote) => {
  const listener = await scriptedListener((socket) => socket.end());
  expect(await send(listener.port, vote)).toMatchObject({ code: 'line-break', reached: 'no' });
  expect(listener.connections()).toBe(0);
});

test('a vote that is too long for any listener is refused without connecting', async () => {
  const listener = await scriptedListener((socket) => socket.end());
  const result = await send(listener.port, { serviceName: 'x'.repeat(70_000) });
  expect(result).toMatchObject({ code: 'vote-too-long', reached: 'no' });
  expect(listener.connections()).toBe(0);
});

test('a vote that only the challenge makes too long is not sent', async () => {
  const listener = await scriptedListener((socket) => socket.write(`VOTIFIER 2 ${'c'.repeat(200)}\n`));
  const result = await send(listener.port, { serviceName: 'x'.repeat(3_850) });
  expect(result).toMatchObject({ code: 'vote-too-long', reached: 'no' });
});

test('200 votes at once each get their own answer', async () => {
  const heard = new Set<string>();
  const listener = await scriptedListener(
    afterFrame((socket, frame) => {
      const { payload } = JSON.parse(frame.toString('utf8', 4)) as { payload: string };
      const { username } = JSON.parse(payload) as { username: string };
      heard.add(username);
      socket.end(
        username.endsWith('7') ? '{"status":"error","error":"Username too long"}\r\n' : '{"status":"ok"}\r\n',
      );
    }),
  );
  const names = Array.from({ length: 200 }, (_, n) => `Bot${n}`);
  const results = await Promise.all(names.map((username) => send(listener.port, { username })));
  expect(heard).toEqual(new Set(names));
  expect(results.map(({ code }) => code)).toEqual(
    names.map((name) => (name.endsWith('7') ? 'name-too-long' : 'accepted')),
  );
});

/** Writes one byte per turn of the event loop. */
function trickle(socket: { write(text: string): unknown }, text: string): void {
  if (text === '') return;
  socket.write(text[0] as string);
  systemClock.nextTurn(() => trickle(socket, text.slice(1)));
}
