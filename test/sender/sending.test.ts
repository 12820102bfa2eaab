import { createHmac, randomBytes } from 'node:crypto';
import net, { type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { arrived, isSettled, until } from '../kit/connected.ts';
import { afterFrame, fakeListener, OK, readFrame, scriptedListener, V2_GREETING } from '../kit/listener.ts';
import { failing, fault, replaced } from '../kit/network.ts';
import { freePort } from '../kit/serve.ts';
import { send, sending } from './sent.ts';

/** A listener that answers each frame like this, and closes. */
const answering = (reply: string) => scriptedListener(afterFrame((socket) => socket.end(reply)));

/** Writes one byte per turn of the event loop. */
async function trickle(socket: Socket, text: string): Promise<void> {
  for (const byte of Buffer.from(text)) {
    socket.write(Buffer.from([byte]));
    await new Promise(setImmediate);
  }
}

test('sends the frame that the protocol describes, and accepts an ok', async () => {
  const listener = await fakeListener();
  expect(await send(listener.port)).toMatchObject({
    ...{ kind: 'accepted', code: 'accepted', reached: 'yes', detail: null },
    sentence: expect.stringContaining(`127.0.0.1:${listener.port}`),
  });
  const [bytes = Buffer.alloc(0)] = listener.received;
  const { announced, payload, signature, vote } = readFrame(bytes);
  expect([bytes.toString('latin1', 0, 2), announced]).toEqual(['s:', bytes.length - 4]);
  expect(vote).toEqual({
    ...{ serviceName: 'Liste fünf', username: 'Steve', address: '203.0.113.9' },
    ...{ timestamp: 1780315200000, challenge: 'c0ffee' },
  });
  expect(signature).toBe(createHmac('sha256', 's3cret').update(payload, 'utf8').digest('base64'));
});

test.each([
  ['a greeting that ends in CRLF', 'VOTIFIER 2 c0ffee\r\n', OK],
  ['a reply without a line end', V2_GREETING, '{"status":"ok"}'],
  ['a reply after an empty line', V2_GREETING, `\r\n${OK}`],
  ['a pretty-printed reply', V2_GREETING, '{\n  "status": "ok"\n}\n'],
  ['a reply with something after it', V2_GREETING, `${OK}{"status":"error"}\r\n`],
])('accepts %s', async (_, greeting, reply) => {
  const { port } = await fakeListener((socket) => socket.end(reply), greeting);
  expect((await send(port)).code).toBe('accepted');
});

test('a greeting and a reply may be cut anywhere: each of 35 connections has another place', async () => {
  const whole = V2_GREETING + OK;
  let number = 0;
  const listener = await scriptedListener(async (socket) => {
    const cut = number++;
    const say = async (text: string, at: number): Promise<void> => {
      socket.write(text.slice(0, Math.max(0, at)));
      await arrived();
      socket.write(text.slice(Math.max(0, at)));
    };
    socket.once('data', () => void say(OK, cut - V2_GREETING.length));
    await say(V2_GREETING, cut);
  });
  expect(whole).toHaveLength(35);
  const { all } = sending(listener.port, '--count', '35', '--concurrency', '35');
  expect((await all).map(({ code }) => code)).toEqual(Array(35).fill('accepted'));
});

test.each([
  ['accepted', 'VOTIFIER 2 c0ffee\r\n', OK],
  [
    'wrong-token',
    'VOTIFIER 2 c\n',
    '{"status":"error","error":"Signature is not valid (invalid token?)"}\r\n',
  ],
  ['unreadable-reply', 'VOTIFIER 2 c\n', '{"status":"ü"}\r\n'],
  ['closed-without-answer', 'VOTIFIER 2 c\n', '\r\n\r\n'],
  ['v1-only', 'VOTIFIER 1.9\n', ''],
  ['closed-without-greeting', 'VOTIFIER 2 c', ''],
  ['not-votifier', 'SSH-2.0-OpenSSH_9.6\r\n', ''],
])('what comes byte by byte ends the same: %s', async (code, greeting, reply) => {
  const { port } = await scriptedListener(async (socket) => {
    socket.once('data', () => void trickle(socket, reply).then(() => socket.end()));
    await trickle(socket, greeting);
    if (reply === '') socket.end();
  });
  expect((await send(port)).code).toBe(code);
});

test('random bytes end a conversation, whenever they arrive', async () => {
  let number = 0;
  const { port } = await scriptedListener((socket) => {
    const noise = randomBytes(10 * ++number);
    if (number % 2 === 0) return void socket.end(noise);
    socket.once('data', () => socket.end(noise));
    socket.write(V2_GREETING);
  });
  const codes = (await sending(port, '--count', '200', '--concurrency', '50').all).map(({ code }) => code);
  expect(codes).toHaveLength(200);
  expect(codes).not.toContain('accepted');
});

test.each([
  ['wrong-token', 'Signature is not valid (invalid token?)'],
  ['name-too-long', 'Username too long'],
  ['unknown-service', "Unknown service 'Liste fünf'"],
  ['challenge-refused', 'Challenge is not valid'],
  ['error-reply', 'Overloaded'],
])('an error reply is reported as %s with the listener’s message: %s', async (code, words) => {
  const reply = JSON.stringify({ status: 'error', cause: 'Refused', error: words });
  const { port } = await answering(`${reply}\r\n`);
  const sentence = expect.stringContaining(words);
  expect(await send(port)).toMatchObject({ kind: 'failed', code, reached: 'no', detail: words, sentence });
});

test('a message of the listener is shortened, and shown without control characters', async () => {
  const reply = JSON.stringify({ status: 'error', error: `a\u001b[31m\n${'b'.repeat(900)}` });
  const { port } = await answering(reply);
  expect(await send(port)).toMatchObject({ code: 'error-reply', detail: `a [31m ${'b'.repeat(193)}` });
});

test('an error reply that arrives together with the greeting is read when the listener closes', async () => {
  const { port } = await scriptedListener((socket) => {
    socket.end(`${V2_GREETING}{"status":"error","cause":"Busy","error":"Too many connections"}\r\n`);
  });
  expect(await send(port)).toMatchObject({ code: 'error-reply', detail: 'Too many connections' });
});

test.each([
  ['other text', 'thanks\r\n'],
  ['a JSON object without a known status', '{"status":"maybe"}\r\n'],
  ['half an object', '{"status":"o'],
  ['an object without end', `{"status":"${'o'.repeat(5000)}`],
])('%s is an unreadable reply, after which the vote may have counted', async (_, reply) => {
  const { port } = await answering(reply);
  expect(await send(port)).toMatchObject({ code: 'unreadable-reply', reached: 'unknown' });
});

test.each<readonly [string, (socket: Socket) => unknown]>([
  ['closes', (socket) => socket.end()],
  ['resets', (socket) => socket.resetAndDestroy()],
])('a vote after which the listener %s is reported as unknown', async (_, end) => {
  const { port } = await scriptedListener(afterFrame(end));
  expect(await send(port)).toMatchObject({ code: 'closed-without-answer', reached: 'unknown' });
});

test.each([
  ['HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'not-votifier', 'a web server (HTTP)'],
  ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n', 'not-votifier', 'an SSH server'],
  ['TLS', '\x15\x03\x01\x00\x02\x02\x0a', 'not-votifier', 'a TLS port'],
  ['Minecraft', '\xff\x00\x04\x00k\x00i\x00c\x00k', 'not-votifier', 'a Minecraft game server'],
  ['FTP', '220 ready\r\n', 'not-votifier', 'a mail or FTP server'],
  ['MySQL', 'J\0\0\0\n8.0.36', 'not-votifier', 'a MySQL server'],
  ['unknown', 'VOTE here\n', 'not-votifier', 'something unknown that begins "VOTE here"'],
  ['version 1 alone', 'VOTIFIER 1.9\n', 'v1-only', '1.9'],
])('a server with the banner of %s gets nothing, and is named', async (_, banner, code, detail) => {
  let received = 0;
  const { port } = await scriptedListener((socket) => {
    socket.on('data', (chunk) => (received += chunk.length));
    socket.write(banner, 'latin1');
  });
  expect(await send(port)).toMatchObject({ kind: 'failed', code, reached: 'no', detail });
  expect(received).toBe(0);
});

test.each([
  ['at once', ''],
  ['after half a greeting', 'VOTIF'],
])('a vote is reported as not sent if the listener closes %s', async (_, greeting) => {
  const { port } = await scriptedListener((socket) => socket.end(greeting));
  expect(await send(port)).toMatchObject({ code: 'closed-without-greeting', reached: 'no' });
});

test.each([
  ['line-break', '--service', 'a\nb'],
  ['line-break', '--player', 'a\nb'],
  ['line-break', '--player', 'a\rb'],
  ['line-break', '--address', '1.2.3.4\nb'],
  ['line-break', '--timestamp', '1\n2'],
  ['vote-too-long', '--service', 'x'.repeat(70_000)],
])('a vote is refused without connecting as %s: %s', async (code, ...words) => {
  const listener = await fakeListener();
  expect(await send(listener.port, ...words)).toMatchObject({ code, reached: 'no' });
  expect(listener.connections).toBe(0);
});

test('a vote that only the challenge makes too long is not sent', async () => {
  const listener = await fakeListener(() => {}, `VOTIFIER 2 ${'c'.repeat(200)}\n`);
  const sent = await send(listener.port, '--service', 'x'.repeat(3_850));
  expect(sent).toMatchObject({ code: 'vote-too-long', reached: 'no' });
  expect(listener.received).toEqual([Buffer.alloc(0)]);
});

test('a vote is reported as not sent if there is no greeting within 10 s', async () => {
  const listener = await fakeListener(() => {}, null);
  const { clock, sent } = sending(listener.port);
  await until(() => listener.connections === 1);
  await arrived();
  clock.advance(9_999);
  expect(await isSettled(sent)).toBe(false);
  clock.advance(1);
  expect(await sent).toMatchObject({ code: 'no-greeting', reached: 'no' });
});

test('a vote is reported as unknown if there is no answer within 10 s', async () => {
  let frames = 0;
  const { port } = await scriptedListener(afterFrame(() => void frames++));
  const { clock, sent } = sending(port);
  await until(() => frames === 1);
  clock.advance(9_999);
  expect(await isSettled(sent)).toBe(false);
  clock.advance(1);
  expect(await sent).toMatchObject({ code: 'no-answer', reached: 'unknown' });
  expect(clock.pendingTimers).toBe(0);
});

test('200 votes at once each get their own answer', async () => {
  const heard = new Set<unknown>();
  const listener = await fakeListener((socket, chunk) => {
    const { username } = readFrame(chunk).vote;
    heard.add(username);
    socket.end(String(username).endsWith('7') ? '{"status":"error","error":"Username too long"}\r\n' : OK);
  });
  const { all } = sending(listener.port, '--count', '200', '--concurrency', '200', '--player', 'Bot{n}');
  const names = Array.from({ length: 200 }, (_, n) => `Bot${n + 1}`);
  expect((await all).map(({ code }) => code)).toEqual(
    names.map((name) => (name.endsWith('7') ? 'name-too-long' : 'accepted')),
  );
  expect(heard).toEqual(new Set(names));
});

test('so many votes are sent at once as --concurrency says, and no more', async () => {
  const waiting: Socket[] = [];
  let most = 0;
  const { port } = await scriptedListener(
    afterFrame((socket) => {
      most = Math.max(most, waiting.push(socket));
      if (waiting.length < 7) return;
      // Nothing is answered before seven wait, and then an eighth would have come.
      void arrived().then(() => waiting.splice(0).map((each) => each.end(OK)));
    }),
  );
  await sending(port, '--count', '49', '--concurrency', '7').all;
  expect(most).toBe(7);
});

test('a port at which nothing listens is reported as refused', async () => {
  const port = await freePort();
  const sentence = expect.stringContaining(`127.0.0.1:${port}`);
  const refused = { kind: 'failed', code: 'port-refused', reached: 'no', detail: 'ECONNREFUSED', sentence };
  expect(await send(port)).toMatchObject(refused);
});

test('a host name without an address is reported as unresolvable', async () => {
  // A label of 64 characters does not fit into a DNS query, so no name server is asked.
  const sent = await send(8192, '--host', `${'x'.repeat(64)}.invalid`);
  expect(sent).toMatchObject({ code: 'host-unresolvable', reached: 'no' });
});

test.each([
  ['EHOSTUNREACH', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['ECONNRESET', 'connection-reset'],
  ['ETIMEDOUT', 'connect-timeout'],
  ['ENOTFOUND', 'host-unresolvable'],
  ['EAI_AGAIN', 'host-unresolvable'],
  ['EMFILE', 'out-of-sockets'],
])('%s before the connection is open is reported as %s', async (code, expected) => {
  failing(fault(code));
  expect(await send(8192)).toMatchObject({ code: expected, reached: 'no', detail: code });
});

test('if one address refuses and another has no route, the refusal is reported', async () => {
  failing(new AggregateError([fault('ENETUNREACH'), fault('ECONNREFUSED')]));
  expect((await send(8192)).code).toBe('port-refused');
});

test('a connection that is not open after 5 s is cancelled', async () => {
  const sockets: Socket[] = [];
  replaced('connect', (socket) => sockets.push(socket));
  const { clock, sent } = sending(8192);
  await until(() => sockets.length === 1);
  clock.advance(4_999);
  expect(await isSettled(sent)).toBe(false);
  expect(sockets[0]?.destroyed).toBe(false);
  clock.advance(1);
  expect(await sent).toMatchObject({ code: 'connect-timeout', reached: 'no' });
  expect(sockets[0]?.destroyed).toBe(true);
});

test('a vote whose write fails was not sent', async () => {
  const { port } = await scriptedListener((socket) => void socket.write(V2_GREETING));
  const write = Reflect.get(net.Socket.prototype, '_write') as (...given: unknown[]) => void;
  replaced('_write', (socket, bytes, encoding, done) => {
    if (String(bytes).startsWith('s:')) (done as (error: Error) => void)(fault('EPIPE'));
    else write.call(socket, bytes, encoding, done);
  });
  expect(await send(port)).toMatchObject({ code: 'closed-before-vote', reached: 'no' });
});
