import * as z from 'zod';

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

const iso = (ms: number): string => new Date(ms).toISOString();

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
