import { Hono } from 'hono';
import { isoTime, isoTimeOrNull } from '../../core/instant.ts';
import {
  ago,
  badge,
  card,
  code,
  empty,
  type Html,
  html,
  instant,
  linkButton,
  pagination,
  postButton,
  refreshed,
  table,
  tag,
} from '../../web/kit.ts';
import { type Ending, seeOther } from '../../web/show.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, type ListingContext, showListingPage } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import type { Page } from '../paging.ts';
import type { LoggedDelivery } from '../webhooks/log-rows.ts';
import type { RedeliveryResult } from '../webhooks/redelivery.ts';
import { PAGE_ROWS, pageLinks, readCursor } from './cursor.ts';
import { durationOf, httpText, isLastOfUndelivered, KINDS, statusBadge } from './delivery-words.ts';
import { healthBadge, healthNotice } from './health-words.ts';
import type { DashboardParts } from './parts.ts';
import { deliveriesSection, webhookSection } from './sections.ts';

const AT = '/dashboard/:listing/deliveries';
const REFRESH_SECONDS = 5;

export const deliveryPath = (listing: Listing, deliveryId: string): string =>
  `${addressOf(listing, deliveriesSection)}/${encodeURIComponent(deliveryId)}`;

export const undeliveredPath = (listing: Listing): string =>
  `${addressOf(listing, deliveriesSection)}/undelivered`;

/** What was sent to a listing's webhook and what came of it, newest first (LG-01). */
export function deliveriesPages(parts: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  pages.get(AT, (c) => show(c, parts));
  pages.post(`${AT}/redeliver`, async (c) => {
    const { listing, entered } = c.var;
    const result = await parts.deliveries.redeliver(listing.id, entered.event?.[0] ?? '');
    return seeOther(c, addressOf(listing, deliveriesSection), endingOf(result));
  });
  return pages;
}

function show(c: ListingContext, { deliveries, sections, clock }: DashboardParts) {
  const { listing, visit } = c.var;
  const before = readCursor(c.req.query('before'));
  const page = deliveries.log.page(listing.id, { limit: PAGE_ROWS, before });
  const health = deliveries.log.health(listing.id);
  const links = pageLinks(page, addressOf(listing, deliveriesSection), before);
  const log = [logTable(listing, page, visit.csrf, clock.now()), links && pagination(links)];
  return showListingPage(c, sections, deliveriesSection, {
    notice: healthNotice(health, addressOf(listing, webhookSection)),
    body: card({
      title: 'Log of deliveries',
      note: 'One line for each attempt, kept for 90 days. A line opens what was sent and what came back.',
      actions: [health && healthBadge(health), linkButton('Undelivered events', undeliveredPath(listing))],
      body: before === null ? refreshed('log', REFRESH_SECONDS, log) : log,
    }),
    json: { deliveries: page.rows.map(deliveryJson), older: links?.older ?? null },
  });
}

export const deliveryJson = (delivery: LoggedDelivery) => ({
  ...delivery,
  startedAt: isoTime(delivery.startedAt),
  nextAttemptAt: isoTimeOrNull(delivery.nextAttemptAt),
});

const logTable = (listing: Listing, page: Page<LoggedDelivery>, csrf: string, now: number): Html =>
  table<LoggedDelivery>({
    caption: 'Attempts, newest first',
    columns: [
      {
        label: 'Sent',
        kind: 'brief',
        onPhone: 'title',
        cell: (row) => html`<a href="${deliveryPath(listing, row.deliveryId)}">${instant(row.startedAt)}</a>`,
      },
      { label: 'Kind', kind: 'brief', cell: ({ kind }) => tag(KINDS[kind]) },
      { label: 'Status', kind: 'brief', onPhone: 'corner', cell: statusCell },
      { label: 'HTTP', kind: 'number', cell: httpText },
      { label: 'Attempt', kind: 'number', cell: ({ attempt }) => attempt },
      { label: 'Duration', kind: 'number', cell: durationOf },
      {
        label: 'Next attempt',
        kind: 'brief',
        cell: ({ nextAttemptAt }) => nextAttemptAt !== null && ago(nextAttemptAt, now),
      },
      {
        label: 'Redeliver',
        kind: 'end',
        onPhone: 'block',
        cell: ({ eventId, canRedeliver }) =>
          eventId !== null && canRedeliver && redeliverButton(listing, eventId, csrf),
      },
    ],
    rows: page.rows,
    detail: ({ error, deliveryId, eventId }) => [
      error !== null && html`<p>${error}</p>`,
      html`<small class="soft">Delivery ${code(deliveryId)}${eventId !== null && [' · event ', code(eventId)]}</small>`,
    ],
    empty: empty({
      title: 'Nothing was sent yet',
      advice: 'With a webhook set up, each vote is sent as soon as it is cast, and stands here.',
      actions: linkButton('To the webhook', addressOf(listing, webhookSection)),
    }),
  });

const statusCell = (row: LoggedDelivery): Html | Html[] =>
  isLastOfUndelivered(row) && row.nextAttemptAt === null
    ? [statusBadge(row), html` `, badge('Undelivered', 'bad')]
    : statusBadge(row);

export const redeliverButton = (listing: Listing, event: string, csrf: string): Html =>
  postButton({
    action: `${addressOf(listing, deliveriesSection)}/redeliver`,
    csrf,
    label: 'Redeliver',
    with: { event },
    small: true,
  });

function endingOf(redelivery: RedeliveryResult): Ending {
  if (redelivery.kind === 'refused') {
    const { code: refusal, sentence, retryAfterSeconds } = redelivery;
    const wait = retryAfterSeconds === undefined ? {} : { json: { retryAfterSeconds } };
    return { tone: 'warn', code: refusal, text: sentence, ...wait };
  }
  const { result } = redelivery;
  const said = result.httpStatus === null ? result.error : `The receiver answered ${result.httpStatus}.`;
  return result.delivered
    ? { tone: 'good', text: `Redelivered. ${said}`, json: { result } }
    : { tone: 'bad', code: 'not-delivered', text: `The redelivery failed. ${said}`, json: { result } };
}
