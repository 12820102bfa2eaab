import { expect, test } from 'vitest';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import { hours } from '../../src/rewards/hours.ts';
import { judging, vote } from '../support/rewards.ts';
import { at } from '../support/votes.ts';
import { faultsOfIf } from './if-faults.ts';

const judged = (written: string, castAt: string, zone = 'UTC') =>
  hours.holds(hours.schema(schemaKit).parse(written), judging({ vote: vote({ castAt: at(castAt), zone }) }));

test.each([
  ['18:00-20:00', '2026-06-01T17:59:59.999Z', false],
  ['18:00-20:00', '2026-06-01T18:00:00Z', true],
  ['18:00-20:00', '2026-06-01T19:59:59.999Z', true],
  ['18:00-20:00', '2026-06-01T20:00:00Z', false],
  ['18:00-02:00', '2026-06-01T23:30:00Z', true],
  ['18:00-02:00', '2026-06-02T01:59:00Z', true],
  ['18:00-02:00', '2026-06-02T02:00:00Z', false],
  ['18:00-00:00', '2026-06-01T23:59:00Z', true],
  ['18:00-00:00', '2026-06-02T00:00:00Z', false],
] as const)('%s, with the end excluded: %s is judged right', (written, castAt, held) => {
  expect(judged(written, castAt).held).toBe(held);
});

test('the time of day is that of the time zone, on both sides of a change to daylight saving', () => {
  expect(judged('02:00-03:00', '2026-03-28T01:30:00Z', 'Europe/Berlin').held).toBe(true);
  expect(judged('03:00-04:00', '2026-03-29T01:30:00Z', 'Europe/Berlin').held).toBe(true);
  // The hour from 02:00 to 03:00 comes twice.
  expect(judged('02:00-03:00', '2026-10-25T00:30:00Z', 'Europe/Berlin').held).toBe(true);
  expect(judged('02:00-03:00', '2026-10-25T01:30:00Z', 'Europe/Berlin').held).toBe(true);
});

test('gives no occasion, and explains what time it was', () => {
  expect(judged('18:00-20:00', '2026-06-01T18:00:00Z').ways).toBeUndefined();
  const { because } = judged('18:00-20:00', '2026-06-01T03:10:00Z');
  expect(hours.explain.notHeld(because)).toContain('03:10');
});

test.each(['18:00-18:00', '18:00', '18-20', '18:00-24:00', '18:00-19:60', '18:00-19:00-20:00', 18])(
  'refuses %j',
  async (written) => {
    expect(await faultsOfIf({ hours: written })).toEqual(['config-value hours']);
  },
);
