import type { NamedReward, Top } from '../rewards/reward.ts';

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
  /** Each reward counts from the day on which a running config first contained its name. */
  useRewards(rewards: readonly NamedReward[], today: number): Promise<void>;
  /** Each top is settled from the period on in which a running config first contained it with such periods. */
  useTops(tops: readonly Pick<Top, 'name' | 'period'>[], today: number): Promise<void>;
}
