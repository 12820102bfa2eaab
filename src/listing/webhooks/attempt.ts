import {
  deliveryHeaders,
  encodeVotePayload,
  TEST_EVENT_ID,
  VotePayload,
} from '../../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER, signBody } from '../../../protocol/webhook/signature.ts';
import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { uuid4 } from '../../core/uuid.ts';
import type { Posting } from '../../webhook-send/post.ts';
import type { Listing } from '../contracts.ts';
import type { Job } from '../outbox/outlet.ts';
import { withoutChannelToken } from '../targets/channel.ts';
import type { Targets } from '../targets/target-rule.ts';
import { votingWindowMs } from '../votes/cast-vote.ts';
import { type ChannelFacts, channelMessage } from './channel-message.ts';
import type { DeliveryKind, NewDelivery, StoredEvent } from './delivery-store.ts';

/** One attempt: the mark that is written first, and the request that is then sent. */
export interface Attempt extends Job {
  readonly delivery: NewDelivery;
  readonly posting: Posting;
}

export interface AttemptParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly targets: Targets;
  /** What a channel's embed shows of a listing. */
  readonly channelFacts: (listing: Listing) => ChannelFacts;
  readonly userAgent: string;
}

interface Wanted {
  readonly kind: DeliveryKind;
  readonly listing: Listing;
  readonly eventId: string | null;
  readonly attempt: number;
  readonly body: Buffer;
  readonly url: URL;
  readonly secret: string | null;
}

/** The next attempt of an event, with the webhook's current URL and secret (NS-28). */
export const attemptOf = (
  event: StoredEvent,
  kind: 'vote' | 'redelivery',
  webhook: { readonly url: string; readonly secret: string | null },
  parts: AttemptParts,
): Attempt =>
  compose(
    {
      kind,
      listing: event.listing,
      eventId: event.id,
      attempt: event.attempts + 1,
      body: event.body,
      url: new URL(webhook.url),
      secret: webhook.secret,
    },
    parts,
  );

/** A test delivery, or a probe signed with a secret that the receiver does not have. [WH-3] */
export const testAttempt = (
  listing: Listing,
  kind: 'test' | 'probe',
  to: { readonly url: URL; readonly secret: string | null },
  parts: AttemptParts,
): Attempt =>
  compose(
    { kind, listing, eventId: null, attempt: 1, body: testBody(listing, parts.clock.now()), ...to },
    parts,
  );

function compose(wanted: Wanted, { clock, random, targets, channelFacts, userAgent }: AttemptParts): Attempt {
  const { url, secret, body: payload, listing, kind, eventId, attempt } = wanted;
  const isChannel = targets.isChannelWebhook(url);
  const body = isChannel ? channelMessage(readPayload(payload), channelFacts(listing)) : payload;
  const deliveryId = uuid4(random);
  const headers = {
    ...deliveryHeaders(eventId ?? TEST_EVENT_ID, deliveryId, attempt),
    'User-Agent': userAgent,
  };
  const signature = secret === null ? {} : { [SIGNATURE_HEADER]: signBody(body, secret) };
  const mark = { deliveryId, listing, eventId, kind, attempt, headers };
  return {
    listingId: listing.id,
    delivery: { ...mark, shownUrl: shownUrl(url, targets), startedAt: clock.now() },
    posting: { url, headers: { ...headers, ...signature }, body },
  };
}

/** A URL as the log shows it. */
export const shownUrl = (url: URL, targets: Targets): string =>
  targets.isChannelWebhook(url) ? withoutChannelToken(url) : url.href;

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
