/**
 * Histories with results that were worked out by hand. A name says what the case shows. `paid` lists the occasions that
 * a vote is granted for; rewards that it does not name are not granted. `why` says why not, where that is the point.
 */

import type { Decision, History, OracleEvent, RawFirstOf, RawIf, RawReward, VoteEvent } from './oracle.ts';
import type { RawSite } from './written.ts';

export interface Step {
  readonly event: OracleEvent;
  readonly decision?: Decision;
  readonly paid?: Readonly<Record<string, readonly string[]>>;
  readonly why?: Readonly<Record<string, string>>;
}

interface Start extends Omit<History, 'events'> {
  /** Of each vote, in order; 0 where it is not given. */
  readonly draws?: readonly number[];
}

export interface LiteralCase {
  readonly name: string;
  readonly history: Start;
  readonly steps: readonly Step[];
}

type Cases = Readonly<Record<string, Omit<LiteralCase, 'name'>>>;
type Expected = Omit<Step, 'event'>;
type Rewards = readonly (RawReward | RawFirstOf)[];

/** A vote of Alex on A, received when it was cast. */
function vote(written: string, expected: Expected = {}, facts: Partial<VoteEvent> = {}): Step {
  const castAt = Date.parse(written);
  const alexs = { kind: 'vote', service: 'A', player: 'Alex', castAt, receivedAt: castAt } as const;
  return { event: { ...alexs, ...facts }, ...expected };
}
const on = (service: string, castAt: string, expected: Expected = {}): Step =>
  vote(castAt, expected, { service });
const by = (player: string, castAt: string, expected: Expected = {}): Step =>
  vote(castAt, expected, { player });
const tooOld = (castAt: string, expected: Expected = {}): Step =>
  vote(castAt, { decision: 'too-old', ...expected }, { tooOld: true });
const voided = (number: number): Step => ({ event: { kind: 'void', vote: number } });

const paid = (...occasions: string[]): Expected => ({ paid: { r: occasions } });
const why = (code: string): Expected => ({ why: { r: code } });
const cooldown: Expected = { decision: 'cooldown' };
const unlisted: Expected = { decision: 'unlisted' };

/** At noon in UTC on the days of November 2026. */
const noon = (day: number): string => `2026-11-${String(day).padStart(2, '0')}T12:00:00Z`;
const noons = (from: number, to: number): Step[] =>
  Array.from({ length: to - from + 1 }, (_, index) => vote(noon(from + index)));

const r = (condition: RawIf, more: Partial<RawReward> = {}): RawReward => ({
  name: 'r',
  if: condition,
  commands: ['say hi'],
  ...more,
});
const named = (name: string, condition: RawIf, more: Partial<RawReward> = {}): RawReward =>
  r(condition, { name, ...more });

const EACH_DAY: Readonly<Record<string, RawSite>> = { default: {}, A: { cooldown: 'day' } };
const SHORT: RawSite = { cooldown: '1s' };
const FREE: Readonly<Record<string, RawSite>> = { default: SHORT, A: SHORT, B: SHORT };

const from = (rewards: Rewards, sites = FREE, timeZone = 'UTC'): Start => ({
  startedAt: 0,
  config: { timeZone, sites, rewards },
});
const drawing = (draws: readonly number[], start: Start): Start => ({ ...start, draws });
const given = (history: Start, ...steps: readonly Step[]) => ({ history, steps });
const reload = (
  at: string,
  rewards: Rewards,
  sites: Readonly<Record<string, RawSite>> = FREE,
  timeZone = 'UTC',
): Step => ({
  event: { kind: 'config', at: Date.parse(at), config: { timeZone, sites, rewards } },
});

const BERLIN = 'Europe/Berlin';
const NEW_YORK = 'America/New_York';
const THANKS: Rewards = [r({})];
const ONCE = { per: 'player', count: 1, within: 'ever' } as const;
const DAILY: Rewards = [r({ votes: { every: 1, of: 'day' } })];

const clocks: Cases = {
  'in New York, the days on which daylight saving time begins and ends are one calendar day each': given(
    from(DAILY, EACH_DAY, NEW_YORK),
    vote('2026-03-08T00:00:00-05:00', paid('day 2026-03-08 total 1')),
    vote('2026-03-08T23:59:59-04:00', cooldown),
    vote('2026-03-09T00:00:00-04:00', paid('day 2026-03-09 total 1')),
    vote('2026-11-01T00:00:00-04:00', paid('day 2026-11-01 total 1')),
    vote('2026-11-01T23:59:59-05:00', cooldown),
    vote('2026-11-02T00:00:00-05:00', paid('day 2026-11-02 total 1')),
  ),
  'in New York, a streak goes on over both changes of the clock': given(
    from([r({ streak: 3 })], EACH_DAY, NEW_YORK),
    vote('2026-03-07T23:30:00-05:00'),
    vote('2026-03-08T23:30:00-04:00'),
    vote('2026-03-09T00:10:00-04:00', paid('streak 3 reached 2026-03-09')),
    vote('2026-10-31T23:30:00-04:00'),
    vote('2026-11-01T01:30:00-04:00'),
    vote('2026-11-02T23:30:00-05:00', paid('streak 3 reached 2026-11-02')),
  ),
  'a cooldown of a day that begins at 04:00 in New York ends there, whatever the time zone of the config':
    given(
      from(THANKS, { default: {}, A: { cooldown: 'day 04:00 America/New_York' } }, BERLIN),
      vote('2026-11-20T03:59:59-05:00', paid('')),
      vote('2026-11-20T04:00:00-05:00', paid('')),
      vote('2026-11-21T03:59:59-05:00', cooldown),
      vote('2026-11-21T04:00:00-05:00', paid('')),
    ),
  'a day that begins at 02:30 begins at 03:00 when the clock skips 02:30': given(
    from(THANKS, { default: {}, A: { cooldown: 'day 02:30' } }, BERLIN),
    vote('2026-03-29T01:59:59+01:00', paid('')),
    vote('2026-03-29T03:00:00+02:00', paid('')),
    vote('2026-03-30T02:29:59+02:00', cooldown),
    vote('2026-03-30T02:30:00+02:00', paid('')),
  ),
  'in Cairo, a day whose midnight the clock skips begins at 01:00': given(
    from(DAILY, EACH_DAY, 'Africa/Cairo'),
    vote('2026-04-23T23:59:59+02:00', paid('day 2026-04-23 total 1')),
    vote('2026-04-24T01:00:00+03:00', paid('day 2026-04-24 total 1')),
    vote('2026-04-24T23:59:59+03:00', cooldown),
  ),
  'leap day is a day of its own, in its month and in a streak': given(
    from([r({ streak: 3 }), named('m', { votes: { every: 2, of: 'month' } })], EACH_DAY),
    vote('2028-02-28T12:00:00Z'),
    vote('2028-02-29T12:00:00Z', { paid: { m: ['month 2028-02 total 2'] } }),
    vote('2028-03-01T12:00:00Z', paid('streak 3 reached 2028-03-01')),
    vote('2027-02-28T12:00:00Z'),
    vote('2027-03-01T12:00:00Z'),
  ),
  'a changed time zone gives days to the votes after it, and leaves those before it on their days': given(
    from(DAILY),
    vote('2026-11-20T23:10:00Z', paid('day 2026-11-20 total 1')),
    reload('2026-11-20T23:15:00Z', DAILY, FREE, BERLIN),
    vote('2026-11-20T23:20:00Z', paid('day 2026-11-21 total 1')),
  ),
};

const windows: Cases = {
  'a late vote on the day before is rewarded, even if the first vote of the next day was cast at midnight':
    given(
      from(THANKS, EACH_DAY),
      vote('2026-11-21T00:00:00Z', paid('')),
      vote('2026-11-20T23:59:59Z', paid('')),
      vote('2026-11-20T00:00:00Z', cooldown),
    ),
  'services without an entry share a window, and one that was paid there still holds it after it is listed':
    given(
      from(THANKS, { default: { cooldown: '24h' } }),
      on('B', '2026-11-20T12:00:00Z', paid('')),
      on('C', '2026-11-20T13:00:00Z', unlisted),
      reload('2026-11-20T14:00:00Z', THANKS, { default: {}, B: {} }),
      on('B', '2026-11-20T15:00:00Z', cooldown),
      on('C', '2026-11-20T16:00:00Z', unlisted),
      on('B', '2026-11-21T12:00:00Z', paid('')),
      on('C', '2026-11-21T13:00:00Z', paid('')),
    ),
  'the votes of a service that was paid under default count for its site after it is listed': given(
    from([r({ votes: { every: 2, of: 'site' } })], { default: { cooldown: '1s' } }),
    on('B', noon(20)),
    reload(noon(21), [r({ votes: { every: 2, of: 'site' } })], { default: {}, B: {} }),
    on('B', noon(22), paid('site B total 2')),
  ),
};

const totals: Cases = {
  'a total belongs to the vote whose recording made it, even if votes of other days arrive late': given(
    from([r({ votes: { at: [2, '3..9 step 3'] } })]),
    vote(noon(20)),
    vote(noon(10), paid('total 2')),
    vote(noon(15), paid('total 3')),
    vote(noon(11)),
    vote(noon(21)),
    vote(noon(12), paid('total 6')),
  ),
  'a total of the network that is made again by another player is not paid again': given(
    from([r({ votes: { at: [2], of: 'network' } })]),
    vote(noon(1)),
    vote(noon(2), paid('network 2')),
    voided(0),
    by('Sasha', noon(3), why('occasion-spent')),
  ),
  'ISO weeks around New Year are 2026-W53 up to Sunday and 2027-W01 from Monday': given(
    from([r({ votes: { every: 1, of: 'week' } })]),
    vote('2026-12-27T23:59:59Z', paid('week 2026-W52 total 1')),
    vote('2026-12-28T00:00:00Z', paid('week 2026-W53 total 1')),
    vote('2027-01-03T23:59:59Z', paid('week 2026-W53 total 2')),
    vote('2027-01-04T00:00:00Z', paid('week 2027-W01 total 1')),
  ),
  'the first vote after a voided first vote is not paid again, and one that was never paid is': given(
    from([r({ firstVote: true }), named('weekend', { firstVote: true, weekday: ['sat'] })]),
    vote('2026-11-20T12:00:00Z', { paid: { r: ['total 1'] }, why: { weekend: 'weekday' } }),
    voided(0),
    vote('2026-11-21T12:00:00Z', { paid: { weekend: ['total 1'] }, why: { r: 'occasion-spent' } }),
    vote('2026-11-21T13:00:00Z', { why: { r: 'firstVote' } }),
  ),
  'a vote in the cooldown makes totals only where all votes count': given(
    from([r({ votes: { every: 2 } }), named('thanks', {})], {
      default: {},
      A: { cooldown: 'day', counts: 'all' },
      B: { cooldown: 'day' },
    }),
    vote('2026-11-20T12:00:00Z', { paid: { thanks: [''] } }),
    vote('2026-11-20T13:00:00Z', { ...paid('total 2'), ...cooldown, why: { thanks: 'not-decided' } }),
    on('B', '2026-11-20T14:00:00Z', { paid: { thanks: [''] } }),
    on('B', '2026-11-20T15:00:00Z', { ...cooldown, why: { r: 'not-decided' } }),
    vote('2026-11-20T16:00:00Z', { ...paid('total 4'), ...cooldown }),
  ),
  'a new reward takes the thresholds before it, and counts the votes before it': given(
    from([]),
    vote('2026-11-20T10:00:00Z'),
    vote('2026-11-20T11:00:00Z'),
    reload('2026-11-20T12:00:00Z', [
      r({ votes: { every: 2 } }),
      named('d', { votes: { every: 3, of: 'day' } }),
    ]),
    voided(1),
    vote('2026-11-20T13:00:00Z', why('occasion-spent')),
    vote('2026-11-20T14:00:00Z', { paid: { d: ['day 2026-11-20 total 3'] } }),
    vote('2026-11-20T15:00:00Z', paid('total 4')),
  ),
  'a late vote for a day that ended before the reward began pays nothing for that day': given(
    from([]),
    reload('2026-11-20T12:00:00Z', DAILY),
    vote('2026-11-19T23:59:59Z', why('occasion-spent')),
    vote('2026-11-20T00:00:00Z', paid('day 2026-11-20 total 1')),
  ),
  'a renamed reward keeps its start, its limit and its occasions': given(
    from([r({ firstVote: true }), named('once', {}, { limit: ONCE })]),
    vote(noon(1), { paid: { r: ['total 1'], once: [''] } }),
    voided(0),
    reload(noon(2), [
      named('first', { firstVote: true }, { was: ['r'] }),
      named('only', {}, { was: ['once'], limit: ONCE }),
    ]),
    vote(noon(3), { why: { first: 'occasion-spent', only: 'limit' } }),
  ),
};

const REPEAT_7: Rewards = [r({ streak: { length: 7, repeat: true } })];
const FORGIVING: Rewards = [r({ streak: { length: 7, forgive: { missed: 1, in: 7 } } })];

const streaks: Cases = {
  'a late vote that joins two runs of ten is paid for 14 and 21, and not again for 7': given(
    from(REPEAT_7),
    ...noons(1, 6),
    vote(noon(7), paid('streak 7 reached 2026-11-07')),
    ...noons(8, 10),
    ...noons(12, 17),
    vote(noon(18), paid('streak 7 reached 2026-11-18')),
    ...noons(19, 21),
    vote(noon(11), paid('streak 14 reached 2026-11-14', 'streak 21 reached 2026-11-21')),
    vote(noon(22)),
  ),
  'with one forgiven miss in 7 days, votes on days 3 and 5 to 10 make 7, and a late one for day 1 changes nothing':
    given(
      from(FORGIVING),
      vote(noon(3)),
      ...noons(5, 9),
      vote(noon(10), paid('streak 7 reached 2026-11-10')),
      vote(noon(1)),
      vote(noon(11)),
    ),
  'a threshold that a full limit holds back stays due': given(
    from([
      r({ streak: { length: 2, repeat: true } }, { limit: { per: 'player', count: 1, within: 'week' } }),
    ]),
    vote(noon(16)),
    vote(noon(17), paid('streak 2 reached 2026-11-17')),
    vote(noon(18)),
    vote(noon(19), why('limit')),
    ...noons(20, 22),
    vote(
      noon(23),
      paid('streak 4 reached 2026-11-19', 'streak 6 reached 2026-11-21', 'streak 8 reached 2026-11-23'),
    ),
  ),
  'votes in the cooldown and too old ones go on with a streak and may be paid for it': given(
    from([r({ streak: 3 })], { default: {}, A: { cooldown: '24h' } }),
    vote('2026-11-19T12:00:00Z'),
    vote('2026-11-20T11:00:00Z', cooldown),
    tooOld('2026-11-21T11:00:00Z', paid('streak 3 reached 2026-11-21')),
  ),
  'a vote of another run does not pay what was held back': given(
    from([r({ streak: 3, weekday: ['sat'] })]),
    ...noons(17, 18),
    vote(noon(19), why('weekday')),
    vote(noon(28), why('streak')),
  ),
  'filters alone hold back a vote that only marks its day if they are the arms of an any': given(
    from([r({ streak: 2, any: [{ site: 'A' }] }), named('not', { not: { streak: 9 } })], {
      default: {},
      A: { cooldown: '24h' },
    }),
    vote('2026-11-19T12:00:00Z', { paid: { not: [''] } }),
    vote('2026-11-20T11:00:00Z', { ...cooldown, why: { r: 'any', not: 'not-decided' } }),
    vote('2026-11-20T12:00:00Z', { paid: { r: ['streak 2 reached 2026-11-20'], not: [''] } }),
  ),
  'a streak of several votes a day counts the counted ones': given(
    from([r({ streak: { length: 2, votes: 2 } })]),
    vote('2026-11-20T12:00:00Z'),
    vote('2026-11-20T13:00:00Z'),
    vote('2026-11-21T12:00:00Z'),
    tooOld('2026-11-21T13:00:00Z', why('streak')),
    vote('2026-11-21T14:00:00Z', paid('streak 2 reached 2026-11-21')),
  ),
  'a streak of weeks names its week and goes on over New Year': given(
    from([r({ streak: { length: 3, per: 'week' } })]),
    vote('2026-12-27T12:00:00Z'),
    vote('2026-12-28T12:00:00Z'),
    vote('2027-01-03T12:00:00Z'),
    vote('2027-01-10T12:00:00Z', paid('streak 3 reached 2027-W01')),
  ),
  'a streak of months names its month and goes on over New Year': given(
    from([r({ streak: { length: 3, per: 'month' } })]),
    vote('2026-11-30T12:00:00Z'),
    vote('2026-12-01T12:00:00Z'),
    vote('2027-01-31T12:00:00Z', paid('streak 3 reached 2027-01')),
    vote('2027-03-01T12:00:00Z'),
  ),
  'a voided vote no longer marks its day, and what was paid is not paid again': given(
    from([r({ streak: 3 })]),
    ...noons(1, 2),
    vote(noon(3), paid('streak 3 reached 2026-11-03')),
    voided(1),
    vote(noon(4)),
    vote('2026-11-02T13:00:00Z'),
  ),
  'a voided vote no longer goes on with a run, until another vote marks its day': given(
    from([r({ streak: 3 })]),
    ...noons(1, 2),
    voided(1),
    vote(noon(3), why('streak')),
    vote('2026-11-02T13:00:00Z', paid('streak 3 reached 2026-11-03')),
  ),
  'a new streak takes what was reached on the day of its start, and pays what is reached later on that day':
    given(
      from([]),
      ...noons(1, 3),
      by('Sasha', noon(2)),
      reload('2026-11-03T13:00:00Z', [r({ streak: 3 }), named('two', { streak: 2 })]),
      vote('2026-11-03T14:00:00Z', { why: { r: 'streak', two: 'streak' } }),
      by('Sasha', '2026-11-03T15:00:00Z', { paid: { two: ['streak 2 reached 2026-11-03'] } }),
      vote(noon(4), { why: { r: 'streak', two: 'streak' } }),
    ),
  'a late vote after the start of a streak does not pay for a day that ended before the start': given(
    from([]),
    ...noons(1, 2),
    vote(noon(4)),
    reload(noon(5), [r({ streak: 3 }), named('five', { streak: 5 })]),
    vote(noon(3), { why: { r: 'streak', five: 'streak' } }),
    vote('2026-11-05T13:00:00Z', { paid: { five: ['streak 5 reached 2026-11-05'] }, why: { r: 'streak' } }),
  ),
  'a new streak takes what was reached before it, and is paid for a run that reaches it later': given(
    from([]),
    ...noons(1, 5),
    reload('2026-11-05T13:00:00Z', [r({ streak: { length: 3, repeat: true } })]),
    vote(noon(6), paid('streak 6 reached 2026-11-06')),
    vote(noon(8)),
    vote(noon(7)),
    vote(noon(9), paid('streak 9 reached 2026-11-09')),
  ),
};

const others: Cases = {
  'all sites of a day are there once a vote in the cooldown of the last one arrives, and that vote is paid':
    given(
      from([r({ allSites: true })], { default: {}, A: { cooldown: '24h' }, B: { cooldown: '24h' } }),
      on('B', '2026-11-19T22:00:00Z'),
      vote('2026-11-20T10:00:00Z', why('allSites')),
      on('B', '2026-11-20T21:00:00Z', { ...paid('day 2026-11-20'), ...cooldown }),
      vote('2026-11-20T22:00:00Z', { ...cooldown, ...why('occasion-spent') }),
    ),
  'all sites and a return are not paid for a day that ended before the reward began, but for the day in progress':
    given(
      from([]),
      vote(noon(10)),
      vote(noon(19)),
      on('B', '2026-11-20T10:00:00Z'),
      reload(noon(20), [r({ allSites: true }), named('back', { returning: '3d' })]),
      on('B', '2026-11-19T13:00:00Z', { why: { r: 'occasion-spent', back: 'returning' } }),
      on('B', '2026-11-15T13:00:00Z', { why: { r: 'allSites', back: 'occasion-spent' } }),
      vote('2026-11-20T13:00:00Z', paid('day 2026-11-20')),
    ),
  'without a listed site, all sites never holds': given(
    from([r({ allSites: true })], { default: { cooldown: '1s' } }),
    vote(noon(1), why('allSites')),
  ),
  'votes exactly 24 h apart share no span, and a late vote may not fill a span on either side': given(
    from([r({}, { limit: { per: 'player', count: 2, within: '24h' } })]),
    vote('2026-11-20T12:00:00Z', paid('')),
    vote('2026-11-21T11:00:00Z', paid('')),
    vote('2026-11-21T11:30:00Z', why('limit')),
    vote('2026-11-21T12:00:00Z', paid('')),
    vote('2026-11-20T12:30:00Z', why('limit')),
    vote('2026-11-20T11:00:00Z', paid('')),
  ),
  'prizes go by the threshold reached, and without a match the occasion is spent': given(
    from([
      { name: 'r', if: { votes: { every: 1 } }, prizes: { '1': ['a'], '3..4': ['b'] } },
      named('c', { votes: { every: 2 } }, { prizes: { '2': ['a'] } }),
    ]),
    vote(noon(1), paid('total 1 > prize 1')),
    vote(noon(2), { paid: { c: ['total 2 > prize 2'] }, why: { r: 'prizes' } }),
    voided(1),
    vote(noon(3), { why: { r: 'occasion-spent', c: 'occasion-spent' } }),
    vote(noon(4), paid('total 3 > prize 3..4')),
    vote(noon(5), { paid: { r: ['total 4 > prize 3..4'], c: ['total 4'] } }),
  ),
  'a reward that stops leaves nothing to later ones, and their occasions stay unspent': given(
    drawing([0.9, 0.1, 0.5], from([named('jackpot', { chance: '50%' }, { stop: true }), r({ streak: 2 })])),
    vote(noon(1), { why: { jackpot: 'lost', r: 'streak' } }),
    vote(noon(2), { paid: { jackpot: [''] }, why: { r: 'stop' } }),
    vote(noon(3), { paid: { r: ['streak 2 reached 2026-11-02'] }, why: { jackpot: 'lost' } }),
  ),
  'a lost chance spends the occasion, pays otherwise where there is one, and then counts for a limit and stops':
    given(
      drawing(
        [0.5, 0, 0],
        from([
          named('plain', { chance: '50%', firstVote: true }),
          named('o', { chance: '50%' }, { otherwise: ['say sorry'], stop: true, limit: ONCE }),
          r({}),
        ]),
      ),
      vote(noon(1), { paid: { o: [' > otherwise'] }, why: { plain: 'lost', r: 'stop' } }),
      voided(0),
      vote(noon(2), { paid: { r: [''] }, why: { plain: 'occasion-spent', o: 'limit' } }),
    ),
  'a player returns after more than the absence, by cast time, and never with a first vote': given(
    from([r({ returning: '3d' })]),
    vote(noon(1), why('returning')),
    vote(noon(4), why('returning')),
    vote('2026-11-07T12:00:01Z', paid('return 2026-11-07')),
    vote(noon(20), paid('return 2026-11-20')),
    vote(noon(14), paid('return 2026-11-14')),
    vote(noon(11), paid('return 2026-11-11')),
    vote('2026-11-20T13:00:00Z', why('returning')),
  ),
  'weekdays, dates and hours go by the cast time in the time zone of the config': given(
    from(
      [
        named('w', { weekday: ['sat', 'sun'] }),
        named('b', { between: ['2026-12-24', '2026-12-27'] }),
        named('h', { hours: '18:00-02:00' }),
      ],
      FREE,
      BERLIN,
    ),
    vote('2026-12-23T22:59:59Z', { paid: { h: [''] }, why: { w: 'weekday', b: 'between' } }),
    vote('2026-12-23T23:00:00Z', { paid: { b: [''], h: [''] } }),
    vote('2026-12-27T22:59:59Z', { paid: { w: [''], b: [''], h: [''] } }),
    vote('2026-12-28T01:00:00Z', { why: { w: 'weekday', b: 'between', h: 'hours' } }),
    vote('2026-12-28T17:00:00Z', { paid: { h: [''] } }),
  ),
  'the first arm with an unspent occasion gives it, and several occasions are joined': given(
    from([
      r({ weekday: ['fri'], firstVote: 'day', any: [{ votes: { every: 2 } }, { streak: 2 }] }),
      named('first', { any: [{ firstVote: true }, { votes: { every: 1, of: 'month' } }] }),
    ]),
    vote(noon(19), { paid: { first: ['total 1'] } }),
    vote(noon(20), {
      paid: { r: ['day 2026-11-20 total 1, total 2'], first: ['month 2026-11 total 2'] },
    }),
    voided(0),
    voided(1),
    vote(noon(27), { paid: { first: ['month 2026-11 total 1'] }, why: { r: 'any' } }),
  ),
  'for a vote that only marks its day, arms without a streak or all sites are skipped and filters are read':
    given(
      from(
        [
          r({ any: [{ votes: { every: 1 } }, { streak: 2, hours: '20:00-22:00' }] }),
          named('f', { hours: '20:00-22:00' }),
        ],
        { default: {}, A: { cooldown: '24h' } },
      ),
      vote('2026-11-20T22:00:00Z', { paid: { r: ['total 1'] } }),
      vote('2026-11-21T19:00:00Z', { ...cooldown, why: { r: 'any', f: 'not-decided' } }),
      vote('2026-11-21T21:00:00Z', { ...paid('streak 2 reached 2026-11-21'), ...cooldown }),
    ),
  'a vote from before the start marks nothing and earns nothing': given(
    from([r({ streak: 2 }), named('thanks', {})]),
    vote(noon(1), { decision: 'before-start', why: { thanks: 'not-decided' } }, { beforeStart: true }),
    vote(noon(2), { paid: { thanks: [''] } }),
  ),
};

export const literalCases: readonly LiteralCase[] = Object.entries({
  ...{ ...clocks, ...windows, ...totals, ...streaks, ...others },
}).map(([name, one]) => ({ name, ...one }));
