import { describe, expect, test } from 'vitest';
import { earnedBy } from '../../src/rewards/decide.ts';
import { ALL_WON } from '../../src/rewards/draws.ts';
import { NO_HISTORY, type RewardHistory } from '../../src/rewards/history.ts';
import { fullLimit, type Limit, limitText } from '../../src/rewards/limit.ts';
import { faultsOf } from '../config/examined.ts';
import { reward, rulesFor, vote } from '../support/rewards.ts';

const HOUR = 3_600_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');

/** A reward that was granted to votes at these times: hours before and after noon on 1 June. */
const grantedAt = (...hours: readonly number[]): RewardHistory => ({
  ...NO_HISTORY.reward(''),
  castTimesGranted: (_, { start, end }) =>
    hours.map((hour) => NOON + hour * HOUR).filter((at) => at >= start && at < end),
});

const in24Hours = (count: number): Limit => ({ per: 'player', count, within: '24h' });
const isFull = (limit: Limit, history: RewardHistory): boolean =>
  fullLimit(limit, vote({ castAt: NOON }), history) !== null;

describe('a limit in 24 hours', () => {
  test.each([
    ['a vote exactly 24 hours before', [-24], false],
    ['a vote less than 24 hours before', [-23], true],
    ['a vote less than 24 hours after', [23], true],
    ['a vote exactly 24 hours after', [24], false],
    ['no vote', [], false],
  ])('of one is judged right after %s', (_, hours, full) => {
    expect(isFull(in24Hours(1), grantedAt(...hours))).toBe(full);
  });

  test('of two has a place between two votes that are not in the same 24 hours', () => {
    expect(isFull(in24Hours(2), grantedAt(-20, 20))).toBe(false);
    expect(isFull(in24Hours(2), grantedAt(-10, 10))).toBe(true);
  });
});

describe('a limit in a period', () => {
  test.each([
    ['day', { from: 20_605, to: 20_605 }],
    ['week', { from: 20_605, to: 20_611 }],
    ['month', { from: 20_605, to: 20_634 }],
    ['ever', undefined],
  ] as const)('of a %s counts the votes of these days: %j', (within, days) => {
    const asked: unknown[] = [];
    const countGranted: RewardHistory['countGranted'] = (scope) => asked.push(scope) + 1;
    const full = fullLimit({ per: 'network', count: 2, within }, vote(), {
      ...NO_HISTORY.reward(''),
      countGranted,
    });
    expect(asked).toEqual([{ of: 'network', ...(days === undefined ? {} : { days }) }]);
    expect(full).toEqual({ granted: 2, count: 2, per: 'network', within });
  });

  test('is explained by how many of how many', () => {
    expect(limitText({ granted: 3, count: 3, per: 'player', within: 'day' })).toBe('3 of 3 today');
    expect(limitText({ granted: 9, count: 9, per: 'network', within: 'ever' })).toBe(
      '9 of 9 for all players',
    );
  });
});

describe('a reward with `stop`', () => {
  const stopping = (more: object = {}) => reward('first', { stop: true, ...more });

  test('that is granted leaves nothing for the rewards after it', () => {
    const rules = rulesFor(reward('before'), stopping(), reward('after'));
    const { grants, reasons } = earnedBy(vote(), rules, ALL_WON, NO_HISTORY);
    expect(grants.map((grant) => grant.reward)).toEqual(['before', 'first']);
    expect(reasons.get('after')).toEqual({ code: 'stop', facts: { by: 'first' } });
  });

  test('that is not granted stops nothing', () => {
    const rules = rulesFor(stopping({ if: { site: ['Other'] } }), reward('after'));
    expect(earnedBy(vote(), rules, ALL_WON, NO_HISTORY).reasons.get('after')).toEqual({ code: 'granted' });
  });
});

test.each([
  [{ per: 'player', count: 3, within: 'day' }, []],
  [{ per: 'player', count: 0, within: 'day' }, ['config-value rewards[0].limit.count']],
  [{ per: 'team', count: 1, within: 'day' }, ['config-value rewards[0].limit.per']],
  [{ per: 'player', count: 1 }, ['config-value rewards[0].limit.within']],
])('the limit %j has these faults: %j', async (limit, faults) => {
  const one = { name: 'daily', limit, commands: ['say hi'] };
  expect(await faultsOf({ rewards: [one] })).toEqual(faults);
});
