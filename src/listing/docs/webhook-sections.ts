import { z } from '@hono/zod-openapi';
import { VOTE_EVENT, VotePayload } from '../../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER } from '../../../protocol/webhook/signature.ts';
import { DAY_MS } from '../../core/duration.ts';
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
import { type Outcome, outcomeOf } from '../../webhook-send/outcome.ts';
import { EXCHANGE_LIMIT_MS } from '../../webhook-send/post.ts';
import { eventStates } from '../webhooks/event-state.ts';
import { RETENTION_MS } from '../webhooks/redelivery.ts';
import { FAILURES_TO_DISABLE } from '../webhooks/settling.ts';
import { type FieldRow, fieldsOf } from './fields.ts';
import type { Schema } from './openapi.ts';
import { fieldTable, marked, section } from './parts.ts';
import { sampleDelivery } from './sample-delivery.ts';
import { sampleReceiver } from './sample-receiver.ts';
import { headerMeanings, payloadMeanings } from './webhook-meanings.ts';

/** What a listing's webhook is sent, and what becomes of its answers. */
export const webhookSections = (retryScheduleMs: readonly number[]): Html[] => [
  deliverySection(),
  outcomeSection(retryScheduleMs),
  receiverSection(),
];

const deliverySection = (): Html =>
  section({
    id: 'webhook',
    title: 'The vote webhook',
    note: html`Every vote is an HTTP POST with a JSON body to the listing’s webhook, at least once: event ${code(VOTE_EVENT)}.`,
    body: [
      html`<p>Where the target is a chat channel’s webhook, the channel gets a ready-made message instead of it.</p>`,
      fieldTable({ caption: 'Payload', rows: payloadRows(), direction: 'received' }),
      html`<h3>Headers</h3>`,
      headerTable(),
      html`<h3>Signature</h3>`,
      html`<p>Verify ${code(SIGNATURE_HEADER)} over the raw bytes as they came, before anything parses them, and compare
        the whole header value in constant time: no other case, no white space, no missing prefix. The key is the
        secret’s UTF-8 text as it was shown, any prefix included.</p>`,
      disclosure('A signed delivery to try a receiver with', sampleBlocks()),
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
      { label: 'For example', cell: ([, value]) => code(value) },
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
  codeBlock({ id: 'sample-body', label: 'Body, in exactly these bytes', text: String(sampleDelivery.body) }),
];

/** Each kind of answer, with one that stands for it; null for none. */
const ANSWERS: readonly (readonly [answer: string, status: number | null])[] = [
  ['2xx', 200],
  ['3xx, which is not followed', 302],
  ['4xx', 400],
  ['5xx', 500],
  [`None within ${durationText(EXCHANGE_LIMIT_MS)}, or no connection`, null],
];

const outcomes: Readonly<Record<Outcome, Content>> = {
  delivered: [badge('Delivered', 'good'), ' Done; it ends a row of failures.'],
  permanent: [badge(eventStates.rejected.label, 'bad'), ' It is not sent again by itself.'],
  retryable: [
    badge(eventStates['will-retry'].label, 'warn'),
    ' After the last retry it is ',
    badge(eventStates['gave-up'].label, 'bad'),
  ],
};

function outcomeSection(retryScheduleMs: readonly number[]): Html {
  const pauses = retryScheduleMs.map(durationText).join(', ');
  return section({
    id: 'outcomes',
    title: 'Answers and retries',
    note: `Only the status of an answer counts, and it has ${durationText(EXCHANGE_LIMIT_MS)} to come.`,
    body: [
      facts([
        ['Retries', `${retryScheduleMs.length}, after ${pauses}, each up to a tenth longer.`],
        ['With Retry-After', 'A 5xx is tried again when it says, up to twice the pause.'],
        [
          'After the last',
          `${eventStates['gave-up'].label}: the event is not sent again by itself. For ${RETENTION_MS / DAY_MS} days it can be redelivered from the dashboard: the same bytes, once.`,
        ],
        [
          'Auto-disable',
          `After ${FAILURES_TO_DISABLE} failed attempts in a row, redeliveries included; registering or saving the webhook enables it again.`,
        ],
      ]),
      table<(typeof ANSWERS)[number]>({
        caption: 'Answers',
        rows: ANSWERS,
        empty: html``,
        columns: [
          { label: 'The receiver’s answer', cell: ([answer]) => answer, onPhone: 'title' },
          {
            label: 'What becomes of it',
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
    title: 'A sample receiver',
    note: html`For Node, without a dependency: save it as ${code('receiver.mjs')} and run ${code('WEBHOOK_SECRET=… node receiver.mjs')}.`,
    body: codeBlock({
      id: 'receiver-code',
      label: `receiver.mjs, ${sampleReceiver.trimEnd().split('\n').length} lines`,
      text: sampleReceiver,
    }),
  });
