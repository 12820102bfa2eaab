import { type Per, periodOf } from '../core/period.ts';
import type { JudgedVote } from './condition.ts';
import { filteredOut } from './filter.ts';
import { type RewardReason, reason } from './judge.ts';
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
