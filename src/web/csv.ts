import type { Exchange } from './exchange.ts';

type Cell = string | number | null;

/** The first row is the head. */
export type Rows = readonly (readonly Cell[])[];

/** Answers with a file of comma-separated values, which the browser saves under this name: `votes.csv`. */
export function answerCsv(c: Exchange, file: string, rows: Rows): Response {
  c.header('Content-Disposition', `attachment; filename="${file}"`);
  return c.body(csvText(rows), 200, { 'Content-Type': 'text/csv; charset=utf-8' });
}

/** RFC 4180. */
const csvText = (rows: Rows): string => rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = harmless(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets run what begins with one of these as a formula, and names in a file can come from anyone. */
const harmless = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
