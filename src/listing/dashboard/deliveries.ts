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
  pills,
  refreshed,
  refusedForm,
} from '../../web/kit.ts';
import { PAGE_ROWS, pageLinks, readCursor } from '../../web/paging.ts';
import { type Ending, formFaults, seeOther } from '../../web/show.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, type ListingContext, showListingPage } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import type { LastAttempt, LogRow } from '../webhooks/event-rows.ts';
import { type EventState, eventStates } from '../webhooks/event-state.ts';
import type { LoggedDelivery } from '../webhooks/log-rows.ts';
import type { RedeliveryResult } from '../webhooks/redelivery.ts';
import { eventsTable } from './events-table.ts';
import { healthBadge, healthNotice } from './health-words.ts';
import type { DashboardParts } from './parts.ts';
import { deliveriesSection, webhookSection } from './sections.ts';

const AT = '/dashboard/:listing/deliveries';
const REFRESH_SECONDS = 5;

/** The log's address with the events in this state, or with all. */
const logPath = (listing: Listing, state: EventState | null): string =>
  addressOf(listing, deliveriesSection) + (state === null ? '' : `?state=${state}`);

export const undeliveredPath = (listing: Listing): string => logPath(listing, 'undelivered');

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
  const read = readState(c.req.query('state') ?? '');
  // Ignoring a state that does not exist would show rows that the reader meant to leave out.
  const faults: Readonly<Record<string, string>> = read === undefined ? { state: STATE_FAULT } : {};
  const state = read ?? null;
  const before = readCursor(c.req.query('before'));
  const [page, health] = await Promise.all([
    deliveries.events.page(listing.id, state, { limit: PAGE_ROWS, before }),
    deliveries.log.health(listing.id),
  ]);
  const votes = page.rows.filter(({ kind }) => kind === 'vote').map(({ id }) => id);
  const attempts = await deliveries.events.attemptsOf(listing.id, votes);
  const block = deliveries.redeliveryBlock(listing.id)?.sentence ?? null;
  const links = pageLinks(page, logPath(listing, state), before);
  /** Older pages do not change. */
  const kept = (id: string, body: Content): Content =>
    before === null ? refreshed(id, REFRESH_SECONDS, body) : body;
  const log = [
    block !== null &&
      page.rows.length > 0 &&
      html`<p class="hint">Events can’t be redelivered now. ${block}</p>`,
    eventsTable({
      ...{ listing, rows: page.rows, attempts, csrf: visit.csrf, now: clock.now(), block },
      empty: state === null ? nothingSent(listing) : nothingFound(address),
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
        body: [stateLinks(listing, state), kept('log', log)],
      }),
      json:
        read === undefined
          ? formFaults(faults)
          : {
              events: page.rows.map(eventJson),
              deliveries: attemptsJson(page.rows, attempts),
              older: links?.older ?? null,
            },
    },
    read === undefined ? 422 : 200,
  );
}

/** null for all events; undefined for a state that does not exist. */
function readState(asked: string): EventState | null | undefined {
  if (asked === '') return null;
  return Object.hasOwn(eventStates, asked) ? (asked as EventState) : undefined;
}

const STATE_FAULT = `State: choose one of ${Object.keys(eventStates).join(', ')}.`;

const stateLinks = (listing: Listing, shown: EventState | null): Html => {
  const link = (state: EventState | null, label: string) => ({
    ...{ label, href: logPath(listing, state), current: state === shown },
  });
  const states = Object.entries(eventStates) as [EventState, { readonly label: string }][];
  return pills('Deliveries by state', [
    link(null, 'All'),
    ...states.map(([state, { label }]) => link(state, label)),
  ]);
};

const eventJson = ({ at, lastAttempt, nextAttemptAt, ...row }: LogRow) => ({
  ...row,
  at: isoTime(at),
  lastAttempt: lastAttempt && { ...lastAttempt, startedAt: isoTime(lastAttempt.startedAt) },
  nextAttemptAt: isoTimeOrNull(nextAttemptAt),
});

export const deliveryJson = <Row extends LoggedDelivery>(delivery: Row) => ({
  ...delivery,
  startedAt: isoTime(delivery.startedAt),
  nextAttemptAt: isoTimeOrNull(delivery.nextAttemptAt),
});

/** The attempts of all rows, newest first. A test has one attempt. */
function attemptsJson(rows: readonly LogRow[], attempts: ReadonlyMap<string, readonly LoggedDelivery[]>) {
  const all = rows.flatMap(({ id, kind, player, lastAttempt }) => {
    const tests = kind === 'test' && lastAttempt !== null ? [testOf(lastAttempt)] : [];
    return (attempts.get(id) ?? tests).map((attempt) => ({ ...attempt, player }));
  });
  return all.toSorted((a, b) => b.startedAt - a.startedAt || b.attempt - a.attempt).map(deliveryJson);
}

const testOf = (attempt: LastAttempt): LoggedDelivery => ({
  ...attempt,
  ...{ kind: 'test', attempt: 1, eventId: null, eventState: null, nextAttemptAt: null, canRedeliver: false },
});

const nothingFound = (address: string): Html =>
  empty({
    title: 'Nothing matches',
    advice: 'No event of the last 90 days is in this state.',
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
