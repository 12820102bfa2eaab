import type { Recipient } from '../../core/vote.ts';
import type { Database } from '../../platform/sqlite/open.ts';

/** Whom votes name, by the ID of the row with their history. The caller holds the transaction. */
export class Recipients {
  private readonly known;
  private readonly insert;

  constructor(database: Database) {
    this.known = database
      .prepare('SELECT ifnull(joined_to, id) FROM recipients WHERE kind = ? AND key = ? AND given_up_at = 0')
      .pluck();
    this.insert = database.prepare('INSERT INTO recipients (kind, key) VALUES (?, ?)');
  }

  /** null for someone who was never named. */
  find({ kind, key }: Pick<Recipient, 'kind' | 'key'>): number | null {
    return (this.known.get(kind, key) as number | undefined) ?? null;
  }

  findOrAdd(recipient: Pick<Recipient, 'kind' | 'key'>): number {
    return this.find(recipient) ?? Number(this.insert.run(recipient.kind, recipient.key).lastInsertRowid);
  }
}
