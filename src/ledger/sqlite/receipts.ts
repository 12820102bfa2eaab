import { HOUR_MS } from '../../core/duration.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { PageOfReceipts, ReceiptsPage } from '../receipts.ts';

/** So many votes are read at once, which takes some milliseconds. */
const VOTES_AT_ONCE = 2_000;

/** Votes that the operator added or imported did not come in. */
const receiptsSql = `
  SELECT service, received_at AS receivedAt FROM votes
  WHERE id > @after AND id <= @upTo AND channel NOT IN ('operator', 'import') ORDER BY id`;

interface Receipt {
  readonly service: string;
  readonly receivedAt: number;
}

export function receipts(db: Database, { services, after, since }: ReceiptsPage): PageOfReceipts {
  const last = db.prepare('SELECT ifnull(max(id), 0) FROM votes').pluck().get() as number;
  const start = after ?? beforeFirst(db, since, last);
  const upTo = Math.min(start + VOTES_AT_ONCE, last);
  const wanted = new Map(services.map((service): [string, number[]] => [service, []]));
  const rows = db.prepare(receiptsSql).iterate({ after: start, upTo }) as Iterable<Receipt>;
  for (const { service, receivedAt } of rows) wanted.get(service)?.push(receivedAt);
  const byService = Object.fromEntries([...wanted].filter(([, times]) => times.length > 0));
  return { byService, upTo: Math.max(start, upTo), isLast: upTo >= last };
}

/** The last vote before that hour. */
function beforeFirst(db: Database, since: number, last: number): number {
  const first = db.prepare('SELECT min(first_vote) FROM vote_hours WHERE hour >= ?').pluck();
  return ((first.get(Math.floor(since / HOUR_MS)) as number | null) ?? last + 1) - 1;
}
