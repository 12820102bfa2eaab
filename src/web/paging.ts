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

/** Rows on one page of a log. */
export const PAGE_ROWS = 20;

/** Where a page goes on, as its address says it: `1760000000000-<id>`. */
export function readCursor(text: string | undefined): Cursor | null {
  const [, at = '', id = ''] = /^(\d{1,15})-([\w-]{1,64})$/.exec(text ?? '') ?? [];
  return id === '' ? null : { at: Number(at), id };
}

export const cursorText = ({ at, id }: Cursor): string => `${at}-${id}`;

/** What stands under a log, and where its links lead; null where all of it is on this page. */
export function pageLinks<Row>({ rows, older }: Page<Row>, address: string, before: Cursor | null) {
  if (older === null && before === null) return null;
  const join = address.includes('?') ? '&' : '?';
  return {
    shown: before === null ? `The newest ${rows.length}` : `${rows.length} older`,
    newest: before === null ? null : address,
    older: older === null ? null : `${address}${join}before=${cursorText(older)}`,
  };
}
