import type { Synchronous } from '../../../platform/sqlite/calls.ts';
import type { Database } from '../../../platform/sqlite/open.ts';
import type { EventLedger, EventReader } from '../../event-ledger.ts';
import { EventPosts } from './event-posts.ts';
import type { EventReceivers } from './event-receivers.ts';
import { StoredEvents } from './stored-events.ts';

/** The calls about what other programs are told. Statements are prepared when somebody is told for the first time. */
export function eventsOf(
  database: Database,
  receivers: () => EventReceivers,
): Synchronous<EventLedger & EventReader> {
  const posts = once(() => new EventPosts(database));
  const events = once(() => new StoredEvents(database));
  return {
    resumePosts: () => posts().resume(),
    nextPostAt: () => posts().nextAt(),
    takePosts: (turn) => posts().take(turn),
    addEvents: (added) => events().add(added),
    summariseRefusals: (now) => events().summariseRefusals(now),
    removeOldEvents: (now) => events().removeOld(now),
    resendEvents: (now) => posts().resend(now),
    isEventWanted: (kind) => receivers().isWanted(kind),
    latestEvents: (kinds, limit) => events().latest(kinds, limit),
    receiverStates: () => receivers().states(),
  };
}

export function once<Made>(make: () => Made): () => Made {
  let made: Made | null = null;
  return () => (made ??= make());
}
