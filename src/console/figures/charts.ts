import { localTime, minuteText } from '../../core/local-time.ts';
import { parseDay } from '../../core/period.ts';
import type { RefusalsOfDay } from '../../operator/figures/refusals-by-day.ts';
import type { VotesByTimeValue, VotesInSpan } from '../../operator/figures/votes-by-time.ts';
import { type BarColumn, barChart, type Html, longDayText, type Unit, VOTES } from '../../web/kit.ts';
import { paths } from '../paths.ts';
import { columnsBy, type NumbersColumn, type NumbersOverTime } from './series.ts';

const REFUSALS: Unit = { one: 'refusal', many: 'refusals' };

/** Every chart of the page, by the name that its CSV file has. */
export const CHARTS = ['votes-by-hour', 'votes-by-day', 'paid-by-day', 'refusals-by-day'] as const;
export type ChartName = (typeof CHARTS)[number];

export interface Counted {
  readonly votes: VotesByTimeValue;
  readonly refusals: readonly RefusalsOfDay[];
}

export const numbersOf: Readonly<Record<ChartName, (counted: Counted) => NumbersOverTime>> = {
  'votes-by-hour': ({ votes }) => ({
    ...{ id: 'votes-by-hour', title: 'Votes in the last 48 hours, by site', per: 'Hour' },
    ...bySite(votes.hours.map((span) => ({ ...hourNames(span.start, votes.zone), sums: span.sums }))),
    isWhole: isWhole(votes.hours),
  }),
  'votes-by-day': ({ votes }) => ({
    ...{ id: 'votes-by-day', title: 'Votes in the last 90 days, by site', per: 'Day' },
    ...bySite(votes.days.map((span) => ({ ...dayNames(span), sums: span.sums }))),
    isWhole: isWhole(votes.days),
  }),
  'paid-by-day': ({ votes }) => ({
    ...{ id: 'paid-by-day', title: 'With and without a reward, by day', per: 'Day' },
    series: ['with a reward', 'without'],
    columns: votes.days.map((span) => {
      const total = span.sums.reduce((all, sum) => all + sum.votes, 0);
      const granted = span.sums.reduce((all, sum) => all + sum.granted, 0);
      return { ...dayNames(span), values: [granted, total - granted] };
    }),
    isWhole: isWhole(votes.days),
  }),
  'refusals-by-day': ({ refusals }) => ({
    ...{ id: 'refusals-by-day', title: 'Refused in the last 30 days, by code', per: 'Day' },
    ...columnsBy(
      refusals.map((day) => ({ ...dayNames(day), sums: day.refusals })),
      ({ code }) => code,
      ({ count }) => count,
    ),
    isWhole: true,
  }),
};

/** The numbers of every chart. */
export type Charts = Readonly<Record<ChartName, NumbersOverTime>>;

export const allNumbers = (counted: Counted): Charts =>
  Object.fromEntries(CHARTS.map((name) => [name, numbersOf[name](counted)])) as Charts;

const bySite = (
  spans: readonly { readonly name: string; readonly label: string; readonly sums: VotesInSpan['sums'] }[],
) =>
  columnsBy(
    spans,
    ({ site }) => (site === 'default' ? 'unlisted sites' : site),
    ({ votes }) => votes,
  );

const isWhole = (spans: readonly VotesInSpan[]): boolean => spans.every((span) => span.isWhole);

function hourNames(start: number, zone: string) {
  const { day, minute } = localTime(start, zone);
  const hour = minuteText(minute);
  return { name: `${longDayText(day)}, ${hour}`, label: hour };
}

function dayNames({ day }: Pick<RefusalsOfDay, 'day'>) {
  const name = longDayText(parseDay(day) ?? 0);
  return { name, label: name.replace(/^\w+ /, '').replace(/ \d{4}$/, '') };
}

export const chart = (name: ChartName, { id, title, per, series, columns }: NumbersOverTime): Html =>
  barChart({
    ...{ id, title, per, columns: name === 'votes-by-hour' ? columns.map(withDay) : columns },
    unit: name === 'refusals-by-day' ? REFUSALS : VOTES,
    series: series.map((label) => ({ label })),
    none: name === 'refusals-by-day' ? 'Nothing was refused.' : 'No votes in this time.',
    csv: paths.figuresCsv(name),
  });

/** Over two days, an hour alone says too little: the axis has midnight and noon, with the day. */
const withDay = ({ label, ...column }: NumbersColumn): BarColumn =>
  label === '00:00' || label === '12:00'
    ? { ...column, label: `${column.name.slice(0, 3)} ${label}` }
    : column;
