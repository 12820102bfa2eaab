/**
 * The signed webhook: what the listing service posts for a vote, with which headers and signature, and what a receiver refuses.
 * Teller's own events (`events.ts`) have the same headers and signature.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { nameFaults, type RefusalNote } from './votifier/refusals.ts';

/** [WH-1] The only event, and the version of its payload. */
export const VOTE_EVENT = 'vote.created';
export const PAYLOAD_VERSION = 1;
/** [WH-3] The event ID of a test delivery. */
export const TEST_EVENT_ID = 'test';

export const GAMES = ['minecraft', 'fivem', 'roblox', 'hytale'] as const;
export type Game = (typeof GAMES)[number];

const instant = z.iso.datetime();

/** [WH-2] Within a version fields are only added, so unknown ones are accepted. */
export const VotePayload = z.looseObject({
  event: z.literal(VOTE_EVENT),
  version: z.literal(PAYLOAD_VERSION),
  eventId: z.string().min(1).max(128),
  timestamp: instant,
  test: z.boolean(),
  data: z.looseObject({
    listingId: z.string(),
    listingType: z.enum(['bot', 'game']),
    userId: z.string(),
    votedAt: instant,
    nextVoteAt: instant,
    weight: z.number(),
    game: z.enum(GAMES).optional(),
    playerName: z.string().nullable().optional(),
  }),
});
export type VotePayload = z.infer<typeof VotePayload>;

/** What a receiver needs to count the vote. The rest may be missing: a 4xx would lose a vote with a valid signature. */
export const CountableVote = VotePayload.omit({ timestamp: true }).extend({
  data: VotePayload.shape.data.omit({ nextVoteAt: true, weight: true }).extend({
    votedAt: z.iso.datetime({ offset: true }),
    /** undefined if it is missing, or not known to this version. */
    game: z.enum(GAMES).optional().catch(undefined),
  }),
});

/** The vote in a delivery. */
export interface VoteFacts {
  /** null for a test [WH-3]. */
  readonly eventId: string | null;
  readonly listingId: string;
  readonly userId: string;
  /** Milliseconds since the Unix epoch, like all times here. */
  readonly votedAt: number;
  readonly nextVoteAt: number;
  readonly weight: number;
  /** null for a bot listing, whose payload has neither game nor player [WH-4]. */
  readonly game: Game | null;
  readonly playerName: string | null;
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** [WH-5] The body of a delivery. It is built once: retries and redeliveries send the same bytes. */
export function encodeVotePayload(vote: VoteFacts, builtAt: number): Buffer {
  const { listingId, userId, weight, game, playerName } = vote;
  const payload: VotePayload = {
    event: VOTE_EVENT,
    version: PAYLOAD_VERSION,
    eventId: vote.eventId ?? TEST_EVENT_ID,
    timestamp: iso(builtAt),
    test: vote.eventId === null,
    data: {
      listingId,
      listingType: game === null ? 'bot' : 'game',
      userId,
      votedAt: iso(vote.votedAt),
      nextVoteAt: iso(vote.nextVoteAt),
      weight,
      ...(game === null ? {} : { game, playerName: game === 'minecraft' ? playerName : null }),
    },
  };
  return Buffer.from(JSON.stringify(payload));
}

/** [WH-8] The headers of one delivery attempt. */
export const deliveryHeaders = (
  eventId: string,
  deliveryId: string,
  attempt: number,
  event: string = VOTE_EVENT,
): Record<string, string> => ({
  'Content-Type': 'application/json',
  'X-Service-Event': event,
  'X-Service-Event-Id': eventId,
  'X-Service-Delivery': deliveryId,
  'X-Service-Attempt': String(attempt),
});

/** [WH-6] The header with the signature, sent if a secret is configured. */
export const SIGNATURE_HEADER = 'X-Webhook-Signature';

/** [WH-6] `sha256=` and the lower-case hex HMAC-SHA256 of the body's bytes under the UTF-8 bytes of the secret. */
export const signBody = (body: Uint8Array, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/**
 * [WH-7] Whether a header's value is exactly the signature of these bytes. Both are hashed with an HMAC under the same
 * secret first, so that values of any length are compared in constant time.
 */
export function verifySignature(header: string | undefined, body: Uint8Array, secret: string): boolean {
  const blind = (value: string): Buffer => createHmac('sha256', secret).update(value).digest();
  return timingSafeEqual(blind(header ?? ''), blind(signBody(body, secret)));
}

/**
 * Everything that a receiver of signed webhooks refuses, in one closed table. The service never sends again after a 4xx
 * and does so after a 5xx [WH-9]. So a 4xx means that the same delivery would be refused again; where it may succeed
 * later, the answer is a 503 or none. `log`, `isNoise` and `isFixedByAVote` are as in the table of the listener.
 */
export const webhookRefusals = {
  'not-found': {
    status: 404,
    hears: 'no site has this path',
    log: 'asked the webhook port for a path that belongs to no site',
    isNoise: true,
  },
  'path-unknown': {
    status: 404,
    hears: 'no site has this path',
    log: 'posted a signed delivery to a path that is not a site’s webhook.path: compare it with the URL at the listing',
  },
  'host-not-listed': {
    status: 421,
    hears: 'this host name is not known here; the operator lists host names in webhook.hosts',
    log: 'reached the webhook port by a host name that webhook.hosts does not list: add it there if it is yours',
  },
  'not-post': {
    status: 405,
    hears: 'signed votes have to be posted',
    log: 'sent a request to a webhook’s path that is not a POST',
    isNoise: true,
  },
  'too-large': {
    status: 413,
    hears: 'the body is larger than 64 KiB',
    log: 'posted a body larger than 64 KiB, which no delivery is',
  },
  'signature-missing': {
    status: 401,
    hears: 'X-Webhook-Signature is missing',
    log: 'posted a delivery without a signature: create a signing secret at the listing and put it into sites.<name>.webhook.secret',
    isFixedByAVote: true,
  },
  'signature-wrong': {
    status: 401,
    hears: 'X-Webhook-Signature does not match this body',
    log: 'posted a delivery that is not signed with your secret: compare sites.<name>.webhook.secret with the one that the listing showed',
    isFixedByAVote: true,
  },
  'not-json': {
    status: 400,
    hears: 'the body is not JSON',
    log: 'posted a signed delivery that is not JSON',
  },
  'not-a-vote': {
    status: 400,
    hears: 'the body is not a vote.created event of version 1',
    log: 'posted a signed delivery that is not a vote.created event of version 1: the listing may send a newer version',
  },
  'other-listing': {
    status: 403,
    hears: 'data.listingId is not that of the listing configured here',
    log: 'posted a signed delivery for another listing: compare sites.<name>.webhook.listingId, and the URL that each listing posts to',
    isFixedByAVote: true,
  },
  'user-not-allowed': {
    status: 422,
    hears: 'the vote cannot be recorded: its userId is not valid',
    log: 'posted a signed vote whose userId is not valid',
  },
  'name-too-long': {
    status: 422,
    hears: 'the vote cannot be recorded: its playerName is too long',
    log: `posted a signed vote ${nameFaults['name-too-long']}`,
  },
  'name-not-allowed': {
    status: 422,
    hears: 'the vote cannot be recorded: its playerName is not valid',
    log: `posted a signed vote ${nameFaults['name-not-allowed']}`,
  },
  'name-unknown-prefix': {
    status: 422,
    hears: 'the vote cannot be recorded: its playerName is not valid',
    log: `posted a signed vote ${nameFaults['name-unknown-prefix']}`,
  },
  unable: {
    status: 503,
    hears: 'the vote cannot be stored at the moment; send it again',
    log: 'posted a vote that could not be stored; the listing sends it again',
    isFixedByAVote: true,
  },
  'not-http': {
    status: 400,
    hears: 'not HTTP',
    log: 'sent the webhook port something that is not HTTP; if it is TLS, put a proxy in front',
    isNoise: true,
  },
  'headers-too-large': {
    status: 431,
    hears: 'the headers have more than 16 KiB',
    log: 'sent the webhook port headers of more than 16 KiB',
    isNoise: true,
  },
} as const satisfies Record<string, RefusalNote & { readonly status: number; readonly hears: string }>;

/** Why a connection is closed without an answer: the service then sends again, which it would not after a 4xx. */
export const webhookClosings = {
  incomplete: {
    log: 'closed the connection before its whole request had arrived at the webhook port',
    isNoise: true,
  },
  'too-slow': { log: 'did not send the webhook port a whole request in time', isNoise: true },
  'no-room': { log: 'was disconnected from the webhook port to make room: too many connections were open' },
} as const satisfies Record<string, RefusalNote>;

export type WebhookRefusalCode = keyof typeof webhookRefusals;
export type WebhookClosingCode = keyof typeof webhookClosings;
