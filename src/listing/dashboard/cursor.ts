import type { Cursor, Page } from '../paging.ts';

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
