import { expect, test } from 'vitest';
import type { Reason } from '../../src/core/reason.ts';
import { readReasons, reasonsJson } from '../../src/ledger/sqlite/reward-reasons.ts';

const REASONS = new Map<string, Reason>([
  ['daily "double"', { code: 'granted' }],
  ['__proto__', { code: 'site' }],
  ['lucky\\', { code: 'chance', facts: { chance: 0.05, rolled: 0.31 } }],
]);

test('reasons are stored as JSON and read back the same, whatever the rewards are called', () => {
  const stored = reasonsJson(REASONS);
  expect(stored).toBe(JSON.stringify(Object.fromEntries(REASONS)));
  expect(readReasons(stored)).toEqual(REASONS);
});

test('a vote without rewards to look at stores none', () => {
  expect(reasonsJson(new Map())).toBeNull();
  expect(readReasons(null)).toEqual(new Map());
});
