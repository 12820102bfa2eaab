import type { Cooldown } from '../core/cooldown.ts';
import type { Draws } from '../rewards/draws.ts';
import type { Rules } from '../rewards/reward.ts';

/** Votes that were cast longer than this before their service got its entry are not paid. */
export const UNLISTED_PAID_MS = 7 * 24 * 60 * 60 * 1000;

/** An entry of `sites` under which votes are decided that came before it. */
export interface ListedSite {
  /** The service name of the votes. */
  readonly service: string;
  /** The key of the entry. */
  readonly site: string;
  readonly cooldown: Cooldown;
  readonly countsAll: boolean;
}

/** By what the next votes are decided again. */
export interface ListingOrder {
  readonly sites: readonly ListedSite[];
  readonly rules: Rules;
  /** One for each vote of the portion, so their number is its size. */
  readonly draws: readonly Draws[];
}

export type ListedPortion =
  | {
      readonly kind: 'decided';
      readonly votes: number;
      /** How many grants they were given. */
      readonly grants: number;
      readonly isLast: boolean;
    }
  /** Nothing is decided while the clock is doubted. */
  | { readonly kind: 'clock-doubted' };

/** How many votes of a service wait for an entry. */
export interface WaitingVotes {
  readonly service: string;
  readonly votes: number;
}

/** Votes with the decision `unlisted`, which are paid when their service gets an entry in `sites`. */
export interface UnlistedLedger {
  /** The operator gives these services an entry now: later votes and those of the 7 days before are paid. */
  noteListed(services: readonly string[], now: number): Promise<void>;
  /**
   * The config that pays has entries for exactly these services. Those with waiting votes that no one has noted were listed
   * now; what was noted of others is forgotten.
   *
   * @returns whether one of them is noted: `payUnlisted` may have something to do.
   */
  keepListed(services: readonly string[], now: number): Promise<boolean>;
  /**
   * Decides the next waiting votes of noted services again, those that were cast first before the others, as if they had
   * been recorded now, with the time at which they were cast. One transaction for the portion.
   */
  payUnlisted(order: ListingOrder, now: number): Promise<ListedPortion>;
}
