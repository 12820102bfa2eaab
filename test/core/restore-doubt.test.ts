import { expect, test } from 'vitest';
import { isInRestoreDoubt } from '../../src/core/restore-doubt.ts';
import type { Vote } from '../../src/core/vote.ts';
import { at, claimed } from '../support/votes.ts';

const RESTORES = [{ backupAt: at('2026-06-01T00:00:00Z'), restoredAt: at('2026-06-02T00:00:00Z') }];
const BLOCK = Buffer.alloc(32, 1);

const castAt = (iso: string): Pick<Vote, 'castAt' | 'claim' | 'blockDigest'> => ({
  castAt: at(iso),
  claim: claimed(iso),
  blockDigest: null,
});

test.each([
  ['2026-03-02T23:59:59.999Z', false],
  ['2026-03-03T00:00:00.000Z', true],
  ['2026-06-01T12:00:00.000Z', true],
  ['2026-06-01T23:59:59.999Z', true],
  ['2026-06-02T00:00:00.000Z', false],
])(
  'a vote cast at %s may have been paid by a ledger lost between backup and restore: %s (rule 1)',
  (iso, held) => {
    expect(isInRestoreDoubt(castAt(iso), RESTORES)).toBe(held);
  },
);

test.each([
  ['2026-05-31T23:49:59.999Z', false],
  ['2026-05-31T23:50:00.000Z', true],
  ['2026-06-02T00:09:59.999Z', true],
  ['2026-06-02T00:10:00.000Z', false],
])('a v1 block that was cast when it was received but claims %s may replay a paid vote: %s', (iso, held) => {
  const replayed = { castAt: at('2026-07-01T00:00:00Z'), claim: claimed(iso), blockDigest: BLOCK };
  expect(isInRestoreDoubt(replayed, RESTORES)).toBe(held);
  expect(isInRestoreDoubt({ ...replayed, blockDigest: null }, RESTORES)).toBe(false);
});

test('a v1 block without a claimed time is judged by its cast time only', () => {
  const vote = { castAt: at('2026-07-01T00:00:00Z'), claim: null, blockDigest: BLOCK };
  expect(isInRestoreDoubt(vote, RESTORES)).toBe(false);
});

test('without a restore no vote is in doubt', () => {
  expect(isInRestoreDoubt(castAt('2026-06-01T12:00:00Z'), [])).toBe(false);
});
