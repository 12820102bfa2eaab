import { type Bar, type BarId, bars, isMet } from './bars.ts';
import { shown, tableLines } from './table.ts';

/** One measured number: a cell of the table of its part. */
export interface Figure {
  readonly part: string;
  readonly row: string;
  /** The column, with the unit: `p99 ms`. */
  readonly figure: string;
  readonly value: number;
  /** The bar that this figure is held against. */
  readonly bar?: BarId;
}

/** A part, or something in it, that was not measured, and why. */
export interface Skipped {
  readonly part: string;
  readonly why: string;
}

export interface Report {
  /** Machine, versions, sizes: what the figures depend on. */
  readonly header: Readonly<Record<string, string>>;
  readonly figures: readonly Figure[];
  readonly skipped: readonly Skipped[];
}

export interface BarResult extends Bar {
  readonly id: string;
  /** null: not measured in this run. */
  readonly measured: number | null;
  readonly met: boolean | null;
}

/** Every bar with what was measured for it. If several figures name one bar, the worst counts. */
export function barResults(figures: readonly Figure[]): BarResult[] {
  return Object.entries(bars).map(([id, bar]) => {
    const values = figures.filter((figure) => figure.bar === id).map(({ value }) => value);
    const worst = bar.holds === 'at most' ? Math.max(...values) : Math.min(...values);
    const measured = values.length === 0 ? null : worst;
    return { id, ...bar, measured, met: measured === null ? null : isMet(bar, measured) };
  });
}

export function reportLines({ header, figures, skipped }: Report): string[] {
  return [
    ...Object.entries(header).map(([name, value]) => `${name}: ${value}`),
    ...distinct(figures.map(({ part }) => part)).flatMap((part) => ['', ...partLines(part, figures)]),
    ...skipped.flatMap(({ part, why }) => ['', `${part}: skipped, because ${why}`]),
    '',
    ...barLines(figures),
  ];
}

/** A line for each row, and a column for each kind of figure. */
export function partLines(part: string, figures: readonly Figure[]): string[] {
  const own = figures.filter((figure) => figure.part === part);
  const columns = distinct(own.map(({ figure }) => figure));
  const cell = (row: string, column: string): string => {
    const found = own.find((figure) => figure.row === row && figure.figure === column);
    return found === undefined ? '' : shown(found.value);
  };
  return tableLines([
    [part, ...columns],
    ...distinct(own.map(({ row }) => row)).map((row) => [
      `  ${row}`,
      ...columns.map((column) => cell(row, column)),
    ]),
  ]);
}

const distinct = (names: readonly string[]): string[] => [...new Set(names)];

const METS = new Map<boolean | null, string>([
  [true, 'yes'],
  [false, 'NO'],
  [null, 'not run'],
]);

const barLines = (figures: readonly Figure[]): string[] =>
  tableLines([
    ['bars', 'bar', 'measured', 'met'],
    ...barResults(figures).map(({ row, limit, unit, holds, measured, met }) => [
      `  ${row}`,
      `${holds} ${shown(limit)} ${unit}`,
      measured === null ? '' : `${shown(measured)} ${unit}`,
      METS.get(met) ?? '',
    ]),
  ]);

/** The same for programs. */
export const reportJson = (report: Report): string =>
  `${JSON.stringify({ ...report, bars: barResults(report.figures) }, null, 2)}\n`;
