/** How `rewards list` says a condition or a limit: "Players get it …". */
import { expect, test } from 'vitest';
import { desk } from '../kit/place.ts';

const SITES = { default: {}, A: {}, B: {}, C: {}, 'My-List.com': {} };

/** The sentences about each of these rewards, in one config. */
async function sentencesOf(rewards: readonly object[]): Promise<readonly (readonly string[])[]> {
  const named = rewards.map((one, at) => ({ name: `reward ${at}`, commands: ['say hi'], ...one }));
  const { json, err } = await desk({ rewards: named, sites: SITES }).run('rewards', 'list', '--json');
  if (json === null) throw new Error(err);
  return json
    .filter(({ kind }: { kind: string }) => kind === 'reward')
    .map(({ when }: { when: readonly string[] }) => when);
}

/** The values of each condition, and what they are in everyday words. */
const ABC = ['A', 'B', 'C'];
const SATURDAY = { weekday: ['sat'] };
const PHRASES: readonly (readonly [object, string])[] = [
  [{}, 'for every vote'],
  [{ site: 'My-List.com' }, 'for every vote on My-List.com'],
  [{ site: ['A', 'B', 'default'] }, 'for every vote on A, B or any site without an entry of its own'],
  [{ votes: { every: 25 } }, 'on every 25th vote'],
  [{ votes: { every: 1 } }, 'on every vote'],
  [{ votes: { every: 1000, of: 'network' } }, 'on every 1,000th vote of all players together'],
  [{ votes: { at: [60], of: 'month', sites: ['A', 'B'] } }, 'on the 60th vote of the month on A or B'],
  [{ votes: { at: [5, 10, '50..200 step 50'] } }, 'on the 5th, 10th, 50th, 100th, 150th or 200th vote'],
  [{ votes: { at: [3, '50..2000 step 50'] } }, 'on the 3rd, or each 50th from the 50th to the 2,000th vote'],
  [
    { votes: { at: ['101..120 step 1'], of: 'site' } },
    'on each from the 101st to the 120th vote on the same site',
  ],
  [{ firstVote: true }, 'on their first vote'],
  [{ firstVote: 'site' }, 'on their first vote on a site'],
  [{ firstVote: 'day' }, 'on their first vote of the day'],
  [{ streak: 7 }, 'when they have voted 7 days in a row'],
  [
    { streak: { length: 3, per: 'month', votes: 10 } },
    'when they have voted 3 months in a row with at least 10 votes each',
  ],
  [
    { streak: { length: 7, repeat: true, forgive: { missed: 1, in: 7 } } },
    'when they have voted 7 days in a row (1 of 7 may be missed), and again after each further 7',
  ],
  [{ allSites: true }, 'when they have voted on every site in one day'],
  [{ allSites: { atLeast: 2, within: 'week' } }, 'when they have voted on at least 2 sites in one week'],
  [{ allSites: { sites: ABC } }, 'when they have voted on A, B and C in one day'],
  [{ allSites: { sites: ABC, atLeast: 2 } }, 'when they have voted on at least 2 of A, B and C in one day'],
  [{ weekday: ['sat'] }, 'for every vote on Saturday'],
  [{ weekday: ['fri', 'sat', 'sun'] }, 'for every vote on Friday, Saturday or Sunday'],
  [{ between: ['2026-12-24', '2026-12-27'] }, 'for every vote from 2026-12-24 to 2026-12-27'],
  [{ between: ['2026-12-24', '2026-12-24'] }, 'for every vote on 2026-12-24'],
  [{ hours: '18:00-02:00' }, 'for every vote between 18:00 and 02:00'],
  [{ returning: '30d' }, 'when they come back after more than 30 days without a vote'],
  [{ any: [SATURDAY, { firstVote: 'day' }] }, 'either on Saturday or on their first vote of the day'],
  [{ any: [{ weekday: ['sat'] }] }, 'for every vote on Saturday'],
  [
    { any: [{ ...SATURDAY, site: 'A' }, { streak: 7 }] },
    'either (on A and on Saturday) or when they have voted 7 days in a row',
  ],
  [{ not: { weekday: ['sat'] } }, 'for every vote not on Saturday'],
  [
    { not: { any: [{ site: 'A' }, { hours: '00:00-06:00' }] } },
    'for every vote not (either on A or between 00:00 and 06:00)',
  ],
  [{ chance: '5%' }, 'for every vote, with a chance of 5%'],
  [{ weekday: ['sat'], site: 'A', chance: '5%' }, 'for every vote on A, on Saturday, with a chance of 5%'],
  [{ site: 'A', votes: { every: 25 } }, 'on every 25th vote, on A'],
  [{ weekday: ['sat'], any: [{ streak: 7 }] }, 'when they have voted 7 days in a row, on Saturday'],
];

test('an `if` is said in one sentence, which begins with what decides which vote it is', async () => {
  const said = await sentencesOf(PHRASES.map(([written]) => ({ if: written })));
  expect(said).toEqual(PHRASES.map(([, phrase]) => [`Players get it ${phrase}.`]));
});

test.each([
  [{ per: 'player', count: 1, within: 'day' }, 'at most once a day for each player'],
  [{ per: 'network', count: 3, within: '24h' }, 'at most 3 times in any 24 hours for all players together'],
  [{ per: 'player', count: 1000, within: 'ever' }, 'at most 1,000 times ever for each player'],
])('the limit %j is said as "%s"', async (limit, said) => {
  expect((await sentencesOf([{ limit }]))[0]?.[1]).toBe(`They get it ${said}.`);
});
