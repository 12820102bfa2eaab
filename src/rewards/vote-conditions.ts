/** The conditions that look at the vote alone, and the one that is drawn. */
import { listText } from '../core/list-text.ts';
import { localTime, minuteText, parseMinute } from '../core/local-time.ts';
import { percent } from '../core/percent.ts';
import { parseDay, periodName, weekdayOf } from '../core/period.ts';
import { DEFAULT_SITE } from '../core/service-name.ts';
import type { Vote } from '../core/vote.ts';
import { condition } from './condition.ts';

/** Holds for votes of these entries of `sites`. It may also name a service that shares the entry `default`. */
export const site = condition({
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
  holds: (sites, { vote }) => ({ held: isOneOf(sites, vote), because: {} }),
  explain: { held: () => null, notHeld: () => 'not this site' },
  phrase: (sites) => `on ${listText(sites.map(siteText), 'or')}`,
  sites: (sites) => sites,
});

const siteText = (name: string): string =>
  name === DEFAULT_SITE ? 'any site without an entry of its own' : name;

const isOneOf = (sites: readonly string[], vote: Pick<Vote, 'site' | 'service'>): boolean =>
  sites.includes(vote.site) || sites.includes(vote.service);

/** Whether the reward's `site` allows votes of this site. */
export const isForSite = (
  { if: written }: { readonly if: { readonly site?: readonly string[] | undefined } },
  vote: Pick<Vote, 'site' | 'service'>,
): boolean => written.site === undefined || isOneOf(written.site, vote);

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const WEEKDAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Holds for votes that were cast on these days of the week. */
export const weekday = condition({
  schema: ({ z, distinct }) =>
    distinct(z.enum(WEEKDAYS), 1, 7).describe('Only votes that were cast on these days of the week.'),
  example: ['sat', 'sun'],
  holds: (wanted, { vote }) => {
    const day = weekdayOf(vote.day);
    return { held: wanted.some((name) => WEEKDAYS.indexOf(name) === day), because: { day } };
  },
  explain: { held: () => null, notHeld: ({ day }) => `is ${WEEKDAY_NAMES[day]?.slice(0, 3)}` },
  phrase: (wanted) => {
    const days = wanted.map((day) => WEEKDAY_NAMES[WEEKDAYS.indexOf(day)] ?? day);
    return `on ${listText(days, 'or')}`;
  },
});

/** Holds for votes that were cast on one of the days from one to another, both included. */
export const between = condition({
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
    held: () => null,
    notHeld: ({ first, last, day }) =>
      day < first ? `begins on ${periodName('day', first)}` : `ended on ${periodName('day', last)}`,
  },
  phrase: ([first, last]) =>
    first === last
      ? `on ${periodName('day', first)}`
      : `from ${periodName('day', first)} to ${periodName('day', last)}`,
});

/** Holds for votes that were cast from one time of day to another, which is excluded. It may be past midnight. */
export const hours = condition({
  schema: ({ z, errorSentence }) => {
    const wrong = errorSentence('must be two different times such as "18:00-02:00"');
    const isTime = (minute: number | undefined): boolean => minute !== undefined && !Number.isNaN(minute);
    return z
      .string(wrong)
      .meta({ title: 'hours' })
      .transform((text) => text.split('-').map((time) => parseMinute(time) ?? Number.NaN))
      .refine(([from, to, ...rest]) => isTime(from) && isTime(to) && from !== to && rest.length === 0, wrong)
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
  explain: { held: () => null, notHeld: ({ minute }) => `is ${minuteText(minute)}` },
  phrase: ([from, to]) => `between ${minuteText(from)} and ${minuteText(to)}`,
});

/** Holds if the number drawn for the vote, the reward and the occasion is below a share from 0 (excluded) to 1. */
export const chance = condition({
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
    held: ({ rolled, chance: share }) =>
      rolled === undefined || share === undefined ? null : rolledText(rolled, share),
    notHeld: ({ rolled, chance: share }) => rolledText(rolled, share),
  },
  phrase: (share) => `with a chance of ${percent(share)}`,
});

const rolledText = (rolled: number, share: number): string =>
  `rolled ${percent(rolled)}, needed less than ${percent(share)}`;
