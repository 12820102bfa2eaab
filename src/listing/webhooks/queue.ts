import type { Clock } from '../../core/clock.ts';
import { type Attempt, type AttemptParts, attemptOf } from './attempt.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { WebhookStore } from './webhook-store.ts';

export interface QueueParts extends AttemptParts {
  readonly store: DeliveryStore;
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
}

/** Attempts under way to one webhook (NS-40), and to all of them. */
export const PER_WEBHOOK_MAX = 4;
export const IN_ALL_MAX = 64;

/** Which events are sent next: what is due, as far as there is room. Inside a transaction. */
export class Queue {
  private readonly parts: QueueParts;

  constructor(parts: QueueParts) {
    this.parts = parts;
  }

  /** Marks the next attempts, for the caller to send when the mark is on disk. */
  begin(underWay: Iterable<Attempt>): Attempt[] {
    const { store, clock } = this.parts;
    const now = clock.now();
    const room = new Room(underWay);
    const begun: Attempt[] = [];
    if (room.left === 0) return begun;
    for (const listingId of store.dueListings(now, room.left, room.taken, PER_WEBHOOK_MAX)) {
      begun.push(...this.beginOf(listingId, room, now));
    }
    return begun;
  }

  private beginOf(listingId: string, room: Room, now: number): Attempt[] {
    const { store, webhooks } = this.parts;
    const webhook = webhooks.find(listingId);
    if (webhook?.state !== 'open') {
      store.endPending(listingId, now);
      return [];
    }
    return store.dueOf(listingId, now, room.leftFor(listingId)).map((event) => {
      const attempt = attemptOf(event, 'vote', webhook, this.parts);
      store.begin(attempt.delivery);
      room.take(listingId);
      return attempt;
    });
  }
}

class Room {
  readonly taken = new Map<string, number>();
  left = IN_ALL_MAX;

  constructor(underWay: Iterable<Attempt>) {
    for (const { delivery } of underWay) this.take(delivery.listing.id);
  }

  take(listingId: string): void {
    this.taken.set(listingId, (this.taken.get(listingId) ?? 0) + 1);
    this.left--;
  }

  leftFor(listingId: string): number {
    return Math.max(0, Math.min(this.left, PER_WEBHOOK_MAX - (this.taken.get(listingId) ?? 0)));
  }
}
