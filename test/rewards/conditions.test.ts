import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { faultsOf } from '../config/examined.ts';
import { EACH_VOTE, judged, judgedIf } from '../kit/judged.ts';
import { type Cast, DAY, HOUR, june, NOON, reward, SECOND } from '../kit/ledgers.ts';

/** A vote on a date of June 2026, which begins on a Monday, at noon. */
const on = (date: number, more: Partial<Cast> = {}): Cast => ({ at: june(date), ...more });
/** So many votes of one day, two seconds after each other. */
const times = (count: number, date = 1): Cast[] =>
  Array.from({ length: count }, (_, n) => ({ at: june(date) + 2 * n * SECOND }));
const dates = (...of: readonly number[]): Cast[] => of.map((date) => on(date));
const range = (from: number, to: number): Cast[] =>
  dates(...Array.from({ length: to - from + 1 }, (_, n) => from + n));
/** The occasions of the votes that have some, by the number of the vote. */
const given = async (written: object, votes: readonly Cast[], config: object = {}) =>
  Object.fromEntries(
    (await judgedIf(written, votes, config))
      .map((one, at) => [at + 1, one] as const)
      .flatMap(([number, one]) => (Array.isArray(one) ? [[number, one.join()]] : [])),
  );
/** Whether the vote is granted the reward. */
const holds = async (written: object, vote: Cast, config: object = {}) =>
  Array.isArray((await judgedIf(written, [vote], config))[0]);
/** Why the last vote is not granted the reward, as an operator reads it. */
async function whyNot(written: object, votes: readonly Cast[], config: object = {}): Promise<string> {
  const results = await judged({ rewards: [reward('r', { if: written })], ...config }, votes);
  return results.at(-1)?.why.r ?? '';
}

test.each<[object, number, object]>([
  [{ every: 25 }, 51, { 25: 'total 25', 50: 'total 50' }],
  [{ at: [5] }, 11, { 5: 'total 5' }],
  [{ at: [5, '20..40 step 10'] }, 51, { 5: 'total 5', 20: 'total 20', 30: 'total 30', 40: 'total 40' }],
  [{ every: 5, of: 'site' }, 6, { 5: 'site List total 5' }],
  [{ every: 5, of: 'network' }, 6, { 5: 'network 5' }],
])('`votes` %j holds of %i votes for these: %j', async (votes, count, occasions) => {
  expect(await given({ votes }, times(count))).toEqual(occasions);
});

test.each([
  ['day', [...times(2, 1), ...times(2, 2)], { 2: 'day 2026-06-01 total 2', 4: 'day 2026-06-02 total 2' }],
  ['week', dates(1, 7, 8, 9), { 2: 'week 2026-W23 total 2', 4: 'week 2026-W24 total 2' }],
  ['month', dates(1, 30, 31, 32), { 2: 'month 2026-06 total 2', 4: 'month 2026-07 total 2' }],
])('`votes` of a %s counts its votes only', async (of, votes, occasions) => {
  expect(await given({ votes: { at: [2], of } }, votes)).toEqual(occasions);
});

test('`votes` with `sites` counts only votes on them, and a vote on another site reaches nothing', async () => {
  const votes = [on(1), on(2, { on: 'Other' }), on(3), on(4, { on: 'Other' })];
  expect(await given({ votes: { every: 2, sites: ['List'] } }, votes)).toEqual({ 3: 'total 2' });
});

test('`votes` says what the count is', async () => {
  expect(await whyNot({ votes: { every: 25 } }, times(24))).toContain('24');
});

const FIRST_VOTES = [on(1), on(1, { on: 'Other' }), on(2), on(2, { player: 'Alex' })];
test.each<[unknown, object]>([
  [true, { 1: 'total 1', 4: 'total 1' }],
  ['site', { 1: 'site List total 1', 2: 'site Other total 1', 4: 'site List total 1' }],
  ['day', { 1: 'day 2026-06-01 total 1', 3: 'day 2026-06-02 total 1', 4: 'day 2026-06-02 total 1' }],
])('`firstVote` %j holds for these votes: %j', async (firstVote, occasions) => {
  expect(await given({ firstVote }, FIRST_VOTES)).toEqual(occasions);
  expect(await whyNot({ firstVote }, times(2))).toContain('not the first');
});

const FIRST = { 7: 'streak 7 reached 2026-06-08' };
const MISSED = [...range(2, 8), ...range(10, 16)];
const REPEAT = { length: 7, repeat: true };
test.each<[string, unknown, Cast[], object]>([
  ['on its last day, not before and not again', 7, range(2, 9), FIRST],
  ['again after a missed day', 7, MISSED, { ...FIRST, 14: 'streak 7 reached 2026-06-16' }],
  ['once without `repeat`', 7, range(2, 15), FIRST],
  ['for its multiples with it', REPEAT, range(2, 15), { ...FIRST, 14: 'streak 14 reached 2026-06-15' }],
  ['in weeks', { length: 3, per: 'week' }, dates(7, 8, 20), { 3: 'streak 3 reached 2026-W25' }],
  ['not in weeks with a gap', { length: 3, per: 'week' }, dates(7, 20), {}],
  ['in months', { length: 2, per: 'month' }, dates(-10, 20), { 2: 'streak 2 reached 2026-06' }],
])('`streak` is reached %s', async (_, streak, votes, occasions) => {
  expect(await given({ streak }, votes)).toEqual(occasions);
});

test('`streak` that was held back is due with any later vote of its run, for the day that reached it', async () => {
  const votes = [...range(2, 8), on(9, { on: 'Other' })];
  expect(await given({ streak: 7, site: 'Other' }, votes)).toEqual({ 8: 'streak 7 reached 2026-06-08' });
});

test('`streak` says how long the run is and how long it has to be next, or that it was paid before', async () => {
  expect(await whyNot({ streak: 7 }, range(3, 8))).toMatch(/^6 .*7/);
  expect(await whyNot({ streak: REPEAT }, range(3, 10))).toMatch(/^8 .*14/);
  expect(await whyNot({ streak: 7 }, range(3, 10))).toMatch(/^8 .*7 .*before/);
});

const three = { sites: { ...EACH_VOTE, Third: { cooldown: '1s' } } };
const voted = (...services: readonly string[]) =>
  services.map((service, n) => on(1, { on: service, at: NOON + n * HOUR }));

test.each<[unknown, string[], object]>([
  [true, ['List', 'Other', 'Third'], { 3: 'day 2026-06-01' }],
  [true, ['List', 'Third', 'Unlisted'], {}],
  [{ atLeast: 2 }, ['List', 'Third'], { 2: 'day 2026-06-01' }],
  [{ atLeast: 2 }, ['List', 'Unlisted'], {}],
  [{ sites: ['List', 'Other'] }, ['List', 'Other'], { 2: 'day 2026-06-01' }],
  [{ sites: ['List', 'Other'] }, ['List', 'Third'], {}],
  [{ within: 'week' }, ['List', 'Other', 'Third'], { 3: 'week 2026-W23' }],
])('`allSites` %j holds after votes on %j: %j', async (allSites, services, occasions) => {
  expect(await given({ allSites }, voted(...services), three)).toEqual(occasions);
});

test('`allSites` looks at the day of the vote, or at its week from Monday to Sunday', async () => {
  const votes = [on(1), on(7, { on: 'Other' }), on(8)];
  expect(await given({ allSites: { within: 'week' } }, votes)).toEqual({ 2: 'week 2026-W23' });
  expect(await given({ allSites: true }, votes)).toEqual({});
});

test('`allSites` never holds where no entry of `sites` has votes of that kind of recipient, and says which sites are missing', async () => {
  expect(await holds({ allSites: true }, { user: '8035' })).toBe(false);
  expect(await whyNot({ allSites: true }, voted('List'), three)).toMatch(/Other.*Third/);
});

test.each([
  ['List', 'List', true],
  [['Other', 'List'], 'List', true],
  [['Other', 'default'], 'List', false],
  ['default', 'Unlisted', true],
])('`site` %j for a vote on %s is %j', async (site, service, held) => {
  expect(await holds({ site }, { on: service })).toBe(held);
});

test.each([
  [{ weekday: ['sat', 'sun'] }, june(5), false, 'Fri'],
  [{ weekday: ['sat', 'sun'] }, june(6), true, ''],
  [{ weekday: ['sat', 'sun'] }, june(7), true, ''],
  [{ weekday: ['sat', 'sun'] }, june(8), false, 'Mon'],
  [{ between: ['2026-12-24', '2026-12-27'] }, Date.UTC(2026, 11, 23, 23), false, '2026-12-24'],
  [{ between: ['2026-12-24', '2026-12-27'] }, Date.UTC(2026, 11, 24), true, ''],
  [{ between: ['2026-12-24', '2026-12-27'] }, Date.UTC(2026, 11, 27, 23), true, ''],
  [{ between: ['2026-12-24', '2026-12-27'] }, Date.UTC(2026, 11, 28), false, '2026-12-27'],
  [{ hours: '18:00-20:00' }, june(1, 18) - 1, false, '17:59'],
  [{ hours: '18:00-20:00' }, june(1, 18), true, ''],
  [{ hours: '18:00-20:00' }, june(1, 20) - 1, true, ''],
  [{ hours: '18:00-20:00' }, june(1, 20), false, '20:00'],
  [{ hours: '18:00-02:00' }, june(1, 23, 30), true, ''],
  [{ hours: '18:00-02:00' }, june(2, 2) - 1, true, ''],
  [{ hours: '18:00-02:00' }, june(2, 2), false, '02:00'],
  [{ hours: '18:00-00:00' }, june(1, 23, 59), true, ''],
  [{ hours: '18:00-00:00' }, june(2, 0), false, '00:00'],
])('%j at %d is %j, and says %s', async (written, at, held, said) => {
  expect(await judgedIf(written, [{ at }])).toEqual([held ? [] : Object.keys(written)[0]]);
  if (!held) expect(await whyNot(written, [{ at }])).toContain(said);
});

test('the hours are those of the time zone, on both sides of a change to daylight saving', async () => {
  const berlin = { timeZone: 'Europe/Berlin' };
  const cases = [
    ['02:00-03:00', Date.UTC(2026, 2, 28, 1, 30)],
    ['03:00-04:00', Date.UTC(2026, 2, 29, 1, 30)],
    // The hour from 02:00 to 03:00 comes twice.
    ['02:00-03:00', Date.UTC(2026, 9, 25, 0, 30)],
    ['02:00-03:00', Date.UTC(2026, 9, 25, 1, 30)],
  ] as const;
  for (const [hours, at] of cases) expect(await holds({ hours }, { at }, berlin), hours).toBe(true);
});

test('`returning` holds for a player whose last vote was longer ago than the duration, on the day of the vote', async () => {
  const returned = (ms: number) => [{ at: NOON }, { at: NOON + ms }];
  expect(await given({ returning: '20d' }, returned(20 * DAY + 1))).toEqual({ 2: 'return 2026-06-21' });
  expect(await given({ returning: '20d' }, returned(20 * DAY))).toEqual({});
  expect(await whyNot({ returning: '20d' }, returned(9 * DAY))).toMatch(/9 ?d.*20 ?d/);
  expect(await whyNot({ returning: '20d' }, [{}])).toContain('first');
});

const SATURDAY = june(6);

test('`any` holds if one of its arms does, with its occasion', async () => {
  const weekendOrFifth = { any: [{ weekday: ['sat', 'sun'] }, { votes: { every: 5 } }] };
  const found = await judgedIf(weekendOrFifth, [{ at: SATURDAY }, ...range(8, 11)]);
  expect(found).toEqual([[], ...Array(3).fill('any'), ['total 5']]);
  expect(await whyNot(weekendOrFifth, range(1, 4))).toMatch(/is Thu.*4/);
});

test('`not` holds if what it excludes does not hold as a whole, and gives no occasion', async () => {
  const noSaturday = { not: { weekday: ['sat'] } };
  expect(await judgedIf(noSaturday, [{ at: SATURDAY }, { at: june(7) }])).toEqual(['not', []]);
  const both = { not: { weekday: ['sat'], firstVote: true } };
  expect(await judgedIf(both, [{ at: SATURDAY }, { at: SATURDAY + HOUR }])).toEqual(['not', []]);
  expect(await judgedIf({ not: { not: { firstVote: true } } }, [{}])).toEqual([[]]);
  expect(await whyNot(noSaturday, [{ at: SATURDAY }])).toContain('excludes');
});

/** The faults of an `if`, each as code and path below it, in a config with the site `List`. */
const faultsOfIf = async (written: object): Promise<readonly string[]> => {
  const one = { name: 'thanks', when: 'always', if: written, commands: ['say hi'] };
  const faults = await faultsOf({ sites: { List: {} }, rewards: [one] });
  return faults.map((fault) => fault.replace('rewards[0].if.', ''));
};

test.each<[object, string]>([
  [{ votes: {} }, 'config-value votes'],
  [{ votes: { every: 2, at: [3] } }, 'config-value votes'],
  [{ votes: { every: 0 } }, 'config-value votes.every'],
  [{ votes: { at: ['5..50'] } }, 'config-value votes.at[0]'],
  [{ votes: { at: ['50..5 step 5'] } }, 'config-value votes.at[0]'],
  [{ votes: { at: ['5..50 step 0'] } }, 'config-value votes.at[0]'],
  [{ votes: { at: [] } }, 'config-value votes.at'],
  [{ votes: { every: 5, of: 'year' } }, 'config-value votes.of'],
  [{ votes: { every: 5, sites: ['Nowhere'] } }, 'config-unknown-name votes'],
  [{ votes: { every: 5, sites: ['default'] } }, 'config-value votes.sites[0]'],
  [{ firstVote: false }, 'config-value firstVote'],
  [{ firstVote: 'week' }, 'config-value firstVote'],
  [{ streak: 1 }, 'config-value streak'],
  [{ streak: '7' }, 'config-value streak'],
  [{ streak: { length: 7, per: 'year' } }, 'config-value streak.per'],
  [{ streak: { length: 7, peer: 'day' } }, 'config-unknown-key streak.peer'],
  [{ streak: { length: 7, forgive: { missed: 7, in: 7 } } }, 'config-value streak.forgive'],
  [{ streak: { length: 7, votes: 0 } }, 'config-value streak.votes'],
  [{ allSites: false }, 'config-value allSites'],
  [{ allSites: { atLeast: 0 } }, 'config-value allSites.atLeast'],
  [{ allSites: { atLeast: 2, sites: ['List'] } }, 'config-value allSites.atLeast'],
  [{ allSites: { within: 'month' } }, 'config-value allSites.within'],
  [{ allSites: { sites: ['Nowhere'] } }, 'config-unknown-name allSites'],
  [{ allSites: { sites: ['default'] } }, 'config-value allSites.sites[0]'],
  [{ weekday: [] }, 'config-value weekday'],
  [{ weekday: ['sunday'] }, 'config-value weekday[0]'],
  [{ weekday: ['sat', 'sat'] }, 'config-value weekday'],
  [{ between: ['2026-12-27', '2026-12-24'] }, 'config-value between'],
  [{ between: ['2026-02-29', '2026-03-01'] }, 'config-value between'],
  [{ between: ['24.12.2026', '27.12.2026'] }, 'config-value between'],
  [{ between: ['2026-12-24'] }, 'config-value between'],
  ...['18:00-18:00', '18:00', '18-20', '18:00-24:00', '18:00-19:60', '18:00-19:00-20:00', 18].map(
    (hours): [object, string] => [{ hours }, 'config-value hours'],
  ),
  ...['30', '59m', '3661d', 30].map((of): [object, string] => [{ returning: of }, 'config-value returning']),
  [{ any: [] }, 'config-value any'],
  [{ any: [{}] }, 'config-value any[0]'],
  [{ any: [{ chance: '5%' }] }, 'config-unknown-key any[0].chance'],
  [{ any: [{ site: 'Nowhere' }] }, 'config-unknown-name any'],
  [{ any: [{ any: [{ not: { any: [{ streak: 7 }] } }] }] }, 'config-unknown-key any[0].any[0].not.any'],
  [{ not: {} }, 'config-value not'],
  [{ not: { chance: '5%' } }, 'config-unknown-key not.chance'],
  [{ not: { site: 'Nowhere' } }, 'config-unknown-name not'],
  [{ not: { not: { not: { not: { weekday: ['sat'] } } } } }, 'config-unknown-key not.not.not.not'],
])('a config with the `if` %j is refused: %s', async (written, fault) => {
  expect(await faultsOfIf(written)).toEqual([fault]);
});

test('a config may name the leap day, and its own sites within `any`', async () => {
  expect(await faultsOfIf({ between: ['2028-02-29', '2028-02-29'], any: [{ site: 'List' }] })).toEqual([]);
});

const page = readFileSync('docs/operators/rewards.md', 'utf8');
/** The rows of its table of conditions. */
const EXAMPLES = [...page.matchAll(/^\| `"if": (\{ .* \})` \| (.*) \|$/gm)];

test('the page for operators describes each condition, with an example that a config accepts and a vote is judged by', async () => {
  const names: string[] = [];
  for (const [, example = '', description] of EXAMPLES) {
    const written = JSON.parse(example);
    names.push(...Object.keys(written));
    expect(description).toMatch(/^[A-Z].*\.$/);
    expect(await whyNot(written, [{}], { sites: { default: {}, List: {}, 'My-List.com': {} } })).toMatch(
      /^[^\n]{1,60}$/,
    );
  }
  expect(names).toEqual([
    ...['site', 'votes', 'firstVote', 'streak', 'allSites', 'weekday', 'between', 'hours'],
    ...['returning', 'any', 'not', 'chance'],
  ]);
});

test('a reason says in a few words why a vote was not granted a reward', async () => {
  expect(await whyNot({ site: 'Other' }, [{}])).toBe('not this site');
  const decided = 'already decided for day 2026-06-01';
  expect(await whyNot({ allSites: { sites: ['List'] } }, times(2))).toBe(decided);
  const limited = async (per: string, within: string) =>
    (await judged({ rewards: [reward('r', { limit: { per, count: 3, within } })] }, times(4))).at(-1)?.why.r;
  expect(await limited('player', 'day')).toBe('3 of 3 today');
  expect(await limited('network', 'ever')).toBe('3 of 3 for all players');
  // A vote within the cooldown is looked at for the streak alone.
  const arms = { any: [{ votes: { every: 1 }, streak: 2 }] };
  expect(await whyNot(arms, [{ at: june(1) }, { at: june(1, 13) }], { sites: { List: {} } })).toContain(
    'this vote enters no total',
  );
});
