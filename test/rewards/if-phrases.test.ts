import { describe, expect, test } from 'vitest';
import { conditionShape, schemaKit } from '../../src/config/condition-schemas.ts';
import { section } from '../../src/core/config-values.ts';
import { type ConditionName, conditionEntries, type If } from '../../src/rewards/conditions.ts';
import { ifPhrase, ifPhrases } from '../../src/rewards/if-phrases.ts';
import { limitPhrase } from '../../src/rewards/limit.ts';

const read = (written: object): If => section(conditionShape).parse(written) as If;
const phrase = (written: object): string => ifPhrase({ if: read(written) });

/** Of every condition, what its values are in everyday words. */
const PHRASES: Readonly<Record<ConditionName, readonly (readonly [unknown, string])[]>> = {
  site: [
    ['My-List.com', 'on My-List.com'],
    [['A', 'B', 'default'], 'on A, B or any site without an entry of its own'],
  ],
  votes: [
    [{ every: 25 }, 'on every 25th vote'],
    [{ every: 1 }, 'on every vote'],
    [{ every: 1000, of: 'network' }, 'on every 1,000th vote of all players together'],
    [{ at: [60], of: 'month', sites: ['A', 'B'] }, 'on the 60th vote of the month on A or B'],
    [{ at: [5, 10, '50..200 step 50'] }, 'on the 5th, 10th, 50th, 100th, 150th or 200th vote'],
    [{ at: [3, '50..2000 step 50'] }, 'on the 3rd, or each 50th from the 50th to the 2,000th vote'],
    [{ at: ['101..120 step 1'], of: 'site' }, 'on each from the 101st to the 120th vote on the same site'],
  ],
  firstVote: [
    [true, 'on their first vote'],
    ['site', 'on their first vote on a site'],
    ['day', 'on their first vote of the day'],
  ],
  streak: [
    [7, 'when they have voted 7 days in a row'],
    [
      { length: 3, per: 'month', votes: 10 },
      'when they have voted 3 months in a row with at least 10 votes each',
    ],
    [
      { length: 7, repeat: true, forgive: { missed: 1, in: 7 } },
      'when they have voted 7 days in a row (1 of 7 may be missed), and again after each further 7',
    ],
  ],
  allSites: [
    [true, 'when they have voted on every site in one day'],
    [{ atLeast: 2, within: 'week' }, 'when they have voted on at least 2 sites in one week'],
    [{ sites: ['A', 'B', 'C'] }, 'when they have voted on A, B and C in one day'],
    [{ sites: ['A', 'B', 'C'], atLeast: 2 }, 'when they have voted on at least 2 of A, B and C in one day'],
  ],
  weekday: [
    [['sat'], 'on Saturday'],
    [['fri', 'sat', 'sun'], 'on Friday, Saturday or Sunday'],
  ],
  between: [
    [['2026-12-24', '2026-12-27'], 'from 2026-12-24 to 2026-12-27'],
    [['2026-12-24', '2026-12-24'], 'on 2026-12-24'],
  ],
  hours: [['18:00-02:00', 'between 18:00 and 02:00']],
  returning: [['30d', 'when they come back after more than 30 days without a vote']],
  any: [
    [[{ weekday: ['sat'] }, { firstVote: 'day' }], 'either on Saturday or on their first vote of the day'],
    [[{ weekday: ['sat'] }], 'on Saturday'],
    [
      [{ weekday: ['sat'], site: 'A' }, { streak: 7 }],
      'either (on A and on Saturday) or when they have voted 7 days in a row',
    ],
  ],
  not: [
    [{ weekday: ['sat'] }, 'not on Saturday'],
    [{ any: [{ site: 'A' }, { hours: '00:00-06:00' }] }, 'not (either on A or between 00:00 and 06:00)'],
  ],
  chance: [['5%', 'with a chance of 5%']],
};

describe.each(conditionEntries)('the condition %s', (name, { example, phrase: words, schema }) => {
  test.each(PHRASES[name].map(([value, said]) => [JSON.stringify(value), value, said] as const))(
    'says %s in everyday words',
    (_, value, said) => {
      expect(ifPhrases(read({ [name]: value }))).toEqual([said]);
    },
  );

  test('has words for its example that fit into a sentence', () => {
    const said = words(schema(schemaKit).parse(example), () => 'on Saturday');
    expect(said).toMatch(/^(?:on|when|with|from|between|either|not) [^\n]*[^.,]$/);
  });
});

describe('an `if` in one sentence', () => {
  test.each([
    [{}, 'for every vote'],
    [{ site: 'A' }, 'for every vote on A'],
    [{ chance: '5%' }, 'for every vote, with a chance of 5%'],
    [{ weekday: ['sat'], site: 'A', chance: '5%' }, 'for every vote on A, on Saturday, with a chance of 5%'],
    [{ site: 'A', votes: { every: 25 } }, 'on every 25th vote, on A'],
    [{ any: [{ weekday: ['sat'] }, { site: 'A' }] }, 'for every vote either on Saturday or on A'],
    [{ weekday: ['sat'], any: [{ streak: 7 }] }, 'when they have voted 7 days in a row, on Saturday'],
  ])('%j', (written, said) => {
    expect(phrase(written)).toBe(said);
  });
});

test.each([
  [{ per: 'player', count: 1, within: 'day' }, 'at most once a day for each player'],
  [{ per: 'network', count: 3, within: '24h' }, 'at most 3 times in any 24 hours for all players together'],
  [{ per: 'player', count: 1000, within: 'ever' }, 'at most 1,000 times ever for each player'],
] as const)('the limit %j', (limit, said) => {
  expect(limitPhrase(limit)).toBe(said);
});
