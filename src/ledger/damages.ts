import type { Database } from '../sqlite/open.ts';

/** A part of the ledger that is about to be read, and how much of the whole was read before it, from 0 to 1. */
export interface DeepPart {
  readonly table: string;
  readonly share: number;
}

/** So many findings are told of one part; a damaged page has hundreds. */
const TOLD_MAX = 20;

/**
 * Reads the whole file, table by table, and compares each index with its table; answers what is damaged. The first look
 * is at the structure of all, free pages included, which the looks at single tables leave out. SQLite has no progress to
 * report from within a check, so the parts are the progress.
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
  const found = told(database, `quick_check(${TOLD_MAX})`);
  let read = 0;
  for (const { name, rows } of tables) {
    await onPart({ table: name, share: read / whole });
    found.push(...told(database, `integrity_check('${name}')`).slice(0, TOLD_MAX));
    read += rows;
  }
  return [...new Set(found)];
}

/** Roughly how long each table takes: its rows by their highest id, which costs no reading. */
function weighed(database: Database): { readonly name: string; readonly rows: number }[] {
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  return names.map((name) => ({ name, rows: 1 + highestId(database, name) }));
}

/** 0 where a table has no row IDs, or is too damaged to say. */
function highestId(database: Database, table: string): number {
  try {
    return Number(database.prepare(`SELECT max(rowid) FROM "${table}"`).pluck().get() ?? 0);
  } catch {
    return 0;
  }
}

function told(database: Database, check: string): string[] {
  try {
    const lines = database.prepare(`PRAGMA ${check}`).pluck().all() as string[];
    return lines.filter((line) => line !== 'ok');
  } catch (error) {
    return [(error as Error).message];
  }
}
