/**
 * Version 2: a frame with a JSON body, whose payload is signed with a site's token for one connection's challenge. What was signed
 * is never serialized again.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { type Refusal, type RefusalCode, refused } from './refusals.ts';
import { parseJson, type WireVote } from './wire.ts';

/** [V2-1] `s:`, the first two bytes of a frame. */
export const V2_MAGIC = 0x733a;
/** [V2-1] Magic and length. */
export const V2_HEADER_BYTES = 4;
/** [V2-3] Other listeners refuse above 1,020 bytes; no vote needs more than this. */
export const V2_BODY_MAX_BYTES = 4096;
/** [V2-2] The shortest possible body: an empty payload and an empty signature. */
export const V2_BODY_LEAST_BYTES = '{"payload":"","signature":""}'.length;

export interface V2Vote extends WireVote {
  readonly challenge: string;
}

/** [V2-6] The signature of a payload text under a site's token. */
export const signPayload = (payload: string, token: string): Buffer =>
  createHmac('sha256', token).update(payload).digest();

/** [V2-4] A body: the payload is a string inside the JSON, so that its bytes stay as they were signed. */
export function encodeV2Body(vote: V2Vote, token: string): string {
  const { serviceName, username, address, challenge } = vote;
  const timestamp = /^(?:0|[1-9]\d{0,14})$/.test(vote.timestamp) ? Number(vote.timestamp) : vote.timestamp;
  const payload = JSON.stringify({ serviceName, username, address, timestamp, challenge });
  return JSON.stringify({ payload, signature: signPayload(payload, token).toString('base64') });
}

/** [V2-1] A frame: magic, length in bytes, body. */
export function encodeV2Frame(vote: V2Vote, token: string): Buffer {
  const body = Buffer.from(encodeV2Body(vote, token));
  const frame = Buffer.allocUnsafe(V2_HEADER_BYTES + body.length);
  frame.writeUInt16BE(V2_MAGIC, 0);
  frame.writeUInt16BE(body.length, 2);
  body.copy(frame, V2_HEADER_BYTES);
  return frame;
}

const Body = z.object({ payload: z.string(), signature: z.string() });

/** [V2-10] Some senders write numbers and booleans in place of strings. */
const scalar = z.union([
  z.string(),
  z.boolean().transform(String),
  // One that JSON cannot hold exactly is refused: a name of 17 digits would become another.
  z
    .number()
    .refine((number) => !Number.isInteger(number) || Number.isSafeInteger(number))
    .transform(String),
]);

/** [V2-10] These fields are optional, so a value that cannot be read is treated as absent. */
const optionalScalar = scalar.catch('');

const Payload = z.object({
  serviceName: scalar,
  username: scalar,
  challenge: scalar,
  address: optionalScalar,
  timestamp: optionalScalar,
});

/**
 * [V2-5] Checks a body in this order: JSON, challenge, token, signature. The sender learns the first thing that is
 * wrong, in the words that client libraries match.
 *
 * @param tokenOf the token of a service (its own, else the default one); null: there is none.
 */
export function decodeV2Body(
  body: string,
  challenge: string,
  tokenOf: (serviceName: string) => string | null,
): { kind: 'vote'; vote: WireVote; payload: string } | Refusal {
  const outer = Body.safeParse(parseJson(body));
  if (!outer.success) return refused('v2-malformed');
  const { payload, signature } = outer.data;
  const inner = Payload.safeParse(parseJson(payload));
  if (!inner.success) return refused(unusable(inner.error));
  const { serviceName, username, address, timestamp } = inner.data;
  // [V2-8] One site echoes the challenge with the `\r` that it read before the line's end.
  const isChallenge = [challenge, `${challenge}\r`].includes(inner.data.challenge);
  if (!isChallenge) return refused('v2-challenge', serviceName);
  const token = tokenOf(serviceName);
  if (token === null) return refused('v2-unknown-service', serviceName);
  if (!isSignature(signature, signPayload(payload, token))) return refused('v2-signature', serviceName);
  return { kind: 'vote', vote: { serviceName, username, address, timestamp }, payload };
}

/** The first required field that cannot be used, or that the payload is not an object. */
function unusable({ issues }: z.ZodError): RefusalCode {
  const wrong = new Set(issues.map(({ path }) => path[0]));
  if (wrong.has('serviceName')) return 'v2-payload-service';
  if (wrong.has('username')) return 'v2-payload-username';
  return wrong.has('challenge') ? 'v2-payload-challenge' : 'v2-payload';
}

/** 32 bytes as standard base64, padded or not; hex and the url-safe alphabet are refused. */
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=?$/;

/** [V2-7] Compares the decoded bytes in constant time. */
const isSignature = (text: string, expected: Buffer): boolean =>
  BASE64_OF_32_BYTES.test(text) && timingSafeEqual(Buffer.from(text, 'base64'), expected);
