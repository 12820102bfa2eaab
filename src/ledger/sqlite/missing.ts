import { behindSentence, type MissingClaims } from '../../core/missing-claims.ts';
import { Problem } from '../../core/problem.ts';
import { markFileOf, readMark } from '../../platform/sqlite/mark.ts';
import type { Database } from '../../platform/sqlite/open.ts';

/** Reads the mark first: if a process delivers meanwhile, the ledger gets ahead of the mark that was read, never behind. */
export function missingClaims(database: Database): MissingClaims | null {
  const marked = readMark(markFileOf(database.name));
  const claims = database.prepare('SELECT claims FROM claim_count').pluck().get() as number;
  return marked === null || marked <= claims ? null : { claims, marked };
}

/**
 * Throws the Problem `ledger-behind` if a part of the ledger is missing, since its grants would be paid again. Nothing may
 * be written before the -wal is back: SQLite would then apply the -wal to a file that it does not fit.
 */
export function requireWhole(database: Database): void {
  const missing = missingClaims(database);
  if (missing !== null) throw new Problem('ledger-behind', behindSentence(database.name, missing));
}
