import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { listening, slowIntake } from '../support/listening.ts';
import { naming } from '../support/naming.ts';
import { Seeded } from '../support/seeded.ts';
import { VotifierClient, v1Block, voteBlock, WIRE_VOTE } from '../support/votifier-client.ts';

describe('a v1 vote', () => {
  test('[V1-6] is passed on with the digest of its block, and the connection is closed without an answer', async () => {
    const { port, votes, refusals } = await listening();
    const client = await VotifierClient.greeted(port);
    const block = voteBlock();
    client.write(block);
    expect(await client.untilClosed()).toBe('');
    expect(votes).toMatchObject([{ channel: 'listener-v1', wire: WIRE_VOTE, address: '127.0.0.1' }]);
    expect(votes[0]?.blockDigest).toEqual(createHash('sha256').update(block).digest());
    expect(votes[0]?.text).toBe('VOTE\nList\nSteve\n192.0.2.1\n1780315200123\n');
    expect(refusals).toEqual([]);
  });

  test.each([
    ['a line end', '\n'],
    ['the end of a Windows line', '\r\n'],
    ['a NUL', '\0'],
    ['500 bytes of a second message', 's:'.repeat(250)],
  ])('[R-5] counts even if %s follows in the same write', async (_, stray) => {
    const { port, votes, refusals } = await listening();
    const client = await VotifierClient.greeted(port);
    client.write(Buffer.concat([voteBlock(), Buffer.from(stray)]));
    await client.untilClosed();
    expect(votes).toHaveLength(1);
    expect(refusals).toEqual([]);
  });

  test('counts once even if its block arrives twice on one connection', async () => {
    const { port, votes } = await listening();
    const client = await VotifierClient.greeted(port);
    client.write(Buffer.concat([voteBlock(), voteBlock('Alex')]));
    await client.untilClosed();
    expect(votes.map(({ wire }) => wire.username)).toEqual(['Steve']);
  });

  test('is read even if it arrives one byte at a time', async () => {
    const { port, votes } = await listening();
    const client = await VotifierClient.greeted(port);
    for (const byte of voteBlock()) client.write(Buffer.from([byte]));
    await client.untilClosed();
    expect(votes).toHaveLength(1);
  });

  test('gets no answer even if it cannot be stored, and its connection is then closed', async () => {
    const intake = slowIntake();
    const { port, voted, refusals } = await listening({ accept: intake.accept });
    const client = await VotifierClient.greeted(port);
    client.write(voteBlock());
    await voted(1);
    intake.release('ledger-unable');
    expect(await client.untilClosed()).toBe('');
    expect(refusals).toEqual(['ledger-unable List 127.0.0.1']);
  });
});

const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
const random = new Seeded(1_717);

/** A block below the modulus (its first byte is small) that decrypts to something without padding. */
const noise = (): Buffer => Buffer.concat([Buffer.from([1]), random.bytes(255)]);

const NO_VOTES: readonly (readonly [string, () => Buffer])[] = [
  ['a block with bad padding', noise],
  ['a block not below the modulus', () => Buffer.alloc(256, 0xff)],
  ['256 zeros', () => Buffer.alloc(256)],
  ['a block under another key', () => v1Block('VOTE\nList\nSteve\n192.0.2.1\n1780315200123\n', otherKey)],
  ['a well-padded block without text', () => v1Block('vote\nList\nSteve\n192.0.2.1\n1780315200123\0')],
  ['a well-padded block with an empty text', () => v1Block('')],
];

describe('a v1 block that is not a vote', () => {
  test.each(NO_VOTES)(
    '[V1-5] looks the same as any other, to its sender and in the counts: %s',
    async (_, block) => {
      const { port, refusals, votes } = await listening();
      const client = await VotifierClient.greeted(port);
      client.write(block());
      expect(await client.untilClosed()).toBe('');
      // Closed by a FIN, not reset, after only the greeting.
      expect([client.reads.length, client.socket.readableEnded, client.socket.errored]).toEqual([
        1,
        true,
        null,
      ]);
      expect(refusals).toEqual(['v1-bad-block 127.0.0.1']);
      expect(votes).toEqual([]);
    },
  );

  test.each([
    ['shifted fields', 'VOTE Example-List.com\nSteve\n192.0.2.1\n1780315200123\n', '"VOTE Example-List.com"'],
    ['another opcode', 'vote\nList\nSteve\n192.0.2.1\n1780315200123\n', '"vote"'],
    ['a byte order mark', '\ufeffVOTE\nList\nSteve\n192.0.2.1\n1780315200123\n', '"\\ufeffVOTE"'],
    ['a long first line', `VOTE ${'x'.repeat(100)}\nSteve\n`, `"VOTE ${'x'.repeat(59)}"…`],
  ])(
    '[V1-3] but text under the right key is closed in the same way, and counted as such with its first line: %s',
    async (_, text, firstLine) => {
      const details: string[] = [];
      const refusals = { count: (...given: readonly unknown[]) => details.push(given.join(' ')) };
      const { port, votes } = await listening({ refusals });
      const client = await VotifierClient.greeted(port);
      client.write(v1Block(text));
      expect(await client.untilClosed()).toBe('');
      expect([client.reads.length, client.socket.readableEnded, client.socket.errored]).toEqual([
        1,
        true,
        null,
      ]);
      expect(details).toEqual([naming(/^v1-not-a-vote {2}127\.0\.0\.1 /, firstLine)]);
      expect(votes).toEqual([]);
    },
  );

  test('[V1-3] with too few fields is closed in the same way, and counted under its service', async () => {
    const { port, refusals } = await listening();
    const client = await VotifierClient.greeted(port);
    client.write(v1Block('VOTE\nList\nSteve'));
    expect(await client.untilClosed()).toBe('');
    expect([client.reads.length, client.socket.readableEnded, client.socket.errored]).toEqual([
      1,
      true,
      null,
    ]);
    expect(refusals).toEqual(['v1-fields List 127.0.0.1']);
  });
});
