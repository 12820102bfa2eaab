import { expect, test } from 'vitest';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import { judge } from '../../src/rewards/judge.ts';
import { not } from '../../src/rewards/not.ts';
import { historyWith, judging, reward, vote } from '../support/rewards.ts';
import { faultsOfIf } from './if-faults.ts';

/** 6 June 2026, a Saturday. */
const SATURDAY = 20_610;

/** The occasions, or the code of what does not hold. */
function judged(written: object, count: number, day = SATURDAY) {
  const one = reward('thanks', { if: { not: not.schema(schemaKit).parse(written) } });
  const history = historyWith({ count: () => count });
  const verdict = judge(one, judging({ vote: vote({ day }), history }));
  return verdict.kind === 'held' ? verdict.occasions.map(({ name }) => name) : verdict.reason.code;
}

test('holds if what it excludes does not hold', () => {
  expect(judged({ weekday: ['sat'] }, 1)).toBe('not');
  expect(judged({ weekday: ['sat'] }, 1, SATURDAY + 1)).toEqual(['']);
});

test('excludes only what all of its conditions describe', () => {
  expect(judged({ weekday: ['sat'], firstVote: true }, 1)).toBe('not');
  expect(judged({ weekday: ['sat'], firstVote: true }, 2)).toEqual(['']);
});

test('gives no occasion', () => {
  expect(judged({ firstVote: true }, 2)).toEqual(['']);
  expect(judged({ not: { firstVote: true } }, 1)).toEqual(['']);
});

test('explains that it excludes the vote', () => {
  expect(not.explain.notHeld({})).toContain('excludes');
});

test.each([
  [{}, 'config-value not'],
  [{ chance: '5%' }, 'config-unknown-key not.chance'],
  [{ site: 'Nowhere' }, 'config-unknown-name not'],
  [{ not: { not: { not: { weekday: ['sat'] } } } }, 'config-unknown-key not.not.not.not'],
])('refuses %j', async (written, fault) => {
  expect(await faultsOfIf({ not: written })).toEqual([fault]);
});
