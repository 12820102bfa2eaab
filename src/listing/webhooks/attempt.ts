import { encodeVotePayload, SIGNATURE_HEADER, signBody, VotePayload } from '../../../protocol/webhook.ts';
import type { Posting } from '../../notify/webhook/post.ts';
import type { Listing } from '../contracts.ts';
import type { ListingJob } from '../outbox/claim-due.ts';
import { isChannelWebhook } from '../targets/channel.ts';
import { votingWindowMs } from '../votes/cast-vote.ts';
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

/** What the embed shows besides the payload. */
interface ChannelFacts {
  readonly listingName: string;
  /** Votes on the listing so far. */
  readonly votes: number;
  /** The listing's public page; null if the service has no public address. */
  readonly link: string | null;
}

/** The embed that a chat channel gets instead of the payload (NS-49). It cannot ping users. */
function channelMessage({ test, data }: VotePayload, facts: ChannelFacts): Buffer {
  const fields = [
    { name: 'Voter', value: voterText(data.userId), inline: true },
    ...(data.playerName ? [{ name: 'Player', value: plain(data.playerName), inline: true }] : []),
    { name: 'Votes', value: String(facts.votes), inline: true },
  ];
  const embed = {
    title: `${test ? 'Test: new' : 'New'} vote for ${plain(facts.listingName)}`.slice(0, TITLE_MAX),
    ...(facts.link === null ? {} : { url: facts.link }),
    fields,
    timestamp: data.votedAt,
  };
  return Buffer.from(JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } }));
}

const TITLE_MAX = 256;

/** Chat platforms show this as the user's name. As `allowed_mentions` is empty, they send no notification. */
const voterText = (userId: string): string => (/^\d+$/.test(userId) ? `<@${userId}>` : plain(userId));

const ZERO_WIDTH_SPACE = '\u200b';

/** Makes text show as it is: no markdown, links, mentions or line breaks. */
const plain = (text: string): string =>
  text
    .replaceAll(/[\p{C}\u2028\u2029]+/gu, ' ')
    .replaceAll(/[\\*_~`|>#[\]()<:!-]/g, String.raw`\$&`)
    .replaceAll('@', `@${ZERO_WIDTH_SPACE}`);
