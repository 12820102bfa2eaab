import { Problem } from '../core/problem.ts';
import { Sqlite } from '../platform/sqlite/driver.ts';
import type { Row } from './rows.ts';

/**
 * The rows of a table in a SQLite file, which is opened for reading only: the plugin can be running.
 *
 * @throws Problem `import-unreadable` if it is not a SQLite file, or has no such table.
 */
export function* sqliteRows(file: string, table: string): Generator<Row> {
  const database = openSqlite(file);
  try {
    const rows = database
      .prepare(`SELECT * FROM ${quoted(table)}`)
      .safeIntegers()
      .iterate();
    let number = 0;
    for (const row of rows as IterableIterator<Readonly<Record<string, unknown>>>) {
      number += 1;
      yield {
        at: `row ${number}`,
        values: new Map(Object.entries(row).map(([key, value]) => [key, textOf(value)])),
      };
    }
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    database.close();
  }
}

/** Before anything of it is stored. @throws Problem `import-unreadable` as above. */
export function checkSqlite(file: string, table: string): void {
  const database = openSqlite(file);
  try {
    database.prepare(`SELECT 1 FROM ${quoted(table)}`).get();
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    database.close();
  }
}

const openSqlite = (file: string) => {
  try {
    return new Sqlite(file, { readonly: true, fileMustExist: true });
  } catch (error) {
    throw unreadable(file, error);
  }
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const textOf = (value: unknown): string | null => (value === null ? null : String(value));

const unreadable = (file: string, error: unknown): Problem =>
  error instanceof Problem
    ? error
    : new Problem(
        'import-unreadable',
        `${file} cannot be read as the plugin's SQLite file: ${(error as Error).message}`,
      );
