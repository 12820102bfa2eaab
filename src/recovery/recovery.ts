import type { SiteConfig } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import type { Log } from '../core/log.ts';
import type { Intake } from '../intake/intake.ts';
import type { RefusalCounter } from '../intake/refusal-codes.ts';
import type { RecoveryLedger } from '../ledger/ledger.ts';
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
  /** Node's own where it is left out. */
  readonly fetch?: typeof fetch;
}

/**
 * Finds the votes that a listing knows of and that never arrived: while Teller was down, or because a delivery by
 * listener is never repeated. Each site is looked after by itself, so one that is down delays no other.
 */
export class Recovery {
  private readonly shared: Omit<RecoveryParts, 'sites'>;
  private readonly sites = new Map<string, SiteRecovery>();

  /** Throws the Problem `secret-missing` where a token was not found. */
  constructor({ sites, ...shared }: RecoveryParts) {
    this.shared = shared;
    for (const [site, config] of sites) this.add(site, config);
  }

  /** Stops looking for the votes of these sites. Resolves when the votes in hand are stored. */
  async drop(isDropped: (site: string) => boolean): Promise<void> {
    const dropped = [...this.sites].filter(([site]) => isDropped(site));
    for (const [site] of dropped) this.sites.delete(site);
    await Promise.all(dropped.map(([, recovery]) => recovery.close()));
  }

  /** Looks for the votes of the sites that it does not look after yet. */
  startNew(sites: ReadonlyMap<string, SiteConfig>): void {
    for (const [site, config] of sites) {
      if (!this.sites.has(site)) this.add(site, config)?.start();
    }
  }

  /** Begins to look, and goes on at every interval. */
  start(): void {
    for (const site of this.sites.values()) site.start();
  }

  /** Looks now, for one site or for all; what a listing asked to wait for is waited for still. */
  nudge(site?: string): void {
    for (const [name, recovery] of this.sites) {
      if (site === undefined || site === name) recovery.nudge();
    }
  }

  /** Of every site that has an api, in the order of the config. */
  status(): readonly RecoveryStatus[] {
    return [...this.sites.values()].map((site) => site.status());
  }

  private add(site: string, config: SiteConfig): SiteRecovery | null {
    const { api } = config;
    if (api === null) return null;
    const { fetch, ...shared } = this.shared;
    const { clock, random } = shared;
    const { baseUrl, token } = api;
    // Without patience, each call is one request: a client that repeats requests by itself could not be paced.
    const reached = { baseUrl, token: token.reveal(), clock, random, retryForMs: 0 };
    const client = new ListingClient(fetch === undefined ? reached : { ...reached, fetch });
    const recovery = new SiteRecovery({ site, config, api, client, ...shared });
    this.sites.set(site, recovery);
    return recovery;
  }

  /** Gives up what it asks, and resolves when the vote in hand is stored. Nothing is left waiting. */
  async close(): Promise<void> {
    await Promise.all([...this.sites.values()].map((site) => site.close()));
  }
}
