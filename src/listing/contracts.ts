import type { Game } from '../../protocol/webhook/payload.ts';
import type { DeliveryResult } from '../webhook-send/delivery-result.ts';

/** What the parts of the listing service know of each other. Times are milliseconds since the Unix epoch. */

export interface Listing {
  readonly id: string;
  readonly name: string;
  readonly type: 'bot' | 'game';
  /** null for a bot. */
  readonly game: Game | null;
  readonly weight: number;
}

export interface CastVote {
  /** UUIDv7; the webhook's event id too. */
  readonly id: string;
  readonly listingId: string;
  readonly userId: string;
  /** As entered; null where none was named, and on every listing but Minecraft's. */
  readonly player: string | null;
  readonly castAt: number;
  readonly nextAt: number;
  readonly weight: number;
}

/** Whether a URL may be a webhook's target: judged when it is saved, and again at connect time. */
export type TargetVerdict =
  | { readonly kind: 'allowed'; readonly url: URL }
  /** `why` is the rest of a sentence that begins with the URL. */
  | { readonly kind: 'WEBHOOK_URL_INVALID' | 'WEBHOOK_URL_NOT_PUBLIC'; readonly why: string };

export interface TargetRule {
  judge(url: string): Promise<TargetVerdict>;
}

export interface Deliveries {
  /** One test delivery to this URL, with the listing's stored secret if any (NS-22, NS-23). Never rejects. */
  test(listing: Listing, url: URL): Promise<DeliveryResult>;
  /** Events may have fallen due. */
  nudge(): void;
}

/** Told of every vote once it is stored. */
export interface VoteObserver {
  /** Inside the vote's own transaction, which may be tried again: writes its own rows, and nothing else. */
  recording?(listing: Listing, vote: CastVote): void;
  voteCast(listing: Listing, vote: CastVote): void;
}
