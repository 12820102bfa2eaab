import type { Database } from 'better-sqlite3';
import { UUID_BYTES, uuid4Of } from '../../core/uuid.ts';
import type { Turn } from '../../notify/outbox/outlet.ts';
import type { DeliveryReason } from '../../notify/webhook/reasons.ts';
import { claimDue, type ListingJob } from '../outbox/claim-due.ts';
import { AttemptRecorder, type EndedAttempt, type RecordedAttempt } from '../webhooks/attempt-recorder.ts';
import { type MarkedDelivery, type MarkRules, nextDelivery } from '../webhooks/delivery-mark.ts';
import { DeliveryStore, type NewDelivery } from '../webhooks/delivery-store.ts';
import { type RedeliveryRefusal, redeliveryRefusalOf, type Wait } from '../webhooks/redelivery.ts';
import { WebhookStore } from '../webhooks/webhook-store.ts';

export interface DeliveriesTurn {
  readonly ended: readonly EndedAttempt[];
  readonly inProgress: readonly ListingJob[];
  /** Whether to claim events; not while the service stops. */
  readonly isClaiming: boolean;
  readonly now: number;
  /**
   * Random bytes for the IDs of the deliveries that are claimed: `UUID_BYTES` for each slot. As strings, the IDs cost
   * each turn 0.1 ms more, to copy them to the thread.
   */
  readonly idBytes: Uint8Array;
  readonly rules: MarkRules;
  /** The pause before each retry. */
  readonly retryScheduleMs: readonly number[];
}

export interface WantedRedelivery {
  readonly listingId: string;
  readonly eventId: string;
  readonly now: number;
  readonly deliveryId: string;
  readonly rules: MarkRules;
}

export type BegunRedelivery =
  | ({ readonly kind: 'begun' } & MarkedDelivery)
  | ({ readonly kind: 'refused'; readonly code: RedeliveryRefusal } & Wait);

/** NS-40. */
const PER_WEBHOOK_MAX = 4;

/** Deliveries to webhooks. Each is marked before it is sent. */
export const deliveryChanges = (database: Database) => {
  const store = new DeliveryStore(database);
  const webhooks = new WebhookStore(database);
  const recorder = new AttemptRecorder(store, webhooks);

  const claim = (listingId: string, limit: number, turn: DeliveriesTurn, newId: () => string) => {
    const { now, rules } = turn;
    const webhook = webhooks.find(listingId);
    if (webhook?.state !== 'open') {
      store.endPending(listingId, now);
      return [];
    }
    return store.dueOf(listingId, now, limit).map((event): MarkedDelivery & Pick<ListingJob, 'listingId'> => {
      const drawn = { deliveryId: newId(), startedAt: now, rules };
      const marked = nextDelivery(event, 'vote', webhook, drawn);
      store.begin(marked.delivery);
      return { ...marked, listingId };
    });
  };

  return {
    /** Marks a test before it is sent. */
    beginDelivery(delivery: NewDelivery): void {
      store.begin(delivery);
    },

    /** Marks a redelivery, if it is allowed now. */
    beginRedelivery(wanted: WantedRedelivery): BegunRedelivery {
      const { listingId, eventId, now: startedAt, deliveryId, rules } = wanted;
      const event = store.event(listingId, eventId);
      const webhook = webhooks.find(listingId);
      const refusal = redeliveryRefusalOf({ ...wanted, event, webhook, store });
      if (refusal !== null || event === null || webhook === null) {
        return { kind: 'refused', ...(refusal ?? { code: 'no-event' }) };
      }
      const marked = nextDelivery(event, 'redelivery', webhook, { deliveryId, startedAt, rules });
      store.begin(marked.delivery);
      return { kind: 'begun', ...marked };
    },

    /** Ends the deliveries that the last process left without an end. @returns how many those are. */
    cutOffDeliveries: (reason: DeliveryReason): number => store.cutOffAll(reason),

    /** Records how attempts ended, and marks events that are due. */
    deliveriesTurn(turn: DeliveriesTurn): Turn<MarkedDelivery, RecordedAttempt> {
      const { ended, inProgress, isClaiming, now, idBytes, retryScheduleMs } = turn;
      const recorded = ended.map((attempt) => recorder.record(attempt, { now, retryScheduleMs }));
      if (!isClaiming) return { recorded, claimed: [], nextDueAt: null };
      const newId = idsFrom(idBytes);
      const queue = {
        perListingMax: PER_WEBHOOK_MAX,
        dueListings: store.dueListings.bind(store),
        claim: (listingId: string, limit: number) => claim(listingId, limit, turn, newId),
      };
      return { recorded, claimed: claimDue(queue, inProgress, now), nextDueAt: store.nextDueAt(now) };
    },
  };
};

function idsFrom(bytes: Uint8Array): () => string {
  let used = 0;
  return () => {
    const from = used;
    used += UUID_BYTES;
    return uuid4Of(bytes.subarray(from, used));
  };
}
