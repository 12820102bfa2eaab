import { ago, code, disclosure, type Html, html, instant, postButton, table, tag } from '../../web/kit.ts';
import { addressOf } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import type { DeliveryKind } from '../webhooks/delivery-store.ts';
import type { LastAttempt, LogRow } from '../webhooks/event-rows.ts';
import type { LoggedDelivery } from '../webhooks/log-rows.ts';
import { durationOf, httpText, KINDS, stateBadge, statusBadge } from './delivery-words.ts';
import { deliveriesSection } from './sections.ts';

const deliveryPath = (listing: Listing, deliveryId: string): string =>
  `${addressOf(listing, deliveriesSection)}/${encodeURIComponent(deliveryId)}`;

/** An attempt, as an opened row shows it. */
type ShownAttempt = LastAttempt & { readonly attempt: number; readonly kind: DeliveryKind };

interface EventsTable {
  readonly listing: Listing;
  readonly rows: readonly LogRow[];
  /** By event ID, for the rows that are votes. */
  readonly attempts: ReadonlyMap<string, readonly LoggedDelivery[]>;
  readonly csrf: string;
  readonly now: number;
  /** Why no event can be redelivered now; null if events can be. */
  readonly block: string | null;
  readonly empty: Html;
}

/** One row per event. An opened row shows the event's attempts. */
export function eventsTable({ listing, rows, attempts, csrf, now, block, empty }: EventsTable): Html {
  const redeliver = ({ kind, id, canRedeliver }: LogRow): Html | false =>
    kind === 'vote' && canRedeliver && redeliverButton(listing, id, csrf, block);
  return table<LogRow>({
    caption: 'Deliveries, newest first',
    columns: [
      { label: listing.game === 'minecraft' ? 'Player' : 'Voter', onPhone: 'title', cell: whoOf },
      { label: 'State', kind: 'brief', onPhone: 'corner', cell: ({ state }) => stateBadge(state) },
      { label: 'Time', kind: 'brief', cell: ({ at }) => instant(at) },
      { label: 'HTTP', kind: 'number', cell: ({ lastAttempt }) => lastAttempt && httpText(lastAttempt) },
      {
        label: 'Next attempt',
        kind: 'brief',
        cell: ({ nextAttemptAt }) => nextAttemptAt !== null && ago(nextAttemptAt, now),
      },
      {
        label: 'Redeliver',
        kind: 'end',
        onPhone: 'block',
        cell: (row) => isOpen(row) && redeliver(row),
      },
    ],
    rows,
    detail: (row) => [
      reasonOf(row),
      disclosure(attemptsLabel(row), [
        attemptList(listing, row, attemptsOf(row, attempts)),
        // A delivered event can be redelivered too, but rarely needs to be: the button is out of the way.
        !isOpen(row) && redeliver(row),
      ]),
    ],
    empty,
  });
}

const isOpen = ({ state }: LogRow): boolean => state !== 'delivered';

/** The voter, under the name that the owner of the listing knows. */
const whoOf = ({ kind, player, userId }: LogRow): Html | string => {
  if (kind !== 'vote') return tag(KINDS[kind]);
  return player ?? html`<span class="soft">Voter</span> ${code(userId ?? 'unknown')}`;
};

/** Why the last attempt failed; null for a delivered event. */
const reasonOf = ({ state, lastAttempt }: LogRow): Html | null =>
  state === 'delivered' || (lastAttempt?.error ?? null) === null ? null : html`<p>${lastAttempt?.error}</p>`;

const attemptsLabel = ({ attempts, lastAttempt }: LogRow): string => {
  if (lastAttempt === null) return 'No attempts';
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
};

function attemptsOf(row: LogRow, attempts: EventsTable['attempts']): readonly ShownAttempt[] {
  if (row.kind === 'vote') return attempts.get(row.id) ?? [];
  return row.lastAttempt === null ? [] : [{ ...row.lastAttempt, attempt: 1, kind: row.kind }];
}

const attemptList = (listing: Listing, row: LogRow, attempts: readonly ShownAttempt[]): Html[] => [
  attempts.length === 0
    ? html`<p class="soft">Nothing was sent. The webhook was paused or disabled at the time.</p>`
    : html`<ol class="attempts">${attempts.map((attempt) => attemptItem(listing, attempt))}</ol>`,
  ...(row.kind === 'vote' ? [html`<small class="soft">Event ${code(row.id)}</small>`] : []),
];

const attemptItem = (listing: Listing, attempt: ShownAttempt): Html => html`<li class="attempt">
  <div class="attempt-line">
    <a href="${deliveryPath(listing, attempt.deliveryId)}">Attempt ${attempt.attempt}</a>
    ${statusBadge(attempt)}
    ${attempt.kind === 'redelivery' && tag(KINDS.redelivery)}
    <span>${instant(attempt.startedAt)}</span>
    ${attempt.httpStatus !== null && html`<span>HTTP ${attempt.httpStatus}</span>`}
    <span class="soft">${durationOf(attempt)}</span>
  </div>
  ${attempt.error !== null && html`<p>${attempt.error}</p>`}
  <small class="soft">Delivery ${code(attempt.deliveryId)}</small>
</li>`;

export const redeliverButton = (
  listing: Listing,
  event: string,
  csrf: string,
  blocked: string | null,
): Html =>
  postButton({
    action: `${addressOf(listing, deliveriesSection)}/redeliver`,
    csrf,
    label: 'Redeliver',
    with: { event },
    small: true,
    blocked,
  });
