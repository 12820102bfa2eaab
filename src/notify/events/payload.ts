import type { EventName, EventPayload, EventPayloadOf } from '../../../protocol/webhook/events.ts';
import { PAYLOAD_VERSION } from '../../../protocol/webhook/payload.ts';
import { isoTime } from '../../core/instant.ts';
import type { EventRow } from '../../ledger/ledger.ts';
import type { EventDescriptor, EventSource } from './kind.ts';
import { eventDescriptors } from './kinds.ts';

/** An event as receivers get it. What it tells is read when it is sent. Rejects with the ledger's Problem. */
export async function payloadOf(row: EventRow, source: EventSource): Promise<EventPayload> {
  const { eventId, kind, at } = row;
  const data = await descriptorOf(kind).data(row, source);
  const envelope = { version: PAYLOAD_VERSION, eventId, timestamp: isoTime(at), test: false };
  return { event: kind, ...envelope, data } as EventPayload;
}

/** One or two sentences for people. */
export const eventSentence = ({ event, data }: EventPayload): string => descriptorOf(event).sentence(data);

/** A descriptor takes the data of its own kind, which the compiler cannot see for a union. */
const descriptorOf = <Name extends EventName>(
  kind: Name,
): EventDescriptor<Name> & { sentence(data: EventPayloadOf<EventName>['data']): string } =>
  eventDescriptors[kind] as never;
