import { TEST_EVENT_ID } from '../../../protocol/webhook/payload.ts';
import { DAY_MS } from '../../core/duration.ts';
import { RETENTION_MS } from '../webhooks/redelivery.ts';

/** The meaning of each field of a delivery's body, by its name in the table. */
export const payloadMeanings: Readonly<Record<string, string>> = {
  event: 'The type of the event.',
  version: 'The version of this payload. A version can get new fields: ignore fields that you do not know.',
  eventId: `Identifies the vote. It is the same on all retries and redeliveries: deduplicate on it for ${RETENTION_MS / DAY_MS} days. \`${TEST_EVENT_ID}\` on test deliveries.`,
  timestamp:
    'When this body was built, in UTC. Retries send the same bytes, so it does not tell the age of a delivery.',
  test: 'True on test deliveries. Grant no reward for them.',
  data: 'The vote.',
  'data.listingId': 'The listing that was voted for.',
  'data.listingType': 'The type of the listing.',
  'data.userId': 'The voter’s ID on the chat platform. A string, because a number would lose digits.',
  'data.votedAt': 'When the vote was cast, in UTC.',
  'data.nextVoteAt': 'When this voter can vote again, in UTC.',
  'data.weight': 'The weight of the vote in the ranking. The public vote count always increases by 1.',
  'data.game': 'The game. On game listings only.',
  'data.playerName':
    'The player to reward. On game listings only. Null if the voter named no player, and for games other than `minecraft`.',
};

export const headerMeanings: Readonly<Record<string, string>> = {
  'Content-Type': 'The body is JSON.',
  'X-Service-Event': 'The body’s `event`.',
  'X-Service-Event-Id': 'The body’s `eventId`. Headers are not signed, so use the one in the body.',
  'X-Service-Delivery':
    'The ID of this attempt in the delivery log. It differs on each attempt: never deduplicate on it.',
  'X-Service-Attempt': 'The number of the attempt, from 1. Redeliveries continue the count.',
  'X-Webhook-Signature':
    '`sha256=` and the lower-case hex HMAC-SHA256 of the body’s bytes, keyed with the signing secret. Sent if there is a secret.',
};
