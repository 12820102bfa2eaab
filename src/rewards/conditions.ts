/** All conditions of an `if`. A new one is one entry here; what it needs of its own stands below them, or in a file of its own. */
import type { z } from 'zod';
import { durationText, durationWords } from '../core/duration.ts';
import { countText, listText } from '../core/list-text.ts';
import { localTime, minuteText, parseMinute } from '../core/local-time.ts';
import { percent } from '../core/percent.ts';
import { daysOf, parseDay, periodName, periodOf, weekdayOf } from '../core/period.ts';
import type { Facts } from '../core/reason.ts';
import { DEFAULT_SITE } from '../core/service-name.ts';
import type { Vote } from '../core/vote.ts';
import { type Condition, condition, periodOccasion, type Verdict } from './condition.ts';
import { streak } from './streaks.ts';
import { firstVote, votes } from './vote-counts.ts';

/**
 * Every condition, by its key in `if`. They are checked in this order, and join their occasions in it; the first one that does not
 * hold is the reason why the reward was not granted.
 */
export const conditions = {
  /** Holds for votes of these entries of `sites`. It may also name a service that shares the entry `default`. */
  site: condition({
    schema: ({ z, distinct, serviceName }) => {
      const oneSite = serviceName.meta({ title: 'site' });
      return z
        .union([oneSite, distinct(oneSite, 1, 100)], {
          error: 'must be a key of `sites`, or a list of such keys',
        })
        .meta({ title: 'site or list of sites' })
        .transform((written) => (typeof written === 'string' ? [written] : written))
        .describe('Only votes on these entries of `sites`. Without it: every vote.');
    },
    example: 'My-List.com',
    mayHold: (sites, about) => isOneOf(sites, about),
    holds: (sites, { vote }) => ({ held: isOneOf(sites, vote) }),
    explain: { notHeld: () => 'not this site' },
    phrase: (sites) => {
      const names = sites.map((name) =>
        name === DEFAULT_SITE ? 'any site without an entry of its own' : name,
      );
      return `on ${listText(names, 'or')}`;
    },
    sites: (sites) => sites,
  }),

  votes,
  firstVote,
  streak,

  /** Holds if the player has voted on all sites, or on enough of them, in one day or week. */
  allSites: condition({
    schema: ({ z, section, distinct, listedService, wholeNumber }) => {
      const detailed = section({
        atLeast: wholeNumber(1, 100).optional().describe('How many of the sites are enough. Default: all.'),
        sites: distinct(listedService, 1, 100)
          .optional()
          .describe('The sites. Default: every entry of `sites` except `default`.'),
        within: z.enum(['day', 'week']).default('day').describe('The period in which the votes were cast.'),
      }).refine(({ atLeast = 0, sites }) => sites === undefined || atLeast <= sites.length, {
        path: ['atLeast'],
        error: 'must not be more than the number of `sites`',
      });
      return z
        .union([z.literal(true), detailed], { error: 'must be true, or { "atLeast", "sites", "within" }' })
        .transform((written): WantedSites => (written === true ? { within: 'day' } : written))
        .meta({ title: 'true or section' })
        .describe('Paid once a day, or week, when the player has voted on every site.');
    },
    example: true,
    decidedFor: 'marked',
    period: ({ within }) => within,
    needs: ({ within }, { day }) => [{ fact: 'services', days: daysOf(within, periodOf(within, day)) }],
    holds: (wanted, { vote, history, listed }): Verdict<MissingSites> => {
      const { within, sites = listed } = wanted;
      const period = periodOf(within, vote.day);
      const days = daysOf(within, period);
      const voted = history.servicesOn(days);
      const missing = sites.filter((each) => !voted.has(each)).slice(0, MISSING_SHOWN);
      if (!isEnough(wanted, sites, voted)) return { held: false, because: { missing } };
      if (
        !history.isSinceChange(within, period) &&
        isEnough(wanted, sites, history.before().servicesOn(days))
      )
        return { held: false, because: { missing, before: true } };
      return { held: true, ways: [[periodOccasion(within, period)]] };
    },
    explain: {
      notHeld: ({ missing, before }) => {
        if (before === true) return 'every site was voted on before';
        return missing.length === 0 ? 'no site to vote on' : `missing: ${missing.join(', ')}`;
      },
    },
    phrase: ({ within, sites, atLeast }) => {
      const all = sites === undefined ? 'every site' : listText(sites, 'and');
      const some = sites === undefined ? countText(atLeast ?? 0, 'site') : `${atLeast} of ${all}`;
      const isAll = atLeast === undefined || atLeast === sites?.length;
      return `when they have voted on ${isAll ? all : `at least ${some}`} in one ${within}`;
    },
    sites: ({ sites = [] }) => sites,
  }),

  /** Holds for votes that were cast on these days of the week. */
  weekday: condition({
    schema: ({ z, distinct }) =>
      distinct(z.enum(WEEKDAYS), 1, 7).describe('Only votes that were cast on these days of the week.'),
    example: ['sat', 'sun'],
    holds: (wanted, { vote }) => {
      const day = weekdayOf(vote.day);
      return { held: wanted.some((name) => WEEKDAYS.indexOf(name) === day), because: { day } };
    },
    explain: { notHeld: ({ day }) => `is ${WEEKDAY_NAMES[day]?.slice(0, 3)}` },
    phrase: (wanted) => {
      const days = wanted.map((day) => WEEKDAY_NAMES[WEEKDAYS.indexOf(day)] ?? day);
      return `on ${listText(days, 'or')}`;
    },
  }),

  /** Holds for votes that were cast on one of the days from one to another, both included. */
  between: condition({
    schema: ({ z, errorSentence }) => {
      const wrong = errorSentence(
        'must be two dates such as ["2026-12-24", "2026-12-27"], the first not after the second',
      );
      return z
        .tuple([z.string(wrong), z.string(wrong)], wrong)
        .meta({ title: 'two dates' })
        .transform((dates) => dates.map((date) => parseDay(date) ?? Number.NaN) as [number, number])
        .refine(([first, last]) => first <= last, wrong)
        .describe('Only votes that were cast on the days from one date to another, both included.');
    },
    example: ['2026-12-24', '2026-12-27'],
    holds: ([first, last], { vote: { day } }) => ({
      held: day >= first && day <= last,
      because: { first, last, day },
    }),
    explain: {
      notHeld: ({ first, last, day }) =>
        day < first ? `begins on ${periodName('day', first)}` : `ended on ${periodName('day', last)}`,
    },
    phrase: ([first, last]) =>
      first === last
        ? `on ${periodName('day', first)}`
        : `from ${periodName('day', first)} to ${periodName('day', last)}`,
  }),

  /** Holds for votes that were cast from one time of day to another, which is excluded. It may be past midnight. */
  hours: condition({
    schema: ({ z, errorSentence }) => {
      const wrong = errorSentence('must be two different times such as "18:00-02:00"');
      const isTime = (minute: number | undefined): boolean => minute !== undefined && !Number.isNaN(minute);
      return z
        .string(wrong)
        .meta({ title: 'hours' })
        .transform((text) => text.split('-').map((time) => parseMinute(time) ?? Number.NaN))
        .refine(
          ([from, to, ...rest]) => isTime(from) && isTime(to) && from !== to && rest.length === 0,
          wrong,
        )
        .transform((times) => times as [number, number])
        .describe(
          'Only votes that were cast at this time of day; the end is excluded, and may be past midnight.',
        );
    },
    example: '18:00-02:00',
    holds: ([from, to], { vote: { castAt, zone } }) => {
      const { minute } = localTime(castAt, zone);
      const held = from < to ? minute >= from && minute < to : minute >= from || minute < to;
      return { held, because: { minute } };
    },
    explain: { notHeld: ({ minute }) => `is ${minuteText(minute)}` },
    phrase: ([from, to]) => `between ${minuteText(from)} and ${minuteText(to)}`,
  }),

  /** Holds if the player's last counted vote was cast longer ago than a duration; never for a first vote. */
  returning: condition({
    schema: ({ duration }) =>
      duration('1h', '3660d').describe('Paid to a player whose last vote was longer ago than this.'),
    example: '30d',
    decidedFor: 'rewarded',
    period: () => 'day',
    needs: () => [{ fact: 'last-counted' }],
    holds: (afterMs, { vote, history }) => {
      const last = history.lastCounted();
      const awayMs = last === null ? null : vote.castAt - last;
      const because = { awayMs, afterMs };
      if (awayMs === null || awayMs <= afterMs) return { held: false, because };
      return { held: true, because, ways: [[periodOccasion('return', vote.day)]] };
    },
    explain: {
      held: ({ awayMs }) => (typeof awayMs === 'number' ? `away for ${durationText(awayMs)}` : null),
      notHeld: ({ awayMs, afterMs }) =>
        awayMs === null
          ? 'a first vote'
          : `away for ${durationText(awayMs)}, needed more than ${durationText(afterMs)}`,
    },
    phrase: (afterMs) => `when they come back after more than ${durationWords(afterMs)} without a vote`,
  }),

  /** Holds if one of several `if` holds; the first of them whose occasion was not granted yet gives it. */
  any: condition({
    schema: ({ list, nestedIf }) =>
      list(nestedIf(), 1, ARMS_MAX)
        .meta({ title: 'list of `if`' })
        .describe('At least one of these has to hold; each is written like an `if`, without `chance`.'),
    example: [{ weekday: ['sat'] }, { firstVote: 'day' }],
    holds: (arms, judging): Verdict<{ readonly arms: readonly string[] }> => {
      const { vote, nested } = judging;
      const decided = arms.filter(
        (arm) => vote.standing === 'rewarded' || nested.isDecided(arm, vote.standing),
      );
      const judged = decided.map((arm) => nested.judge(arm, judging));
      const held = judged.filter((each) => each.held);
      if (held.length > 0) return { held: true, ways: held.flatMap(({ ways }) => ways) };
      const lost = judged.filter((each) => !each.held);
      return {
        held: false,
        because: { arms: lost.map(({ sentence }) => sentence) },
        // The reason only if it is that of all of them.
        beforeStart: lost.every((each) => each.beforeStart !== undefined) ? lost[0]?.beforeStart : undefined,
      };
    },
    explain: { notHeld: ({ arms }) => (arms.length === 0 ? 'none applies' : arms.join('; ')) },
    phrase: (arms, nested) => `${arms.length > 1 ? 'either ' : ''}${listText(arms.map(nested), 'or')}`,
    nested: (arms) => arms,
  }),

  /** Holds if an `if` does not hold. It gives no occasion. */
  not: condition({
    schema: ({ nestedIf }) =>
      nestedIf()
        .meta({ title: 'if' })
        .describe('This must not hold; it is written like an `if`, without `chance`.'),
    example: { weekday: ['sat'] },
    holds: (written, judging) => ({ held: !judging.nested.judge(written, judging).held }),
    explain: { notHeld: () => 'what it excludes holds' },
    phrase: (written, nested) => `not ${nested(written)}`,
    nested: (written) => [written],
  }),

  /** Holds if the number drawn for the vote, the reward and the occasion is below a share from 0 (excluded) to 1. */
  chance: condition({
    schema: ({ z, errorSentence }) => {
      const wrong = errorSentence(
        'must be a chance above "0%" and up to "100%", in quotes and with its percent sign',
      );
      return z
        .string(wrong)
        .regex(/^\d{1,3}(\.\d{1,6})?%$/, wrong)
        .meta({ title: 'chance' })
        .transform((text) => Number.parseFloat(text) / 100)
        .refine((share) => share > 0 && share <= 1, wrong)
        .describe(
          'Paid with this probability, such as "5%". Without it: always. It is drawn once everything else holds; a lost chance spends its occasion.',
        );
    },
    example: '5%',
    isDrawn: true,
    holds: (share, { draw }) => {
      const rolled = draw();
      return { held: rolled < share, because: { chance: share, rolled } };
    },
    explain: {
      held: ({ rolled, chance }) =>
        rolled === undefined || chance === undefined ? null : rolledText(rolled, chance),
      notHeld: ({ rolled, chance }) => rolledText(rolled, chance),
    },
    phrase: (share) => `with a chance of ${percent(share)}`,
  }),
};

export type ConditionName = keyof typeof conditions;

/** The `if` of a reward after loading. */
export type If = {
  readonly [Name in ConditionName]?: z.output<ReturnType<(typeof conditions)[Name]['schema']>> | undefined;
};

/** Any condition. */
export type AnyCondition = Condition<z.ZodType, Facts>;

export const conditionEntries = Object.entries(conditions) as unknown as readonly (readonly [
  ConditionName,
  AnyCondition,
])[];

/** Those that choose votes, rather than rewards: they look at the vote only. Those that combine others do if the others do. */
export const filterEntries = conditionEntries.filter(
  ([, { decidedFor, isDrawn }]) => decidedFor === undefined && isDrawn === undefined,
);

const isOneOf = (sites: readonly string[], vote: Pick<Vote, 'site' | 'service'>): boolean =>
  sites.includes(vote.site) || sites.includes(vote.service);

/** Whether the reward's `site` allows votes of this site. */
export const isForSite = (
  { if: written }: { readonly if: Pick<If, 'site'> },
  vote: Pick<Vote, 'site' | 'service'>,
): boolean => written.site === undefined || isOneOf(written.site, vote);

const MISSING_SHOWN = 3;

/** `allSites` after loading. */
interface WantedSites {
  readonly within: 'day' | 'week';
  readonly sites?: readonly string[] | undefined;
  readonly atLeast?: number | undefined;
}

/** `before`: none was missing without the vote either. */
type MissingSites = { readonly missing: readonly string[]; readonly before?: boolean };

const isEnough = ({ atLeast }: WantedSites, sites: readonly string[], voted: ReadonlySet<string>): boolean =>
  sites.length > 0 && sites.filter((each) => voted.has(each)).length >= (atLeast ?? sites.length);

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const WEEKDAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const ARMS_MAX = 10;

const rolledText = (rolled: number, share: number): string =>
  `rolled ${percent(rolled)}, needed less than ${percent(share)}`;
