import { type EventPayload, TEST_EVENT } from '../../../protocol/events.ts';
import { PAYLOAD_VERSION, TEST_EVENT_ID } from '../../../protocol/webhook.ts';
import { isoTime } from '../../core/instant.ts';
import { type Attempt, chatPosting, jsonPosting } from '../webhook/message.ts';
import type { Posting } from '../webhook/post.ts';
import { eventSentence } from './payload.ts';
import type { Receiver } from './receiver.ts';

const AGENT = 'Teller-Events/1';

/** The command that shows what does not fit into a chat message. */
const COMMAND = 'teller events';

/** @param payloads one for a program; a chat message can tell several. Throws the Problem `secret-missing`. */
export const postingOf = (payloads: readonly EventPayload[], receiver: Receiver, attempt: Attempt): Posting =>
  posting(payloads, () => payloads.map(eventSentence), receiver, attempt);

/** Throws the Problem `secret-missing`. */
export function testPosting(receiver: Receiver, at: number, deliveryId: string): Posting {
  const text = '✅ This is a test. Teller’s events arrive here.';
  const envelope = { event: TEST_EVENT, version: PAYLOAD_VERSION, eventId: TEST_EVENT_ID };
  const payload = { ...envelope, timestamp: isoTime(at), test: true, data: { text } };
  return posting([payload], () => [text], receiver, { deliveryId, number: 1 });
}

function posting(
  [payload]: readonly { readonly event: string; readonly eventId: string }[],
  paragraphs: () => readonly string[],
  { url, form, secret }: Receiver,
  attempt: Attempt,
): Posting {
  const route = { url, agent: AGENT };
  if (form !== 'json' || payload === undefined)
    return chatPosting(paragraphs(), form as Exclude<Receiver['form'], 'json'>, COMMAND, route);
  const { event, eventId } = payload;
  const body = Buffer.from(JSON.stringify(payload));
  return jsonPosting({ event, eventId, body, secret: secret?.reveal() ?? null }, route, attempt);
}
