import { expect, test } from 'vitest';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import { parseDay } from '../../src/core/period.ts';
import { between } from '../../src/rewards/between.ts';
import { judging, vote } from '../support/rewards.ts';
import { faultsOfIf } from './if-faults.ts';

const judged = (date: string) =>
  between.holds(
    between.schema(schemaKit).parse(['2026-12-24', '2026-12-27']),
    judging({ vote: vote({ day: parseDay(date) ?? 0 }) }),
  );

test.each([
  ['2026-12-23', false],
  ['2026-12-24', true],
  ['2026-12-27', true],
  ['2026-12-28', false],
] as const)('both dates are included: %s is judged right', (date, held) => {
  expect(judged(date).held).toBe(held);
});

test('gives no occasion, and explains when it begins or ended', () => {
  expect(judged('2026-12-25').ways).toBeUndefined();
  expect(between.explain.notHeld(judged('2026-12-01').because)).toContain('2026-12-24');
  expect(between.explain.notHeld(judged('2027-01-01').because)).toContain('2026-12-27');
});

test('accepts the leap day', async () => {
  expect(await faultsOfIf({ between: ['2028-02-29', '2028-02-29'] })).toEqual([]);
});

test.each([
  [['2026-12-27', '2026-12-24']],
  [['2026-02-29', '2026-03-01']],
  [['24.12.2026', '27.12.2026']],
  [['2026-12-24']],
  ['2026-12-24'],
])('refuses %j', async (written) => {
  expect(await faultsOfIf({ between: written })).toEqual(['config-value between']);
});
