import { expect, test } from 'vitest';
import { saidTime } from '../../src/notify/alarms/notice.ts';
import { at } from '../support/votes.ts';

test.each([
  ['UTC', '2026-06-01T09:05:00Z', '09:05 UTC'],
  ['UTC', '2026-05-31T23:59:00Z', '31 May 23:59 UTC'],
  ['Europe/Berlin', '2026-05-31T22:05:00Z', '00:05 CEST'],
  ['America/New_York', '2026-06-01T01:05:00Z', '31 May 21:05 GMT-4'],
] as const)('in %s, %s is told as %s at noon of 1 June', (zone, iso, told) => {
  expect(saidTime(at(iso), at('2026-06-01T12:00:00Z'), zone)).toBe(told);
});
