import type { EventData, EventName } from '../../../protocol/events.ts';
import type { EventRow, Ledger } from '../../ledger/ledger.ts';

/** What the ledger says about what happened. */
export type EventSource = Pick<Ledger, 'votes' | 'grants'>;

/**
 * What one kind of event tells. Adding a kind means adding a file, naming it in `kinds.ts` and in `core/event-kind.ts`, and
 * adding its schema to `protocol/events.ts`; the compiler asks for the rest.
 */
export interface EventDescriptor<Name extends EventName> {
  /** Rejects with the ledger's Problem. */
  data(row: EventRow, source: EventSource): Promise<EventData<Name>>;
  /** For people. Names are as they are: whoever shows the sentence escapes it. */
  sentence(data: EventData<Name>): string;
}
