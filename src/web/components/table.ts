import { type Content, type Html, html, isEmpty } from '../html.ts';

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => Content;
  /** `number` is aligned right, `brief` is never wrapped, `end` is for buttons at the right. */
  readonly kind?: 'text' | 'number' | 'brief' | 'end';
  /**
   * The position on a phone, where each row is a block: its `title`, the `corner` beside it, a `line` with the column's
   * name, or a `block` without it. Each table has one title and at most one corner.
   */
  readonly onPhone?: 'title' | 'corner' | 'line' | 'block';
}

interface Table<Row> {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** A second line under each row, across all columns, such as a reason or a disclosure. */
  readonly detail?: (row: Row) => Content;
  /** Identifies a row of a live list, so that rows that are new after a refresh are marked. Unique on the page. */
  readonly key?: (row: Row) => string;
  /** Shown instead of the table if there are no rows. */
  readonly empty: Html;
}

/** The roles are those that the elements have anyway. They are written out because the layout for phones removes them. */
export const table = <Row>({ caption, columns, rows, detail, key, empty }: Table<Row>): Html =>
  rows.length === 0
    ? empty
    : html`<div class="table-frame" role="group" aria-label="${caption}" tabindex="0">
    <table class="table" role="table" aria-label="${caption}">
      <thead role="rowgroup"><tr role="row">${columns.map(heading)}</tr></thead>
      <tbody role="rowgroup">${rows.map((row) => lines(row, columns, detail?.(row), key?.(row)))}</tbody>
    </table>
  </div>`;

const heading = <Row>({ label, kind = 'text' }: Column<Row>): Html =>
  html`<th role="columnheader" scope="col" class="${kind}">${label}</th>`;

function lines<Row>(row: Row, columns: readonly Column<Row>[], detail: Content, key?: string): Html {
  const hasDetail = !isEmpty(detail);
  const keyed = key !== undefined && html` data-key="${key}"`;
  return html`<tr role="row" class="${hasDetail && 'detailed'}"${keyed}>${columns.map((column) => cell(column, row))}</tr>
    ${hasDetail && html`<tr role="row" class="detail"><td role="cell" colspan="${columns.length}"><div class="detail-line">${detail}</div></td></tr>`}`;
}

function cell<Row>({ label, cell, kind = 'text', onPhone = 'line' }: Column<Row>, row: Row): Html {
  const content = cell(row);
  const place = isEmpty(content) ? `${onPhone} none` : onPhone;
  return html`<td role="cell" class="${kind} ${place}" data-label="${label}">${content}</td>`;
}
