import type { Database } from '../sqlite/open.ts';

/** A part of the ledger that is about to be read, and how much of the whole was read before it, from 0 to 1. */
export interface DeepPart {
  readonly table: string;
  readonly share: number;
}

/** How many findings are reported for one part; a damaged page has hundreds. */
const FINDINGS_MAX = 20;

/**
 * Reads the whole file, table by table, compares each index with its table, and returns what is damaged. The first
 * check covers the structure of the file with its free pages, which the checks of single tables leave out. SQLite
 * reports no progress during a check, so the parts are the progress.
 *
 * @param onPart called before each part; it may let the event loop turn.
 */
export async function damagesOf(
  database: Database,
  onPart: (part: DeepPart) => Promise<void> | void,
): Promise<string[]> {
  const tables = weighed(database);
  const whole = tables.reduce((sum, { rows }) => sum + rows, 0);
  await onPart({ table: '', share: 0 });
  const found = findings(database, `quick_check(${FINDINGS_MAX})`);
  let read = 0;
  for (const { name, rows } of tables) {
    await onPart({ table: name, share: read / whole });
    found.push(...findings(database, `integrity_check('${name}')`).slice(0, FINDINGS_MAX));
    read += rows;
  }
  return [...new Set(found)];
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
