import { CLOCK_TOLERANCE_MS } from './clock-doubt.ts';
import { HOUR_MS } from './duration.ts';

/**
 * What signed votes say about this machine's clock. Each site has an offset of its own between the time that it claims
 * and the receipt, and keeps it: a site whose clock is always wrong by the same amount says as much as another. Only a
 * change of that offset, the same for two sites, says that it was our clock that moved.
 */
export interface SiteTimes {
  readonly sites: ReadonlyMap<string, Site>;
  /** Monotonic time of the last vote that agreed with the clock; null: none since the start, or since the clock moved. */
  readonly agreedAt: number | null;
  /** The sites that have agreed since the clock began to be doubted. */
  readonly agreeing: ReadonlySet<string>;
}

interface Site {
  /** The offset that is normal for this site; null until it is known. */
  readonly usualMs: number | null;
  /** Offsets in a row that neither agree nor can come from our clock: a late delivery, or the site changed its clock. */
  readonly strangeMs: readonly number[];
  /** How far the clock seems to be ahead by its last vote; null where that agreed, or says nothing. */
  readonly aheadMs: number | null;
}

/** A vote's receipt less the time that it claims. */
export interface SignedTime {
  readonly service: string;
  readonly offsetMs: number;
}

export const NO_SITE_TIMES: SiteTimes = { sites: new Map(), agreedAt: null, agreeing: new Set() };

/** So many votes show what is normal for a site. */
const VOTES_TELLING = 3;
/** Anyone with a token can invent service names; those beyond this number are not heard. */
const SITES_MAX = 200;

/** @param usualOf offsets of the last signed votes of a service, as the ledger has them; asked once for each service. */
export function withVote(
  times: SiteTimes,
  { service, offsetMs }: SignedTime,
  monotonic: number,
  usualOf: (service: string) => readonly number[],
): SiteTimes {
  const known = times.sites.get(service);
  if (known === undefined && times.sites.size >= SITES_MAX) return times;
  const site = known ?? firstSeen(usualOf(service));
  if (site.usualMs === null) return withSite(times, service, learnt(site, offsetMs));
  const aheadMs = offsetMs - site.usualMs;
  if (Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS) return agreed(times, service, site, monotonic);
  return couldBeTheClock(aheadMs, times.agreedAt, monotonic)
    ? withSite(times, service, { ...site, aheadMs, strangeMs: [] })
    : withSite(times, service, learnt(site, offsetMs));
}

/** How far two sites say that the clock is ahead (negative: behind); null where no two of them say the same. */
export function disagreementMs({ sites }: SiteTimes): number | null {
  const said = [...sites.values()].flatMap(({ aheadMs }) => aheadMs ?? []).sort((a, b) => a - b);
  const pair = said.find(
    (ms, index) => (said[index + 1] ?? Number.POSITIVE_INFINITY) - ms <= CLOCK_TOLERANCE_MS,
  );
  return pair ?? null;
}

/** Whether two sites have agreed with the clock since it began to be doubted. */
export const isConfirmed = ({ agreeing }: SiteTimes): boolean => agreeing.size >= 2;

/** The clock has moved, or is doubted or believed from now on: what sites said before says nothing about it now. */
export const fromNowOn = ({ sites }: SiteTimes): SiteTimes => ({
  sites: atEase(sites),
  agreedAt: null,
  agreeing: new Set(),
});

const firstSeen = (offsetsMs: readonly number[]): Site => ({
  usualMs: offsetsMs.length >= VOTES_TELLING ? median(offsetsMs) : null,
  strangeMs: [],
  aheadMs: null,
});

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Nearly every vote comes here, so nothing is copied where nothing changes but the time. */
function agreed(times: SiteTimes, service: string, site: Site, monotonic: number): SiteTimes {
  const agreeing = times.agreeing.has(service) ? times.agreeing : new Set([...times.agreeing, service]);
  const isQuiet = times.sites.has(service) && [...times.sites.values()].every(isAtEase);
  const sites = isQuiet ? times.sites : atEase(new Map([...times.sites, [service, site]]));
  return { sites, agreedAt: monotonic, agreeing };
}

const isAtEase = ({ aheadMs, strangeMs }: Site): boolean => aheadMs === null && strangeMs.length === 0;

/** One site that agrees clears all: a wrong clock is wrong for each of them. */
const atEase = (sites: ReadonlyMap<string, Site>): ReadonlyMap<string, Site> =>
  new Map([...sites].map(([service, { usualMs }]) => [service, { usualMs, strangeMs: [], aheadMs: null }]));

/**
 * While Teller runs, a jump shows against monotonic time, so a clock that agreed with a site a while ago can only have
 * drifted since: less than the tolerance each hour. A proxy that delivers a queue an hour late is not taken for a clock.
 */
const couldBeTheClock = (aheadMs: number, agreedAt: number | null, monotonic: number): boolean =>
  agreedAt === null || Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS * (1 + (monotonic - agreedAt) / HOUR_MS);

/** A site that says the same three times in a row has changed its clock, or is new. */
function learnt(site: Site, offsetMs: number): Site {
  const strangeMs = [...site.strangeMs, offsetMs].slice(-VOTES_TELLING);
  const isSteady =
    strangeMs.length === VOTES_TELLING &&
    Math.max(...strangeMs) - Math.min(...strangeMs) <= CLOCK_TOLERANCE_MS;
  return isSteady
    ? { usualMs: median(strangeMs), strangeMs: [], aheadMs: null }
    : { ...site, strangeMs, aheadMs: null };
}

const withSite = (times: SiteTimes, service: string, site: Site): SiteTimes => ({
  ...times,
  sites: new Map([...times.sites, [service, site]]),
});
