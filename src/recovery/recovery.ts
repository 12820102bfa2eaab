import type { SiteConfig } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Dice } from '../core/dice.ts';
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
  readonly intake: Pick<Intake, 'acceptListed'>;
  readonly refusals: RefusalCounter;
  readonly clock: Clock;
  readonly dice: Dice;
  readonly log: Log;
  /** Node's own where it is left out. */
  readonly fetch?: typeof fetch;
}

/**
 * Finds the votes that a listing knows of and that never arrived: while Teller was down, or because a delivery by
 * listener is never repeated. Each site is looked after by itself, so one that is down delays no other.
 */
export class Recovery {
  private readonly sites = new Map<string, SiteRecovery>();

  /** Throws the Problem `secret-missing` where a token was not found. */
  constructor({ sites, fetch, ...shared }: RecoveryParts) {
    const { clock, dice } = shared;
    for (const [site, config] of sites) {
      const { api } = config;
      if (api === null) continue;
      const { baseUrl, token } = api;
      // Without patience, each call is one request: those that the client repeats by itself nobody could pace.
      const reached = { baseUrl, token: token.reveal(), clock, dice, patienceMs: 0 };
      const client = new ListingClient(fetch === undefined ? reached : { ...reached, fetch });
      this.sites.set(site, new SiteRecovery({ site, config, api, client, ...shared }));
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

  /** Gives up what it asks, and resolves when the vote in hand is stored. Nothing is left waiting. */
  async close(): Promise<void> {
    await Promise.all([...this.sites.values()].map((site) => site.close()));
  }
}
