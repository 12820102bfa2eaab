import type { Database } from '../../platform/sqlite/open.ts';
import type { DeepPart } from '../ledger.ts';

/** How many findings are reported for one part; a damaged page has hundreds. */
const FINDINGS_MAX = 20;

/**
 * The parts of a check of the whole file: first its structure with its free pages, which the checks of single tables
 * leave out, then each table. SQLite reports no progress during a check, so the parts are the progress.
 */
export function deepParts(database: Database): DeepPart[] {
  const tables = weighed(database);
  const whole = tables.reduce((sum, { rows }) => sum + rows, 0);
  let read = 0;
  const ofTables = tables.map(({ name, rows }) => {
    const share = read / whole;
    read += rows;
    return { table: name, share };
  });
  return [{ table: '', share: 0 }, ...ofTables];
}

/** Reads a table and compares each of its indexes with it. */
export function damagesIn(database: Database, { table }: DeepPart): string[] {
  if (table === '') return findings(database, `quick_check(${FINDINGS_MAX})`);
  return findings(database, `integrity_check('${table.replaceAll("'", "''")}')`).slice(0, FINDINGS_MAX);
}

/** Estimates how long each table takes by its highest row ID, which is found without reading the table. */
function weighed(database: Database): { readonly name: string; readonly rows: number }[] {
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  return names.map((name) => ({ name, rows: 1 + highestId(database, name) }));
}

/** 0 if the table has no row IDs or is too damaged to be read. */
function highestId(database: Database, table: string): number {
  try {
    return Number(database.prepare(`SELECT max(rowid) FROM "${table}"`).pluck().get() ?? 0);
  } catch {
    return 0;
  }
}

function findings(database: Database, check: string): string[] {
  try {
    const lines = database.prepare(`PRAGMA ${check}`).pluck().all() as string[];
    return lines.filter((line) => line !== 'ok');
  } catch (error) {
    return [(error as Error).message];
  }
}
