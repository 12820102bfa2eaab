import type { Finding } from '../../core/finding.ts';
import { type GameServersNow, gameServersNow } from '../../operator/now/game-servers.ts';
import { type GuideNow, guideNow } from '../../operator/now/guide.ts';
import { type SitesNow, sitesNow } from '../../operator/now/sites.ts';
import { type StateNow, stateNow } from '../../operator/now/state.ts';
import type { WatchingParts } from '../running-watch.ts';

/** What the page shows. */
export interface NowFacts {
  readonly state: StateNow;
  readonly gameServers: GameServersNow;
  readonly sites: SitesNow;
  readonly guide: GuideNow;
  /** What the last check found; null: the first one has not ended. */
  readonly checked: readonly Finding[] | null;
}

/** Rejects with the ledger's Problem. */
export async function readFacts({ teller, watch, clock }: WatchingParts): Promise<NowFacts> {
  const { config, ledger, listener } = teller;
  const now = clock.now();
  watch.gameServers.look();
  const practice = teller.practiceServers;
  const [state, gameServers, sites, checked] = await Promise.all([
    stateNow({ config, port: listener.port, ledger }, watch.pauses, clock),
    gameServersNow(config, teller.gameServers, watch.gameServers, ledger, clock),
    sitesNow(ledger, config.sites, now),
    watch.checks.latest(),
  ]);
  const away = gameServers.servers.flatMap(({ name, connection }) =>
    connection.kind === 'trouble' ? [name] : [],
  );
  const known = { servers: gameServers.servers, sites: sites.sites };
  const guide = await guideNow(ledger, practice, known, now);
  return { state: { ...state, away }, gameServers, sites, checked, guide };
}
