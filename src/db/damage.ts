/** A check of a whole file: its structure with its free pages, which the checks of single tables leave out, then each table. */
import type { SqliteFile } from './sqlite.ts';

/** How many findings are reported for one part; a damaged page has hundreds. */
const FINDINGS_MAX = 20;

/** A part of the check. SQLite reports no progress during a check, so the parts are the progress. */
export interface Part {
  /** '': the structure of the file. */
  readonly table: string;
  /** How much of the work is done before it, from 0 to 1. */
  readonly share: number;
}

/** How long each table takes is estimated by its highest row ID, which is found without reading the table. */
export function partsOf(file: SqliteFile): Part[] {
  const names = file.all(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
    [],
  ) as { name: string }[];
  const tables = names.map(({ name }) => ({ name, rows: 1 + highestId(file, name) }));
  const whole = tables.reduce((sum, { rows }) => sum + rows, 0);
  let read = 0;
  const parts = tables.map(({ name, rows }): Part => {
    const share = read / whole;
    read += rows;
    return { table: name, share };
  });
  return [{ table: '', share: 0 }, ...parts];
}

/** Reads a table, compares each of its indexes with it, and returns what is damaged. */
export function damagesIn(file: SqliteFile, { table }: Pick<Part, 'table'>): string[] {
  if (table === '') return findings(file, `quick_check(${FINDINGS_MAX})`);
  return findings(file, `integrity_check('${table.replaceAll("'", "''")}')`).slice(0, FINDINGS_MAX);
}

/** 0 if the table has no row IDs or is too damaged to be read. */
function highestId(file: SqliteFile, table: string): number {
  try {
    const row = file.get(`SELECT max(rowid) AS id FROM "${table}"`, []) as { id: number | null };
    return Number(row.id ?? 0);
  } catch {
    return 0;
  }
}

function findings(file: SqliteFile, check: string): string[] {
  try {
    const lines = file.connection.prepare(`PRAGMA ${check}`).pluck().all() as string[];
    return lines.filter((line) => line !== 'ok');
  } catch (error) {
    return [(error as Error).message];
  }
}
