import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../sqlite/open.ts';
import { NEWEST, type Page, type PageWanted, pageOf } from '../../web/paging.ts';
import { EventLogStore } from './event-log-store.ts';
import { type EventDetail, type LogFilter, type LogRow, toLogRow } from './event-rows.ts';
import { type LoggedDelivery, toLogged } from './log-rows.ts';

/** The log of deliveries, with one row for each event, test and probe. It only reads. */
export class EventLog {
  private readonly store: EventLogStore;

  constructor(
    database: Database,
    private readonly clock: Clock,
  ) {
    this.store = new EventLogStore(database);
  }

  /** Newest first, by when the vote was cast or the test was sent. Rows do not move when an attempt is added. */
  page(listingId: string, filter: LogFilter, { limit, before }: PageWanted): Page<LogRow> {
    const now = this.clock.now();
    const wanted = { listingId, ...filter, before: before ?? NEWEST, limit: limit + 1 };
    const rows = [...this.store.events(wanted), ...this.store.trials(wanted)].map((row) =>
      toLogRow(row, now),
    );
    return pageOf(rows.toSorted(newestFirst), limit, ({ at, id }) => ({ at, id }));
  }

  /** One event with all its attempts; null if this listing has no such event. */
  event(listingId: string, eventId: string): EventDetail | null {
    const row = this.store.event(listingId, eventId);
    if (row === null) return null;
    return {
      ...toLogRow(row, this.clock.now()),
      body: row.body.toString(),
      history: this.attemptsOf(listingId, [eventId]).get(eventId) ?? [],
    };
  }

  /** The attempts of these events by event ID, oldest first, for pages whose rows can be opened. */
  attemptsOf(listingId: string, eventIds: readonly string[]): ReadonlyMap<string, readonly LoggedDelivery[]> {
    const now = this.clock.now();
    const attempts = this.store.attemptsOf(listingId, eventIds).map((row) => toLogged(row, now));
    return new Map(eventIds.map((id) => [id, attempts.filter(({ eventId }) => eventId === id)]));
  }
}

const newestFirst = (a: LogRow, b: LogRow): number => b.at - a.at || (a.id < b.id ? 1 : -1);
