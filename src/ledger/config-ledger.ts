import type { NamedReward, Top } from '../rewards/reward.ts';
import type { ReceiverWants } from './event-ledger.ts';

/** What the ledger keeps of the config that runs. */
export interface ConfigLedger {
  /**
   * Stores the time zone in which days begin, which must be the same for all processes that record votes: while
   * another process delivers, its zone stays.
   *
   * @param zone an IANA name.
   * @returns the time zone in force.
   */
  useTimeZone(zone: string): Promise<string>;
  /** All of it or, if it rejects, nothing. What is left out stays as it was. */
  useConfig(config: UsedConfig): Promise<void>;
}

/** What the ledger keeps of a config: since when it has had what. */
export interface UsedConfig {
  /** The local day on which rewards and tops start that no running config has contained. */
  readonly today: number;
  /** Pools of game servers that none of these and no open grant names are removed. */
  readonly rewards?: readonly NamedReward[];
  /** Each is settled from the period on in which a running config first contained it with such periods. */
  readonly tops?: readonly Pick<Top, 'name' | 'period'>[];
  /** Whether one of its game servers is a real one, so that practice is over (rule 9). */
  readonly isReal?: boolean;
  /** Sites that are first seen at this time, if they are not known. */
  readonly seen?: { readonly sites: readonly string[]; readonly at: number };
  /** Events are stored for these from now on. Posts that wait for any other receiver are removed. */
  readonly told?: { readonly receivers: readonly ReceiverWants[]; readonly at: number };
}
