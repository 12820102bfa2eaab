/**
 * What is recorded of a vote, which votes count, and counts by scope, all read from the list of votes; and which votes take a window,
 * with the windows that they store.
 */

import { firstInstant, localTime, nameOf, periodOf } from './calendar.ts';
import { type CountScope, duration, type OracleConfig, timeOfDay } from './written.ts';

export type Decision = 'rewarded' | 'cooldown' | 'unlisted' | 'too-old' | 'before-start';

/** From its start up to, and not including, its end. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

export interface RecordedVote {
  /** Its number among the votes, in order of arrival, from 0. */
  readonly number: number;
  readonly service: string;
  /** The entry of `sites` under which it was recorded, or decided once more. */
  entry: string;
  /** The name in lower case, or what else tells players apart. */
  player: string;
  readonly castAt: number;
  /** "A vote stores the local day of its cast time when it is recorded." */
  readonly day: number;
  decision: Decision;
  /** Whether `counts: "all"` was in force for its entry when it was recorded. */
  countsAll: boolean;
  /** The window that it took, perhaps cut since. */
  window: Window | null;
  voided: boolean;
}

/**
 * "Totals count votes that are `rewarded`"; "`counts: "all"` also counts cooldown votes in totals"; "`votes void`
 * removes a vote from counts".
 */
export const isCounted = (vote: RecordedVote): boolean =>
  !vote.voided && (vote.decision === 'rewarded' || (vote.decision === 'cooldown' && vote.countsAll));

/**
 * A `cooldown` or `too-old` vote "marks its day for `streak` and `allSites`"; an `unlisted` one "marks its day at once";
 * "a `before-start` vote marks nothing";
 * "a voided vote no longer marks its day".
 */
export const marksItsDay = (vote: RecordedVote): boolean => !vote.voided && vote.decision !== 'before-start';

/** The votes among which a vote is counted. `of: "site"` is "read by service name". */
function inScope(of: CountScope, vote: RecordedVote, other: RecordedVote): boolean {
  if (of === 'network') return true;
  if (other.player !== vote.player) return false;
  if (of === 'total') return true;
  if (of === 'site') return other.service === vote.service;
  return periodOf(of, other.day) === periodOf(of, vote.day);
}

/** How many of the votes are counted in this vote's scope. `sites` "filters which votes are counted". */
export function countFor(
  votes: readonly RecordedVote[],
  vote: RecordedVote,
  of: CountScope,
  sites?: readonly string[],
): number {
  return votes.filter(
    (other) => isCounted(other) && inScope(of, vote, other) && (!sites || sites.includes(other.service)),
  ).length;
}

/** As the table of conditions spells it. */
export function totalOccasion(of: CountScope, vote: RecordedVote, count: number): string {
  switch (of) {
    case 'total':
      return `total ${count}`;
    case 'site':
      return `site ${vote.service} total ${count}`;
    case 'network':
      return `network ${count}`;
    default:
      return `${of} ${nameOf(of, periodOf(of, vote.day))} total ${count}`;
  }
}

/** The site's own cooldown, or that of `default`, or 24 hours. */
const cooldownOf = (config: OracleConfig, entry: string): string =>
  config.sites[entry]?.cooldown ?? config.sites.default?.cooldown ?? '24h';

/** "`"day"` or `"day 04:00 America/New_York"`"; "`"day 04:00"` without a zone uses `timeZone`". */
function calendarDay(written: string, timeZone: string): { zone: string; begins: number } | null {
  const [kind, begins = '00:00', zone = timeZone] = written.split(' ');
  return kind === 'day' ? { zone, begins: timeOfDay(begins) } : null;
}

/** The day that contains an instant, where days begin at that time of that zone. */
function dayAround(at: number, zone: string, begins: number): Window {
  const { day } = localTime(zone, at);
  const beginning = (of: number): number => firstInstant(zone, of, begins);
  const start = [day + 1, day, day - 1].find((of) => beginning(of) <= at) as number;
  return { start: beginning(start), end: beginning(start + 1) };
}

/** The window that a vote takes if it takes one. */
export function windowOf(config: OracleConfig, entry: string, castAt: number): Window {
  const written = cooldownOf(config, entry);
  const calendar = calendarDay(written, config.timeZone);
  if (calendar) return dayAround(castAt, calendar.zone, calendar.begins);
  return { start: castAt, end: castAt + duration(written) };
}

/**
 * "Service names without an entry share the window of `default`"; windows "are read by service name"; "a window taken
 * under `default` keeps holding it after that service is listed".
 */
export const sharesWindows = (vote: { service: string; entry: string }, other: RecordedVote): boolean =>
  other.service === vote.service || (other.entry === 'default' && vote.entry === 'default');

export const isOfSameService = (vote: { service: string }, other: RecordedVote): boolean =>
  other.service === vote.service;

/** The votes with windows that this vote has to respect. "`votes void` … keeps its window." */
const holders = (
  votes: readonly RecordedVote[],
  vote: { service: string; entry: string; player: string },
  shares: typeof sharesWindows = sharesWindows,
): RecordedVote[] =>
  votes.filter(
    (other) => other.decision === 'rewarded' && other.player === vote.player && shares(vote, other),
  );

/**
 * Rule 3 by cast times: "a vote is rewarded unless another rewarded vote was cast less than the cooldown before or
 * after it", and under a calendar day unless one was cast on the same day.
 */
export function isWindowFree(
  votes: readonly RecordedVote[],
  config: OracleConfig,
  vote: { service: string; entry: string; player: string; castAt: number },
  shares: typeof sharesWindows,
): boolean {
  const others = holders(votes, vote, shares).map(({ castAt }) => castAt);
  const written = cooldownOf(config, vote.entry);
  if (calendarDay(written, config.timeZone)) {
    const { start, end } = windowOf(config, vote.entry, vote.castAt);
    return !others.some((castAt) => start <= castAt && castAt < end);
  }
  return !others.some((castAt) => Math.abs(castAt - vote.castAt) < duration(written));
}

export const overlap = (one: Window, other: Window): boolean =>
  one.start < other.end && other.start < one.end;

/** What is left of a stored window when it is cut at a new one: the side with the cast time of its vote. */
export function cut(stored: Window, castAt: number, taken: Window): Window {
  if (!overlap(stored, taken)) return stored;
  return castAt < taken.start
    ? { start: stored.start, end: taken.start }
    : { start: taken.end, end: stored.end };
}

/** "The overlapping stored window is cut at the new one in the same transaction." */
export function storeWindow(votes: readonly RecordedVote[], vote: RecordedVote, taken: Window): void {
  for (const other of holders(votes, vote)) {
    if (other.window) other.window = cut(other.window, other.castAt, taken);
  }
  vote.window = taken;
}
