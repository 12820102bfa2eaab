import { misfitOf } from './recipient.ts';
import type { Top } from './reward.ts';
import { type Placed, placed, type Standing } from './standings.ts';

/** Everyone who can be paid, the best first: who cannot takes no place from the others. */
export function placesOf(top: Top, standings: readonly Standing[]): readonly Placed[] {
  const fit = { player: misfitOf(top, 'player') === null, user: misfitOf(top, 'user') === null };
  const payable = standings.filter(({ player }) => (player === null ? fit.user : fit.player));
  return placed(payable, top.ties);
}
