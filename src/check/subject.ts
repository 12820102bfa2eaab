import type { Config, SiteConfig } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import type { DeepPart, LedgerReader } from '../ledger/ledger.ts';

/** What is being checked, for every step alike. */
export interface Subject {
  readonly config: Config;
  /** The config as it is written, to find out where its secrets are. */
  readonly configText: string;
  /** null where it cannot be opened, which is a finding of its own. */
  readonly ledger: LedgerReader | null;
  /** Whether a Teller delivers from this ledger now. */
  readonly isRunning: boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** Touch no network. */
  readonly isOffline: boolean;
  /** Read the whole ledger. */
  readonly isDeep: boolean;
  /** Told before each part of the ledger is read then. */
  readonly onPart?: (part: DeepPart) => Promise<void> | void;
}

/** Whether votes of a site can come in by this version: by the port, and by what is said of the site. */
export const takes = (version: 'v1' | 'v2', { protocols }: SiteConfig, { listener }: Config): boolean =>
  listener.protocols.includes(version) && (protocols === null || protocols.includes(version));
