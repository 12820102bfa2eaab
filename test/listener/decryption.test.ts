import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { Decryption } from '../../src/votes/listener/decryption.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { conversationOf } from '../support/in-memory-connection.ts';
import { listening } from '../support/listening.ts';
import { testPrivateKey } from '../support/vectors.ts';
import { VotifierClient, v1Block, voteBlock } from '../support/votifier-client.ts';

const textOf = (player: string): string => `VOTE\nList\n${player}\n192.0.2.1\n1780315200123\n`;
const JUNK = Buffer.alloc(256, 1);

/** The texts of blocks that arrive in one turn of the event loop, in the order in which they come back. */
function decrypting(privateKey: KeyObject = testPrivateKey) {
  const clock = new FakeClock();
  const decryption = new Decryption({ privateKey, clock });
  onTestFinished(() => decryption.close());
  const texts: string[] = [];
  let onText = (): void => {};
  const add = (block: Buffer) =>
    decryption.decrypt(block, (text) => {
      texts.push(text);
      onText();
    });
  const reaches = async (count: number): Promise<void> => {
    while (texts.length < count) await new Promise<void>((resolve) => (onText = resolve));
  };
  return { add, texts, reaches, clock };
}

/** Counts the threads that are started while the test runs. */
function startedThreads(): () => number {
  let count = 0;
  const onWorker = (): void => void count++;
  process.on('worker', onWorker);
  onTestFinished(() => void process.off('worker', onWorker));
  return () => count;
}

test('rule 13: blocks that arrive one after another are decrypted at once, without a thread', async () => {
  const threads = startedThreads();
  const { add, texts } = decrypting();
  for (const player of ['Steve', 'Alex']) {
    add(v1Block(textOf(player)));
    expect(texts.at(-1)).toBe(textOf(player));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(threads()).toBe(0);
});

test('rule 13: only one block is decrypted on the main thread in each turn of the event loop', async () => {
  const threads = startedThreads();
  const { add, texts, reaches } = decrypting();
  for (const player of ['Steve', 'Alex', 'Kai']) add(v1Block(textOf(player)));
  expect(texts).toEqual([textOf('Steve')]);
  await reaches(3);
  expect(texts).toEqual(['Steve', 'Alex', 'Kai'].map(textOf));
  expect(threads()).toBe(1);
});

test('each of 100 blocks gets its own text, and blocks that are not votes get none', async () => {
  const { add, texts, reaches } = decrypting();
  const expected = Array.from({ length: 100 }, (_, n) => (n % 10 === 9 ? '' : textOf(`Player${n}`)));
  for (const text of expected) add(text === '' ? JUNK : v1Block(text));
  await reaches(100);
  expect(texts).toEqual(expected);
});

test('a block that is no longer needed is not decrypted', async () => {
  const { add, texts, reaches } = decrypting();
  add(v1Block(textOf('Inline')));
  add(v1Block(textOf('Sent')));
  const cancel = add(v1Block(textOf('Evicted')));
  add(v1Block(textOf('Last')));
  cancel();
  await reaches(3);
  expect(texts).toEqual(['Inline', 'Sent', 'Last'].map(textOf));
});

/** A key that no thread can be given. */
function unsendable(): KeyObject {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return new Proxy(privateKey, {});
}

/** Resolves to node's next warning, which is not printed. */
async function nextWarning(): Promise<Error> {
  const printing = process.listeners('warning');
  process.removeAllListeners('warning');
  const [warning] = await once(process, 'warning');
  for (const listener of printing) process.on('warning', listener);
  return warning;
}

test('blocks are decrypted on the main thread if no thread can be started', async () => {
  const warned = nextWarning();
  const { add, texts } = decrypting(unsendable());
  for (let n = 0; n < 3; n++) add(JUNK);
  expect(texts).toEqual(['', '', '']);
  add(JUNK);
  expect(texts).toHaveLength(4);
  const warning = await warned;
  expect(warning.message).toContain('main thread');
});

test('a minute after the thread was lost, another is tried', async () => {
  const { add, texts, clock } = decrypting(unsendable());
  const lost = nextWarning();
  for (let n = 0; n < 2; n++) add(JUNK);
  await lost;
  clock.advance(60_000);
  const lostAgain = nextWarning();
  for (let n = 0; n < 2; n++) add(JUNK);
  expect(texts).toEqual(['', '', '', '']);
  expect((await lostAgain).message).toContain('main thread');
});

test('rule 11: a connection whose block waits for its text can be evicted, and is counted once', async () => {
  const decryption = new Decryption({ privateKey: testPrivateKey, clock: new FakeClock() });
  onTestFinished(() => decryption.close());
  decryption.decrypt(JUNK, () => {}); // takes this turn of the main thread
  const evicting = conversationOf([voteBlock()], { decryption }, (conversation) => conversation.evict());
  expect(await evicting).toEqual({ votes: [], refusals: ['crowded 127.0.0.1'] });
});

test('rule 11: votes of one moment are all counted, even if their senders have gone', async () => {
  const { port, voted, votes, refused, refusals } = await listening();
  const players = Array.from({ length: 20 }, (_, n) => `Player${n}`);
  for (const player of players) {
    const client = await VotifierClient.greeted(port);
    client.write(voteBlock(player));
    client.end();
  }
  const junk = await VotifierClient.greeted(port);
  junk.write(JUNK);
  await voted(20);
  await refused(1);
  expect(votes.map(({ wire }) => wire.username).toSorted()).toEqual(players.toSorted());
  expect(refusals).toEqual(['v1-bad-block 127.0.0.1']);
});
