import { atMost } from '../../../platform/sqlite/at-most.ts';
import type { Database } from '../../../platform/sqlite/open.ts';
import type { EndedPost, EventClaims, EventPost, EventTurn, PostEnd } from '../../event-ledger.ts';
import { EVENT, eventRow, type StoredEvent } from './event-rows.ts';

/** What is sent to receivers. The caller holds the transaction. */
export class EventPosts {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  take({ ended, free, now }: EventTurn): EventClaims {
    for (const post of ended) this.end(post, now);
    const claimed = free.flatMap(({ receiver, most }) => this.claim(receiver, most, now));
    return { claimed, nextDueAt: this.statements.nextDueAt.get(now) as number | null };
  }

  nextAt(): number | null {
    return this.statements.firstDueAt.get() as number | null;
  }

  resume(): void {
    this.statements.resume.run();
  }

  resend(now: number): number {
    return this.statements.resend.run({ now }).changes;
  }

  private claim(receiver: string, most: number, now: number): EventPost[] {
    if (most === 0) return [];
    const rows = this.statements.due.all({ receiver, most, now }) as (StoredEvent & { failures: number })[];
    return rows.map(({ failures, ...event }) => {
      this.statements.claim.run({ receiver, event: event.id });
      return { receiver, failures, event: eventRow(event) };
    });
  }

  private end({ receiver, event, end }: EndedPost, now: number): void {
    const { status, reason } = end;
    this.statements.end.run({ receiver, event, now, status, reason, ...stored(end) });
    if (end.state !== 'again') this.statements.noteLast.run({ receiver, now, status, reason });
  }
}

function stored(end: PostEnd): { readonly state: string; readonly dueAt: number; readonly failed: number } {
  switch (end.state) {
    case 'again':
      return { state: 'waiting', dueAt: end.dueAt, failed: 0 };
    case 'waiting':
      return { state: 'waiting', dueAt: end.dueAt, failed: 1 };
    case 'undelivered':
      return { state: 'undelivered', dueAt: 0, failed: 1 };
    case 'delivered':
      return { state: 'delivered', dueAt: 0, failed: 0 };
  }
}

const prepareStatements = (db: Database) => ({
  end: db.prepare(`
    UPDATE event_posts SET state = @state, due_at = @dueAt, failures = failures + @failed, changed_at = @now,
      status = @status, reason = @reason
    WHERE receiver = @receiver AND event = @event AND state = 'sending'`),
  noteLast: db.prepare(`
    UPDATE event_receivers SET last_at = @now, status = @status, reason = @reason WHERE receiver = @receiver`),
  due: db.prepare(`
    SELECT p.failures, ${EVENT} FROM event_posts p INDEXED BY event_posts_waiting JOIN events e ON e.id = p.event
    WHERE p.receiver = @receiver AND p.state = 'waiting' AND p.due_at <= @now ORDER BY p.due_at, p.event ${atMost('@most')}`),
  claim: db.prepare("UPDATE event_posts SET state = 'sending' WHERE receiver = @receiver AND event = @event"),
  nextDueAt: db
    .prepare(`
    SELECT min((SELECT min(due_at) FROM event_posts p INDEXED BY event_posts_waiting
                WHERE p.receiver = r.receiver AND state = 'waiting' AND due_at > ?)) FROM event_receivers r`)
    .pluck(),
  firstDueAt: db
    .prepare(`
    SELECT min((SELECT min(due_at) FROM event_posts p INDEXED BY event_posts_waiting
                WHERE p.receiver = r.receiver AND state = 'waiting')) FROM event_receivers r`)
    .pluck(),
  resume: db.prepare("UPDATE event_posts SET state = 'waiting', due_at = 0 WHERE state = 'sending'"),
  resend: db.prepare(`
    UPDATE event_posts SET state = 'waiting', due_at = 0, failures = 0, changed_at = @now WHERE state = 'undelivered'`),
});
