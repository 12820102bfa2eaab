/** Counts of votes that are reached: every 25th vote, the first one. Such a condition holds for the vote that reaches the count. */
import { listText, ordinal } from '../core/list-text.ts';
import { occasion } from '../core/occasion.ts';
import { daysOf, type Per, periodName, periodOf } from '../core/period.ts';
import { condition, type Judging, type SchemaKit, type Verdict, type VoteKind } from './condition.ts';
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

/** `votes` after loading; it has either `every` or `at`. */
interface WantedCount {
  readonly of: CountedOf;
  /** Only votes on these services are counted. Absent: on all. */
  readonly sites?: readonly string[] | undefined;
  readonly every?: number | undefined;
  readonly at?: readonly Numbers[] | undefined;
}

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
  needs: countNeeds,
  holds: countVerdict,
  explain: { notHeld: countText },
  phrase: countPhrase,
  sites: ({ sites = [] }) => sites,
});

const RANGE = /^(\d{1,9})\.\.(\d{1,9}) step (\d{1,9})$/;

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
  needs: (first, about) => countNeeds(FIRST[`${first}`], about),
  holds: (first, judging) => countVerdict(FIRST[`${first}`], judging),
  explain: { notHeld: () => 'not the first' },
  phrase: (first) => `on their first vote${{ true: '', site: ' on a site', day: ' of the day' }[`${first}`]}`,
});

const ONE: readonly Numbers[] = [{ from: 1, to: 1, step: 1 }];

const FIRST: Readonly<Record<'true' | 'site' | 'day', WantedCount>> = {
  true: { of: 'total', at: ONE },
  site: { of: 'site', at: ONE },
  day: { of: 'day', at: ONE },
};

const isPeriod = (of: CountedOf): of is Per => of === 'day' || of === 'week' || of === 'month';

function scopeOf(
  { of, sites }: WantedCount,
  { service, day }: Pick<VoteKind, 'service' | 'day'>,
): CountScope {
  if (of === 'network') return { of, services: sites };
  if (of === 'site') return { of: 'recipient', services: [service] };
  return { of: 'recipient', days: isPeriod(of) ? daysOf(of, periodOf(of, day)) : undefined, services: sites };
}

function countNeeds(wanted: WantedCount, about: VoteKind): readonly Need[] {
  return [{ ...scopeOf(wanted, about), fact: 'count' }];
}

type Counted = { readonly count: number; readonly next: number | null; readonly of: CountedOf };

/** Whether this vote makes a count reach a wanted value. */
function countVerdict(wanted: WantedCount, { vote, history, reward }: Judging): Verdict<Counted> {
  const { of, sites } = wanted;
  const isIncluded = sites === undefined || sites.includes(vote.service);
  const scope = scopeOf(wanted, vote);
  const count = history.count(scope);
  const next = nextOf(wanted, count);
  if (!isIncluded || next !== count) return { held: false, because: { count, next, of } };
  const reached = {
    isNetworks: of === 'network',
    reachedBefore: reward.ask({ about: 'again', scope }),
    threshold: count,
  };
  const counted = of === 'site' ? `site ${vote.service} total` : of;
  const name = isPeriod(of) ? `${of} ${periodName(of, periodOf(of, vote.day))} total` : counted;
  return { held: true, ways: [[occasion(`${name} ${count}`, reached)]] };
}

/** The first wanted value from a count on; null if there is none. */
function nextOf({ every, at = [] }: WantedCount, count: number): number | null {
  if (every !== undefined) return Math.max(1, Math.ceil(count / every)) * every;
  const next = at
    .map(({ from, to, step }) => ({ next: from + Math.max(0, Math.ceil((count - from) / step)) * step, to }))
    .flatMap((each) => (each.next <= each.to ? [each.next] : []));
  return next.length === 0 ? null : Math.min(...next);
}

/** In words: after a count that a vote makes, and after "the 25th vote". */
const COUNTED_IN: Readonly<Record<CountedOf, { readonly now: string; readonly among: string }>> = {
  total: { now: '', among: '' },
  site: { now: ' on this site', among: ' on the same site' },
  day: { now: ' today', among: ' of the day' },
  week: { now: ' this week', among: ' of the week' },
  month: { now: ' this month', among: ' of the month' },
  network: { now: ' of the network', among: ' of all players together' },
};

/** `24 of 25 this month` */
function countText({ count, next, of }: Counted): string {
  const { now } = COUNTED_IN[of];
  return next === null ? `${count}${now}, and no more to reach` : `${count} of ${next}${now}`;
}

/** So many numbers are listed one by one. */
const LISTED_MAX = 6;

function countPhrase({ every, at = [], of, sites }: WantedCount): string {
  const where = `${COUNTED_IN[of].among}${sites === undefined ? '' : ` on ${listText(sites, 'or')}`}`;
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
  `each${step === 1 ? '' : ` ${ordinal(step)}`} from the ${ordinal(from)} to the ${ordinal(to)}`;
