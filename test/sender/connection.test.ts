import { once } from 'node:events';
import { type LookupFunction, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import {
  AddressNotAllowed,
  type Connect,
  connectAnywhere,
  connectWith,
} from '../../src/sender/connection.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { afterFrame, awaited, freePort, scriptedListener, V2_GREETING } from './scripted-listener.ts';

const VOTE = { serviceName: 'List', username: 'Steve', address: '0.0.0.0', timestamp: '1780315200000' };
const TOKEN = { version: 'v2', token: 's3cret' } as const;

const fault = (code: string): Error => Object.assign(new Error(code), { code });

/** A connection that fails with `error` before it is open. */
const failing =
  (error: Error): Connect =>
  () =>
    new Socket().destroy(error);

const sendThrough = (connect: Connect, host = 'votes.example') =>
  sendVote(VOTE, { host, port: 8192, auth: TOKEN }, { clock: systemClock, connect });

test('a port at which nothing listens is reported as refused', async () => {
  const target = { host: '127.0.0.1', port: await freePort(), auth: TOKEN };
  const result = await sendVote(VOTE, target, { clock: systemClock });
  expect(result).toMatchObject({ kind: 'failed', code: 'port-refused', reached: 'no' });
  expect(result.sentence).toContain(`127.0.0.1:${target.port}`);
});

test('an unknown host name is reported as unresolvable', async () => {
  const lookup: LookupFunction = (_host, _options, callback) => callback(fault('ENOTFOUND'), []);
  expect(await sendThrough(connectWith(lookup))).toMatchObject({
    code: 'host-unresolvable',
    reached: 'no',
    detail: 'ENOTFOUND',
  });
});

test.each([
  ['EHOSTUNREACH', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['ECONNRESET', 'connection-reset'],
  ['ETIMEDOUT', 'connect-timeout'],
  ['EAI_AGAIN', 'host-unresolvable'],
  ['EMFILE', 'out-of-sockets'],
])('%s before the connection is open is reported as %s', async (code, expected) => {
  expect(await sendThrough(failing(fault(code)))).toMatchObject({ code: expected, reached: 'no' });
});

test('if one address refuses and another has no route, the refusal is reported', async () => {
  const both = new AggregateError([fault('ENETUNREACH'), fault('ECONNREFUSED')]);
  expect((await sendThrough(failing(both))).code).toBe('port-refused');
});

test('an invalid port does not throw', async () => {
  const target = { host: 'votes.example', port: 70_000, auth: TOKEN };
  expect((await sendVote(VOTE, target, { clock: systemClock })).code).toBe('unreachable');
});

const refuseLoopback: LookupFunction = (host, _options, callback) =>
  callback(new AddressNotAllowed(`${host} is in a private network`), []);

test.each(['localhost', '127.0.0.1', '::1'])('a custom lookup is also asked about %s', async (host) => {
  expect(await sendThrough(connectWith(refuseLoopback), host)).toMatchObject({
    code: 'address-not-allowed',
    reached: 'no',
    detail: `${host} is in a private network`,
  });
});

test('the sender connects to the address that the lookup returned', async () => {
  const listener = await scriptedListener(afterFrame((socket) => socket.end('{"status":"ok"}\r\n')));
  const lookup: LookupFunction = (_host, _options, callback) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }]);
  const target = { host: 'votes.example', port: listener.port, auth: TOKEN };
  const result = await sendVote(VOTE, target, { clock: systemClock, connect: connectWith(lookup) });
  expect(result.code).toBe('accepted');
});

test('a lookup that answers after the time limit opens no connection', async () => {
  const listener = await scriptedListener((socket) => socket.end());
  const clock = new FakeClock();
  let answer = () => {};
  const slow: LookupFunction = (_host, _options, callback) => {
    answer = () => callback(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  const { result, opened } = startOn(clock, listener.port, connectWith(slow));
  const socket = await opened;
  clock.advance(5_000);
  expect((await result).code).toBe('connect-timeout');
  answer();
  expect(socket.connecting).toBe(false);
  expect(socket.destroyed).toBe(true);
});

test('a connection that is not open after 5 s is cancelled, and its socket destroyed', async () => {
  const clock = new FakeClock();
  const { result, opened } = startOn(clock, 8192, () => new Socket());
  const socket = await opened;
  clock.advance(4_999);
  expect(socket.destroyed).toBe(false);
  clock.advance(1);
  expect(await result).toMatchObject({ code: 'connect-timeout', reached: 'no' });
  expect(socket.destroyed).toBe(true);
});

test('a total time limit also applies while connecting, if it is shorter than the limit for that', async () => {
  const clock = new FakeClock();
  const limits = { connectMs: 5_000, v1GreetingMs: 3_000, wholeMs: 1_000 };
  const { result, opened } = startOn(clock, 8192, () => new Socket(), limits);
  await opened;
  clock.advance(1_000);
  expect((await result).code).toBe('connect-timeout');
});

test('a vote is reported as not sent if there is no greeting within 10 s', async () => {
  const listener = await scriptedListener(() => {});
  const clock = new FakeClock();
  const { result, opened } = startOn(clock, listener.port);
  const socket = await opened;
  await once(socket, 'connect');
  clock.advance(9_999);
  expect(socket.destroyed).toBe(false);
  clock.advance(1);
  expect(await result).toMatchObject({ code: 'no-greeting', reached: 'no' });
  expect(socket.destroyed).toBe(true);
});

test('a vote is reported as unknown if there is no answer within 10 s', async () => {
  const asked = awaited<void>();
  const listener = await scriptedListener(afterFrame(() => asked.resolve()));
  const clock = new FakeClock();
  const { result } = startOn(clock, listener.port);
  await asked.promise;
  clock.advance(10_000);
  expect(await result).toMatchObject({ code: 'no-answer', reached: 'unknown' });
});

test('a vote whose write fails was not sent', async () => {
  const listener = await scriptedListener((socket) => socket.write(V2_GREETING));
  const connect: Connect = (host, port) => {
    const socket = connectAnywhere(host, port);
    socket._write = (_chunk, _encoding, done) => done(fault('EPIPE'));
    return socket;
  };
  const target = { host: '127.0.0.1', port: listener.port, auth: TOKEN };
  const result = await sendVote(VOTE, target, { clock: systemClock, connect });
  expect(result).toMatchObject({ code: 'closed-before-vote', reached: 'no' });
});

test('no timer is left after a vote was sent', async () => {
  const clock = new CountingClock();
  const listener = await scriptedListener(afterFrame((socket) => socket.end('{"status":"ok"}\r\n')));
  const { result } = startOn(clock, listener.port);
  expect((await result).code).toBe('accepted');
  expect(clock.pending).toEqual(new Set());
});

class CountingClock extends FakeClock {
  readonly pending = new Set<() => void>();

  override after(delayMs: number, ring: () => void): () => void {
    const cancel = super.after(delayMs, ring);
    this.pending.add(ring);
    return () => {
      this.pending.delete(ring);
      cancel();
    };
  }
}

function startOn(
  clock: FakeClock,
  port: number,
  open: Connect = connectAnywhere,
  limits?: { connectMs: number; v1GreetingMs: number; wholeMs: number },
) {
  const opened = awaited<Socket>();
  const connect: Connect = (host, to) => {
    const socket = open(host, to);
    opened.resolve(socket);
    return socket;
  };
  const target = { host: '127.0.0.1', port, auth: TOKEN };
  const result = sendVote(VOTE, target, limits ? { clock, connect, limits } : { clock, connect });
  return { result, opened: opened.promise };
}
