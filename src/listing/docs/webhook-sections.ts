import { z } from '@hono/zod-openapi';
import {
  deliveryHeaders,
  encodeVotePayload,
  SIGNATURE_HEADER,
  signBody,
  TEST_EVENT_ID,
  VOTE_EVENT,
  type VoteFacts,
  VotePayload,
} from '../../../protocol/webhook.ts';
import { DAY_MS } from '../../core/duration.ts';
import { type Outcome, outcomeOf } from '../../notify/webhook/outcome.ts';
import { EXCHANGE_LIMIT_MS } from '../../notify/webhook/post.ts';
import {
  badge,
  type Content,
  code,
  codeBlock,
  disclosure,
  durationText,
  facts,
  type Html,
  html,
  table,
} from '../../web/kit.ts';
import { FAILURES_TO_DISABLE } from '../webhooks/attempt-recorder.ts';
import { eventStates } from '../webhooks/event-state.ts';
import { RETENTION_MS } from '../webhooks/redelivery.ts';
import { type FieldRow, fieldsOf } from './fields.ts';
import type { Schema } from './openapi.ts';
import { fieldTable, marked, section } from './parts.ts';
import { sampleReceiver } from './sample-receiver.ts';

/** What is sent to a listing's webhook, and what its responses mean. */
export const webhookSections = (retryScheduleMs: readonly number[]): Html[] => [
  deliverySection(),
  outcomeSection(retryScheduleMs),
  receiverSection(),
];

const deliverySection = (): Html =>
  section({
    id: 'webhook',
    title: 'Vote webhook',
    note: html`Each vote is sent to the listing’s webhook as an HTTP POST with a JSON body, at least once. The event is ${code(VOTE_EVENT)}.`,
    body: [
      html`<p>If the URL is a chat channel’s webhook, it gets a formatted chat message instead.</p>`,
      fieldTable({ caption: 'Payload', rows: payloadRows(), direction: 'received' }),
      html`<h3>Headers</h3>`,
      headerTable(),
      html`<h3>Signature</h3>`,
      html`<p>Compute the signature over the raw bytes of the body, before parsing them. Compare it with the whole value
        of ${code(SIGNATURE_HEADER)} in constant time, and accept no other case, no white space and no missing prefix. The
        key is the UTF-8 text of the secret as it was shown, including its prefix.</p>`,
      disclosure('Signed sample delivery, to test your receiver', sampleBlocks()),
    ],
  });

export const payloadRows = (): FieldRow[] =>
  fieldsOf(z.toJSONSchema(VotePayload) as Schema, (schema) => schema).map((row) => ({
    ...row,
    meaning: payloadMeanings[row.name] ?? row.meaning,
  }));

const headerTable = (): Html =>
  table<readonly [name: string, value: string]>({
    caption: 'Headers',
    rows: Object.entries(sampleDelivery.headers),
    empty: html``,
    columns: [
      { label: 'Header', cell: ([name]) => code(name), kind: 'brief', onPhone: 'title' },
      { label: 'Example', cell: ([, value]) => code(value) },
      { label: 'Meaning', cell: ([name]) => marked(headerMeanings[name] ?? ''), onPhone: 'block' },
    ],
  });

const sampleBlocks = (): Html[] => [
  codeBlock({ id: 'sample-secret', label: 'Secret', text: sampleDelivery.secret }),
  codeBlock({
    id: 'sample-headers',
    label: 'Headers',
    text: Object.entries(sampleDelivery.headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  }),
  codeBlock({ id: 'sample-body', label: 'Body, exactly these bytes', text: String(sampleDelivery.body) }),
];

/** Each kind of response, with a status as an example; null for no response. */
const RESPONSES: readonly (readonly [response: string, status: number | null])[] = [
  ['2xx', 200],
  ['3xx (redirects are not followed)', 302],
  ['4xx', 400],
  ['5xx', 500],
  [`No response within ${durationText(EXCHANGE_LIMIT_MS)}, or no connection`, null],
];

const outcomes: Readonly<Record<Outcome, Content>> = {
  delivered: [badge('Delivered', 'good'), ' Resets the failure count.'],
  permanent: [badge(eventStates.undelivered.label, 'bad'), ' Not retried.'],
  retryable: [
    badge(eventStates.retrying.label, 'warn'),
    ' After the last retry: ',
    badge(eventStates.undelivered.label, 'bad'),
  ],
};

function outcomeSection(retryScheduleMs: readonly number[]): Html {
  const pauses = retryScheduleMs.map(durationText).join(', ');
  return section({
    id: 'outcomes',
    title: 'Responses and retries',
    note: `Respond within ${durationText(EXCHANGE_LIMIT_MS)}. Only the status of the response counts.`,
    body: [
      facts([
        ['Retries', `${retryScheduleMs.length}, after ${pauses}. Each pause can be up to 10% longer.`],
        ['Retry-After', 'On a 5xx, it can make the pause longer, up to twice as long.'],
        [
          'After the last retry',
          `The event is not retried any more (${eventStates.undelivered.label}). For ${RETENTION_MS / DAY_MS} days, you can redeliver it from the dashboard. That sends the same bytes once.`,
        ],
        [
          'Auto-disable',
          `${FAILURES_TO_DISABLE} failed attempts in a row, including redeliveries, disable the webhook. Register or save it to enable it again.`,
        ],
      ]),
      table<(typeof RESPONSES)[number]>({
        caption: 'Responses',
        rows: RESPONSES,
        empty: html``,
        columns: [
          { label: 'Response', cell: ([response]) => response, onPhone: 'title' },
          {
            label: 'Result',
            cell: ([, status]) => outcomes[outcomeOf(status)],
            onPhone: 'block',
          },
        ],
      }),
    ],
  });
}

const receiverSection = (): Html =>
  section({
    id: 'receiver',
    title: 'Sample receiver',
    note: html`For Node, without dependencies. Save it as ${code('receiver.mjs')} and run ${code('WEBHOOK_SECRET=… node receiver.mjs')}.`,
    body: codeBlock({
      id: 'receiver-code',
      label: `receiver.mjs, ${sampleReceiver.trimEnd().split('\n').length} lines`,
      text: sampleReceiver,
    }),
  });

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

/** The meaning of each field of a delivery's body, by its name in the table. */
const payloadMeanings: Readonly<Record<string, string>> = {
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
