import { z } from '@hono/zod-openapi';
import { VOTE_EVENT, VotePayload } from '../../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER } from '../../../protocol/webhook/signature.ts';
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
import { sampleDelivery } from './sample-delivery.ts';
import { sampleReceiver } from './sample-receiver.ts';
import { headerMeanings, payloadMeanings } from './webhook-meanings.ts';

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
