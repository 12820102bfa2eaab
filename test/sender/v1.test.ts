import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { arrived, isSettled, until } from '../kit/connected.ts';
import { afterBlock, fakeListener, readBlock, scriptedListener, V1_GREETING } from '../kit/listener.ts';
import { testKey } from '../support/vectors.ts';
import { send, sending } from './sent.ts';

const BY_V1 = ['--public-key', testKey.publicKey];

/** A listener that does this with each block, and keeps the blocks. @param greeting none by default. */
async function receiving(answer: (socket: Socket) => unknown, greeting = '') {
  const blocks: Buffer[] = [];
  const script = afterBlock((socket, block) => {
    blocks.push(block);
    answer(socket);
  }, greeting);
  return { ...(await scriptedListener(script)), blocks };
}

/** Sends to a listener that says nothing until it has a block, which comes after 3 s. */
async function ungreeted(answer: (socket: Socket) => unknown, greeting = '') {
  const listener = await receiving(answer, greeting);
  const { clock, sent } = sending(listener.port, ...BY_V1);
  await until(() => listener.connections() === 1);
  await arrived();
  clock.advance(2_999);
  expect(await isSettled(sent)).toBe(false);
  expect(listener.blocks).toEqual([]);
  clock.advance(1);
  return { sent: await sent, blocks: listener.blocks };
}

test.each(['VOTIFIER 1.9\n', 'VOTIFIER 2 c0ffee\n', 'VOTIFIER 1.9\r\n', 'VOTIFIER 1.9\r\n and more'])(
  'after the greeting %j the sender writes one block, which decrypts to the vote, and reports sent',
  async (greeting) => {
    const { port, blocks } = await receiving((socket) => socket.end(), greeting);
    expect(await send(port, ...BY_V1)).toMatchObject({ kind: 'sent', code: 'sent', reached: 'unknown' });
    expect(blocks.map(({ length }) => length)).toEqual([256]);
    expect(blocks.map(readBlock)).toEqual(['VOTE\nListe fünf\nSteve\n203.0.113.9\n1780315200000\n']);
  },
);

test('a greeting may be cut anywhere: the block is written once', async () => {
  const received: Buffer[] = [];
  const { port } = await scriptedListener(async (socket) => {
    const at = received.push(Buffer.alloc(0)) - 1;
    socket.on('data', (chunk) => {
      received[at] = Buffer.concat([received[at] ?? Buffer.alloc(0), chunk]);
    });
    socket.write(V1_GREETING.slice(0, at));
    await arrived();
    socket.write(V1_GREETING.slice(at));
    await until(() => (received[at]?.length ?? 0) >= 256);
    socket.end();
  });
  const { clock, all } = sending(port, ...BY_V1, '--count', '13', '--concurrency', '13');
  await until(() => received.length === 13 && received.every(({ length }) => length === 256));
  await arrived();
  clock.advance(1_000);
  expect((await all).map(({ code }) => code)).toEqual(Array(13).fill('sent'));
  expect(received.map(({ length }) => length)).toEqual(Array(13).fill(256));
});

test('a reset right after the block counts as sent', async () => {
  const { port } = await receiving((socket) => socket.resetAndDestroy(), V1_GREETING);
  expect((await send(port, ...BY_V1)).code).toBe('sent');
});

test('the connection is closed after 10 s if the listener keeps it open after the block', async () => {
  const { port, blocks } = await receiving(() => {}, V1_GREETING);
  const { clock, sent } = sending(port, ...BY_V1);
  await until(() => blocks.length === 1);
  clock.advance(9_999);
  expect(await isSettled(sent)).toBe(false);
  clock.advance(1);
  expect((await sent).code).toBe('sent');
  expect(clock.pendingTimers).toBe(0);
});

test('a silent listener gets the block after 3 s, and the result says that there was no greeting', async () => {
  const { sent, blocks } = await ungreeted((socket) => socket.end());
  expect(sent).toMatchObject({ kind: 'sent', code: 'sent-ungreeted' });
  expect(blocks.map(readBlock)).toEqual([expect.stringContaining('\nSteve\n')]);
});

test.each([
  ['a greeting that arrives after the block still counts', '', 'VOTIFIER 1.9\n'],
  ['half a greeting does not delay the block', 'VOTIFIER', ' 1.9\n'],
])('%s', async (_, before, after) => {
  expect((await ungreeted((socket) => socket.end(after), before)).sent.code).toBe('sent');
});

test('a web server that answers the block is reported as not-votifier', async () => {
  const { sent } = await ungreeted((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  expect(sent).toMatchObject({ code: 'not-votifier', reached: 'no', detail: 'a web server (HTTP)' });
});

test('an error reply to a block is reported', async () => {
  const reply = '{"status":"error","cause":"X","error":"Version 1 is off"}\r\n';
  const { port } = await receiving((socket) => socket.end(reply), 'VOTIFIER 2 c0ffee\n');
  expect(await send(port, ...BY_V1)).toMatchObject({ code: 'error-reply', detail: 'Version 1 is off' });
});

test('a server that sends something other than a greeting gets no block', async () => {
  const listener = await fakeListener(() => {}, 'SSH-2.0-OpenSSH_9.6\r\n');
  const sent = await send(listener.port, ...BY_V1);
  expect(sent).toMatchObject({ code: 'not-votifier', detail: 'an SSH server' });
  expect(listener.received).toEqual([Buffer.alloc(0)]);
});

test('a vote is reported as not sent if the listener closes before the block', async () => {
  const { port } = await scriptedListener((socket) => void socket.end());
  expect(await send(port, ...BY_V1)).toMatchObject({ code: 'closed-without-greeting', reached: 'no' });
});

test.each([
  ['vote-too-long', '--service', 'x'.repeat(220)],
  ['line-break', '--player', 'a\nb'],
])('a vote is refused without connecting as %s', async (code, ...words) => {
  const listener = await fakeListener();
  expect(await send(listener.port, ...BY_V1, ...words)).toMatchObject({ code, reached: 'no' });
  expect(listener.connections).toBe(0);
});
