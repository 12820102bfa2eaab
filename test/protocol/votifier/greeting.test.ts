import { describe, expect, it } from 'vitest';
import {
  CHALLENGE_BYTES,
  challengeFrom,
  decodeGreeting,
  encodeGreeting,
} from '../../../protocol/votifier/wire.ts';
import { Seeded } from '../../support/seeded.ts';
import { greetingFile, titled } from '../../support/vectors.ts';

const CHALLENGE = '2ov1q8kr5ab0ecj7n3t9hm4gds';

describe('the greeting that the listener writes', () => {
  it('[G-1] has three parts and fits one read of 64 bytes with any challenge', () => {
    const random = new Seeded(1);
    for (let i = 0; i < 1000; i++) {
      const greeting = encodeGreeting(challengeFrom(random.bytes(CHALLENGE_BYTES)));
      expect(Buffer.byteLength(greeting)).toBeLessThanOrEqual(64);
      expect(greeting).toMatch(/^VOTIFIER 2 [0-9a-v]{26}\n$/);
    }
  });

  it('[G-2] a challenge has 26 characters, each of five random bits', () => {
    expect(CHALLENGE_BYTES).toBe(26);
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    expect(challengeFrom(every)).toBe('0123456789abcdefghijklmnopqrstuv'.repeat(8));
  });

  it('[G-2] a challenge differs if any of its random bytes differs', () => {
    const zeros = challengeFrom(Buffer.alloc(CHALLENGE_BYTES));
    for (let place = 0; place < CHALLENGE_BYTES; place++) {
      const bytes = Buffer.alloc(CHALLENGE_BYTES);
      bytes[place] = 1;
      expect(challengeFrom(bytes)).not.toBe(zeros);
    }
  });
});

describe('the greeting that a sender reads', () => {
  it.each(titled(greetingFile.vectors))('%s', (_, { text, expected }) => {
    expect(decodeGreeting(text)).toStrictEqual(expected);
  });

  it('[G-4] gives need-more until a valid line is complete, and then the challenge', () => {
    for (const line of [`VOTIFIER 2 ${CHALLENGE}\n`, `VOTIFIER 2 ${CHALLENGE}\r\n`]) {
      for (let cut = 0; cut < line.length; cut++) {
        expect(decodeGreeting(line.slice(0, cut))).toStrictEqual({ kind: 'need-more' });
      }
      expect(decodeGreeting(line)).toStrictEqual({ kind: 'v2', challenge: CHALLENGE });
    }
  });

  it('[G-4] gives the challenge of every greeting that the listener writes', () => {
    const random = new Seeded(3);
    for (let i = 0; i < 1000; i++) {
      const challenge = challengeFrom(random.bytes(CHALLENGE_BYTES));
      expect(decodeGreeting(encodeGreeting(challenge))).toStrictEqual({ kind: 'v2', challenge });
    }
  });
});
