import { expect, test } from 'vitest';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import { weekday } from '../../src/rewards/weekday.ts';
import { judging, vote } from '../support/rewards.ts';
import { faultsOfIf } from './if-faults.ts';

const MONDAY = 20_605;

const judged = (written: string[], day: number) =>
  weekday.holds(weekday.schema(schemaKit).parse(written), judging({ vote: vote({ day }) }));

test.each([
  ['Friday', MONDAY + 4, false],
  ['Saturday', MONDAY + 5, true],
  ['Sunday', MONDAY + 6, true],
  ['Monday', MONDAY + 7, false],
] as const)('the weekend does or does not contain a vote cast on a %s', (_, day, held) => {
  expect(judged(['sat', 'sun'], day).held).toBe(held);
});

test('gives no occasion, and explains which day it was', () => {
  expect(judged(['mon'], MONDAY).ways).toBeUndefined();
  expect(weekday.explain.notHeld(judged(['sat'], MONDAY).because)).toContain('Mon');
});

test.each([
  [[], 'config-value weekday'],
  [['sunday'], 'config-value weekday[0]'],
  [['sat', 'sat'], 'config-value weekday'],
])('refuses %j', async (written, fault) => {
  expect(await faultsOfIf({ weekday: written })).toEqual([fault]);
});
