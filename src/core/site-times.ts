import { CLOCK_TOLERANCE_MS } from './clock-doubt.ts';
import { HOUR_MS } from './duration.ts';

/**
 * What signed votes say about this machine's clock. Each site has a steady offset between its claimed times and the
 * receipts, so a site whose clock is always wrong by the same amount is as useful as any other. Our clock has moved
 * only if the offsets of two sites change by the same amount.
 */
export interface SiteTimes {
  readonly sites: ReadonlyMap<string, Site>;
  /**
   * Monotonic time of the last vote that agreed with the clock; null before the first one since the start or last move.
   */
  readonly agreedAt: number | null;
  /** The sites that have agreed since the doubt began. */
  readonly agreeing: ReadonlySet<string>;
}

interface Site {
  /** The normal offset of this site; null until it is known. */
  readonly usualMs: number | null;
  /** Consecutive offsets that disagree but not because of our clock: late deliveries, or the site changed its clock. */
  readonly strangeMs: readonly number[];
  /** How far ahead our clock seems to be, given the site's last vote; null if that vote agreed or shows nothing. */
  readonly aheadMs: number | null;
}

/** The offset of a signed vote: its receipt minus its claimed time. */
export interface SignedTime {
  readonly service: string;
  readonly offsetMs: number;
}

export const NO_SITE_TIMES: SiteTimes = { sites: new Map(), agreedAt: null, agreeing: new Set() };

/** How many votes it takes to know the normal offset of a site. */
const VOTES_NEEDED = 3;
/** Anyone with a token can invent service names; names beyond this number are ignored. */
const SITES_MAX = 200;

/** @param usualOf reads the offsets of a service's last signed votes from the ledger; called once for each service. */
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

/** How far ahead our clock is according to two sites that agree (negative: behind); null if no two sites agree. */
export function disagreementMs({ sites }: SiteTimes): number | null {
  const ahead = [...sites.values()].flatMap(({ aheadMs }) => aheadMs ?? []).sort((a, b) => a - b);
  const first = ahead.find(
    (ms, index) => (ahead[index + 1] ?? Number.POSITIVE_INFINITY) - ms <= CLOCK_TOLERANCE_MS,
  );
  return first ?? null;
}

/** Whether two sites have agreed with the clock since the doubt began. */
export const isConfirmed = ({ agreeing }: SiteTimes): boolean => agreeing.size >= 2;

/**
 * Call this when the clock has moved, or a doubt has begun or ended: earlier votes then prove nothing about the clock.
 */
export const startOver = ({ sites }: SiteTimes): SiteTimes => ({
  sites: new Map([...sites].map(([service, site]) => [service, cleared(site)])),
  agreedAt: null,
  agreeing: new Set(),
});

const firstSeen = (offsetsMs: readonly number[]): Site => ({
  usualMs: offsetsMs.length >= VOTES_NEEDED ? median(offsetsMs) : null,
  strangeMs: [],
  aheadMs: null,
});

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Nearly every vote agrees, so avoid a copy if only the time changes. */
function agreed(times: SiteTimes, service: string, site: Site, monotonic: number): SiteTimes {
  const agreeing = times.agreeing.has(service) ? times.agreeing : new Set([...times.agreeing, service]);
  const isQuiet = times.sites.has(service) && areClear(times.sites);
  const sites = isQuiet ? times.sites : withoutSuspicions(new Map([...times.sites, [service, site]]));
  return { sites, agreedAt: monotonic, agreeing };
}

/** A loop without a copy of the sites, because this runs for each vote. */
function areClear(sites: ReadonlyMap<string, Site>): boolean {
  for (const site of sites.values()) if (isSuspicious(site)) return false;
  return true;
}

/** The offsets of a site whose normal one is not known yet are no suspicion. */
const isSuspicious = ({ usualMs, aheadMs, strangeMs }: Site): boolean =>
  usualMs !== null && (aheadMs !== null || strangeMs.length > 0);

/**
 * If one site agrees, the suspicions of all others are dropped, because a wrong clock would be wrong for every site.
 */
const withoutSuspicions = (sites: ReadonlyMap<string, Site>): ReadonlyMap<string, Site> =>
  new Map([...sites].map(([service, site]) => [service, isSuspicious(site) ? cleared(site) : site]));

const cleared = ({ usualMs }: Site): Site => ({ usualMs, strangeMs: [], aheadMs: null });

/**
 * While Teller runs, monotonic time shows a jump. So a clock that agreed with a site a while ago can only have drifted
 * since then, by less than the tolerance each hour, and a proxy that delivers an hour late is not mistaken for a wrong
 * clock.
 */
const couldBeTheClock = (aheadMs: number, agreedAt: number | null, monotonic: number): boolean =>
  agreedAt === null || Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS * (1 + (monotonic - agreedAt) / HOUR_MS);

/** A site with the same offset three times in a row has changed its clock, or is new. */
function learnt(site: Site, offsetMs: number): Site {
  const strangeMs = [...site.strangeMs, offsetMs].slice(-VOTES_NEEDED);
  const isSteady =
    strangeMs.length === VOTES_NEEDED &&
    Math.max(...strangeMs) - Math.min(...strangeMs) <= CLOCK_TOLERANCE_MS;
  return isSteady
    ? { usualMs: median(strangeMs), strangeMs: [], aheadMs: null }
    : { ...site, strangeMs, aheadMs: null };
}

const withSite = (times: SiteTimes, service: string, site: Site): SiteTimes => ({
  ...times,
  sites: new Map([...times.sites, [service, site]]),
});
