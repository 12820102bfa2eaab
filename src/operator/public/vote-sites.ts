import type { Config } from '../../config/config.ts';
import { type PlayerName, playerKey } from '../../core/player-name.ts';
import { DEFAULT_SITE, serviceNameOf, shownService } from '../../core/service-name.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** A site on which players may vote. */
export interface VoteSite {
  readonly service: string;
  /** Its label, or its service name. */
  readonly site: string;
  /** The page where players vote; null if its entry has none. */
  readonly url: string | null;
  /** Whether its votes name players, and not user IDs. */
  readonly isByPlayer: boolean;
}

/** The entries of `sites`, in their order. */
export const voteSites = ({ sites }: Pick<Config, 'sites'>): readonly VoteSite[] =>
  [...sites]
    .filter(([key]) => key !== DEFAULT_SITE)
    .map(([key, { label, url, game }]) => {
      const service = serviceNameOf(key);
      return { service, site: label ?? shownService(service), url, isByPlayer: game === 'minecraft' };
    });

/** When a player may vote on a site again; null: now. */
export interface SiteTime extends VoteSite {
  readonly from: number | null;
}

/** For the sites whose votes name players. An unknown name gets the answer of a player who may vote everywhere. */
export async function siteTimes(
  name: PlayerName,
  sites: readonly VoteSite[],
  ledger: Pick<Ledger, 'windowEnds'>,
  now: number,
): Promise<readonly SiteTime[]> {
  const asked = sites.filter(({ isByPlayer }) => isByPlayer);
  const services = asked.map(({ service }) => service);
  const [ends = []] = await ledger.windowEnds([playerKey(name)], services, now);
  return asked.map((site, at) => ({ ...site, from: ends[at] ?? null }));
}
