import { type Html, html } from '../html.ts';
import { type Column, chartFrame, emptyChart, numbersTable, type Series, seriesClass } from './axes.ts';
import { briefDuration, percent, rounded } from './number.ts';
import { durationScale, type Scale } from './scale.ts';

export interface DurationColumn extends Column {
  /** In milliseconds, one for each series; null if nothing was measured. */
  readonly values: readonly (number | null)[];
}

interface DurationChart {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** For example the median and the 99th percentile. */
  readonly series: readonly Series[];
  /** Oldest first. */
  readonly columns: readonly DurationColumn[];
  /** What a column is, for the table: `Day`. */
  readonly per: string;
  /** Shown instead of the chart if nothing was measured. */
  readonly none: string;
  /** The address of the same numbers as CSV. */
  readonly csv?: string;
}

type Lines = Pick<DurationChart, 'series' | 'columns'>;

/** A line of durations for each series, on an axis that shows milliseconds and hours. */
export function durationChart({ id, title, series, columns, per, none, csv }: DurationChart): Html {
  const measured = columns.flatMap(({ values }) => values.filter((value) => value !== null));
  if (measured.length === 0) return emptyChart(title, none);
  const scale = durationScale(Math.min(...measured), Math.max(...measured));
  return chartFrame({
    ...{ id, title, series, columns, scale, csv },
    caption: '',
    across: lines({ series, columns }, scale),
    drawn: (index) => points({ series, columns }, index, scale),
    told: (index) => toldOf(columns[index]?.values ?? []),
    table: numbersTable({
      ...{ title, first: per, heads: series.map(({ label }) => label) },
      rows: columns.map(({ name, values }) => [name, ...values.map(shown)]),
    }),
  });
}

const shown = (value: number | null): string => (value === null ? '–' : briefDuration(value));

function toldOf(values: readonly (number | null)[]) {
  const told = values.flatMap((value, series) =>
    value === null ? [] : [{ series, value: briefDuration(value) }],
  );
  return { all: told.length === 0 ? 'nothing measured' : '', values: told };
}

/** A point in each line where the reader looks, and where a value stands alone. */
function points({ series, columns }: Lines, column: number, scale: Scale): Html[] {
  const valueAt = (place: number, index: number): number | null => columns[place]?.values[index] ?? null;
  return series.flatMap((each, index) => {
    const value = valueAt(column, index);
    if (value === null) return [];
    const isAlone = valueAt(column - 1, index) === null && valueAt(column + 1, index) === null;
    const y = percent(100 - scale.heightOf(value));
    return [
      html`<circle class="${seriesClass(each, index)}${isAlone && ' alone'}" cx="50%" cy="${y}" r="3.5"/>`,
    ];
  });
}

/** Stretched to the width of the columns. A line has gaps where nothing was measured. */
function lines({ series, columns }: Lines, scale: Scale): Html {
  const drawn = series.map((each, index) => {
    const values = columns.map(({ values }) => values[index] ?? null);
    return html`<path class="line ${seriesClass(each, index)}" d="${pathOf(values, scale)}"/>`;
  });
  return html`<svg class="across" aria-hidden="true" viewBox="0 0 ${columns.length} 100" preserveAspectRatio="none">${drawn}</svg>`;
}

const pathOf = (values: readonly (number | null)[], scale: Scale): string =>
  values
    .map((value, column) => {
      if (value === null) return '';
      const isStart = (values[column - 1] ?? null) === null;
      return `${isStart ? 'M' : 'L'}${column + 0.5} ${rounded(100 - scale.heightOf(value))}`;
    })
    .join('');
