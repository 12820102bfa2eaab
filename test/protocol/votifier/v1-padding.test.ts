import { constants, publicEncrypt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decodeV1Text, decryptV1Block } from '../../../protocol/votifier/v1.ts';
import { Seeded } from '../../support/seeded.ts';
import { testPrivateKey, testPublicKey } from '../../support/vectors.ts';

const TEXT = Buffer.from('VOTE\nExampleSite\nNotch\n198.51.100.7\n1780315200123\n');
const random = new Seeded(11);

/** Encrypts 256 bytes with the test key, without adding any padding. */
const raw = (padded: Buffer): Buffer =>
  publicEncrypt({ key: testPublicKey, padding: constants.RSA_NO_PADDING }, padded);

const decrypt = (block: Buffer): string => decryptV1Block(testPrivateKey, block);

interface Padding {
  readonly first?: number;
  readonly type?: number;
  readonly separator?: number;
  readonly text?: Buffer;
}

/** `first type A5… separator text`, filled to 256 bytes. */
function padded({ first = 0, type = 2, separator = 0, text = TEXT }: Padding): Buffer {
  const filler = Buffer.alloc(256 - 3 - text.length, 0xa5);
  return Buffer.concat([Buffer.from([first, type]), filler, Buffer.from([separator]), text]);
}

/** A block with its separator at this place, followed by `text` and filled up. */
function separatedAt(place: number, text = 'VOTE\n', filler = 'Z'): Buffer {
  const bytes = Buffer.alloc(256, filler);
  bytes.write(text, place + 1);
  bytes.fill(0xa5, 0, place);
  bytes[0] = 0;
  bytes[1] = 2;
  bytes[place] = 0;
  return bytes;
}

const noText = raw(padded({ text: Buffer.concat([TEXT.subarray(5), Buffer.from([1])]) }));

const badBlocks: readonly (readonly [string, Buffer])[] = [
  ['block type 0', raw(padded({ type: 0 }))],
  ['block type 1', raw(padded({ type: 1 }))],
  ['block type 3', raw(padded({ type: 3 }))],
  ['block type FF', raw(padded({ type: 0xff }))],
  ['first byte 1', raw(padded({ first: 1 }))],
  ['first byte 1, block type 1', raw(padded({ first: 1, type: 1 }))],
  ['no separator', raw(padded({ separator: 0xa5, text: Buffer.alloc(40, 'x') }))],
  ['all zero', Buffer.alloc(256)],
  ['not below the modulus', Buffer.alloc(256, 0xff)],
  ['255 bytes', Buffer.alloc(255, 1)],
  ['257 bytes', Buffer.alloc(257, 1)],
  ['no bytes', Buffer.alloc(0)],
  ...[2, 3, 4, 5, 6, 7, 8, 9].map((place) => [`separator at ${place}`, raw(separatedAt(place))] as const),
  ...Array.from({ length: 20 }, (_, i) => [`random bytes ${i}`, random.bytes(256)] as const),
];

describe('a block that does not decrypt', () => {
  it('[V1-5] differs only by its padding from a block that is a vote', () => {
    expect(decodeV1Text(decrypt(raw(padded({}))))).toMatchObject({ kind: 'vote' });
  });

  it.each([...badBlocks, ['correct padding and no text', noText] as const])(
    '[V1-5] gives an empty string, so no part of it is decoded, and is refused as v1-bad-block: %s',
    (_, block) => {
      expect(decrypt(block)).toBe('');
      expect(decodeV1Text(decrypt(block))).toStrictEqual({ kind: 'refused', code: 'v1-bad-block' });
    },
  );
});

describe('a separator', () => {
  const placesTo = (last: number) => Array.from({ length: last - 9 }, (_, index) => index + 10);
  /** The places at which the block does not give this text. */
  const wrongOf = (places: readonly number[], text: string, expected: (place: number) => string): number[] =>
    places.filter((place) => decrypt(raw(separatedAt(place, text))) !== expected(place));

  it.each(['\n', '\r'])(
    '[V1-5] gives exactly the text after it at every place from 10 to 250, if VOTE and %j follow',
    (end) => {
      const wrong = wrongOf(placesTo(250), `VOTE${end}`, (place) => `VOTE${end}${'Z'.repeat(250 - place)}`);
      expect(wrong).toEqual([]);
    },
  );

  it.each(['', 'VOTES\n', 'VOTE \n', 'vote\n', 'WOTE\n', 'VOTF\n', ' VOTE\n'])(
    '[V1-5] gives no text at any place from 10 to 250 if %j and unreadable bytes follow',
    (text) => {
      const wrong = placesTo(250).filter((place) => decrypt(raw(separatedAt(place, text, '\x01'))) !== '');
      expect(wrong).toEqual([]);
    },
  );

  it('[V1-5] gives exactly the text after it if 24 bytes or more with a line break follow', () => {
    const wrong = wrongOf(placesTo(250), 'vote\n', (place) =>
      place > 231 ? '' : `vote\n${'Z'.repeat(250 - place)}`,
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ['a carriage return', 'VOTE List\rSteve\r192.0.2.1\r', true],
    ['a tab', 'VOTE\tList\nSteve\n192.0.2.1', true],
    ['a quarter that is not ASCII', `${'é'.repeat(4)}${'a'.repeat(23)}\n`, true],
    ['more than a quarter', `${'é'.repeat(4)}${'a'.repeat(22)}\n`, false],
    ['no line break', 'VOTE List Steve 192.0.2.1', false],
    ['a NUL', 'VOTE List\nSteve\n192.0.2.1\0', false],
    ['a control character', 'VOTE List\nSteve\n192.0.2.1\x1b', false],
    ['DEL', 'VOTE List\nSteve\n192.0.2.1\x7f', false],
  ])('[V1-5] counts as readable, or not, with %s', (_, text, isReadable) => {
    expect(decrypt(raw(padded({ text: Buffer.from(text) })))).toBe(isReadable ? text : '');
  });

  it('[V1-3] [V1-5] gives a vote without fields if VOTE ends the block', () => {
    expect(decrypt(raw(separatedAt(251, 'VOTE')))).toBe('VOTE');
    expect(decrypt(raw(separatedAt(252, 'VOT')))).toBe('');
  });

  it('[V1-5] is the first zero byte, however many follow', () => {
    const zeros = separatedAt(100, `${'\0'.repeat(9)}VOTE\n`);
    expect(decrypt(raw(zeros))).toBe('');
    const later = separatedAt(100, 'VOTE\n\0\0VOTE\n');
    expect(decrypt(raw(later))).toBe(`VOTE\n\0\0VOTE\n${'Z'.repeat(143)}`);
  });
});
