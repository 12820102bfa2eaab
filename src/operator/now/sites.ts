import type { SiteConfig } from '../../config/config.ts';
import { DAY_MS } from '../../core/duration.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { figuresOfSites, type SiteFigures } from '../sites/figures.ts';
import { type NoiseFigure, noiseFigures, type RefusalFigure, refusalFigures } from '../trace/refusals.ts';

/** A service with its votes and refusals. */
export interface SiteNow extends Pick<SiteFigures, 'service' | 'isListed' | 'url' | 'lastVoteAt' | 'today'> {
  /** Of today, newest first, each with its likely cause. */
  readonly refusals: readonly RefusalFigure[];
}

export interface SitesNow {
  /** Those in `sites`, and the newest others that sent votes or were refused today. */
  readonly sites: readonly SiteNow[];
  /** How many other services are left out. */
  readonly leftOut: number;
  /** Refusals of today without a readable service name. */
  readonly nameless: readonly RefusalFigure[];
  /** Connections of today that brought no whole vote, which say nothing about their sender. */
  readonly noise: readonly NoiseFigure[];
}

/** Anyone can invent service names. */
const UNLISTED_MAX = 20;

/** Days begin at midnight UTC, as in `teller sites`. */
export async function sitesNow(
  ledger: Ledger,
  sites: ReadonlyMap<string, SiteConfig>,
  now: number,
): Promise<SitesNow> {
  const startOfDay = Math.floor(now / DAY_MS) * DAY_MS;
  const [{ services }, counts] = await Promise.all([
    figuresOfSites(ledger, sites, now),
    ledger.refusals(startOfDay),
  ]);
  const refused = refusalFigures(counts);
  const found = services.map((figures) => siteNow(figures, refused));
  const unlisted = found.filter(isOfInterest);
  return {
    sites: [...found.filter(({ isListed }) => isListed), ...unlisted.slice(0, UNLISTED_MAX)],
    leftOut: Math.max(0, unlisted.length - UNLISTED_MAX),
    nameless: refused.filter(({ service }) => service === null),
    noise: noiseFigures(counts),
  };
}

const isOfInterest = ({ isListed, lastVoteAt, refusals }: SiteNow): boolean =>
  !isListed && (lastVoteAt !== null || refusals.length > 0);

const siteNow = (
  { service, isListed, url, lastVoteAt, today }: SiteFigures,
  refused: readonly RefusalFigure[],
): SiteNow => ({
  ...{ service, isListed, url, lastVoteAt, today },
  refusals: refused.filter((figure) => figure.service === service),
});
