import type { Config } from '../../config/config.ts';
import { localDay } from '../../core/local-time.ts';
import { daysOf, type Per, periodName, periodOf } from '../../core/period.ts';
import { periodEnd } from '../../core/period-end.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { prizeName } from '../../rewards/grants.ts';
import type { Top } from '../../rewards/reward.ts';
import { placed, placesOf, RunningStandings, type Standing } from '../../rewards/together.ts';

/** The places of one period. */
export interface TopState {
  /** The name of its entry; null: all counted votes, because no entry has such periods. */
  readonly top: string | null;
  /** Such as `2026-11`. */
  readonly period: string;
  /** Whether they are final. */
  readonly isSettled: boolean;
  /** When they become final at the earliest; null if they are, or if no entry has such periods. */
  readonly finalFrom: number | null;
  readonly places: readonly PlaceState[];
}

export interface PlaceState {
  readonly place: number;
  readonly player: string;
  readonly votes: number;
  /** The cast time of the latest of the votes. */
  readonly reachedAt: number;
  /** The key of `prizes` that the place gets by this config, such as `2..3`; null: none. */
  readonly prize: string | null;
}

export interface TopQuestion {
  /** Absent: every top of the config. */
  readonly per?: Per;
  /** In the period. */
  readonly at: number;
  /** So many places of a period that is not settled. */
  readonly limit: number;
}

/** All counted votes of such a period. */
interface AllVotes extends Pick<Top, 'period' | 'exclude' | 'if'> {
  readonly name: null;
}

type Asked = Top | AllVotes;
export async function topStates(
  ledger: Ledger,
  { tops }: Pick<Config, 'tops'>,
  { per, at, limit }: TopQuestion,
): Promise<readonly TopState[]> {
  const zone = await ledger.timeZone();
  const asked: readonly Asked[] = tops.filter(({ period }) => per === undefined || period === per);
  const all: AllVotes = { name: null, period: per ?? 'month', exclude: [], if: {} };
  const states: TopState[] = [];
  for (const top of asked.length === 0 ? [all] : asked) {
    const period = periodOf(top.period, localDay(at, zone));
    const settled = await settledPlaces(ledger, top, period);
    const places = settled ?? (await presentPlaces(ledger, top, period, zone)).slice(0, limit);
    const name = periodName(top.period, period);
    const end = top.name === null ? null : periodEnd(top.period, period, zone) + top.settleMs;
    const isSettled = settled !== null;
    const finalFrom = isSettled ? null : end;
    states.push({ top: top.name, period: name, isSettled, finalFrom, places });
  }
  return states;
}

async function settledPlaces(ledger: Ledger, top: Asked, period: number) {
  const places = top.name === null ? null : await ledger.settledPlaces(top, period);
  return (
    places?.map(({ place, player, recipient, votes, reachedAt }): PlaceState => {
      return { place, player: player ?? recipient, votes, reachedAt, prize: prizeAt(top, place) };
    }) ?? null
  );
}

async function presentPlaces(
  ledger: Ledger,
  top: Asked,
  period: number,
  zone: string,
): Promise<readonly PlaceState[]> {
  const standings = await standingsIn(ledger, top, period, zone);
  const places = top.name === null ? placed(standings, 'first') : placesOf(top, standings);
  return places.map(({ place, player, votes, reachedAt }) => {
    return { place, player: player ?? 'a user ID', votes, reachedAt, prize: prizeAt(top, place) };
  });
}

function prizeAt(top: Asked, place: number): string | null {
  const prize =
    top.name === null ? undefined : top.prizes.find(({ from, to }) => place >= from && place <= to);
  return prize === undefined ? null : prizeName(prize);
}

/** What everyone has in a period that is not settled. */
export async function standingsIn(
  ledger: Pick<Ledger, 'standings'>,
  { period: per, if: filter, exclude }: Pick<Top, 'period' | 'if' | 'exclude'>,
  period: number,
  zone: string,
): Promise<readonly Standing[]> {
  const counted = { days: daysOf(per, period), filter, zone, exclude };
  const votes = new RunningStandings((after) => ledger.standings({ ...counted, after }));
  await votes.advance();
  return [...votes.standings.values()];
}
