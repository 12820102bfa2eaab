/** A cursor: the last row of a page of a log. The next page starts after it, even if rows were added at the top since. */
export interface Cursor {
  readonly at: number;
  readonly id: string;
}

/** Newest first. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** null if there are no older rows. */
  readonly older: Cursor | null;
}

export interface PageWanted {
  readonly limit: number;
  /** Without a cursor, the page starts with the newest row. */
  readonly before?: Cursor | null;
}

export const NEWEST: Cursor = { at: Number.MAX_SAFE_INTEGER, id: '' };

/** @param found up to one row more than `limit`, to see whether there are older ones. */
export function pageOf<Row>(found: readonly Row[], limit: number, cursorOf: (row: Row) => Cursor): Page<Row> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, older: found.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** Rows on one page of a log. */
export const PAGE_ROWS = 20;

/** Reads a cursor from a page's URL: `1760000000000-<id>`. */
export function readCursor(text: string | undefined): Cursor | null {
  const [, at = '', id = ''] = /^(\d{1,15})-([\w-]{1,64})$/.exec(text ?? '') ?? [];
  return id === '' ? null : { at: Number(at), id };
}

export const cursorText = ({ at, id }: Cursor): string => `${at}-${id}`;

/** The text and links below a log; null if everything fits on this page. */
export function pageLinks<Row>({ rows, older }: Page<Row>, address: string, before: Cursor | null) {
  if (older === null && before === null) return null;
  const join = address.includes('?') ? '&' : '?';
  return {
    shown: before === null ? `Newest ${rows.length}` : `${rows.length} older`,
    newest: before === null ? null : address,
    older: older === null ? null : `${address}${join}before=${cursorText(older)}`,
  };
}
