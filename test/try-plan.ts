import Database from 'better-sqlite3';
import { listingSchema } from '../src/listing/store/schema.ts';

const db = new Database(':memory:');
db.exec(listingSchema.migrations[0]!.sql);
db.exec(
  "DROP INDEX events_due; CREATE INDEX events_due ON events (due_at, listing_id) WHERE state = 'pending'",
);
console.log(
  db
    .prepare(
      `EXPLAIN QUERY PLAN SELECT e.id, e.body, l.name FROM events e JOIN listings l ON l.id = e.listing_id WHERE e.state = 'pending' AND e.due_at <= ? AND e.listing_id NOT IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = e.id AND outcome IS NULL AND error IS NULL) ORDER BY e.due_at LIMIT ?`,
    )
    .all(1, '[]', 5),
);
