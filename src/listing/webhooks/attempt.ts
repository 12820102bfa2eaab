import { encodeVotePayload, VotePayload } from '../../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER, signBody } from '../../../protocol/webhook/signature.ts';
import type { Posting } from '../../notify/webhook/post.ts';
import type { Listing } from '../contracts.ts';
import type { ListingJob } from '../outbox/claim-due.ts';
import { isChannelWebhook } from '../targets/channel.ts';
import { votingWindowMs } from '../votes/cast-vote.ts';
import { type ChannelFacts, channelMessage } from './channel-message.ts';
import { type Drawn, type MarkedDelivery, type MarkRules, markOf } from './delivery-mark.ts';
import type { NewDelivery } from './delivery-store.ts';

/** One attempt: the mark that is written first, and the request that is then sent. */
export interface Attempt extends ListingJob {
  readonly delivery: NewDelivery;
  readonly posting: Posting;
}

export interface AttemptParts {
  readonly rules: MarkRules;
  /** What a channel's embed shows of a listing. */
  readonly channelFacts: (listing: Listing) => ChannelFacts;
}

/** The attempt of a delivery: signed, or as a message if the webhook is a channel's. */
export function attemptOf(marked: MarkedDelivery, { rules, channelFacts }: AttemptParts): Attempt {
  const { delivery, secret } = marked;
  const { listing, deliveryId: id, headers } = delivery;
  const url = new URL(marked.url);
  const payload = Buffer.from(marked.body);
  const body = isChannelWebhook(url, rules.channels)
    ? channelMessage(readPayload(payload), channelFacts(listing))
    : payload;
  const signature = secret === null ? {} : { [SIGNATURE_HEADER]: signBody(body, secret) };
  const posting = { url, headers: { ...headers, ...signature }, body };
  return { id, listingId: listing.id, delivery, posting };
}

/** A test delivery. [WH-3] */
export function testDelivery(
  listing: Listing,
  { url, secret }: Pick<MarkedDelivery, 'url' | 'secret'>,
  drawn: Drawn,
): MarkedDelivery {
  const delivery = markOf({ kind: 'test', listing, eventId: null, attempt: 1 }, url, drawn);
  return { delivery, body: testBody(listing, drawn.startedAt), url, secret };
}

const readPayload = (body: Buffer): VotePayload => VotePayload.parse(JSON.parse(body.toString()));

/** Cannot be the ID of a real user, because the platform's IDs are numbers. */
const TEST_USER_ID = 'test-user';
const TEST_PLAYER = 'TestPlayer';

function testBody(listing: Listing, now: number): Buffer {
  const { id: listingId, game, weight } = listing;
  const times = { votedAt: now, nextVoteAt: now + votingWindowMs(listing) };
  const voter = { userId: TEST_USER_ID, playerName: TEST_PLAYER };
  return encodeVotePayload({ eventId: null, listingId, ...voter, ...times, weight, game }, now);
}
