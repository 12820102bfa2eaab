import { serversIn } from '../../core/pool.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { QueueKey } from '../ledger.ts';
import { grantCode } from './stored-reason.ts';

/** The key of a queue or of one of its pools, as parameters of statements. */
export interface QueueColumns {
  readonly server: string;
  readonly practice: number;
}

export const queueColumns = ({ server, practice }: QueueKey): QueueColumns => ({
  server,
  practice: Number(practice),
});

/** Grants that are paid on one of several game servers. The caller holds the transaction where one is needed. */
export class Pools {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** Marks a new grant: the game servers of the pool can find it. */
  open(grantId: number, pool: string): void {
    this.statements.mark.run(pool, grantId);
    this.store(pool);
  }

  /**
   * Removes the pools that no grant waits for, except those that the config names: each queue reads once for every pool that its
   * game server is in. One that is removed is stored again with its next grant.
   */
  keep(named: readonly string[]): void {
    this.statements.removeOthers.run(JSON.stringify(named));
  }

  /** What a queue reads: the grants of its game server, and of each pool that the game server is in. */
  readBy(queue: QueueKey): readonly QueueColumns[] {
    const own = queueColumns(queue);
    const pools = this.statements.of.all(queue.server) as string[];
    return [own, ...pools.map((server) => ({ ...own, server }))];
  }

  /** A command of the grant is claimed: from now on only this game server pays it. */
  take(grantId: number, { pool, server }: { readonly pool: string; readonly server: string }): void {
    if (this.statements.take.run({ grantId, pool, server }).changes === 0) return;
    this.statements.storeGranted.run(server, grantId);
  }

  giveBack(grantId: number): void {
    const pool = this.statements.giveBack.get(grantId) as string | undefined;
    if (pool !== undefined) this.store(pool);
  }

  private store(pool: string): void {
    for (const server of serversIn(pool)) this.statements.store.run(server, pool);
  }
}

const prepareStatements = (db: Database) => ({
  mark: db.prepare('UPDATE grants SET pool = ? WHERE id = ?'),
  store: db.prepare('INSERT INTO pools (server, pool) VALUES (?, ?) ON CONFLICT DO NOTHING'),
  of: db.prepare('SELECT pool FROM pools WHERE server = ?').pluck(),
  take: db.prepare('UPDATE grants SET server = @server WHERE id = @grantId AND server = @pool'),
  // So that the grant is found if the game server is removed from the config.
  storeGranted: db.prepare(`
    INSERT INTO granted (reward, server) SELECT reward, ? FROM grants WHERE id = ? ON CONFLICT DO NOTHING`),
  giveBack: db
    .prepare('UPDATE grants SET server = pool WHERE id = ? AND pool IS NOT NULL RETURNING pool')
    .pluck(),
  // Each condition is that of an index, so that a long queue is not read.
  removeOthers: db.prepare(`
    DELETE FROM pools WHERE pool NOT IN (SELECT value FROM json_each(?))
      AND NOT EXISTS (SELECT 1 FROM grants WHERE server = pools.pool AND state = 'pending')
      AND NOT EXISTS (SELECT 1 FROM grants
                      WHERE server = pools.pool AND state = 'waiting' AND reason IS NOT ${grantCode('delayed')})
      AND NOT EXISTS (SELECT 1 FROM grants
                      WHERE server = pools.pool AND state = 'waiting' AND reason = ${grantCode('delayed')})
      AND pool NOT IN (SELECT server FROM grants INDEXED BY grants_stuck WHERE state IN ('held', 'refused'))`),
});
