import type { Cancel, Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Changes } from '../changes/changes.ts';
import { isDatabaseFault } from '../database/database-fault.ts';
import type { Reads } from '../reads/reads.ts';
import { RETENTION_MS } from './redelivery.ts';

const INTERVAL_MS = 60 * 60 * 1000;
/** Rows of a kind that are deleted in one transaction; other work runs between two batches. */
const BATCH_ROWS = 500;

export interface PruningParts {
  readonly changes: Changes;
  readonly reads: Reads;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Deletes what is older than 90 days: events that have not changed for that long, with their deliveries, tests, and the
 * log of votes sent to listeners. Pending events are never deleted, however long the service was off.
 */
export class Pruning {
  private cancel: Cancel = () => {};
  private running: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(private readonly parts: PruningParts) {}

  start(): void {
    if (!this.isClosed) this.running = this.run();
  }

  /** Resolves when nothing is being deleted any more. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancel();
    await this.running;
  }

  private async run(): Promise<void> {
    const { clock } = this.parts;
    const isMore = await this.deleteBatch();
    if (this.isClosed) return;
    if (isMore) clock.nextTurn(() => this.start());
    else this.cancel = clock.after(INTERVAL_MS, () => this.start());
  }

  /** Whether there may be more to delete. */
  private async deleteBatch(): Promise<boolean> {
    const { changes, reads, clock, log } = this.parts;
    const before = clock.now() - RETENTION_MS;
    try {
      const rows = await reads.oldRows(before, BATCH_ROWS);
      const counts = Object.values(rows).map((ids: readonly string[]) => ids.length);
      if (counts.some((count) => count > 0)) await changes.deleteOld(rows, before);
      return counts.includes(BATCH_ROWS);
    } catch (error) {
      if (!isDatabaseFault(error)) throw error;
      log.warn(
        { code: 'pruning-failed', err: error },
        `could not delete old deliveries; trying again in an hour: ${error.message}`,
      );
      return false;
    }
  }
}
