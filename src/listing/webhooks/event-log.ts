import type { Clock } from '../../core/clock.ts';
import { NEWEST, type Page, type PageWanted, pageOf } from '../../web/paging.ts';
import type { Reads } from '../reads/reads.ts';
import { type EventDetail, type LogRow, toLogRow } from './event-rows.ts';
import type { EventState } from './event-state.ts';
import { type LoggedDelivery, toLogged } from './log-rows.ts';

/** The log of deliveries, with one row for each event and test. It only reads. */
export class EventLog {
  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  /** All rows, or those in one state, newest first by when the vote was cast or the test was sent. Rows do not move when an attempt is added. */
  async page(
    listingId: string,
    state: EventState | null,
    { limit, before }: PageWanted,
  ): Promise<Page<LogRow>> {
    const wanted = { listingId, state, before: before ?? NEWEST, limit: limit + 1 };
    const rows = (await this.reads.eventRows(wanted)).map((row) => toLogRow(row, this.clock.now()));
    return pageOf(rows.toSorted(newestFirst), limit, ({ at, id }) => ({ at, id }));
  }

  /** One event with all its attempts; null if this listing has no such event. */
  async event(listingId: string, eventId: string): Promise<EventDetail | null> {
    const row = await this.reads.eventRow(listingId, eventId);
    if (row === null) return null;
    return {
      ...toLogRow(row, this.clock.now()),
      body: Buffer.from(row.body).toString(),
      history: (await this.attemptsOf(listingId, [eventId])).get(eventId) ?? [],
    };
  }

  /** The attempts of these events by event ID, oldest first, for pages whose rows can be opened. */
  async attemptsOf(
    listingId: string,
    eventIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly LoggedDelivery[]>> {
    const rows = await this.reads.attemptRows(listingId, eventIds);
    const attempts = rows.map((row) => toLogged(row, this.clock.now()));
    return new Map(eventIds.map((id) => [id, attempts.filter(({ eventId }) => eventId === id)]));
  }
}

const newestFirst = (a: LogRow, b: LogRow): number => b.at - a.at || (a.id < b.id ? 1 : -1);
