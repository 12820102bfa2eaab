import { DAY_MS, HOUR_MS } from '../../../core/duration.ts';
import type { EventKind } from '../../../core/event-kind.ts';
import type { Facts } from '../../../core/reason.ts';
import { atMost } from '../../../platform/sqlite/at-most.ts';
import type { Database } from '../../../platform/sqlite/open.ts';
import type { EventRow, NewEvent } from '../../event-ledger.ts';
import { refusedService } from '../refused-service.ts';
import { EVENT, eventRow, type StoredEvent } from './event-rows.ts';

/** Events are kept this long, and at most so many of them, whether or not they were delivered. */
const KEPT_MS = 7 * DAY_MS;
const KEPT_MAX = 200_000;
/** To remove so many takes some milliseconds. */
const REMOVED_AT_ONCE = 500;

/** An hour is summed up so long after its end: refusals are counted in memory and stored at intervals. */
const REFUSALS_LATE_MS = 2 * 60_000;
/** Hours when no Teller ran are summed up later, up to this many. */
const HOURS_BACK = 24;
/** Causes that a summary names, the most frequent ones first, so that a flood makes no long message. */
const CAUSES_MAX = 50;

/** What happened. The caller holds the transaction where one is needed. */
export class StoredEvents {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  add(events: readonly NewEvent[]): void {
    for (const { kind, at, facts, key } of events)
      this.statements.add.run({ kind, at, facts: JSON.stringify(facts), key });
  }

  latest(kinds: readonly EventKind[], limit: number): EventRow[] {
    const rows = this.statements.latest.all({ kinds: JSON.stringify(kinds), limit }) as StoredEvent[];
    return rows.map(eventRow);
  }

  summariseRefusals(now: number): void {
    const since = this.statements.wantedSince.get() as number | null;
    if (since === null) return;
    const end = Math.floor((now - REFUSALS_LATE_MS) / HOUR_MS);
    const first = Math.max(Math.floor(since / HOUR_MS), end - HOURS_BACK);
    for (let hour = first; hour < end; hour++) {
      const causes = this.statements.refusals.all(hour) as RefusedCause[];
      if (causes.length > 0) this.add([summaryOf(hour, causes)]);
    }
  }

  removeOld(now: number): boolean {
    const lastId = this.statements.lastId.get() as number;
    const oldest = this.statements.oldest.all(REMOVED_AT_ONCE) as { id: number; at: number }[];
    const old = oldest.filter(({ id, at }) => id < lastId && (id <= lastId - KEPT_MAX || at < now - KEPT_MS));
    for (const { id } of old) for (const statement of this.statements.remove) statement.run(id);
    return old.length === REMOVED_AT_ONCE;
  }
}

interface RefusedCause {
  readonly code: string;
  readonly service: string;
  readonly count: number;
}

function summaryOf(hour: number, causes: readonly RefusedCause[]): NewEvent {
  const from = hour * HOUR_MS;
  const until = from + HOUR_MS;
  const total = causes.reduce((sum, { count }) => sum + count, 0);
  const named = causes.slice(0, CAUSES_MAX);
  const refusals = named.map(({ code, service, count }) => ({ code, site: refusedService(service), count }));
  const others = total - named.reduce((sum, { count }) => sum + count, 0);
  const facts: Facts = { from, until, total, refusals, others };
  return { kind: 'vote.refused', at: until, facts, key: `refusals ${hour}` };
}

const prepareStatements = (db: Database) => ({
  add: db.prepare(`
    INSERT INTO events (kind, at, facts, unique_key)
    SELECT @kind, @at, @facts, @key
    WHERE EXISTS (SELECT 1 FROM event_wants WHERE kind = @kind)
      AND NOT EXISTS (SELECT 1 FROM events WHERE unique_key = @key)`),
  latest: db.prepare(`
    SELECT ${EVENT} FROM events e
    WHERE e.kind IN (SELECT value FROM json_each(@kinds)) ORDER BY e.id DESC ${atMost('@limit')}`),
  lastId: db.prepare('SELECT ifnull(max(id), 0) FROM events').pluck(),
  wantedSince: db
    .prepare(`
    SELECT min(r.since) FROM event_wants w JOIN event_receivers r ON r.receiver = w.receiver
    WHERE w.kind = 'vote.refused'`)
    .pluck(),
  refusals: db.prepare(`
    SELECT code, service, sum(count) AS count FROM refusals WHERE hour = ?
    GROUP BY code, service ORDER BY sum(count) DESC, code, service`),
  oldest: db.prepare(`SELECT id, at FROM events ORDER BY id ${atMost('?')}`),
  remove: [
    db.prepare(`
      UPDATE event_receivers SET dropped = dropped + 1
      WHERE receiver IN (SELECT receiver FROM event_posts WHERE event = ? AND state <> 'delivered')`),
    db.prepare('DELETE FROM event_posts WHERE event = ?'),
    db.prepare('DELETE FROM events WHERE id = ?'),
  ],
});
