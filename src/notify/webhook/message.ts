import { deliveryHeaders } from '../../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER, signBody } from '../../../protocol/webhook/signature.ts';
import type { Form } from '../../core/receiver-form.ts';
import { chatBody } from './chat-body.ts';
import type { Posting } from './post.ts';

/** Who posts, and where to. */
export interface Route {
  readonly url: URL;
  /** The header `User-Agent`. */
  readonly agent: string;
}

/** One attempt: its ID and its number, from 1. */
export interface Attempt {
  readonly deliveryId: string;
  readonly number: number;
}

/** An event as it is posted to a program. */
export interface JsonMessage {
  readonly event: string;
  readonly eventId: string;
  readonly body: Buffer;
  /** What it is signed with; null: it is not signed. */
  readonly secret: string | null;
}

/** A request with an event in JSON. */
export function jsonPosting(
  { event, eventId, body, secret }: JsonMessage,
  { url, agent }: Route,
  { deliveryId, number }: Attempt,
): Posting {
  const headers = {
    'User-Agent': agent,
    ...deliveryHeaders(eventId, deliveryId, number, event),
    ...(secret === null ? {} : { [SIGNATURE_HEADER]: signBody(body, secret) }),
  };
  return { url, headers, body };
}

/** A request with a chat message. @param command as for `chatBody`. */
export const chatPosting = (
  paragraphs: readonly string[],
  form: Exclude<Form, 'json'>,
  command: string,
  { url, agent }: Route,
): Posting => ({
  url,
  headers: { 'User-Agent': agent, 'Content-Type': 'application/json' },
  body: chatBody(paragraphs, form, command),
});
