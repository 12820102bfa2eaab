import type { Config, SiteConfig } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import type { Finding } from '../../core/finding.ts';
import type { Random } from '../../core/random.ts';
import type { DeepPart, Ledger, RecountOrder } from '../../ledger/ledger.ts';

/** What every check gets. */
export interface Subject {
  readonly config: Config;
  /** The text of the config, which shows where its secrets are. */
  readonly configText: string;
  /** null if it cannot be opened, which is a finding of its own. */
  readonly ledger: Ledger | null;
  /** Where the running processes of the ledger can be reached. */
  readonly controlFolder: string;
  /** Whether a running Teller delivers from this ledger. */
  readonly isRunning: boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** Use no network. */
  readonly isOffline: boolean;
  /** How to read the whole ledger; null: only look at it. */
  readonly deep: Deep | null;
}

export interface Deep {
  /** Counts again in the ledger of this file. */
  readonly recount: (file: string, order: RecountOrder) => Promise<void>;
  /** Called before each part of the ledger is read. */
  readonly onPart?: (part: DeepPart) => Promise<void> | void;
}

/** One of the checks. */
export type Step = (subject: Subject) => Promise<readonly Finding[]>;

/** Whether votes of a site can arrive by this protocol version: both the listener and the site must allow it. */
export const takes = (version: 'v1' | 'v2', { protocols }: SiteConfig, { listener }: Config): boolean =>
  listener.protocols.includes(version) && (protocols === null || protocols.includes(version));
