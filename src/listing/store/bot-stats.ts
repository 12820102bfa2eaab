import type { Database } from 'better-sqlite3';

/** A complete snapshot: fields that a report omits are cleared. */
export interface BotStatsSnapshot {
  readonly serverCount: number;
  readonly shardCount: number | null;
  readonly updatedAt: number;
}

export class BotStats {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  save(listingId: string, { serverCount, shardCount, updatedAt }: BotStatsSnapshot): void {
    this.statements.save.run(listingId, serverCount, shardCount, updatedAt);
  }

  find(listingId: string): BotStatsSnapshot | null {
    return (this.statements.find.get(listingId) as BotStatsSnapshot | undefined) ?? null;
  }
}

const prepareStatements = (db: Database) => ({
  save: db.prepare(`
    INSERT OR REPLACE INTO bot_stats (listing_id, server_count, shard_count, updated_at) VALUES (?, ?, ?, ?)`),
  find: db.prepare(`
    SELECT server_count AS serverCount, shard_count AS shardCount, updated_at AS updatedAt
    FROM bot_stats WHERE listing_id = ?`),
});
