import { Hono } from 'hono';
import {
  ago,
  card,
  code,
  codeBlock,
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
import type { DeliveryDetail } from '../webhooks/log-rows.ts';
import { deliveryJson, redeliverButton } from './deliveries.ts';
import { durationOf, KINDS, statusBadge } from './delivery-words.ts';
import type { DashboardParts } from './parts.ts';
import { deliveriesSection } from './sections.ts';
import { verifyPath } from './verify.ts';

/** One attempt: what was sent, and the beginning of what came back. */
export function deliveryPage({ deliveries, sections, clock }: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  pages.get('/dashboard/:listing/deliveries/:delivery', (c) => {
    const { listing, site, visit } = c.var;
    const delivery = deliveries.log.detail(listing.id, c.req.param('delivery'));
    if (delivery === null) return refuse(c, site, 'not-found');
    const { url, headers, body, response } = delivery;
    return showListingPage(c, sections, deliveriesSection, {
      actions: linkButton('Log of deliveries', addressOf(listing, deliveriesSection)),
      body: [
        card({
          title: `Delivery of ${KINDS[delivery.kind].toLowerCase()}`,
          actions: [statusBadge(delivery), redeliver(listing, delivery, visit.csrf)],
          body: facts(factsOf(delivery, clock.now())),
        }),
        card({
          title: 'Request',
          note: 'The signature is not kept; the body, the exact bytes of every attempt, is.',
          actions: linkButton('Verify a delivery', verifyPath(listing)),
          body: codeBlock({ id: 'request', label: 'What was sent', text: requestText(delivery) }),
        }),
        card({ title: 'Response', body: responseBlock(delivery) }),
      ],
      json: { delivery: { ...deliveryJson(delivery), url, headers, body, response } },
    });
  });
  return pages;
}

const redeliver = (listing: Listing, { eventId, canRedeliver }: DeliveryDetail, csrf: string): Html | null =>
  eventId !== null && canRedeliver ? redeliverButton(listing, eventId, csrf) : null;

const factsOf = (delivery: DeliveryDetail, now: number): [string, string | number | Html][] => {
  const { deliveryId, eventId, kind, attempt, startedAt, nextAttemptAt, httpStatus, error } = delivery;
  return [
    ['Kind', tag(KINDS[kind])],
    ['Sent', instant(startedAt)],
    ['Attempt', attempt],
    ['Delivery', code(deliveryId)],
    ...(eventId === null ? [] : [['Event', code(eventId)] as [string, Html]]),
    ['HTTP status', httpStatus ?? 'none'],
    ...(error === null ? [] : [['Reason', error] as [string, string]]),
    ['Duration', durationOf(delivery) || 'unknown'],
    ...(nextAttemptAt === null ? [] : [['Next attempt', ago(nextAttemptAt, now)] as [string, Html]]),
  ];
};

function requestText({ url, headers, body }: DeliveryDetail): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${url}`, ...lines, '', body ?? '(the body of a test is not kept)'].join('\n');
}

function responseBlock({ response, httpStatus }: DeliveryDetail): Html {
  if (httpStatus === null) return html`<p class="soft">None came.</p>`;
  if (response === null || response === '') return html`<p class="soft">Without a body.</p>`;
  return codeBlock({ id: 'response', label: 'Its first 1 KiB, as it came', text: response });
}
