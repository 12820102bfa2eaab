import { TEST_EVENT_ID } from '../../../protocol/webhook/payload.ts';
import { DAY_MS } from '../../core/duration.ts';
import { RETENTION_MS } from '../webhooks/redelivery.ts';

/** What the fields of a delivery's body are for, by their names in the table. */
export const payloadMeanings: Readonly<Record<string, string>> = {
  event: 'What happened.',
  version: 'Of this payload. Within a version fields are only added: ignore those that you do not know.',
  eventId: `The vote. The same on every retry and every redelivery: deduplicate on it, for ${RETENTION_MS / DAY_MS} days. \`${TEST_EVENT_ID}\` on test deliveries.`,
  timestamp:
    'When this body was built, UTC. A retry sends the same bytes, so it says nothing of a delivery’s age.',
  test: 'True on test deliveries: grant no reward for them.',
  data: 'The vote itself.',
  'data.listingId': 'The listing that was voted for.',
  'data.listingType': 'What it lists.',
  'data.userId': 'The voter’s ID on the chat platform: a text, since as a number it would lose digits.',
  'data.votedAt': 'When the vote was cast, UTC.',
  'data.nextVoteAt': 'When this voter can vote again, UTC.',
  'data.weight': 'What the vote counts in the ranking; the public vote count always moves by 1.',
  'data.game': 'On game listings only.',
  'data.playerName':
    'On game listings only: the player to reward. Null where the voter named none, and for games other than `minecraft`.',
};

export const headerMeanings: Readonly<Record<string, string>> = {
  'Content-Type': 'The body is JSON.',
  'X-Service-Event': 'The body’s `event`.',
  'X-Service-Event-Id': 'The body’s `eventId`. Headers are not signed: rely on the body’s.',
  'X-Service-Delivery':
    'This attempt, as the delivery log knows it. Another one each time: never deduplicate on it.',
  'X-Service-Attempt': 'From 1; a redelivery goes on counting.',
  'X-Webhook-Signature':
    'The lower-case hex HMAC-SHA256 of the body’s bytes under the signing secret. Sent where a secret is configured.',
};
