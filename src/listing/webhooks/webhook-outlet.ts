import type { Clock } from '../../core/clock.ts';
import { type Attempt, type AttemptParts, attemptOf } from './attempt.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { WebhookStore } from './webhook-store.ts';

export interface QueueParts extends AttemptParts {
  readonly store: DeliveryStore;
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
}

/** Attempts in progress to one webhook (NS-40). */
export const PER_WEBHOOK_MAX = 4;

/**
 * Each webhook has one slot that no other can use; what it has beyond that comes from the slots that all share. When
 * all slots were shared, 20 receivers that hang kept another listing's vote waiting for 9 s.
 */
const OWN_SLOTS_MAX = 192;
const SHARED_SLOTS_MAX = 64;
export const IN_ALL_MAX = OWN_SLOTS_MAX + SHARED_SLOTS_MAX;

/** Which events are sent next: what is due, as far as there are slots. Inside a transaction. */
export class Queue {
  constructor(private readonly parts: QueueParts) {}

  /** Marks the next attempts, for the caller to send when the mark is on disk. */
  begin(underWay: Iterable<Attempt>): Attempt[] {
    const { store, clock } = this.parts;
    const now = clock.now();
    const slots = new Slots(underWay);
    const due = store.dueListings(now, IN_ALL_MAX, slots.taken, slots.mostOfOne);
    return due.flatMap((listingId) => this.beginOf(listingId, slots, now));
  }

  private beginOf(listingId: string, slots: Slots, now: number): Attempt[] {
    const { store, webhooks } = this.parts;
    const webhook = webhooks.find(listingId);
    if (webhook?.state !== 'open') {
      store.endPending(listingId, now);
      return [];
    }
    return store.dueOf(listingId, now, slots.freeFor(listingId)).map((event) => {
      const attempt = attemptOf(event, 'vote', webhook, this.parts);
      store.begin(attempt.delivery);
      slots.take(listingId);
      return attempt;
    });
  }
}

class Slots {
  /** In progress, by listing. */
  readonly taken = new Map<string, number>();
  private shared = SHARED_SLOTS_MAX;

  constructor(underWay: Iterable<Attempt>) {
    for (const { delivery } of underWay) this.take(delivery.listing.id);
  }

  /** What has as many in progress gets no slot now. */
  get mostOfOne(): number {
    return this.shared > 0 ? PER_WEBHOOK_MAX : 1;
  }

  take(listingId: string): void {
    const taken = this.taken.get(listingId) ?? 0;
    this.taken.set(listingId, taken + 1);
    if (taken > 0) this.shared--;
  }

  freeFor(listingId: string): number {
    const taken = this.taken.get(listingId) ?? 0;
    const own = taken === 0 && this.taken.size < OWN_SLOTS_MAX ? 1 : 0;
    if (taken + own === 0) return 0;
    return own + Math.max(0, Math.min(this.shared, PER_WEBHOOK_MAX - taken - own));
  }
}
