import type { Database } from 'better-sqlite3';

export interface Webhook {
  readonly url: string;
  readonly secret: string | null;
  readonly state: WebhookState;
  /** Attempts that failed in a row. */
  readonly failures: number;
  readonly disabledAt: number | null;
  /** When it was saved, in the dashboard or through the API. */
  readonly savedAt: number;
}

/** Whether a webhook gets deliveries. Owners pause it; the service disables it after failures. */
export type WebhookState = 'open' | 'paused' | 'disabled';

/** What deliveries read and write of a listing's webhook; `store/webhooks.ts` saves its settings. */
export class WebhookStore {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** null if the listing has none or was removed. */
  find(listingId: string): Webhook | null {
    return (this.statements.find.get(listingId) as Webhook | undefined) ?? null;
  }

  /**
   * Counts a failed attempt, unless the webhook was saved after it started, because saving resets the count.
   *
   * @returns how many have failed in a row.
   */
  countFailure(listingId: string, startedAt: number): number {
    return (this.statements.countFailure.get(listingId, startedAt) as number | undefined) ?? 0;
  }

  clearFailures(listingId: string, startedAt: number): void {
    this.statements.clearFailures.run(listingId, startedAt);
  }

  /** @returns false if it was disabled already. */
  disable(listingId: string, now: number): boolean {
    return this.statements.disable.run(now, listingId).changes === 1;
  }

  /** The number of the listing's votes so far, for the embed of a channel. */
  votesOf(listingId: string): number {
    return (this.statements.votesOf.get(listingId) as number | undefined) ?? 0;
  }
}

const prepareStatements = (db: Database) => ({
  find: db.prepare(`
    SELECT w.url, w.secret, w.failures, w.disabled_at AS disabledAt, w.updated_at AS savedAt,
           CASE WHEN w.disabled_at IS NOT NULL THEN 'disabled' WHEN w.is_active = 0 THEN 'paused'
                ELSE 'open' END AS state
    FROM webhooks w JOIN listings l ON l.id = w.listing_id AND l.removed_at IS NULL WHERE w.listing_id = ?`),
  countFailure: db
    .prepare(`
    UPDATE webhooks SET failures = failures + 1 WHERE listing_id = ? AND updated_at <= ? RETURNING failures`)
    .pluck(),
  clearFailures: db.prepare(
    'UPDATE webhooks SET failures = 0 WHERE listing_id = ? AND updated_at <= ? AND failures > 0',
  ),
  disable: db.prepare('UPDATE webhooks SET disabled_at = ? WHERE listing_id = ? AND disabled_at IS NULL'),
  votesOf: db.prepare('SELECT votes FROM vote_totals WHERE listing_id = ?').pluck(),
});
