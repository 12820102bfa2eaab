import type { PlayerName } from './player-name.ts';

/** The default service name of `teller send`. In a preview it represents any unlisted service. */
export const STAND_IN_SERVICE = 'Teller test';

/** How a vote reached Teller. `operator`: by `teller votes add`; `import`: from the time before Teller ran. */
export type Channel = 'listener-v1' | 'listener-v2' | 'webhook' | 'api' | 'operator' | 'import';

/** On these channels, the vote's own time is believed, however late it comes (rule 4). */
export const isFoundLate = (channel: Channel): boolean =>
  channel === 'webhook' || channel === 'api' || channel === 'operator' || channel === 'import';

/** Who gets the reward: a player, or a user ID for games without player names. */
export type Recipient =
  | { readonly kind: 'player'; readonly key: string; readonly player: PlayerName }
  | { readonly kind: 'user'; readonly key: string };

/**
 * When the vote was cast according to the site. If either of two times is precise only to the second, they are compared
 * in whole seconds.
 */
export interface Claim {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly precision: 'ms' | 's';
}

/** A vote that can be recorded: everything in it has been checked. */
export interface Vote {
  /** The service name as received, without surrounding white space (`serviceNameOf`). */
  readonly service: string;
  /** The key of the entry in `sites` that it falls under. */
  readonly site: string;
  readonly recipient: Recipient;
  /** The player's name as the site sent it, if that differs. */
  readonly sentAs?: string;
  /** When the vote was cast as Teller dates it (rule 4), in milliseconds since the Unix epoch. */
  readonly castAt: number;
  readonly claim: Claim | null;
  readonly receivedAt: number;
  readonly channel: Channel;
  /** The sender's peer address. */
  readonly address: string | null;
  /** The listing service's ID of the vote, if the channel carries one. */
  readonly eventId: string | null;
  /** SHA-256 of a v1 block. */
  readonly blockDigest: Uint8Array | null;
  /** The received vote as text, for the trace. */
  readonly wire: string;
}

/** Rule 4: how far a claimed time from the listener may be from the receipt. */
export const CLAIM_TOLERANCE_MS = 10 * 60 * 1000;

/** Rule 4: the claimed time if it is near the receipt, otherwise the receipt. */
export const castTime = (claim: Claim | null, receivedAt: number): number =>
  claim !== null && Math.abs(claim.at - receivedAt) <= CLAIM_TOLERANCE_MS ? claim.at : receivedAt;

/** Rule 2: whether two claimed times are the same. */
export const isSameClaim = (a: Claim, b: Claim): boolean =>
  a.precision === 's' || b.precision === 's'
    ? Math.floor(a.at / 1000) === Math.floor(b.at / 1000)
    : a.at === b.at;
