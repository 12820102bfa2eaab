/** What is left to decide once an `if` holds: the limit, the chance, the prize and the draw of `oneOf`. */

import { periodOf } from './calendar.ts';
import { type GrantedVote, type Occasion, type Standing, spelling } from './standing.ts';
import { prizeFor, probability, type RawLimit, type RawReward } from './written.ts';
import { DAY } from './zone.ts';

/** Called with the vote's number, the reward, the occasion and what the number is for. */
export type Draw = (vote: number, reward: string, occasion: string, purpose: 'chance' | 'oneOf') => number;

export interface Granted {
  /** '' where no condition gives one. */
  readonly occasion: string;
  /** The name of the drawn entry of `oneOf`. */
  readonly choice: string | null;
  /** The key in `prizes`. */
  readonly prize: string | null;
  /** Whether `otherwise` is paid instead. */
  readonly otherwise: boolean;
}

/** "By cast time: no such span that contains the vote may contain more." */
export function isLimitFull(limit: RawLimit, standing: Standing, vote: GrantedVote): boolean {
  const granted = standing.granted.filter(({ player }) => limit.per === 'network' || player === vote.player);
  return spansOf(limit.within, granted, vote).some(
    (contains) => contains(vote) && granted.filter(contains).length + 1 > limit.count,
  );
}

type Span = (granted: GrantedVote) => boolean;

/** "Votes exactly 24 h apart do not share a span of 24 h." The fullest spans of 24 h begin at a vote. */
function spansOf(within: RawLimit['within'], granted: readonly GrantedVote[], vote: GrantedVote): Span[] {
  if (within === 'ever') return [() => true];
  if (within === '24h') {
    return [...granted, vote].map(
      ({ castAt: start }) =>
        ({ castAt }) =>
          start <= castAt && castAt < start + DAY,
    );
  }
  return [({ day }) => periodOf(within, day) === periodOf(within, vote.day)];
}

const isChanceLost = (
  { name, if: condition }: RawReward,
  vote: number,
  occasion: string,
  draw: Draw,
): boolean =>
  condition?.chance !== undefined && draw(vote, name, occasion, 'chance') >= probability(condition.chance);

/** One entry by its weight; "name: its index". */
function chosen({ name, oneOf }: RawReward, vote: number, occasion: string, draw: Draw): string | null {
  if (!oneOf) return null;
  const total = oneOf.reduce((sum, { weight }) => sum + weight, 0);
  const drawn = draw(vote, name, occasion, 'oneOf') * total;
  let sum = 0;
  const index = oneOf.findIndex(({ weight }) => {
    sum += weight;
    return drawn < sum;
  });
  return oneOf[index]?.name ?? String(index);
}

/** "Chosen by the threshold reached." */
function prizeOf({ prizes }: RawReward, occasion: Occasion): string | null {
  const threshold = occasion.find((part) => part.threshold !== null)?.threshold;
  return prizes && threshold != null ? prizeFor(prizes, threshold) : null;
}

/** What one occasion pays, or why it is spent without a payment. */
export function paidFor(
  reward: RawReward,
  vote: number,
  occasion: Occasion,
  draw: Draw,
): Granted | 'lost' | 'prizes' {
  const spelt = spelling(occasion);
  if (isChanceLost(reward, vote, spelt, draw)) {
    if (!reward.otherwise) return 'lost';
    return { occasion: spelt, choice: null, prize: null, otherwise: true };
  }
  const prize = prizeOf(reward, occasion);
  // "`prizes` without a match and without `commands` spends the occasion."
  if (reward.prizes && prize === null && !reward.commands && !reward.oneOf) return 'prizes';
  return { occasion: spelt, choice: chosen(reward, vote, spelt, draw), prize, otherwise: false };
}
