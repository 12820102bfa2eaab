import { bucketOf, type CommandProof } from '../../core/proof.ts';
import type { Database } from '../../platform/sqlite/open.ts';

/** The marks that commands leave on game servers. The caller holds the transaction where one is needed. */
export class Proving {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** Stores with a command that was claimed which mark it leaves. */
  mark(grantId: number, position: number, proof: CommandProof | null): void {
    const changed = this.statements.mark.run({
      ...{ grantId, position, proof: proof === null ? null : JSON.stringify(proof) },
    });
    if (proof !== null && changed.changes > 0)
      this.statements.keepBucket.run({ grantId, bucket: bucketOf(proof) });
  }

  oldBuckets(server: string, current: string): string[] {
    return this.statements.oldBuckets.all({ server, current }) as string[];
  }

  forgetBucket(server: string, bucket: string): void {
    this.statements.forgetBucket.run({ server, bucket });
  }
}

const prepareStatements = (db: Database) => ({
  mark: db.prepare(`
    UPDATE commands SET proof = @proof
    WHERE grant_id = @grantId AND position = @position AND proof IS NOT @proof`),
  keepBucket: db.prepare(`
    INSERT OR IGNORE INTO mark_buckets (server, bucket) SELECT server, @bucket FROM grants WHERE id = @grantId`),
  oldBuckets: db
    .prepare(`
    SELECT bucket FROM mark_buckets
    WHERE server = @server AND bucket <> @current
      AND NOT EXISTS (SELECT 1 FROM commands WHERE outcome = 'sending' AND proof ->> 'mark' LIKE bucket || '.%')`)
    .pluck(),
  forgetBucket: db.prepare('DELETE FROM mark_buckets WHERE server = @server AND bucket = @bucket'),
});
