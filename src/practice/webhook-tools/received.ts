import type { IncomingHttpHeaders } from 'node:http';
import { AlarmsPayload, EventPayload, TestPayload } from '../../../protocol/events.ts';
import { SIGNATURE_HEADER, VotePayload, verifySignature } from '../../../protocol/webhook.ts';
import { readJson } from '../../core/json.ts';

/** `not-checked`: the receiver has no secret. */
export type SignatureState = 'valid' | 'wrong' | 'missing' | 'not-checked';

/** What a request of either kind says, and how it was answered. Its texts are untrusted, even with a valid signature. */
interface Received {
  /** Wall time at which its body was complete. */
  readonly receivedAt: number;
  readonly eventId: string;
  /** null if the header is missing or not valid. */
  readonly deliveryId: string | null;
  readonly attempt: number | null;
  readonly test: boolean;
  readonly signature: SignatureState;
  /** Whether this event was received before. Never for tests, which share one event ID. */
  readonly again: boolean;
  /** null if the sender hung up before it was answered. */
  readonly answered: number | null;
  /** From the receipt until the answer, or until the sender hung up. */
  readonly afterMs: number;
}

/** A vote.created delivery. */
export interface Delivery extends Received {
  readonly kind: 'delivery';
  readonly listingId: string;
  readonly userId: string;
  /** null for a bot listing. */
  readonly game: string | null;
  readonly playerName: string | null;
}

/** What Teller posts to the operator's programs. */
export type TellerPayload = EventPayload | TestPayload | AlarmsPayload;

export interface ReceivedEvent extends Received {
  readonly kind: 'event';
  /** With the fields that this version does not know. */
  readonly payload: TellerPayload;
}

/** A request that is neither, and why. */
export interface OtherRequest {
  readonly kind: 'no-delivery';
  readonly receivedAt: number;
  readonly reason: 'not-http' | 'not-post' | 'too-large' | 'not-json' | 'not-a-vote';
  readonly signature: SignatureState;
  readonly answered: number;
}

/** What a request contains, before it is answered. */
export type Read =
  | { readonly kind: 'delivery'; readonly facts: Facts; readonly signature: SignatureState }
  | { readonly kind: 'event'; readonly facts: EventFacts; readonly signature: SignatureState }
  | {
      readonly kind: 'no-delivery';
      readonly reason: 'not-json' | 'not-a-vote';
      readonly signature: SignatureState;
    };

export type Facts = Pick<
  Delivery,
  'eventId' | 'deliveryId' | 'attempt' | 'test' | 'listingId' | 'userId' | 'game' | 'playerName'
>;

export type EventFacts = Pick<ReceivedEvent, 'eventId' | 'deliveryId' | 'attempt' | 'test' | 'payload'>;

export function readDelivery(body: Uint8Array, headers: IncomingHttpHeaders, secret: string | null): Read {
  const signature = signatureState(headers, body, secret);
  const json = readJson(Buffer.from(body).toString());
  if (json === undefined) return { kind: 'no-delivery', reason: 'not-json', signature };
  if (isFromTeller(json))
    return { kind: 'event', facts: { ...sharedFacts(json, headers), payload: json }, signature };
  const payload = VotePayload.safeParse(json);
  if (!payload.success) return { kind: 'no-delivery', reason: 'not-a-vote', signature };
  return { kind: 'delivery', facts: factsOf(payload.data, headers), signature };
}

const isFromTeller = (json: unknown): json is TellerPayload =>
  [EventPayload, TestPayload, AlarmsPayload].some((schema) => schema.safeParse(json).success);

/** [WH-7] Over the bytes, before they are parsed. */
export function signatureState(
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  secret: string | null,
): SignatureState {
  const header = textHeader(headers, SIGNATURE_HEADER);
  if (secret === null) return 'not-checked';
  if (header === undefined) return 'missing';
  return verifySignature(header, body, secret) ? 'valid' : 'wrong';
}

const factsOf = (payload: VotePayload, headers: IncomingHttpHeaders): Facts => ({
  ...sharedFacts(payload, headers),
  listingId: payload.data.listingId,
  userId: payload.data.userId,
  game: payload.data.game ?? null,
  playerName: payload.data.playerName ?? null,
});

function sharedFacts({ eventId, test }: VotePayload | TellerPayload, headers: IncomingHttpHeaders) {
  const attempt = textHeader(headers, 'X-Service-Attempt') ?? '';
  return {
    eventId,
    deliveryId: textHeader(headers, 'X-Service-Delivery') ?? null,
    attempt: /^[1-9]\d{0,8}$/.test(attempt) ? Number(attempt) : null,
    test,
  };
}

const textHeader = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
};
