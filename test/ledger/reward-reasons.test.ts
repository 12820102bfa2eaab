import { expect, test } from 'vitest';
import type { Reason } from '../../src/core/reason.ts';
import { StoredReasons } from '../../src/ledger/sqlite/reward-reasons.ts';
import { freshLedger } from '../support/ledgers.ts';

const REASONS = new Map<string, Reason>([
  ['daily "double"', { code: 'granted' }],
  ['__proto__', { code: 'site' }],
  ['lucky\\', { code: 'chance', facts: { chance: 0.05, rolled: 0.31 } }],
  ['everywhere', { code: 'allSites', facts: { missing: ['A', 'B'] } }],
  ['first', { code: 'firstVote', facts: { count: 7, next: null } }],
]);

function reasons() {
  const { database } = freshLedger();
  return { database, stored: new StoredReasons(database) };
}

test('reasons read back the same, whatever the rewards are called', () => {
  const { database, stored } = reasons();
  const written = stored.write(REASONS);
  expect(stored.read(written)).toEqual(REASONS);
  expect(new StoredReasons(database).read(written)).toEqual(REASONS);
});

test('only what differs from vote to vote is stored with each', () => {
  const { stored } = reasons();
  expect(stored.write(REASONS)).toBe('[[1],[2],[3,0.05,0.31],[4,["A","B"]],[5,7,null]]');
  expect(stored.write(REASONS)).toBe('[[1],[2],[3,0.05,0.31],[4,["A","B"]],[5,7,null]]');
});

test('a vote without rewards to look at stores none', () => {
  const { stored } = reasons();
  expect(stored.write(new Map())).toBeNull();
  expect(stored.read(null)).toEqual(new Map());
});

test('what a call that was rolled back has added is added again', () => {
  const { database, stored } = reasons();
  const one = new Map([['daily', { code: 'granted' }]]);
  stored.begin();
  database.exec('SAVEPOINT call');
  expect(stored.write(one)).toBe('[[1]]');
  expect(stored.write(one)).toBe('[[1]]');
  database.exec('ROLLBACK TO call; RELEASE call');
  stored.begin();
  const written = stored.write(new Map([['other', { code: 'site' }], ...one]));
  expect(stored.read(written)).toEqual(new Map([['other', { code: 'site' }], ...one]));
});
