import type { EventKind } from '../core/event-kind.ts';
import type { Facts } from '../core/reason.ts';

/** Something that happened, as it is stored for those who are told of it. */
export interface EventRow {
  /** Ascending in the order in which events were stored. */
  readonly id: number;
  /** A UUID, the same on all attempts and for all receivers. */
  readonly eventId: string;
  readonly kind: EventKind;
  /** In milliseconds since the Unix epoch, like all times here. */
  readonly at: number;
  /** The ID of the vote or the grant that it is about; null: it is about none. */
  readonly subject: number | null;
  /** What cannot be read from that vote or grant later. */
  readonly facts: Facts | null;
}

/** Who is told, and of what. */
export interface ReceiverWants {
  /** A digest of its URL. */
  readonly receiver: string;
  readonly kinds: readonly EventKind[];
}

/** An event that is being sent to a receiver. */
export interface EventPost {
  readonly receiver: string;
  /** Attempts that have failed. */
  readonly failures: number;
  readonly event: EventRow;
}

/** How an attempt ended. */
export type PostEnd = {
  /** The HTTP status; null: there was no complete answer. */
  readonly status: number | null;
  /** Why it failed; null: it did not. */
  readonly reason: string | null;
} & (
  | { readonly state: 'delivered' | 'undelivered' }
  /** It is tried again at this time. */
  | { readonly state: 'waiting'; readonly dueAt: number }
  /** Nothing was sent, or it was cut off, which says nothing about the receiver: it is tried again and not counted. */
  | { readonly state: 'again'; readonly dueAt: number }
);

export interface EndedPost {
  readonly receiver: string;
  readonly event: number;
  readonly end: PostEnd;
}

/** What one turn of sending events stores and claims. */
export interface EventTurn {
  readonly ended: readonly EndedPost[];
  /** How many posts each receiver may be sent now. */
  readonly free: readonly { readonly receiver: string; readonly most: number }[];
  readonly now: number;
}

export interface EventClaims {
  /** Those of one receiver together, the one that is due longest first. */
  readonly claimed: readonly EventPost[];
  /** When the next post is due, after now; null: none. */
  readonly nextDueAt: number | null;
}

/** An event that no trigger stores, because it is not about a vote or a grant. */
export interface NewEvent {
  readonly kind: EventKind;
  readonly at: number;
  readonly facts: Facts;
  /** An event with the same key is not stored again. */
  readonly key: string;
}

/** What is known of a receiver. */
export interface ReceiverState {
  readonly receiver: string;
  readonly waiting: number;
  /** Events that are sent again only by order. */
  readonly undelivered: number;
  readonly delivered: number;
  /** Events that were never delivered and are not kept any more. */
  readonly dropped: number;
  /** null: nothing was sent yet. */
  readonly last: {
    readonly at: number;
    readonly status: number | null;
    readonly reason: string | null;
  } | null;
}

export interface EventLedger {
  /** Posts that were being sent when a process died are sent again. Call it in the process that delivers. */
  resumePosts(): Promise<void>;
  /** When the first post is due, which may be past; null: none waits. */
  nextPostAt(): Promise<number | null>;
  takePosts(turn: EventTurn): Promise<EventClaims>;
  addEvents(events: readonly NewEvent[]): Promise<void>;
  /** Stores an event about the refusals of each hour that is over, if a receiver wants to know. */
  summariseRefusals(now: number): Promise<void>;
  /** Removes some events that are too old or too many. @returns whether there may be more of them. */
  removeOldEvents(now: number): Promise<boolean>;
  /** Undelivered events are sent again. @returns how many. */
  resendEvents(now: number): Promise<number>;
  /** Whether a receiver wants to know of events of this kind. */
  isEventWanted(kind: EventKind): Promise<boolean>;
}

export interface EventReader {
  /** The newest events of these kinds, the newest first. */
  latestEvents(kinds: readonly EventKind[], limit: number): Promise<readonly EventRow[]>;
  receiverStates(): Promise<readonly ReceiverState[]>;
}
