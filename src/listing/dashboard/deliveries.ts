import { Hono } from 'hono';
import { isoTime, isoTimeOrNull } from '../../core/instant.ts';
import {
  type Content,
  card,
  empty,
  type Html,
  html,
  linkButton,
  pagination,
  refreshed,
  refusedForm,
} from '../../web/kit.ts';
import { PAGE_ROWS, pageLinks, readCursor } from '../../web/paging.ts';
import { type Ending, formFaults, seeOther } from '../../web/show.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, type ListingContext, showListingPage } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import { type LogRow, NO_FILTER } from '../webhooks/event-rows.ts';
import type { LoggedDelivery } from '../webhooks/log-rows.ts';
import type { RedeliveryResult } from '../webhooks/redelivery.ts';
import { eventsTable } from './events-table.ts';
import { healthBadge, healthNotice } from './health-words.ts';
import { askedFilter, filteredAddress, isFiltered, logFilters, readFilter } from './log-filter.ts';
import type { DashboardParts } from './parts.ts';
import { deliveriesSection, webhookSection } from './sections.ts';

const AT = '/dashboard/:listing/deliveries';
const REFRESH_SECONDS = 5;

export const undeliveredPath = (listing: Listing): string =>
  `${addressOf(listing, deliveriesSection)}?state=undelivered`;

/** The log of what was sent to a listing's webhook: a row per event, newest first (LG-01). */
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

async function show(c: ListingContext, { deliveries, sections, clock }: DashboardParts) {
  const { listing, visit } = c.var;
  const address = addressOf(listing, deliveriesSection);
  const asked = askedFilter((name) => c.req.query(name));
  const read = readFilter(asked);
  const faults = read.kind === 'faults' ? read.faults : {};
  const before = readCursor(c.req.query('before'));
  const filter = read.kind === 'filter' ? read.filter : NO_FILTER;
  const [page, health] = await Promise.all([
    deliveries.events.page(listing.id, filter, { limit: PAGE_ROWS, before }),
    deliveries.log.health(listing.id),
  ]);
  const votes = page.rows.filter(({ kind }) => kind === 'vote').map(({ id }) => id);
  const attempts = await deliveries.events.attemptsOf(listing.id, votes);
  const block = deliveries.redeliveryBlock(listing.id)?.sentence ?? null;
  const links = pageLinks(page, filteredAddress(address, asked), before);
  /** Older pages do not change. */
  const kept = (id: string, body: Content): Content =>
    before === null ? refreshed(id, REFRESH_SECONDS, body) : body;
  const log = [
    block !== null &&
      page.rows.length > 0 &&
      html`<p class="hint">Events can’t be redelivered now. ${block}</p>`,
    eventsTable({
      ...{ listing, rows: page.rows, attempts, csrf: visit.csrf, now: clock.now(), block },
      empty: isFiltered(asked) ? nothingFound(address) : nothingSent(listing),
    }),
    links && pagination(links),
  ];
  return showListingPage(
    c,
    sections,
    deliveriesSection,
    {
      refused: refusedForm(faults),
      notice: healthNotice(health, addressOf(listing, webhookSection)),
      body: card({
        title: 'Deliveries',
        note: 'One row per event, kept for 90 days. Open a row to see its attempts.',
        actions: kept('health', health && healthBadge(health)),
        body: [logFilters(address, asked), kept('log', log)],
      }),
      json:
        read.kind === 'faults'
          ? formFaults(faults)
          : {
              events: page.rows.map(eventJson),
              deliveries: attemptsJson(page.rows, attempts),
              older: links?.older ?? null,
            },
    },
    read.kind === 'faults' ? 422 : 200,
  );
}

export const eventJson = ({ at, lastAttempt, nextAttemptAt, ...row }: LogRow) => ({
  ...row,
  at: isoTime(at),
  lastAttempt: lastAttempt && { ...lastAttempt, startedAt: isoTime(lastAttempt.startedAt) },
  nextAttemptAt: isoTimeOrNull(nextAttemptAt),
});

export const deliveryJson = (delivery: LoggedDelivery) => ({
  ...delivery,
  startedAt: isoTime(delivery.startedAt),
  nextAttemptAt: isoTimeOrNull(delivery.nextAttemptAt),
});

/** The attempts of all rows, newest first. Tests and probes have one attempt each. */
function attemptsJson(rows: readonly LogRow[], attempts: ReadonlyMap<string, readonly LoggedDelivery[]>) {
  const trials = rows.flatMap(({ kind, lastAttempt }) =>
    kind === 'vote' || lastAttempt === null ? [] : [trialOf(kind, lastAttempt)],
  );
  return [...[...attempts.values()].flat(), ...trials]
    .toSorted((a, b) => b.startedAt - a.startedAt || b.attempt - a.attempt)
    .map(deliveryJson);
}

const trialOf = (kind: 'test' | 'probe', attempt: NonNullable<LogRow['lastAttempt']>): LoggedDelivery => ({
  ...attempt,
  ...{ kind, attempt: 1, eventId: null, eventState: null, nextAttemptAt: null, canRedeliver: false },
});

const nothingFound = (address: string): Html =>
  empty({
    title: 'Nothing matches',
    advice: 'No event in the last 90 days matches this filter.',
    actions: linkButton('Show all', address),
  });

const nothingSent = (listing: Listing): Html =>
  empty({
    title: 'Nothing sent yet',
    advice: 'Set up a webhook. Each vote is then sent as soon as it is cast, and appears here.',
    actions: linkButton('Webhook', addressOf(listing, webhookSection)),
  });

function endingOf(redelivery: RedeliveryResult): Ending {
  if (redelivery.kind === 'refused') {
    const { code: refusal, sentence, retryAfterSeconds } = redelivery;
    const wait = retryAfterSeconds === undefined ? {} : { json: { retryAfterSeconds } };
    return { tone: 'warn', code: refusal, text: sentence, ...wait };
  }
  const { result } = redelivery;
  const answer = result.httpStatus === null ? result.error : `The receiver answered ${result.httpStatus}.`;
  return result.delivered
    ? { tone: 'good', text: `Redelivered. ${answer}`, json: { result } }
    : { tone: 'bad', code: 'not-delivered', text: `Redelivery failed. ${answer}`, json: { result } };
}
