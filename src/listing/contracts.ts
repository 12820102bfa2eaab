import type { Game } from '../../protocol/webhook.ts';
import type { DeliveryResult } from '../notify/webhook/delivery-result.ts';

/** The types that parts of the listing service share. Times are milliseconds since the Unix epoch. */

export interface Listing {
  readonly id: string;
  readonly name: string;
  readonly type: 'bot' | 'game';
  /** null for a bot. */
  readonly game: Game | null;
  readonly weight: number;
}

export interface CastVote {
  /** UUIDv7; also the webhook's event ID. */
  readonly id: string;
  readonly listingId: string;
  readonly userId: string;
  /** As entered; null if none was named, and on all listings except Minecraft's. */
  readonly player: string | null;
  readonly castAt: number;
  readonly nextAt: number;
  readonly weight: number;
}

/** Whether a URL may be a webhook's target. Checked when it is saved, and again at connect time. */
export type TargetVerdict =
  | { readonly kind: 'allowed'; readonly url: URL }
  /** `why` completes a sentence that begins with the URL. */
  | { readonly kind: 'WEBHOOK_URL_INVALID' | 'WEBHOOK_URL_NOT_PUBLIC'; readonly why: string };

export interface TargetRule {
  judge(url: string): Promise<TargetVerdict>;
}

export interface Deliveries {
  /** Sends one test delivery to this URL, signed with the listing's stored secret if any (NS-22, NS-23). Never rejects. */
  test(listing: Listing, url: URL): Promise<DeliveryResult>;
  /** Call this when events may be due. */
  nudge(): void;
}

/** Called for every vote that is stored. */
export interface VoteObserver {
  voteCast(listing: Listing, vote: CastVote): void;
}
