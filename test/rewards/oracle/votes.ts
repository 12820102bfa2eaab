/** What is recorded of a vote, which votes count, and counts by scope, all read from the list of votes. */

import { nameOf, type Per, periodOf } from './calendar.ts';
import type { CountScope } from './written.ts';

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

/** How many counted votes a player has in each period, by the period's name. */
export function countsByPeriod(
  votes: readonly RecordedVote[],
  player: string,
  per: Per,
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const vote of votes) {
    if (vote.player !== player || !isCounted(vote)) continue;
    const name = nameOf(per, periodOf(per, vote.day));
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
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
