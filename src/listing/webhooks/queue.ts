import type { Clock } from '../../core/clock.ts';
import { type Attempt, type AttemptParts, attemptOf } from './attempt.ts';
import type { DeliveryStore, StoredEvent } from './delivery-store.ts';
import type { WebhookStore } from './webhook-store.ts';

export interface QueueParts extends AttemptParts {
  readonly store: DeliveryStore;
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
}

/** Attempts under way to one webhook (NS-40), and to all of them. */
export const PER_WEBHOOK_MAX = 4;
export const IN_ALL_MAX = 64;
const REST_FACTOR = 9;

/** Which events are sent next: what is due, as far as there is room. Inside a transaction. */
export class Queue {
  private readonly parts: QueueParts;
  /** Monotonic time from which it is looked for again. */
  private lookAt = 0;

  constructor(parts: QueueParts) {
    this.parts = parts;
  }

  /** How long looking would cost too much of everybody's time, 0 for not at all. */
  restMs(): number {
    return Math.max(0, this.lookAt - this.parts.clock.monotonic());
  }

  /** Marks the next attempts, for the caller to send when the mark is on disk. */
  begin(underWay: Iterable<Attempt>): Attempt[] {
    if (this.restMs() > 0) return [];
    const now = this.parts.clock.now();
    const room = new Room(underWay);
    const begun: Attempt[] = [];
    for (;;) {
      const wanted = room.left;
      const due = wanted > 0 ? this.look(now, wanted, room.fullListings()) : [];
      for (const event of due) {
        const attempt = room.isFull(event.listing.id) ? null : this.tryEvent(event, room, now);
        if (attempt !== null) begun.push(attempt);
      }
      // A shorter list than was asked for is all there is; a whole one may have been cut off by a busy webhook's.
      if (due.length < wanted || wanted === 0) return begun;
    }
  }

  /**
   * The query passes over all that is due for webhooks that are busy. Behind one with 10,000 events it takes 10 ms,
   * so it rests nine times as long as it took: looking never takes more than a tenth of the time.
   */
  private look(now: number, wanted: number, butListings: readonly string[]): StoredEvent[] {
    const { store, clock } = this.parts;
    const startedAt = clock.monotonic();
    const due = store.due(now, wanted, butListings);
    const endedAt = clock.monotonic();
    this.lookAt = endedAt + REST_FACTOR * (endedAt - startedAt);
    return due;
  }

  private tryEvent(event: StoredEvent, room: Room, now: number): Attempt | null {
    const { store, webhooks } = this.parts;
    const { id: listingId } = event.listing;
    const webhook = webhooks.find(listingId);
    if (webhook?.state !== 'open') {
      store.endPending(listingId, now);
      room.close(listingId);
      return null;
    }
    const attempt = attemptOf(event, 'vote', webhook, this.parts);
    store.begin(attempt.delivery);
    room.take(listingId);
    return attempt;
  }
}

class Room {
  private readonly taken = new Map<string, number>();
  left = IN_ALL_MAX;

  constructor(underWay: Iterable<Attempt>) {
    for (const { delivery } of underWay) this.take(delivery.listing.id);
  }

  take(listingId: string): void {
    this.taken.set(listingId, (this.taken.get(listingId) ?? 0) + 1);
    this.left--;
  }

  /** For a listing of which nothing can be sent. */
  close(listingId: string): void {
    this.taken.set(listingId, PER_WEBHOOK_MAX);
  }

  isFull(listingId: string): boolean {
    return (this.taken.get(listingId) ?? 0) >= PER_WEBHOOK_MAX;
  }

  fullListings(): string[] {
    return [...this.taken.keys()].filter((listingId) => this.isFull(listingId));
  }
}
