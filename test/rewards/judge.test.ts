import { describe, expect, test } from 'vitest';
import { decide, earnedBy } from '../../src/rewards/decide.ts';
import { judge } from '../../src/rewards/judge.ts';
import { reward, rulesFor, USER, vote } from '../support/rewards.ts';
import { arrival } from '../support/votes.ts';

const draws = new Map([['lucky', 0.31]]);
const lucky = (more: object = {}) => reward('lucky', { if: { chance: 0.05, ...more } });

describe('a reward', () => {
  test('without conditions is granted', () => {
    expect(judge(reward('thanks'), vote(), new Map())).toEqual({ code: 'granted' });
  });

  test('keeps the drawn number, granted or not', () => {
    expect(judge(lucky(), vote(), draws)).toEqual({ code: 'chance', facts: { chance: 0.05, rolled: 0.31 } });
    expect(judge(lucky(), vote(), new Map([['lucky', 0.01]]))).toEqual({
      code: 'granted',
      facts: { chance: 0.05, rolled: 0.01 },
    });
  });

  test('is lost by chance only if every other condition is met', () => {
    expect(judge(lucky({ site: ['B'] }), vote({ site: 'A' }), draws)).toEqual({ code: 'site' });
    const named = { ...lucky(), commands: ['say {player}'] };
    expect(judge(named, vote({ recipient: USER }), draws)).toMatchObject({ code: 'recipient-kind' });
  });

  test.each([
    ['uses-user-id', vote(), { commands: ['pay {userId}'] }],
    ['uses-player', vote({ recipient: USER }), { commands: ['say {player}'] }],
    ['uses-uuid', vote({ recipient: USER }), { commands: ['say {uuid}'] }],
    ['waits-for-player', vote({ recipient: USER }), { commands: ['say hi'], when: 'online' }],
  ] as const)('that cannot be paid to the recipient is not granted, with why: %s', (misfit, to, more) => {
    expect(judge(reward('r', more), to, new Map())).toEqual({ code: 'recipient-kind', facts: { misfit } });
  });
});

describe('a rewarded vote', () => {
  test('has the reason of every reward in the order of the config, and the grants of those that were granted', () => {
    const rules = rulesFor(lucky(), reward('elsewhere', { if: { site: ['B'] } }), reward('thanks'));
    const { grants, reasons } = earnedBy(vote(), rules, draws);
    expect([...reasons].map(([name, { code }]) => [name, code])).toEqual([
      ['lucky', 'chance'],
      ['elsewhere', 'site'],
      ['thanks', 'granted'],
    ]);
    expect(grants).toMatchObject([{ reward: 'thanks', server: 'main', commands: ['say {player} voted'] }]);
  });

  test('gets the same decision at every attempt to store it', () => {
    const one = { ...arrival(), draws: new Map([['lucky', 0.04]]), rules: rulesFor(lucky()) };
    expect(decide(one, [])).toEqual(decide(one, []));
    expect(decide(one, [])).toMatchObject({ kind: 'rewarded', grants: [{ reward: 'lucky' }] });
  });
});

test('a vote that takes no window earns nothing, and its rewards are not judged', () => {
  const one = { ...arrival(), rules: rulesFor(reward('thanks')) };
  const decision = decide(one, [{ id: 7, castAt: one.vote.castAt }]);
  expect(decision).toMatchObject({ kind: 'cooldown', takenBy: 7 });
  expect(decision).not.toHaveProperty('reasons');
});
