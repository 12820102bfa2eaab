import { occasion, type PassedTotals } from '../core/occasion.ts';
import { daysOf, type Per, periodName, periodOf } from '../core/period.ts';
import type { JudgedVote, Judging, Verdict } from './condition.ts';
import type { CountScope } from './history.ts';
import { countsOf, type Joining, sharedPeriods, sharedServices } from './joining.ts';

/** Which votes are counted: all of the recipient, those on the vote's service or in its period, or all of the network. */
export const COUNTED_OF = ['total', 'site', 'day', 'week', 'month', 'network'] as const;
export type CountedOf = (typeof COUNTED_OF)[number];

/** Numbers from one to another, in steps. */
export interface Numbers {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** A count, and which values of it are wanted. */
export interface WantedCount {
  readonly of: CountedOf;
  /** Only votes on these services are counted. Absent: on all. */
  readonly sites?: readonly string[] | undefined;
  readonly numbers: readonly Numbers[];
}

export type Counted = { readonly count: number; readonly next: number | null; readonly of: CountedOf };

/** Holds if this vote makes a count reach a wanted value. */
export function countVerdict({ of, sites, numbers }: WantedCount, judging: Judging): Verdict<Counted> {
  const { vote, history, reward } = judging;
  const isIncluded = sites === undefined || sites.includes(vote.service);
  const scope = scopeOf(of, vote, sites);
  const count = history.count(scope);
  const because = { count, next: nextIn(numbers, count), of };
  if (!isIncluded || because.next !== count) return { held: false, because };
  const isTaken = reward.isReachedAgain(scope);
  const reached = { isNetworks: of === 'network', isTaken, threshold: count };
  return {
    held: true,
    because: {} as Counted,
    ways: [[occasion(`${name(of, vote)} ${count}`, reached)]],
  };
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

/** The wanted values between the larger count of two names that are joined and the count of both. */
export function countsPassed({ of, sites, numbers }: WantedCount, joining: Joining): readonly PassedTotals[] {
  return joinedScopes(of, sites, joining).flatMap(({ name, scope }) => {
    const [larger, sum] = countsOf(joining, scope);
    return numbers
      .flatMap((each): PassedTotals[] => {
        const first = nextOf(each, larger + 1);
        return first === null || first > sum ? [] : [{ of: name, first, ...upTo(sum, first, each) }];
      })
      .sort((one, other) => one.first - other.first);
  });
}

function upTo(sum: number, first: number, { to, step }: Numbers): Pick<PassedTotals, 'last' | 'step'> {
  const end = Math.min(sum, to);
  return { last: end - ((end - first) % step), step };
}

/** What is counted of the player, wherever there are votes under both names. The network's counts stay as they are. */
function joinedScopes(
  of: CountedOf,
  sites: readonly string[] | undefined,
  joining: Joining,
): readonly { readonly name: string; readonly scope: CountScope }[] {
  if (of === 'network') return [];
  if (of === 'total') return [{ name: of, scope: { of: 'recipient', services: sites } }];
  if (of === 'site')
    return sharedServices(joining)
      .filter((service) => sites === undefined || sites.includes(service))
      .map((service) => ({
        name: `site ${service} total`,
        scope: { of: 'recipient', services: [service] },
      }));
  return sharedPeriods(of, joining)
    .filter((period) => period >= periodOf(of, joining.startDay))
    .map((period) => ({
      name: `${of} ${periodName(of, period)} total`,
      scope: { of: 'recipient', days: daysOf(of, period), services: sites },
    }));
}

export const isPeriod = (of: CountedOf): of is Per => of === 'day' || of === 'week' || of === 'month';

function scopeOf(of: CountedOf, vote: JudgedVote, sites: readonly string[] | undefined): CountScope {
  if (of === 'network') return { of, services: sites };
  if (of === 'site') return { of: 'recipient', services: [vote.service] };
  const days = isPeriod(of) ? { days: daysOf(of, periodOf(of, vote.day)) } : {};
  return { of: 'recipient', ...days, services: sites };
}

function name(of: CountedOf, { service, day }: JudgedVote): string {
  if (of === 'site') return `site ${service} total`;
  return isPeriod(of) ? `${of} ${periodName(of, periodOf(of, day))} total` : of;
}

const SCOPES: Readonly<Record<CountedOf, string>> = {
  total: '',
  site: ' on this site',
  day: ' today',
  week: ' this week',
  month: ' this month',
  network: ' of the network',
};

/** In everyday words, after "the 25th vote". */
export const COUNTED_AMONG: Readonly<Record<CountedOf, string>> = {
  total: '',
  site: ' on the same site',
  day: ' of the day',
  week: ' of the week',
  month: ' of the month',
  network: ' of all players together',
};

/** `24 of 25 this month` */
export const countText = ({ count, next, of }: Counted): string =>
  next === null ? `${count}${SCOPES[of]}, and no more to reach` : `${count} of ${next}${SCOPES[of]}`;
