import { DAY_MS } from '../../core/duration.ts';
import { type Html, html } from '../html.ts';
import {
  type Column,
  chartFrame,
  countScale,
  emptyChart,
  numbersTable,
  type Scale,
  SERIES_MAX,
  type Series,
  seriesClass,
  type Told,
} from './axes.ts';
import { dayText } from './moment.ts';
import { amount, count, percent, sum, type Unit } from './number.ts';

export interface BarColumn extends Column {
  /** One for each series. */
  readonly values: readonly number[];
}

interface BarChart {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** What is counted. */
  readonly unit: Unit;
  /** The first is at the bottom. The smallest of more than six are shown as one. */
  readonly series: readonly Series[];
  /** Oldest first. */
  readonly columns: readonly BarColumn[];
  /** What a column is, for the table: `Day`. */
  readonly per: string;
  /** Shown instead of the chart if all values are 0: `No votes in the last 7 days.` */
  readonly none: string;
  /** The address of the same numbers as CSV. */
  readonly csv?: string;
}

/** Bars over time, stacked by series. */
export function barChart(wanted: BarChart): Html {
  const { id, title, unit, none, csv } = wanted;
  const { series, columns } = withFewSeries(inOneColour(wanted));
  const totals = columns.map(({ values }) => sum(values));
  if (sum(totals) === 0) return emptyChart(title, none);
  const scale = countScale(Math.max(...totals));
  return chartFrame({
    ...{ id, title, series, columns, scale, csv },
    caption: busiest(columns, totals, unit),
    drawn: (index) => stack(columns[index]?.values ?? [], series, scale),
    told: (index) => ({
      all: amount(totals[index] ?? 0, unit),
      values: series.length === 1 ? [] : partsOf(columns[index]?.values ?? []),
    }),
    table: barTable({ ...wanted, series, columns }, totals),
  });
}

/** `10 votes, most on 7 Dec (3)` */
function busiest(columns: readonly BarColumn[], totals: readonly number[], unit: Unit): string {
  const most = Math.max(...totals);
  return `${amount(sum(totals), unit)}, most on ${columns[totals.lastIndexOf(most)]?.name} (${count(most)})`;
}

const partsOf = (values: readonly number[]): Told[] =>
  values.flatMap((value, series) => (value === 0 ? [] : [{ series, value: count(value) }]));

/** In percent of the axis: less than this cannot be seen. */
const HEIGHT_LEAST = 1.5;

function stack(values: readonly number[], series: readonly Series[], scale: Scale): Html[] {
  let top = 0;
  return values.flatMap((value, index) => {
    if (value === 0) return [];
    const height = Math.max(HEIGHT_LEAST, scale.heightOf(value));
    top += height;
    const colour = seriesClass(series[index] ?? { label: '' }, index);
    return [
      html`<rect class="${colour}" y="${percent(100 - top)}" width="100%" height="${percent(height)}"/>`,
    ];
  });
}

function barTable(
  { title, per, series, columns }: Pick<BarChart, 'title' | 'per' | 'series' | 'columns'>,
  totals: readonly number[],
): Html {
  const hasTotal = series.length > 1;
  return numbersTable({
    ...{ title, first: per },
    heads: [...series.map(({ label }) => label), ...(hasTotal ? ['In all'] : [])],
    rows: columns.map(({ name, values }, index) => [
      name,
      ...values.map(count),
      ...(hasTotal ? [count(totals[index] ?? 0)] : []),
    ]),
  });
}

/** A single series needs no colour of its own. */
const inOneColour = ({ series, columns }: Pick<BarChart, 'series' | 'columns'>) =>
  series.length > 1
    ? { series, columns }
    : { series: series.map(({ label, tone = 'busy' }) => ({ label, tone })), columns };

/** Adds up the smallest series, if there are more than a reader can tell apart. */
function withFewSeries({ series, columns }: Pick<BarChart, 'series' | 'columns'>) {
  if (series.length <= SERIES_MAX) return { series, columns };
  const totalOf = (index: number): number => sum(columns.map(({ values }) => values[index] ?? 0));
  const bySize = series.map((_, index) => index).sort((a, b) => totalOf(b) - totalOf(a));
  const kept = bySize.slice(0, SERIES_MAX - 1).sort((a, b) => a - b);
  const others = bySize.slice(SERIES_MAX - 1);
  const pick = (values: readonly number[], places: readonly number[]) =>
    places.map((place) => values[place] ?? 0);
  return {
    series: [...kept.flatMap((index) => series[index] ?? []), { label: `${others.length} others` }],
    columns: columns.map((column) => ({
      ...column,
      values: [...pick(column.values, kept), sum(pick(column.values, others))],
    })),
  };
}

interface DailyBars {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** What is counted. */
  readonly unit: Unit;
  /** Oldest first, one for each day. */
  readonly values: readonly number[];
  /** Any instant of the last day, in UTC. */
  readonly lastDay: number;
}

/** A bar for each day in UTC, until today. */
export function dailyBars({ values, lastDay, ...chart }: DailyBars): Html {
  const columns = values.map((value, index) => {
    const day = dayText(lastDay - (values.length - 1 - index) * DAY_MS);
    return { name: day, label: day, values: [value] };
  });
  return barChart({
    ...{ ...chart, columns, per: 'Day', series: [{ label: chart.title }] },
    none: `No ${chart.unit.many} in ${values.length} days.`,
  });
}
