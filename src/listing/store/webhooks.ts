import type { Database } from 'better-sqlite3';

/** A webhook’s settings, as its owner enters them. */
export interface WebhookSettings {
  readonly url: string;
  readonly secret: string | null;
  readonly isActive: boolean;
}

export interface StoredWebhook extends WebhookSettings {
  /** Consecutive failed attempts. */
  readonly failures: number;
  /** When it was disabled after failures. */
  readonly disabledAt: number | null;
  readonly updatedAt: number;
}

/** One webhook for each listing. */
export class Webhooks {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** Creates or replaces the webhook, re-enables it if it was disabled automatically, and resets the failure count. */
  register(listingId: string, { url, secret, isActive }: WebhookSettings, now: number): void {
    this.statements.register.run(listingId, url, secret, Number(isActive), now);
  }

  find(listingId: string): StoredWebhook | null {
    const row = this.statements.find.get(listingId) as
      | (Omit<StoredWebhook, 'isActive'> & { isActive: number })
      | undefined;
    return row === undefined ? null : { ...row, isActive: row.isActive === 1 };
  }
}

const prepareStatements = (db: Database) => ({
  register: db.prepare(`
    INSERT OR REPLACE INTO webhooks (listing_id, url, secret, is_active, failures, disabled_at, updated_at)
    VALUES (?, ?, ?, ?, 0, NULL, ?)`),
  find: db.prepare(`
    SELECT url, secret, is_active AS isActive, failures, disabled_at AS disabledAt, updated_at AS updatedAt
    FROM webhooks WHERE listing_id = ?`),
});
