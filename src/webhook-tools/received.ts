import type { IncomingHttpHeaders } from 'node:http';
import { VotePayload } from '../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER, verifySignature } from '../../protocol/webhook/signature.ts';
import { readJson } from '../core/json.ts';

/** `not-checked`: the receiver has no secret. */
export type SignatureState = 'valid' | 'wrong' | 'missing' | 'not-checked';

/** A vote.created delivery, as it arrived and as it was answered. Its texts are a stranger's, whatever the signature. */
export interface Delivery {
  readonly kind: 'delivery';
  /** Wall time at which its body had come whole. */
  readonly receivedAt: number;
  readonly eventId: string;
  /** null where the header is missing or makes no sense. */
  readonly deliveryId: string | null;
  readonly attempt: number | null;
  readonly test: boolean;
  readonly listingId: string;
  readonly userId: string;
  /** null for a bot listing. */
  readonly game: string | null;
  readonly playerName: string | null;
  readonly signature: SignatureState;
  /** Whether this event came before. Never for tests, which share one event id. */
  readonly again: boolean;
  /** null where the sender hung up before it was answered. */
  readonly answered: number | null;
  /** From the receipt to the answer or the hanging up. */
  readonly afterMs: number;
}

/** Something else that came, and why it is none. */
export interface NoDelivery {
  readonly kind: 'no-delivery';
  readonly receivedAt: number;
  readonly reason: 'not-http' | 'not-post' | 'too-large' | 'not-json' | 'not-a-vote';
  readonly signature: SignatureState;
  readonly answered: number;
}

/** What a request's body and headers tell, before it is answered. */
export type Read =
  | { readonly kind: 'delivery'; readonly facts: Facts; readonly signature: SignatureState }
  | {
      readonly kind: 'no-delivery';
      readonly reason: 'not-json' | 'not-a-vote';
      readonly signature: SignatureState;
    };

export type Facts = Pick<
  Delivery,
  'eventId' | 'deliveryId' | 'attempt' | 'test' | 'listingId' | 'userId' | 'game' | 'playerName'
>;

export function readDelivery(body: Uint8Array, headers: IncomingHttpHeaders, secret: string | null): Read {
  // [WH-7] Over the bytes, before they are parsed.
  const signature = stateOf(textHeader(headers, SIGNATURE_HEADER), body, secret);
  const json = readJson(Buffer.from(body).toString());
  if (json === undefined) return { kind: 'no-delivery', reason: 'not-json', signature };
  const payload = VotePayload.safeParse(json);
  if (!payload.success) return { kind: 'no-delivery', reason: 'not-a-vote', signature };
  return { kind: 'delivery', facts: factsOf(payload.data, headers), signature };
}

function stateOf(header: string | undefined, body: Uint8Array, secret: string | null): SignatureState {
  if (secret === null) return 'not-checked';
  if (header === undefined) return 'missing';
  return verifySignature(header, body, secret) ? 'valid' : 'wrong';
}

function factsOf({ eventId, test, data }: VotePayload, headers: IncomingHttpHeaders): Facts {
  const attempt = textHeader(headers, 'X-Service-Attempt') ?? '';
  return {
    eventId,
    deliveryId: textHeader(headers, 'X-Service-Delivery') ?? null,
    attempt: /^[1-9]\d{0,8}$/.test(attempt) ? Number(attempt) : null,
    test,
    listingId: data.listingId,
    userId: data.userId,
    game: data.game ?? null,
    playerName: data.playerName ?? null,
  };
}

const textHeader = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
};
