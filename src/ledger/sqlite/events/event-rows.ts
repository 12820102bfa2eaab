import type { EventKind } from '../../../core/event-kind.ts';
import type { Facts } from '../../../core/reason.ts';
import { uuid4Of } from '../../../core/uuid.ts';
import type { EventRow } from '../../event-ledger.ts';

/** An event as it is stored. */
export interface StoredEvent {
  readonly id: number;
  readonly uuid: Uint8Array;
  readonly kind: EventKind;
  readonly at: number;
  readonly subject: number | null;
  readonly facts: string | null;
}

export const EVENT = 'e.id, e.event_id AS uuid, e.kind, e.at, e.subject, e.facts';

export const eventRow = ({ id, uuid, kind, at, subject, facts }: StoredEvent): EventRow => ({
  ...{ id, eventId: uuid4Of(uuid), kind, at, subject },
  facts: facts === null ? null : (JSON.parse(facts) as Facts),
});
