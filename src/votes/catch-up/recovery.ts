import type { SiteConfig } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Random } from '../../core/random.ts';
import type { RecoveryLedger } from '../../ledger/ledger.ts';
import type { Intake } from '../intake/intake.ts';
import type { RefusalCounter } from '../intake/refusal-codes.ts';
import { ListingClient } from '../listing-client/listing-client.ts';
import { type RecoveryStatus, SiteRecovery } from './site-recovery.ts';

export type { RecoveryStatus } from './site-recovery.ts';

export interface RecoveryParts {
  readonly sites: ReadonlyMap<string, SiteConfig>;
  readonly ledger: RecoveryLedger;
  readonly intake: Pick<Intake, 'acceptReport'>;
  readonly refusals: RefusalCounter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** By default Node's own. */
  readonly fetch?: typeof fetch;
}

/**
 * Finds votes that a listing has recorded but that never arrived, because Teller was down or a delivery to the listener
 * failed, which is never repeated. Each site is handled separately, so that one that is down does not delay the others.
 */
export class Recovery {
  private readonly shared: Omit<RecoveryParts, 'sites'>;
  private readonly sites = new Map<string, SiteRecovery>();

  /** Throws the Problem `secret-missing` if a token was not found. */
  constructor({ sites, ...shared }: RecoveryParts) {
    this.shared = shared;
    for (const [site, config] of sites) this.add(site, config);
  }

  /** Stops looking for votes of these sites. Resolves when the votes being submitted are stored. */
  async drop(isDropped: (site: string) => boolean): Promise<void> {
    const dropped = [...this.sites].filter(([site]) => isDropped(site));
    for (const [site] of dropped) this.sites.delete(site);
    await Promise.all(dropped.map(([, recovery]) => recovery.close()));
  }

  /** Starts looking for votes of the sites that are new. */
  startNew(sites: ReadonlyMap<string, SiteConfig>): void {
    for (const [site, config] of sites) {
      if (!this.sites.has(site)) this.add(site, config)?.start();
    }
  }

  /** Looks for missed votes now and at every interval. */
  start(): void {
    for (const site of this.sites.values()) site.start();
  }

  /** Looks now, for one site or for all. If a listing has asked to wait, Teller still waits. */
  nudge(site?: string): void {
    for (const [name, recovery] of this.sites) {
      if (site === undefined || site === name) recovery.nudge();
    }
  }

  /** For every site that has an `api`, in the order of the config. */
  status(): readonly RecoveryStatus[] {
    return [...this.sites.values()].map((site) => site.status());
  }

  private add(site: string, config: SiteConfig): SiteRecovery | null {
    const { api } = config;
    if (api === null) return null;
    const { fetch, ...shared } = this.shared;
    const { clock, random } = shared;
    const { baseUrl, token } = api;
    // Without retries each call is one request, so that requests can be paced here.
    const reached = { baseUrl, token: token.reveal(), clock, random, retryForMs: 0 };
    const client = new ListingClient(fetch === undefined ? reached : { ...reached, fetch });
    const recovery = new SiteRecovery({ site, config, api, client, ...shared });
    this.sites.set(site, recovery);
    return recovery;
  }

  /** Cancels requests and waits. Resolves when the vote being submitted is stored. */
  async close(): Promise<void> {
    await Promise.all([...this.sites.values()].map((site) => site.close()));
  }
}
