import { behindSentence, type MissingClaims } from '../core/missing-claims.ts';
import { Problem } from '../core/problem.ts';
import { markFileOf, readMark } from '../sqlite/mark.ts';
import type { Database } from '../sqlite/open.ts';

/** The mark is read first: a deliverer that goes on meanwhile makes the ledger know more, never the mark. */
export function missingClaims(database: Database): MissingClaims | null {
  const marked = readMark(markFileOf(database.name));
  const claims = database.prepare('SELECT claims FROM claim_count').pluck().get() as number;
  return marked === null || marked <= claims ? null : { claims, marked };
}

/**
 * What the missing part paid would be paid again. Nothing may be written before the -wal is back: SQLite would apply it
 * to a file that it does not fit. Throws a Problem: `ledger-behind`.
 */
export function requireWhole(database: Database): void {
  const missing = missingClaims(database);
  if (missing !== null) throw new Problem('ledger-behind', behindSentence(database.name, missing));
}
