import { daysOf } from '../../core/period.ts';
import { periodEnd } from '../../core/period-end.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Draws } from '../../rewards/draws.ts';
import type { Rules, Top } from '../../rewards/reward.ts';
import { placesOf, RunningStandings } from '../../rewards/standings.ts';

/** So many places are stored, also without a prize. */
const PLACES_KEPT = 10;

/** Which period is settled, and how. */
interface Settling {
  readonly top: Top;
  readonly period: number;
  readonly rules: Rules;
  readonly draws: Draws;
}

/**
 * Stores the places of a period that is over, down to the last one with a prize, and creates their grants.
 *
 * @returns how many. Rejects with the ledger's Problem.
 */
export async function settlePeriod(
  ledger: Pick<Ledger, 'settleTop' | 'standings'>,
  { top, period, rules, draws }: Settling,
  now: number,
): Promise<number> {
  const days = daysOf(top.period, period);
  const last = Math.max(PLACES_KEPT, ...top.prizes.map(({ to }) => to));
  const endedAt = periodEnd(top.period, period, rules.zone);
  const counted = { days, filter: top.if, zone: rules.zone, exclude: top.exclude };
  for (;;) {
    const votes = new RunningStandings((after) => ledger.standings({ ...counted, after }));
    await votes.advance();
    const places = placesOf(top, [...votes.standings.values()]).filter(({ place }) => place <= last);
    const grants = await ledger.settleTop({ top, period, endedAt, places, rules, draws }, now);
    if (grants !== null) return grants;
  }
}
