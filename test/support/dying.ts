/** What programs share that kill themselves at a step. Free of vitest. */
import type { Ledger } from '../../src/ledger/ledger.ts';
import { type LedgerOptions, ledgerInProcess } from '../../src/ledger/sqlite/in-process.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { ledgerWork } from '../../src/ledger/sqlite/work.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase } from '../../src/platform/sqlite/open.ts';

/** Opens a ledger on this thread, and creates it if there is none. Its days are those of UTC. */
export function ledgerAt(
  file: string,
  options: Partial<LedgerOptions> = {},
): { readonly database: Database; readonly ledger: Ledger } {
  const database = openDatabase(file, ledgerSchema, 'create');
  // Not again: it would wait while another process has the ledger locked.
  if (database.prepare('SELECT zone FROM time_zone').pluck().get() !== 'UTC')
    database.exec("UPDATE time_zone SET zone = 'UTC'");
  const opened = { work: ledgerWork(database), replacesLost: false };
  return { database, ledger: ledgerInProcess(opened, { clock: systemClock, ...options }) };
}

/** When a program is killed (SIGKILL): at the n-th of its steps. */
export class Death {
  steps = 0;

  /** @param when `while` or `after`; anything else: never. */
  constructor(
    private readonly when: string,
    private readonly at: number,
  ) {}

  /** A step of a transaction, which is lost with it. */
  readonly step = (): void => {
    this.steps += 1;
    if (this.when === 'while' && this.steps === this.at) die();
  };

  /** Everything until now is committed. */
  readonly committed = (): void => {
    if (this.when === 'after' && this.steps >= this.at) die();
  };
}

export const die = (): void => void process.kill(process.pid, 'SIGKILL');

/** Calls `onWrite` after each of these changes of a row, such as `['votes', 'INSERT']`, until the database is closed. */
export function watchWrites(
  database: Database,
  writes: readonly (readonly [table: string, event: string])[],
  onWrite: () => void,
): void {
  database.function('on_write', () => {
    onWrite();
    return null;
  });
  for (const [at, [table, event]] of writes.entries())
    database.exec(
      `CREATE TEMP TRIGGER watched_${at} AFTER ${event} ON main.${table} BEGIN SELECT on_write(); END`,
    );
}
