import { deliveryHeaders, encodeVotePayload, type VoteFacts } from '../../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER, signBody } from '../../../protocol/webhook/signature.ts';
import { DAY_MS } from '../../core/duration.ts';

const votedAt = Date.UTC(2026, 5, 1, 12);

const vote: VoteFacts = {
  eventId: '019e82f1-5800-7c41-9d5e-0b7a2f4c6d10',
  listingId: '019e3c5a-1c00-7b6e-8a77-4c1e9d5e0b7a',
  userId: '80351110224678912',
  votedAt,
  nextVoteAt: votedAt + DAY_MS,
  weight: 1,
  game: 'minecraft',
  playerName: 'Steve',
};

/** One delivery, exactly as it would be sent, to try a receiver with. */
const secret = 'a-secret-for-trying-it-out';
const body = encodeVotePayload(vote, votedAt);
export const sampleDelivery: {
  readonly secret: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
} = {
  secret,
  body,
  headers: {
    ...deliveryHeaders(String(vote.eventId), '8f3c1b52-6a77-4c1e-9d5e-0b7a2f4c6d10', 1),
    [SIGNATURE_HEADER]: signBody(body, secret),
  },
};
