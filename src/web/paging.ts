/** Where a page of a log ends: the next one goes on from there, whatever has been added at the top since. */
export interface Cursor {
  readonly at: number;
  readonly id: string;
}

/** Newest first. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** null: there are no older ones. */
  readonly older: Cursor | null;
}

export interface PageWanted {
  readonly limit: number;
  /** Without it the page begins with the newest. */
  readonly before?: Cursor | null;
}

export const NEWEST: Cursor = { at: Number.MAX_SAFE_INTEGER, id: '' };

/** @param found one row more than the page has, where there is one. */
export function pageOf<Row>(found: readonly Row[], limit: number, cursorOf: (row: Row) => Cursor): Page<Row> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, older: found.length > limit && last !== undefined ? cursorOf(last) : null };
}
