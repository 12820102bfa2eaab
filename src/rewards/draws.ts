import { hash } from 'node:crypto';
import type { Random } from '../core/random.ts';

/**
 * The random numbers of one vote. All of them follow from one number that is drawn when the vote arrives and kept with
 * it. So a second try to store it grants the same, however many numbers its rewards turn out to need.
 */
export type Draws =
  | { readonly kind: 'drawn'; readonly seed: number }
  /** What was drawn before, for others who get the same. */
  | { readonly kind: 'stored'; readonly number: number }
  /** Every chance is won, to show everything that a vote could earn. */
  | { readonly kind: 'won' };

export const ALL_WON: Draws = { kind: 'won' };

export const drawFor = (random: Random): Draws => ({ kind: 'drawn', seed: random.next() });

/** What a number is drawn for, besides the reward and the occasion. */
export type DrawPurpose = 'chance' | 'oneOf' | 'random';

const BYTES = 6;

/** A number from 0 (included) to 1 (excluded), independent of those for other rewards, occasions and purposes. */
export function draw(draws: Draws, purpose: DrawPurpose, reward: string, occasion: string): number {
  if (draws.kind === 'won') return 0;
  if (draws.kind === 'stored') return draws.number;
  const text = JSON.stringify([draws.seed, purpose, reward, occasion]);
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, 2 * BYTES), 16) / 2 ** (8 * BYTES);
}
