import { describe, expect, test } from 'vitest';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import { any } from '../../src/rewards/any.ts';
import { judge } from '../../src/rewards/judge.ts';
import { historyWith, judging, reward, rewardWith, vote } from '../support/rewards.ts';
import { faultsOfIf } from './if-faults.ts';

/** 6 June 2026, a Saturday. */
const SATURDAY = 20_610;

interface Facts {
  readonly count?: number;
  readonly day?: number;
  readonly spent?: readonly string[];
  readonly standing?: 'marked' | 'rewarded';
}

/** The occasions, or the code of what does not hold. */
function judged(arms: readonly object[], facts: Facts = {}) {
  const { count = 0, day = SATURDAY, spent = [], standing = 'rewarded' } = facts;
  const one = reward('thanks', { if: { any: any.schema(schemaKit).parse(arms) } });
  const verdict = judge(
    one,
    judging({
      vote: vote({ day, standing }),
      history: historyWith({ count: () => count, votedRuns: () => [{ from: day, to: day }] }),
      reward: rewardWith({ isSpent: ({ name }) => spent.includes(name) }),
      listed: ['List'],
    }),
  );
  return verdict.kind === 'held' ? verdict.occasions.map(({ name }) => name) : verdict.reason.code;
}

const WEEKEND_OR_FIFTH = [{ weekday: ['sat', 'sun'] }, { votes: { every: 5 } }];
const FIRST_OR_FIFTH = [{ firstVote: 'day' }, { votes: { every: 5, of: 'day' } }];

describe('`any`', () => {
  test('holds if one of its arms does', () => {
    expect(judged(WEEKEND_OR_FIFTH, { count: 1 })).toEqual(['']);
    expect(judged(WEEKEND_OR_FIFTH, { day: SATURDAY + 2, count: 5 })).toEqual(['total 5']);
    expect(judged(WEEKEND_OR_FIFTH, { day: SATURDAY + 2, count: 4 })).toBe('any');
  });

  test('gives the occasion of the first arm that holds and whose occasion was not granted', () => {
    const both = [{ votes: { every: 5 } }, { votes: { at: [5], of: 'day' } }];
    expect(judged(both, { count: 5 })).toEqual(['total 5']);
    expect(judged(both, { count: 5, spent: ['total 5'] })).toEqual(['day 2026-06-06 total 5']);
    expect(judged(both, { count: 5, spent: ['total 5', 'day 2026-06-06 total 5'] })).toBe('occasion-spent');
  });

  test('skips the arms that a vote within the cooldown does not decide', () => {
    expect(judged(FIRST_OR_FIFTH, { count: 1, standing: 'marked' })).toBe('any');
    expect(judged([{ weekday: ['sat'] }, { firstVote: true }], { count: 1, standing: 'marked' })).toBe('any');
  });
});

test('explains each arm', () => {
  expect(any.explain.notHeld({ arms: ['is Mon', 'total is 4'] })).toMatch(/is Mon.*total is 4/);
});

test('names the sites of its arms, so that the config can check them', async () => {
  expect(await faultsOfIf({ any: [{ site: 'List' }] })).toEqual([]);
  expect(await faultsOfIf({ any: [{ site: 'Nowhere' }] })).toEqual(['config-unknown-name any']);
});

test.each([
  [[], 'config-value any'],
  [[{}], 'config-value any[0]'],
  [[{ chance: '5%' }], 'config-unknown-key any[0].chance'],
  [[{ any: [{ not: { any: [{ weekday: ['sat'] }] } }] }], 'config-unknown-key any[0].any[0].not.any'],
])('refuses %j', async (written, fault) => {
  expect(await faultsOfIf({ any: written })).toEqual([fault]);
});
