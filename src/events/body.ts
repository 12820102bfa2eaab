import { type EventPayload, encodeEventPayload, TEST_EVENT } from '../../protocol/webhook/events.ts';
import { deliveryHeaders, PAYLOAD_VERSION, TEST_EVENT_ID } from '../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER, signBody } from '../../protocol/webhook/signature.ts';
import { isoTime } from '../core/instant.ts';
import { chatBody } from '../webhook-send/chat-body.ts';
import type { Posting } from '../webhook-send/post.ts';
import { eventSentence } from './payload.ts';
import type { Receiver } from './receiver.ts';

/** One attempt: its ID and its number, from 1. */
export interface Attempt {
  readonly deliveryId: string;
  readonly number: number;
}

const AGENT = { 'User-Agent': 'Teller-Events/1' };

/** The commands that shows what does not fit into a chat message. */
const COMMAND = 'teller events';

/** @param payloads one for a receiver of JSON; a chat message can tell several. Throws the Problem `secret-missing`. */
export function postingOf(payloads: readonly EventPayload[], receiver: Receiver, attempt: Attempt): Posting {
  const [payload] = payloads;
  if (receiver.form !== 'json' || payload === undefined)
    return chatPosting(payloads.map(eventSentence), receiver);
  return jsonPosting(payload, receiver, attempt);
}

/** Throws the Problem `secret-missing`. */
export function testPosting(receiver: Receiver, at: number, deliveryId: string): Posting {
  const text = '✅ This is a test. Teller’s events arrive here.';
  if (receiver.form !== 'json') return chatPosting([text], receiver);
  const envelope = { event: TEST_EVENT, version: PAYLOAD_VERSION, eventId: TEST_EVENT_ID };
  const payload = { ...envelope, timestamp: isoTime(at), test: true, data: { text } };
  return jsonPosting(payload, receiver, { deliveryId, number: 1 });
}

function chatPosting(paragraphs: readonly string[], { url, form }: Receiver): Posting {
  const body = chatBody(paragraphs, form as Exclude<Receiver['form'], 'json'>, COMMAND);
  return { url, headers: { ...AGENT, 'Content-Type': 'application/json' }, body };
}

function jsonPosting(
  payload: { readonly event: string; readonly eventId: string },
  { url, secret }: Receiver,
  { deliveryId, number }: Attempt,
): Posting {
  const body = encodeEventPayload(payload);
  const signature = secret === null ? {} : { [SIGNATURE_HEADER]: signBody(body, secret.reveal()) };
  const headers = {
    ...AGENT,
    ...deliveryHeaders(payload.eventId, deliveryId, number, payload.event),
    ...signature,
  };
  return { url, headers, body };
}
