/** What many players reach together: parties, and the tops of a period. Counted from the first vote for every question. */

import { DAY, firstInstant, localTime, nameOf, type Per, periodOf } from '../../rewards/oracle/calendar.ts';
import { waysOf } from '../../rewards/oracle/conditions.ts';
import type { RecordedVote } from '../../rewards/oracle/votes.ts';
import { duration, type OracleConfig, prizeFor, type RawIf } from '../../rewards/oracle/written.ts';
import type { RawParty, RawTop } from './written.ts';

/** A vote that is counted in totals, and when that was decided. */
export interface Counted {
  readonly vote: RecordedVote;
  readonly at: number;
  /** How many votes were counted when it was voided. */
  voidedAfter?: number;
}

export interface ReachedParty {
  /** From 1. */
  readonly number: number;
  readonly dueAt: number;
  /** The votes that made it. */
  readonly votes: readonly RecordedVote[];
}

/** "`if` filters the votes that count." */
export function isChosen(condition: RawIf | undefined, vote: RecordedVote, config: OracleConfig): boolean {
  const standing = { startDay: 0, before: [], spent: [], granted: [] };
  return waysOf(condition ?? {}, { votes: [vote], vote, config, standing }).length > 0;
}

/** Every party so far: "next due `every` after the last". */
export function partiesOf(
  party: RawParty,
  counted: readonly Counted[],
  config: OracleConfig,
): ReachedParty[] {
  const { every, reset } = party;
  const reached: ReachedParty[] = [];
  let votes: RecordedVote[] = [];
  for (const [index, { vote, at }] of counted.entries()) {
    // "A vote that you void no longer counts, unless something was reached with it."
    const voided = counted
      .filter(({ voidedAfter = Infinity }) => voidedAfter <= index)
      .map((one) => one.vote);
    votes = votes.filter((each) => !voided.includes(each));
    if (!isChosen(party.if, vote, config)) continue;
    if (reset) {
      const now = periodOf(reset, localTime(config.timeZone, at).day);
      if (periodOf(reset, vote.day) !== now) continue;
      votes = votes.filter(({ day }) => periodOf(reset, day) === now);
    }
    votes.push(vote);
    if (votes.length < every) continue;
    reached.push({ number: reached.length + 1, dueAt: at, votes });
    votes = [];
  }
  return reached;
}

/**
 * The players of these votes, in the order of their first ones, who have enough of them: "whoever is left with too few votes when
 * its voters are paid gets nothing".
 */
export function votersOf({ votes }: ReachedParty, { userVotes = 1 }: RawParty): string[] {
  const players = votes.filter(({ voided }) => !voided).map(({ player }) => player);
  return [...new Set(players)].filter((one) => players.filter((other) => other === one).length >= userVotes);
}

/** The first local day of a period. */
function firstDayOf(per: Per, period: number): number {
  if (per === 'day') return period;
  if (per === 'week') return period * 7 - 3;
  return Date.UTC(Math.floor(period / 12), period % 12, 1) / DAY;
}

/** When the places of a period are fixed at the earliest. */
export const frozenAt = ({ period: per, settle = '1h' }: RawTop, period: number, timeZone: string): number =>
  firstInstant(timeZone, firstDayOf(per, period + 1), 0) + duration(settle);

export const topOccasion = ({ period: per }: RawTop, period: number, place: number): string =>
  `top ${nameOf(per, period)} place ${place}`;

export interface Placed {
  readonly player: string;
  readonly place: number;
}

/**
 * Who has which place with a prize. With `ties: "first"`, of two players with as many votes the one who reached them
 * earlier, by the times of the votes, comes first; with `"share"` both have the same place, and the next one is left out.
 */
export function placesOf(
  top: RawTop,
  period: number,
  counted: readonly Counted[],
  isExcluded: (player: string) => boolean,
): Placed[] {
  const votes = counted.map(({ vote }) => vote).filter(({ day }) => periodOf(top.period, day) === period);
  const standings = [...new Set(votes.map(({ player }) => player))]
    .filter((player) => !isExcluded(player))
    .map((player) => ({
      player,
      count: votes.filter((vote) => vote.player === player).length,
      reached: Math.max(...votes.filter((vote) => vote.player === player).map(({ castAt }) => castAt)),
    }))
    .sort((one, other) => other.count - one.count || one.reached - other.reached);
  return standings
    .map(({ player, count }, index) => ({
      player,
      place: (top.ties === 'share' ? standings.findIndex((one) => one.count === count) : index) + 1,
    }))
    .filter(({ place }) => prizeFor(top.prizes, place) !== null);
}
