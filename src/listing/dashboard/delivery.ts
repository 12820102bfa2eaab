import { Hono } from 'hono';
import { readJson } from '../../core/json.ts';
import {
  ago,
  card,
  code,
  codeBlock,
  disclosure,
  facts,
  type Html,
  html,
  instant,
  linkButton,
  tag,
} from '../../web/kit.ts';
import { refuse } from '../../web/refusal.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, showListingPage } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import type { DeliveryKind } from '../webhooks/delivery-store.ts';
import type { DeliveryDetail } from '../webhooks/log-rows.ts';
import { deliveryJson } from './deliveries.ts';
import { durationOf, KINDS, statusBadge } from './delivery-words.ts';
import { redeliverButton } from './events-table.ts';
import type { DashboardParts } from './parts.ts';
import { deliveriesSection } from './sections.ts';

/** One attempt: the request, and the first bytes of the response. */
export function deliveryPage({ deliveries, sections, clock }: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  pages.get('/dashboard/:listing/deliveries/:delivery', async (c) => {
    const { listing, site, visit } = c.var;
    const delivery = await deliveries.log.detail(listing.id, c.req.param('delivery'));
    if (delivery === null) return refuse(c, site, 'not-found');
    const { url, headers, body, response } = delivery;
    const block = deliveries.redeliveryBlock(listing.id)?.sentence ?? null;
    return showListingPage(c, sections, deliveriesSection, {
      actions: linkButton('All deliveries', addressOf(listing, deliveriesSection)),
      body: [
        card({
          title: TITLES[delivery.kind],
          actions: [statusBadge(delivery), redeliver(listing, delivery, visit.csrf, block)],
          body: facts(factsOf(delivery, clock.now())),
        }),
        card({
          title: 'Request',
          note: 'The signature is not stored.',
          body: requestBlocks(delivery),
        }),
        card({ title: 'Response', body: responseBlock(delivery) }),
      ],
      json: { delivery: { ...deliveryJson(delivery), url, headers, body, response } },
    });
  });
  return pages;
}

const TITLES: Readonly<Record<DeliveryKind, string>> = {
  vote: 'Delivery of a vote',
  redelivery: 'Redelivery of a vote',
  test: 'Delivery of a test event',
};

const redeliver = (
  listing: Listing,
  { eventId, canRedeliver }: DeliveryDetail,
  csrf: string,
  block: string | null,
): Html | null => (eventId !== null && canRedeliver ? redeliverButton(listing, eventId, csrf, block) : null);

const factsOf = (delivery: DeliveryDetail, now: number): [string, string | number | Html][] => {
  const { deliveryId, eventId, kind, attempt, startedAt, nextAttemptAt, httpStatus, error } = delivery;
  return [
    ['Kind', tag(KINDS[kind])],
    ['Sent', instant(startedAt)],
    ['Attempt', attempt],
    ['Delivery ID', code(deliveryId)],
    ...(eventId === null ? [] : [['Event ID', code(eventId)] as [string, Html]]),
    ['HTTP status', httpStatus ?? 'none'],
    ...(error === null ? [] : [['Reason', error] as [string, string]]),
    ['Duration', durationOf(delivery) || 'unknown'],
    ...(nextAttemptAt === null ? [] : [['Next attempt', ago(nextAttemptAt, now)] as [string, Html]]),
  ];
};

/** The body formatted for reading, followed by the exact bytes that were signed. */
function requestBlocks(delivery: DeliveryDetail): Html[] {
  const exact = codeBlock({ id: 'request', label: 'Headers and body', text: requestText(delivery) });
  const formatted = formattedJson(delivery.body);
  if (formatted === null) return [exact];
  return [
    codeBlock({ id: 'request-body', label: 'Body, formatted', text: formatted }),
    disclosure('Headers and body, exactly as sent', exact),
  ];
}

/** null if the text is not JSON. */
const formattedJson = (text: string | null): string | null =>
  JSON.stringify(readJson(text ?? ''), null, 2) ?? null;

function requestText({ url, headers, body }: DeliveryDetail): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${url}`, ...lines, '', body ?? '(the body of a test is not stored)'].join('\n');
}

const FIRST_BYTES = 'First 1 KiB, exactly as received';

function responseBlock({ response, httpStatus }: DeliveryDetail): Html | Html[] {
  if (httpStatus === null) return html`<p class="soft">No response.</p>`;
  if (response === null || response === '') return html`<p class="soft">HTTP ${httpStatus}, no body.</p>`;
  const exact = codeBlock({ id: 'response', label: FIRST_BYTES, text: response });
  const formatted = formattedJson(response);
  if (formatted === null || formatted === response) return exact;
  const shown = codeBlock({ id: 'response-body', label: 'Body, formatted', text: formatted });
  return [shown, disclosure(FIRST_BYTES, exact)];
}
