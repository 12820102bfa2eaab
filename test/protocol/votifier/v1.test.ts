import { describe, expect, it } from 'vitest';
import { decodeV1Text, decryptV1Block, encodeV1Text, encryptV1Block } from '../../../protocol/votifier/v1.ts';
import { Seeded } from '../../support/seeded.ts';
import { testPrivateKey, testPublicKey } from '../../support/vectors.ts';

const VOTE = {
  serviceName: 'ExampleSite',
  username: 'Notch',
  address: '198.51.100.7',
  timestamp: '1780315200123',
};
const NO_BLOCK = Buffer.alloc(0);

describe('the text of a v1 block', () => {
  it('[V1-2] is exactly five lines', () => {
    expect(encodeV1Text(VOTE)).toBe('VOTE\nExampleSite\nNotch\n198.51.100.7\n1780315200123\n');
  });

  it('[V1-3] is decoded to the same vote for 2,000 votes of any characters except line ends', () => {
    const random = new Seeded(13);
    const field = () => random.text(random.below(40), 'aZ09_ .-"\\\t\0é日🎮');
    for (let i = 0; i < 2000; i++) {
      const vote = { serviceName: field(), username: field(), address: field(), timestamp: field() };
      expect(decodeV1Text(encodeV1Text(vote))).toStrictEqual({ kind: 'vote', vote });
    }
  });

  it.each(['\n', '\r\n'])('[V1-3] may end its lines with %j', (end) => {
    const text = ['VOTE', ...Object.values(VOTE), ''].join(end);
    expect(decodeV1Text(text)).toStrictEqual({ kind: 'vote', vote: VOTE });
  });

  it('[V1-3] needs VOTE and five fields after it', () => {
    expect(decodeV1Text('')).toStrictEqual({ kind: 'refused', code: 'v1-bad-block' });
    expect(decodeV1Text('vote\na\nb\nc\nd\n')).toStrictEqual({
      kind: 'refused',
      code: 'v1-not-a-vote',
      firstLine: 'vote',
    });
    expect(decodeV1Text('VOTE\ra\rb\rc\rd\r')).toStrictEqual({ kind: 'refused', code: 'v1-fields' });
    expect(decodeV1Text('VOTE\na\nb\nc')).toStrictEqual({ kind: 'refused', code: 'v1-fields', service: 'a' });
  });
});

describe('encryptV1Block', () => {
  it('[V1-1] [V1-4] writes 256 bytes that decrypt to the vote', () => {
    const block = encryptV1Block(testPublicKey, VOTE);
    expect(block?.length).toBe(256);
    expect(decryptV1Block(testPrivateKey, block ?? NO_BLOCK)).toBe(encodeV1Text(VOTE));
  });

  it('[V1-4] never writes the same block twice', () => {
    expect(encryptV1Block(testPublicKey, VOTE)).not.toEqual(encryptV1Block(testPublicKey, VOTE));
  });

  it.each(['serviceName', 'username', 'address', 'timestamp'])(
    '[V1-4] refuses a vote with a newline in %s',
    (field) => {
      expect(encryptV1Block(testPublicKey, { ...VOTE, [field]: 'a\nb' })).toBeNull();
    },
  );

  it('[V1-2] [V1-4] encrypts 245 bytes and refuses 246', () => {
    const room = 245 - Buffer.byteLength(encodeV1Text({ ...VOTE, serviceName: '' }));
    const block = encryptV1Block(testPublicKey, { ...VOTE, serviceName: 'é'.repeat(room / 2) }) ?? NO_BLOCK;
    expect(decryptV1Block(testPrivateKey, block)).toContain('é'.repeat(room / 2));
    expect(encryptV1Block(testPublicKey, { ...VOTE, serviceName: 'x'.repeat(room + 1) })).toBeNull();
  });

  it('[V1-4] encodes half a surrogate pair as U+FFFD', () => {
    const block = encryptV1Block(testPublicKey, { ...VOTE, username: 'a\ud800b' }) ?? NO_BLOCK;
    expect(decryptV1Block(testPrivateKey, block)).toContain('\na\ufffdb\n');
  });
});
