import type { JudgedArrival, WindowDecision } from '../core/decide.ts';
import { localDay } from '../core/local-time.ts';
import { type Per, periodOf } from '../core/period.ts';
import type { JudgedVote } from './condition.ts';
import { filteredOut, type RewardReason, reason } from './conditions.ts';
import { standingOf } from './decide.ts';
import type { Party } from './reward.ts';

/** Who is paid at a party: those whose votes made it, those who are online, or nobody in particular, once. */
export const PARTY_FOR: readonly [Party['for'], ...Party['for'][]] = ['voters', 'online', 'once'];

/** The period in which a vote counts for a party, in a form that can be stored. */
export interface PartyPeriod {
  /** Empty: the count never starts again. */
  readonly per: Per | '';
  readonly period: number;
}

export const partyPeriod = ({ reset }: Pick<Party, 'reset'>, day: number): PartyPeriod =>
  reset === null ? { per: '', period: 0 } : { per: reset, period: periodOf(reset, day) };

/** A vote as what players earn together sees it; null: it is in no total, so it does not count. */
export function countedVote(
  arrival: JudgedArrival,
  decision: WindowDecision,
  zone: string,
): JudgedVote | null {
  const standing = standingOf(decision, arrival);
  if (standing === null || standing === 'marked') return null;
  const { vote } = arrival;
  return { ...vote, standing, day: localDay(vote.castAt, zone), zone, nextAt: vote.castAt };
}

/**
 * Why a vote that is counted in totals does not count for a party; null if it does.
 *
 * @param today as days since 1970-01-01: a vote counts only until its period is over.
 */
export function uncountedReason(
  party: Pick<Party, 'if' | 'reset'>,
  vote: JudgedVote,
  today: number,
): RewardReason | null {
  const isOver = partyPeriod(party, vote.day).period < partyPeriod(party, today).period;
  return filteredOut(party.if, vote) ?? (isOver ? OVER : null);
}

/** Stored with a vote that counted. `left`: how many more votes the party took then; 0: this vote reached it. */
export const countedReason = (number: number, left: number): RewardReason =>
  reason('party', { number, left });

/** Stored with a vote of a period that was over. */
export const OVER: RewardReason = { code: 'party-over' };

/** `party 12` */
export const partyOccasion = (number: number): string => `party ${number}`;

/**
 * What a vote of a period is to the count that is stored. `over`: its period is over, and it does not count. `kept`: the
 * config has another `reset` now, and what was counted stays counted. `new`: the count starts again with it.
 */
export function countWith(stored: PartyPeriod | null, vote: PartyPeriod): 'same' | 'over' | 'kept' | 'new' {
  if (stored === null) return 'new';
  if (stored.per !== vote.per) return 'kept';
  if (stored.period === vote.period) return 'same';
  return stored.period > vote.period ? 'over' : 'new';
}

/** How far a party is, as stored. */
export interface PartyCount extends PartyPeriod {
  readonly counted: number;
}

/**
 * How many votes are left until the next party; at least one.
 *
 * @param stored null before the first vote.
 * @param today as days since 1970-01-01: a count of an earlier period is over.
 */
export function leftUntil(party: Party, stored: PartyCount | null, today: number): number {
  const { per, period } = partyPeriod(party, today);
  const isOver = stored === null || (stored.per === per && stored.period < period);
  return Math.max(1, party.every - (isOver ? 0 : stored.counted));
}
