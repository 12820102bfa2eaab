import type { Rows } from '../../web/csv.ts';

/** Numbers over time: a chart, the table below it and a CSV file show the same. */
export interface NumbersOverTime {
  readonly id: string;
  readonly title: string;
  /** What a column is: `Day`. */
  readonly per: string;
  readonly series: readonly string[];
  readonly columns: readonly NumbersColumn[];
  /** Whether everything is counted: a long time is read in parts, the latest first. */
  readonly isWhole: boolean;
}

export interface NumbersColumn {
  /** In full: `Mon 23 Nov, 14:00`. */
  readonly name: string;
  /** Below the axis. */
  readonly label: string;
  /** One for each series. */
  readonly values: readonly number[];
}

/** Columns of sums with a key each, such as the site. The key with the most comes first. */
export function columnsBy<Sum>(
  spans: readonly { readonly name: string; readonly label: string; readonly sums: readonly Sum[] }[],
  keyOf: (sum: Sum) => string,
  amountOf: (sum: Sum) => number,
): Pick<NumbersOverTime, 'series' | 'columns'> {
  const totals = new Map<string, number>();
  for (const { sums } of spans)
    for (const sum of sums) totals.set(keyOf(sum), (totals.get(keyOf(sum)) ?? 0) + amountOf(sum));
  const keys = [...totals].sort(([, one], [, other]) => other - one).map(([key]) => key);
  const columns = spans.map(({ name, label, sums }) => {
    const values = new Map<string, number>();
    for (const sum of sums) values.set(keyOf(sum), (values.get(keyOf(sum)) ?? 0) + amountOf(sum));
    return { name, label, values: keys.map((key) => values.get(key) ?? 0) };
  });
  return { series: keys, columns };
}

/** The same numbers as rows of a file; the first one is the head. */
export const rowsOf = ({ per, series, columns }: NumbersOverTime): Rows => [
  [per, ...series],
  ...columns.map(({ name, values }) => [name, ...values]),
];
