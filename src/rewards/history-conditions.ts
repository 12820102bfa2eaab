/** The conditions that depend on earlier votes, except for streaks: counts, all sites, and who comes back. */
import { durationText, durationWords } from '../core/duration.ts';
import { countText as countedText, listText, ordinal } from '../core/list-text.ts';
import { occasion } from '../core/occasion.ts';
import { daysOf, type Per, periodName, periodOf } from '../core/period.ts';
import {
  condition,
  type Judging,
  periodOccasion,
  type SchemaKit,
  type Verdict,
  type VoteKind,
} from './condition.ts';
import type { CountScope, Need } from './history.ts';

/** Which votes are counted: all of the recipient, those on the vote's service or in its period, or all of the network. */
const COUNTED_OF = ['total', 'site', 'day', 'week', 'month', 'network'] as const;
type CountedOf = (typeof COUNTED_OF)[number];

/** Numbers from one to another, in steps. */
interface Numbers {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** A count, and which values of it are wanted. */
interface WantedCount {
  readonly of: CountedOf;
  /** Only votes on these services are counted. Absent: on all. */
  readonly sites?: readonly string[] | undefined;
  readonly numbers: readonly Numbers[];
}

type Counted = { readonly count: number; readonly next: number | null; readonly of: CountedOf };

const isPeriod = (of: CountedOf): of is Per => of === 'day' || of === 'week' || of === 'month';

function scopeOf(
  { of, sites }: WantedCount,
  { service, day }: Pick<VoteKind, 'service' | 'day'>,
): CountScope {
  if (of === 'network') return { of, services: sites };
  if (of === 'site') return { of: 'recipient', services: [service] };
  const days = isPeriod(of) ? { days: daysOf(of, periodOf(of, day)) } : {};
  return { of: 'recipient', ...days, services: sites };
}

function countNeeds(wanted: WantedCount, about: VoteKind): readonly Need[] {
  const { of, days, services } = scopeOf(wanted, about);
  if (of === 'network') return [{ fact: 'network', services }];
  if (days !== undefined) return [{ fact: 'count', days, services }];
  return services === undefined ? [] : [{ fact: 'total', services }];
}

/** Holds if this vote makes a count reach a wanted value. */
function countVerdict(wanted: WantedCount, { vote, history, reward }: Judging): Verdict<Counted> {
  const { of, sites, numbers } = wanted;
  const isIncluded = sites === undefined || sites.includes(vote.service);
  const scope = scopeOf(wanted, vote);
  const count = history.count(scope);
  const because = { count, next: nextIn(numbers, count), of };
  if (!isIncluded || because.next !== count) return { held: false, because };
  const reached = {
    isNetworks: of === 'network',
    reachedBefore: reward.reachedBefore(scope),
    threshold: count,
  };
  const counted = of === 'site' ? `site ${vote.service} total` : of;
  const name = isPeriod(of) ? `${of} ${periodName(of, periodOf(of, vote.day))} total` : counted;
  return { held: true, because: {} as Counted, ways: [[occasion(`${name} ${count}`, reached)]] };
}

/** The first wanted value from a count on; null if there is none. */
function nextIn(numbers: readonly Numbers[], count: number): number | null {
  const next = numbers.map((each) => nextOf(each, count)).filter((each) => each !== null);
  return next.length === 0 ? null : Math.min(...next);
}

function nextOf({ from, to, step }: Numbers, count: number): number | null {
  const next = from + Math.max(0, Math.ceil((count - from) / step)) * step;
  return next <= to ? next : null;
}

const SCOPES: Readonly<Record<CountedOf, string>> = {
  ...{ total: '', site: ' on this site', network: ' of the network' },
  ...{ day: ' today', week: ' this week', month: ' this month' },
};

/** `24 of 25 this month` */
const countText = ({ count, next, of }: Counted): string =>
  next === null ? `${count}${SCOPES[of]}, and no more to reach` : `${count} of ${next}${SCOPES[of]}`;

const RANGE = /^(\d{1,9})\.\.(\d{1,9}) step (\d{1,9})$/;
const AT_MOST = 1_000_000_000;

/** Holds if this vote makes a count a multiple of a number, or one of the listed numbers. */
export const votes = condition({
  schema: (kit) => {
    const { z, section, distinct, listedService, wholeNumber } = kit;
    return section({
      every: wholeNumber(1, AT_MOST).optional().describe('Each multiple of this number.'),
      at: kit
        .list(atSchema(kit), 1, 100)
        .optional()
        .describe('These numbers, such as [5, "50..200 step 50"].'),
      of: z
        .enum(COUNTED_OF)
        .default('total')
        .describe(
          'What is counted: all votes of the player, those on this site, those of the day, week or month, or all votes of the network.',
        ),
      sites: distinct(listedService, 1, 100).optional().describe('Only votes on these sites are counted.'),
    })
      .refine(({ every, at }) => (every === undefined) !== (at === undefined), {
        error: 'must have either `every` or `at`',
      })
      .meta({ title: 'votes' })
      .describe('Paid for the vote with which the count reaches this.');
  },
  example: { every: 25 },
  decidedFor: 'counted',
  hasThreshold: true,
  period: ({ of }) => (isPeriod(of) ? of : null),
  needs: (written, about) => countNeeds(wanted(written), about),
  holds: (written, judging) => countVerdict(wanted(written), judging),
  explain: { held: () => null, notHeld: countText },
  phrase: (written) => countPhrase(written),
  sites: ({ sites = [] }) => sites,
});

interface WrittenVotes extends Pick<WantedCount, 'of' | 'sites'> {
  readonly every?: number | undefined;
  readonly at?: readonly Numbers[] | undefined;
}

const wanted = ({ every, at = [], of, sites }: WrittenVotes): WantedCount => ({
  of,
  sites,
  numbers: every === undefined ? at : [{ from: every, to: Number.POSITIVE_INFINITY, step: every }],
});

function atSchema({ z, errorSentence }: SchemaKit) {
  const wrong = errorSentence('must be a number such as 25, or a range such as "50..200 step 50"');
  const rangeOf = (written: string): Numbers => {
    const [, from = 0, to = 0, step = 0] = (RANGE.exec(written) ?? []).map(Number);
    return { from, to, step };
  };
  return z
    .union([z.int().min(1).max(AT_MOST), z.string().regex(RANGE)], wrong)
    .meta({ title: 'number or range' })
    .transform((written) =>
      typeof written === 'number' ? { from: written, to: written, step: 1 } : rangeOf(written),
    )
    .refine(({ from, to, step }) => from >= 1 && from <= to && step >= 1, wrong);
}

/** So many numbers are listed one by one. */
const LISTED_MAX = 6;

/** In everyday words, after "the 25th vote". */
const AMONG: Readonly<Record<CountedOf, string>> = {
  ...{ total: '', site: ' on the same site', network: ' of all players together' },
  ...{ day: ' of the day', week: ' of the week', month: ' of the month' },
};

function countPhrase({ every, at = [], of, sites }: WrittenVotes): string {
  const where = `${AMONG[of]}${sites === undefined ? '' : ` on ${listText(sites, 'or')}`}`;
  if (every !== undefined) return `on every ${every === 1 ? '' : `${ordinal(every)} `}vote${where}`;
  const firstOf = ({ from, to, step }: Numbers): readonly number[] =>
    Array.from(
      { length: Math.min(LISTED_MAX + 1, Math.floor((to - from) / step) + 1) },
      (_, nth) => from + nth * step,
    );
  const numbers = at.flatMap(firstOf);
  if (numbers.length <= LISTED_MAX) return `on the ${listText(numbers.map(ordinal), 'or')} vote${where}`;
  const singles = at.filter(({ from, to }) => from === to).map(({ from }) => ordinal(from));
  const ranges = at.filter(({ from, to }) => from !== to).map(rangeText);
  const parts = singles.length === 0 ? ranges : [`the ${listText(singles, 'or')}`, ...ranges];
  return `on ${parts.join(', or ')} vote${where}`;
}

const rangeText = ({ from, to, step }: Numbers): string =>
  step === 1
    ? `each from the ${ordinal(from)} to the ${ordinal(to)}`
    : `each ${ordinal(step)} from the ${ordinal(from)} to the ${ordinal(to)}`;

/** Holds for the first counted vote: of the player, or of the player on this site or day. */
export const firstVote = condition({
  schema: ({ z }) =>
    z
      .union([z.literal(true), z.enum(['site', 'day'])], { error: 'must be true, "site" or "day"' })
      .meta({ title: 'true, "site" or "day"' })
      .describe(
        'Paid for the first vote of a player; "site": the first on this site; "day": the first of the day.',
      ),
  example: true,
  decidedFor: 'counted',
  hasThreshold: true,
  period: (first) => (first === 'day' ? first : null),
  needs: (first, about) => countNeeds(firstOf(first), about),
  holds: (first, judging) => countVerdict(firstOf(first), judging),
  explain: { held: () => null, notHeld: () => 'not the first' },
  phrase: (first) =>
    `on their first vote${first === true ? '' : { site: ' on a site', day: ' of the day' }[first]}`,
});

const firstOf = (first: true | 'site' | 'day'): WantedCount => ({
  of: first === true ? 'total' : first,
  numbers: [{ from: 1, to: 1, step: 1 }],
});

const MISSING_SHOWN = 3;

/** Holds if the player has voted on all sites, or on enough of them, in one day or week. */
export const allSites = condition({
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
      .transform((written) => (written === true ? { within: 'day' as const } : written))
      .meta({ title: 'true or section' })
      .describe('Paid once a day, or week, when the player has voted on every site.');
  },
  example: true,
  decidedFor: 'marked',
  period: (written) => (written as WrittenSites).within,
  needs: (written, { day }) => {
    const { within } = written as WrittenSites;
    return [{ fact: 'services', days: daysOf(within, periodOf(within, day)) }];
  },
  holds: (written, { vote, history, listed }) => {
    const { within, sites = listed } = written as WrittenSites;
    const period = periodOf(within, vote.day);
    const voted = history.servicesOn(daysOf(within, period));
    const missing = sites.filter((each) => !voted.has(each)).slice(0, MISSING_SHOWN);
    if (!isEnough(written as WrittenSites, listed, voted)) return { held: false, because: { missing } };
    const earlier = history.before().servicesOn(daysOf(within, period));
    if (!history.isSinceChange(within, period) && isEnough(written as WrittenSites, listed, earlier))
      return { held: false, because: { missing, before: true } };
    return {
      held: true,
      because: {} as { missing: string[]; before?: boolean },
      ways: [[periodOccasion(within, period)]],
    };
  },
  explain: {
    held: () => null,
    notHeld: ({ missing, before = false }: { missing: readonly string[]; before?: boolean }) =>
      before
        ? 'every site was voted on before'
        : missing.length === 0
          ? 'no site to vote on'
          : `missing: ${missing.join(', ')}`,
  },
  phrase: (written) => {
    const { within, sites, atLeast } = written as WrittenSites;
    return `when they have voted on ${sitesText(sites, atLeast)} in one ${within}`;
  },
  sites: (written) => ('sites' in written ? (written.sites ?? []) : []),
});

interface WrittenSites {
  readonly within: 'day' | 'week';
  readonly sites?: readonly string[];
  readonly atLeast?: number;
}

function isEnough(
  { sites: written, atLeast }: WrittenSites,
  listed: readonly string[],
  voted: ReadonlySet<string>,
): boolean {
  const sites = written ?? listed;
  return sites.length > 0 && sites.filter((each) => voted.has(each)).length >= (atLeast ?? sites.length);
}

function sitesText(sites: WrittenSites['sites'], atLeast: number | undefined): string {
  if (atLeast === undefined || atLeast === sites?.length)
    return sites === undefined ? 'every site' : listText(sites, 'and');
  if (sites === undefined) return `at least ${countedText(atLeast, 'site')}`;
  return `at least ${atLeast} of ${listText(sites, 'and')}`;
}

/** Holds if the player's last counted vote was cast longer ago than a duration; never for a first vote. */
export const returning = condition({
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
    return { held: true, because, ways: [[occasion(`return ${periodName('day', vote.day)}`)]] };
  },
  explain: {
    held: ({ awayMs }) => (typeof awayMs === 'number' ? `away for ${durationText(awayMs)}` : null),
    notHeld: ({ awayMs, afterMs }) =>
      awayMs === null
        ? 'a first vote'
        : `away for ${durationText(awayMs)}, needed more than ${durationText(afterMs)}`,
  },
  phrase: (afterMs) => `when they come back after more than ${durationWords(afterMs)} without a vote`,
});
