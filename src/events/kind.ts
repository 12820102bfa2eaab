import type { EventData, EventName } from '../../protocol/webhook/events.ts';
import type { EventRow, LedgerReader } from '../ledger/ledger.ts';

/** What the ledger says about what happened. */
export type EventSource = Pick<LedgerReader, 'votes' | 'grants'>;

/** What one kind of event tells. Adding a kind means adding a file and naming it in `kinds.ts`. */
export interface EventDescriptor<Name extends EventName> {
  /** Rejects with the ledger's Problem. */
  data(row: EventRow, source: EventSource): Promise<EventData<Name>>;
  /** For people. Names are as they are: whoever shows the sentence escapes it. */
  sentence(data: EventData<Name>): string;
}
