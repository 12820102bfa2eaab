import { misfitOf } from './recipient.ts';
import type { Top } from './reward.ts';
import { best, type Placed, placed, type Standing } from './standings.ts';

/** Everyone who can be paid, the best first: who cannot takes no place from the others. */
export const placesOf = (top: Top, standings: readonly Standing[]): readonly Placed[] =>
  placed(standings.filter(canBePaidBy(top)), top.ties);

/** So many of them, in one pass. */
export const firstPlacesOf = (top: Top, standings: Iterable<Standing>, limit: number): readonly Placed[] =>
  placed(best(filtered(standings, canBePaidBy(top)), limit), top.ties);

function canBePaidBy(top: Top): (standing: Standing) => boolean {
  const fit = { player: misfitOf(top, 'player') === null, user: misfitOf(top, 'user') === null };
  return ({ player }) => (player === null ? fit.user : fit.player);
}

function* filtered(standings: Iterable<Standing>, isWanted: (one: Standing) => boolean): Iterable<Standing> {
  for (const each of standings) if (isWanted(each)) yield each;
}
