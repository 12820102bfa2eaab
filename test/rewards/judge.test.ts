import { describe, expect, test } from 'vitest';
import { decide, earnedBy } from '../../src/rewards/decide.ts';
import { draw } from '../../src/rewards/draws.ts';
import { NO_HISTORY } from '../../src/rewards/history.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { drawsWhere, reward, rulesFor, USER, vote } from '../support/rewards.ts';
import { arrival } from '../support/votes.ts';

const isLost = (drawn: number): boolean => drawn >= 0.05;
const lost = drawsWhere('lucky', isLost);
const won = drawsWhere('lucky', (drawn) => !isLost(drawn));
const lucky = (more: object = {}) => reward('lucky', { if: { chance: 0.05, ...more } });

/** The reason of the only reward. */
const reasonOf = (one: Reward, to = vote(), draws = lost) =>
  earnedBy(to, rulesFor(one), draws, NO_HISTORY).reasons.get(one.name);

describe('a reward', () => {
  test('without conditions is granted', () => {
    expect(reasonOf(reward('thanks'))).toEqual({ code: 'granted' });
  });

  test('keeps the drawn number, granted or not', () => {
    const rolled = (draws: typeof lost) => draw(draws, 'chance', 'lucky', '');
    expect(reasonOf(lucky())).toEqual({ code: 'chance', facts: { chance: 0.05, rolled: rolled(lost) } });
    expect(reasonOf(lucky(), vote(), won)).toEqual({
      code: 'granted',
      facts: { chance: 0.05, rolled: rolled(won) },
    });
  });

  test('is lost by chance only if every other condition is met', () => {
    expect(reasonOf(lucky({ site: ['B'] }), vote({ site: 'A' }))).toEqual({ code: 'site' });
    const named = { ...lucky(), commands: ['say {player}'] };
    expect(reasonOf(named, vote({ recipient: USER }))).toMatchObject({ code: 'recipient-kind' });
  });

  test.each([
    ['uses-user-id', vote(), { commands: ['pay {userId}'] }],
    ['uses-player', vote({ recipient: USER }), { commands: ['say {player}'] }],
    ['uses-uuid', vote({ recipient: USER }), { commands: ['say {uuid}'] }],
    ['waits-for-player', vote({ recipient: USER }), { commands: ['say hi'], when: 'online' }],
  ] as const)('that cannot be paid to the recipient is not granted, with why: %s', (misfit, to, more) => {
    expect(reasonOf(reward('r', more), to)).toEqual({ code: 'recipient-kind', facts: { misfit } });
  });
});

describe('a rewarded vote', () => {
  test('has the reason of every reward in the order of the config, and the grants of those that were granted', () => {
    const rules = rulesFor(lucky(), reward('elsewhere', { if: { site: ['B'] } }), reward('thanks'));
    const { grants, reasons } = earnedBy(vote(), rules, lost, NO_HISTORY);
    expect([...reasons].map(([name, { code }]) => [name, code])).toEqual([
      ['lucky', 'chance'],
      ['elsewhere', 'site'],
      ['thanks', 'granted'],
    ]);
    expect(grants).toMatchObject([{ reward: 'thanks', server: 'main', commands: ['say {player} voted'] }]);
  });

  test('gets the same decision at every attempt to store it', () => {
    const one = { ...arrival(), draws: won, rules: rulesFor(lucky()) };
    expect(decide(one, [], NO_HISTORY)).toEqual(decide(one, [], NO_HISTORY));
    expect(decide(one, [], NO_HISTORY)).toMatchObject({ kind: 'rewarded', grants: [{ reward: 'lucky' }] });
  });
});

test('a vote that takes no window earns nothing, and its rewards are not judged', () => {
  const one = { ...arrival(), rules: rulesFor(reward('thanks')) };
  const decision = decide(one, [{ id: 7, castAt: one.vote.castAt }], NO_HISTORY);
  expect(decision).toMatchObject({ kind: 'cooldown', takenBy: 7, grants: [], reasons: new Map() });
});
