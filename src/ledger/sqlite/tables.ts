import { Problem } from '../../core/problem.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { ledgerSchema } from './schema.ts';

const TABLES: readonly string[] = [...ledgerSchema.sql.matchAll(/CREATE TABLE (\w+)/g)].map(
  ([, name = '']) => name,
);

/**
 * Throws the Problem `ledger-failed` if a table is missing. Statements are compiled when they first run, so a ledger
 * without the table of commands would otherwise store votes until the first of them is rewarded.
 */
export function requireTables(database: Database): void {
  const present = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  const missing = TABLES.filter((table) => !present.includes(table));
  if (missing.length === 0) return;
  const sentence = `${database.name} lacks ${missing.map((table) => `the table ${table}`).join(', ')}, which a ledger of its version has; restore the last backup.`;
  throw new Problem('ledger-failed', sentence);
}
