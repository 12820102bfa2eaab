import { Problem } from '../../core/problem.ts';
import { databaseProblem } from '../../platform/sqlite/problems.ts';

/** The Problem for an error of the disk, whether SQLite reports it or our check that the file still exists. */
export const asProblem = (error: unknown): unknown => databaseProblem(error, 'ledger');

/** Without this check, SQLite would report success for writes into a file that is gone, and they would be lost. */
export const replaced = (file: string): Problem =>
  new Problem(
    'ledger-replaced',
    `${file} was moved, removed or replaced while Teller was running, so nothing more is written. Put it back. Or, to start over with an empty ledger that does not know what was paid, stop Teller, remove ${file}-wal as well, and start Teller again.`,
  );
