/** Which votes take a window, and the windows that they store. */

import type { RecordedVote, Window } from './votes.ts';
import { duration, type OracleConfig, timeOfDay } from './written.ts';
import { firstInstant, localTime } from './zone.ts';

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
