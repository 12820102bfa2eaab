import { constants, generateKeyPairSync, publicEncrypt } from 'node:crypto';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { arrived } from '../kit/connected.ts';
import { openPort, type Port } from '../kit/port.ts';
import { naming } from '../support/naming.ts';
import { Seeded } from '../support/seeded.ts';
import type { VotifierClient } from '../support/votifier-client.ts';

const TEXT = 'VOTE\nList\nSteve\n192.0.2.1\n1780315200123\n';

test('a v1 vote [V1-6] is stored with what its block held, and the connection is closed without an answer', async () => {
  const { teller, sent, blockOf, votes, refused } = await openPort();
  const block = blockOf(TEXT);
  expect(await sent(block)).toBe('');
  expect(await votes()).toMatchObject([
    {
      ...{ channel: 'listener-v1', service: 'List', player: 'Steve', address: '127.0.0.1' },
      ...{ claimedAt: '2026-06-01T12:00:00.123Z', receivedAt: '2026-06-01T12:00:00.000Z' },
    },
  ]);
  const { out } = await teller.run('explain', 'Steve', '--bytes');
  expect(out).toContain(JSON.stringify(TEXT));
  expect(refused()).toEqual([]);
});

test.each([
  ['a line end', '\n'],
  ['the end of a Windows line', '\r\n'],
  ['a NUL', '\0'],
  ['500 bytes of a second message', 's:'.repeat(250)],
])('a v1 vote [R-5] counts even if %s follows in the same write', async (_, stray) => {
  const { sent, block, players, refused } = await openPort();
  await sent(Buffer.concat([block(), Buffer.from(stray)]));
  expect(await players()).toEqual(['Steve']);
  expect(refused()).toEqual([]);
});

test('a v1 vote counts once even if another block follows on its connection', async () => {
  const { sent, block, players } = await openPort();
  await sent(Buffer.concat([block(), block('Alex')]));
  expect(await players()).toEqual(['Steve']);
});

const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;

/** Below the modulus (its first byte is small), so that it decrypts to something without padding. */
const noise = (): Buffer => Buffer.concat([Buffer.from([1]), new Seeded(1_717).bytes(255)]);

/** Closed by a FIN, not reset, after only the greeting. */
const closedQuietly = ({ reads, socket }: VotifierClient): boolean =>
  reads.length === 1 && socket.readableEnded && socket.errored === null;

test.each<readonly [string, (port: Port) => Buffer]>([
  ['a block with bad padding', noise],
  ['a block not below the modulus', () => Buffer.alloc(256, 0xff)],
  ['256 zeros', () => Buffer.alloc(256)],
  [
    'a block under another key',
    () => publicEncrypt({ key: otherKey, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(TEXT)),
  ],
  [
    'a well-padded block without text',
    ({ blockOf }) => blockOf('vote\nList\nSteve\n192.0.2.1\n1780315200123\0'),
  ],
  ['a well-padded block with an empty text', ({ blockOf }) => blockOf('')],
])(
  'a v1 block that is not a vote [V1-5] looks the same as any other, to its sender and in the counts: %s',
  async (_, bytes) => {
    const port = await openPort();
    const client = await port.greeted();
    client.write(bytes(port));
    expect(await client.untilClosed()).toBe('');
    expect(closedQuietly(client)).toBe(true);
    expect(port.refused()).toEqual(['v1-bad-block 127.0.0.1']);
    expect(await port.votes()).toEqual([]);
  },
);

test.each([
  ['shifted fields', 'VOTE Example-List.com\nSteve\n192.0.2.1\n1780315200123\n', '"VOTE Example-List.com"'],
  ['another opcode', 'vote\nList\nSteve\n192.0.2.1\n1780315200123\n', '"vote"'],
  ['a byte order mark', '\ufeffVOTE\nList\nSteve\n192.0.2.1\n1780315200123\n', '"\\ufeffVOTE"'],
  ['a long first line', `VOTE ${'x'.repeat(100)}\nSteve\n`, `"VOTE ${'x'.repeat(59)}"…`],
])(
  'a v1 block that is not a vote [V1-3] but text under the right key is closed in the same way, and logged with its first line: %s',
  async (_, text, firstLine) => {
    const { greeted, blockOf, refused, sentences, votes } = await openPort();
    const client = await greeted();
    client.write(blockOf(text));
    expect(await client.untilClosed()).toBe('');
    expect(closedQuietly(client)).toBe(true);
    expect(refused()).toEqual(['v1-not-a-vote 127.0.0.1']);
    expect(sentences()).toEqual([naming(firstLine)]);
    expect(await votes()).toEqual([]);
  },
);

test('a v1 block that is not a vote [V1-3] with too few fields is closed in the same way, and counted under its service', async () => {
  const { greeted, blockOf, refused } = await openPort();
  const client = await greeted();
  client.write(blockOf('VOTE\nList\nSteve'));
  expect(await client.untilClosed()).toBe('');
  expect(closedQuietly(client)).toBe(true);
  expect(refused()).toEqual(['v1-fields List 127.0.0.1']);
});

/** Blocks that arrive in one turn of the event loop. */
async function together(
  { greeted, block }: Port,
  players: readonly string[],
): Promise<readonly VotifierClient[]> {
  const clients: VotifierClient[] = [];
  for (const _ of players) clients.push(await greeted());
  const blocks = players.map((player) => (player === 'junk' ? Buffer.alloc(256, 1) : block(player)));
  for (const [at, client] of clients.entries()) client.write(blocks[at] ?? '');
  return clients;
}

const named = (count: number, name = 'P'): string[] => Array.from({ length: count }, (_, n) => `${name}${n}`);

/** Counts the threads that are started while the test runs. */
function startedThreads(): () => number {
  let count = 0;
  const onWorker = (): void => void count++;
  process.on('worker', onWorker);
  onTestFinished(() => void process.off('worker', onWorker));
  return () => count;
}

/** No thread can be started any more, as in a container that may have no more of them. @returns what ends that. */
function withoutThreads(): () => void {
  const { Worker } = threads;
  const broken = class {
    constructor() {
      throw new Error('no more threads');
    }
  };
  const set = (value: unknown): void => {
    Reflect.set(threads, 'Worker', value);
    syncBuiltinESMExports();
  };
  set(broken);
  onTestFinished(() => set(Worker));
  return () => set(Worker);
}

/** Node's next warning, which is not printed. */
async function nextWarning(): Promise<string> {
  const printing = process.listeners('warning');
  process.removeAllListeners('warning');
  const [warning] = await once(process, 'warning');
  for (const listener of printing) process.on('warning', listener);
  return warning.message;
}

test('rule 13: v1 blocks are decrypted without a thread if they come one after another, and by one thread if they come together', async () => {
  const port = await openPort();
  const threads = startedThreads();
  for (const player of ['Steve', 'Alex', 'Kai']) await port.sent(port.block(player));
  expect(await port.players()).toEqual(['Steve', 'Alex', 'Kai']);
  expect(threads()).toBe(0);
  for (const client of await together(port, named(20))) await client.untilClosed();
  expect(await port.players()).toHaveLength(23);
  expect(threads()).toBe(1);
});

test('rule 13: v1 blocks are decrypted each to its own vote, also if blocks among them are no votes or their senders have gone (rule 11)', async () => {
  const port = await openPort();
  const players = named(40);
  const sent = players.flatMap((player, at) => (at % 10 === 9 ? [player, 'junk'] : [player]));
  const clients = await together(port, sent);
  for (const [at, client] of clients.entries()) if (at % 3 === 0) client.end();
  for (const client of clients) await client.untilClosed();
  expect([...(await port.players())].sort()).toEqual([...players].sort());
  expect(port.refused()).toEqual(['v1-bad-block 127.0.0.1']);
});

test('rule 13: v1 blocks are decrypted on the main thread if no thread can be started, and by one again a minute later', async () => {
  const port = await openPort();
  const restore = withoutThreads();
  const warned = nextWarning();
  for (const client of await together(port, named(10, 'A'))) await client.untilClosed();
  expect(await warned).toContain('main thread');
  const threads = startedThreads();
  restore();
  port.clock.advance(59_000);
  for (const client of await together(port, named(10, 'B'))) await client.untilClosed();
  expect(threads()).toBe(0);
  port.clock.advance(1_000);
  for (const client of await together(port, named(10, 'C'))) await client.untilClosed();
  expect(threads()).toBe(1);
  expect(await port.players()).toHaveLength(30);
});

// A race: the thread rarely starts before two more connections are accepted.
test('rule 11: a connection whose v1 block still waits for the thread can be closed to make room, and is counted once', {
  retry: 3,
}, async () => {
  const port = await openPort({ maxConnections: 4 });
  const clients = await together(port, named(4));
  for (const _ of [1, 2]) await port.greeted('127.0.0.2');
  for (const client of clients) await client.untilClosed();
  await arrived();
  const [players, refused] = [await port.players(), port.refused()];
  expect(players.length).toBeGreaterThanOrEqual(2);
  expect(players.length).toBeLessThan(4);
  expect(refused).toEqual(['crowded 127.0.0.1']);
});
