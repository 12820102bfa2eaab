import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import forge from 'node-forge';
import { expect, test } from 'vitest';
import type { WireVote } from '../../protocol/votifier/vote.ts';
import { connectAnywhere } from '../../src/sender/connection.ts';
import { encryptApart } from '../../src/sender/encrypt-apart.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { afterBlock, awaited, scriptedListener } from './scripted-listener.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const VOTE: WireVote = {
  serviceName: 'Liste fünf',
  username: 'Steve',
  address: '203.0.113.9',
  timestamp: '1780315200',
};

/** Sends with a fake clock; `connected` resolves when the connection of the sender is open. */
function start(port: number, vote: Partial<WireVote> = {}, key: KeyObject = publicKey) {
  const clock = new FakeClock();
  const opened = awaited<Socket>();
  const connect = (host: string, to: number) => {
    const socket = connectAnywhere(host, to);
    opened.resolve(socket);
    return socket;
  };
  const target = { host: '127.0.0.1', port, auth: { version: 'v1', publicKey: key } } as const;
  const result = sendVote({ ...VOTE, ...vote }, target, { clock, connect });
  const connected = opened.promise.then(async (socket) => {
    await once(socket, 'connect');
  });
  return { clock, result, connected };
}

const decrypt = (block: Buffer): string => {
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const text = forge.pki.privateKeyFromPem(pem).decrypt(block.toString('latin1'), 'RSAES-PKCS1-V1_5');
  return forge.util.decodeUtf8(text);
};

test.each(['VOTIFIER 1.9\n', 'VOTIFIER 2 c0ffee\n', 'VOTIFIER 1.9\r\n'])(
  'after the greeting %j the sender writes one block, which decrypts to the vote, and reports sent',
  async (greeting) => {
    let received: Buffer = Buffer.alloc(0);
    const listener = await scriptedListener((socket) => {
      socket.write(greeting);
      afterBlock((from, block) => {
        received = block;
        from.end();
      })(socket);
    });
    const { result } = start(listener.port);
    expect(await result).toMatchObject({ kind: 'sent', code: 'sent' });
    expect(received.length).toBe(256);
    expect(decrypt(received)).toBe('VOTE\nListe fünf\nSteve\n203.0.113.9\n1780315200\n');
  },
);

test('a block that is made on a thread of its own decrypts to the vote; a vote that is too long has none', async () => {
  const block = await encryptApart(publicKey, VOTE);
  expect(decrypt(block ?? Buffer.alloc(0))).toBe('VOTE\nListe fünf\nSteve\n203.0.113.9\n1780315200\n');
  expect(await encryptApart(publicKey, { ...VOTE, username: 'x'.repeat(250) })).toBeNull();
});

test('a reset right after the block counts as sent', async () => {
  const listener = await scriptedListener((socket) => {
    socket.write('VOTIFIER 1.9\n');
    afterBlock((from) => from.resetAndDestroy())(socket);
  });
  expect((await start(listener.port).result).code).toBe('sent');
});

test.each<readonly ['closed' | 'reset', (from: Socket) => void]>([
  ['closed', () => {}],
  // As the system of a listener does that closed before the block reached it.
  ['reset', (from) => from.resetAndDestroy()],
])('a close after the block counts once a reset would have arrived: %s', async (over, afterwards) => {
  const closing = awaited<Socket>();
  const listener = await scriptedListener((socket) => {
    socket.write('VOTIFIER 1.9\n');
    afterBlock((from) => closing.resolve(from.end()))(socket);
  });
  const clock = new FakeClock();
  const ended = awaited<void>();
  const connect = (host: string, port: number) => {
    const socket = connectAnywhere(host, port).prependListener('connect', () => clock.advance(40));
    return socket.on('end', () => ended.resolve());
  };
  const target = { host: '127.0.0.1', port: listener.port, auth: { version: 'v1', publicKey } } as const;
  const result = sendVote(VOTE, target, { clock, connect });
  const from = await closing.promise;
  await ended.promise;
  clock.advance(79);
  afterwards(from);
  clock.advance(1);
  expect(await result).toMatchObject({ code: 'sent', over });
});

test('the connection is closed at the time limit if the listener keeps it open after the block', async () => {
  const blockRead = awaited<void>();
  const listener = await scriptedListener((socket) => {
    socket.write('VOTIFIER 1.9\n');
    afterBlock(() => blockRead.resolve())(socket);
  });
  const { clock, result } = start(listener.port);
  await blockRead.promise;
  clock.advance(10_000);
  expect((await result).code).toBe('sent');
});

test('a silent listener gets the block after 3 s, and the result says that there was no greeting', async () => {
  let received: Buffer = Buffer.alloc(0);
  const listener = await scriptedListener(
    afterBlock((socket, block) => {
      received = block;
      socket.end();
    }),
  );
  const { clock, result, connected } = start(listener.port);
  await connected;
  clock.advance(3_000);
  expect(await result).toMatchObject({ kind: 'sent', code: 'sent-ungreeted' });
  expect(decrypt(received)).toContain('\nSteve\n');
});

test('a greeting that arrives after the block still counts', async () => {
  const listener = await scriptedListener(afterBlock((socket) => socket.end('VOTIFIER 1.9\n')));
  const { clock, result, connected } = start(listener.port);
  await connected;
  clock.advance(3_000);
  expect((await result).code).toBe('sent');
});

test('half a greeting does not delay the block', async () => {
  const listener = await scriptedListener((socket) => {
    socket.write('VOTIFIER');
    afterBlock((from) => from.end(' 1.9\n'))(socket);
  });
  const { clock, result, connected } = start(listener.port);
  await connected;
  clock.advance(3_000);
  expect((await result).code).toBe('sent');
});

test('a web server that answers the block is reported as not-votifier', async () => {
  const listener = await scriptedListener(
    afterBlock((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  );
  const { clock, result, connected } = start(listener.port);
  await connected;
  clock.advance(3_000);
  expect(await result).toMatchObject({ code: 'not-votifier', reached: 'no', detail: 'a web server (HTTP)' });
});

test('an error reply to a block is reported', async () => {
  const listener = await scriptedListener((socket) => {
    socket.write('VOTIFIER 2 c0ffee\n');
    afterBlock((from) => from.end('{"status":"error","cause":"X","error":"Version 1 is off"}\r\n'))(socket);
  });
  expect(await start(listener.port).result).toMatchObject({
    code: 'error-reply',
    detail: 'Version 1 is off',
  });
});

test('a server that sends something other than a greeting gets no block', async () => {
  let received = 0;
  const listener = await scriptedListener((socket) => {
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.write('SSH-2.0-OpenSSH_9.6\r\n');
  });
  expect(await start(listener.port).result).toMatchObject({ code: 'not-votifier', detail: 'an SSH server' });
  expect(received).toBe(0);
});

test('a vote is reported as not sent if the listener closes before the block', async () => {
  const listener = await scriptedListener((socket) => socket.end());
  expect(await start(listener.port).result).toMatchObject({ code: 'closed-without-greeting', reached: 'no' });
});

test('a vote that is too long for a block is refused without connecting', async () => {
  const listener = await scriptedListener((socket) => socket.end());
  const { result } = start(listener.port, { serviceName: 'x'.repeat(220) });
  expect(await result).toMatchObject({ code: 'vote-too-long', reached: 'no' });
  expect(listener.connections()).toBe(0);
});

test('a vote with a line break is refused without connecting', async () => {
  const listener = await scriptedListener((socket) => socket.end());
  expect(await start(listener.port, { username: 'a\nb' }).result).toMatchObject({
    code: 'line-break',
    reached: 'no',
  });
  expect(listener.connections()).toBe(0);
});

test.each([
  ['1,024 bits', generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey],
  ['another type', generateKeyPairSync('ed25519').publicKey],
  ['the private half', privateKey],
])('a key of %s is refused without connecting', async (_kind, key) => {
  const listener = await scriptedListener((socket) => socket.end());
  expect(await start(listener.port, {}, key).result).toMatchObject({ code: 'key-unusable', reached: 'no' });
  expect(listener.connections()).toBe(0);
});
