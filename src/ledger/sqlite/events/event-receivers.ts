import type { EventKind } from '../../../core/event-kind.ts';
import type { Database } from '../../../platform/sqlite/open.ts';
import type { ReceiverState, ReceiverWants } from '../../event-ledger.ts';

/** Who is told of events, and of which. The caller holds the transaction where one is needed. */
export class EventReceivers {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** Writes only what differs: a start with the same config needs no room on the disk. */
  use(receivers: readonly ReceiverWants[], now: number): void {
    const known = this.statements.known.all() as string[];
    for (const receiver of known) {
      if (receivers.some((one) => one.receiver === receiver)) continue;
      for (const statement of this.statements.remove) statement.run(receiver);
    }
    const wanted = receivers.flatMap(({ receiver, kinds }) => kinds.map((kind) => [kind, receiver]));
    this.statements.forgetOthers.run(JSON.stringify(wanted));
    for (const { receiver } of receivers) this.statements.add.run(receiver, now);
    for (const each of wanted) this.statements.want.run(each);
  }

  isWanted(kind: EventKind): boolean {
    return this.statements.isWanted.get(kind) !== undefined;
  }

  states(): ReceiverState[] {
    return (this.statements.states.all() as (Omit<ReceiverState, 'last'> & StoredLast)[]).map(
      ({ lastAt, status, reason, ...state }) => ({
        ...state,
        last: lastAt === null ? null : { at: lastAt, status, reason },
      }),
    );
  }
}

interface StoredLast {
  readonly lastAt: number | null;
  readonly status: number | null;
  readonly reason: string | null;
}

const count = (state: string): string =>
  `(SELECT count(*) FROM event_posts p WHERE p.receiver = r.receiver AND p.state ${state})`;

const prepareStatements = (db: Database) => ({
  known: db.prepare('SELECT receiver FROM event_receivers').pluck(),
  remove: [
    db.prepare('DELETE FROM event_posts WHERE receiver = ?'),
    db.prepare('DELETE FROM event_receivers WHERE receiver = ?'),
  ],
  forgetOthers: db.prepare(`
    DELETE FROM event_wants
    WHERE (kind, receiver) NOT IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`),
  add: db.prepare('INSERT INTO event_receivers (receiver, since) VALUES (?, ?) ON CONFLICT DO NOTHING'),
  want: db.prepare('INSERT INTO event_wants (kind, receiver) VALUES (?, ?) ON CONFLICT DO NOTHING'),
  isWanted: db.prepare('SELECT 1 FROM event_wants WHERE kind = ? LIMIT 1').pluck(),
  states: db.prepare(`
    SELECT r.receiver, ${count("IN ('waiting', 'sending')")} AS waiting, ${count("= 'undelivered'")} AS undelivered,
      ${count("= 'delivered'")} AS delivered, r.dropped, r.last_at AS lastAt, r.status, r.reason
    FROM event_receivers r ORDER BY r.receiver`),
});
