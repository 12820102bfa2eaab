import { type Content, type Html, html, quoted } from '../html.ts';
import { disclosure } from './code.ts';
import { rounded, shortCount } from './number.ts';
import type { Tone } from './tone.ts';

/** What one colour of a chart stands for. */
export interface Series {
  readonly label: string;
  /** For a state; a series without one gets a colour by its place. */
  readonly tone?: Tone;
}

/** An hour or a day, from left to right. */
export interface Column {
  /** In full: `Mon 23 Nov, 14:00 to 15:00`. */
  readonly name: string;
  /** Below the axis: `14:00`. Columns without one are between labels; if there are too many labels, some are left out. */
  readonly label?: string;
}

/** A value as it is told to readers. */
export interface Told {
  /** Its place among the series. */
  readonly series: number;
  readonly value: string;
}

/** What a kind of chart draws into the frame that all of them share. */
export interface Axes {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** At the right of the title. */
  readonly caption: string;
  readonly series: readonly Series[];
  readonly columns: readonly Column[];
  readonly scale: Scale;
  /** What a column shows, in SVG. */
  readonly drawn: (column: number) => Content;
  /** The numbers of a column in words: what the column is about, and each value that is worth telling. */
  readonly told: (column: number) => { readonly all: string; readonly values: readonly Told[] };
  readonly table: Html;
  /** The address of the same numbers as CSV. */
  readonly csv?: string | undefined;
}

/** Colours are told apart by readers who see few of them, up to this number. */
export const SERIES_MAX = 6;

export const seriesClass = ({ tone }: Series, index: number): string =>
  tone === undefined ? `series-${(index % SERIES_MAX) + 1}` : `tone-${tone}`;

/**
 * The frame of a chart: axes, grid, legend, and the same numbers as a table. Its parts share the width by the stylesheet,
 * so a phone shows thinner columns and not smaller letters.
 *
 * Columns are radio buttons, because a browser makes a group of them one stop of the Tab key, in which the arrow keys move,
 * and a finger can choose one. So everyone reaches the numbers of a column, without script.
 */
export const chartFrame = (axes: Axes): Html => html`<figure class="chart axes">
    <figcaption><strong>${axes.title}</strong><span class="soft">${axes.caption}</span></figcaption>
    ${axes.series.length > 1 && legend(axes.series)}
    <div class="plot">
      <ol class="y-axis" aria-hidden="true">${axes.scale.ticks.map((tick) => html`<li><span>${tick}</span></li>`)}</ol>
      <div class="plot-frame"><div class="plot-area">
        <div class="grid" aria-hidden="true">${axes.scale.ticks.slice(1).map(() => html`<span></span>`)}</div>
        <div class="plot-columns" role="radiogroup" aria-label="${axes.title}">${plotColumns(axes)}</div>
      </div></div>
    </div>
    <div class="chart-foot">${disclosure('As a table', axes.table)}${
      axes.csv !== undefined && html`<a class="button plain" href="${axes.csv}" download>Download CSV</a>`
    }</div>
  </figure>`;

/** Instead of the frame, if there is nothing to show. */
export const emptyChart = (title: string, none: string): Html =>
  html`<figure class="chart axes">
    <figcaption><strong>${title}</strong></figcaption>
    <p class="chart-none">${none}</p>
  </figure>`;

const legend = (series: readonly Series[]): Html =>
  html`<ul class="legend">${series.map(
    (each, index) =>
      html`<li><span class="swatch ${seriesClass(each, index)}"></span>${quoted(each.label)}</li>`,
  )}</ul>`;

function plotColumns(axes: Axes): Html[] {
  const { columns } = axes;
  const labels = labelled(columns);
  return columns.map((column, index) => {
    // The numbers are shown beside the column, on the side where there is room.
    const side = index < columns.length / 2 ? 'early' : 'late';
    const isLast = index === columns.length - 1;
    return html`<label class="column ${side}">
      <span class="column-body"><input type="radio" name="${axes.id}" autocomplete="off"${isLast && html` checked`}><svg
        aria-hidden="true">${axes.drawn(index)}</svg>${xLabel(column, labels.get(index))}</span>
      ${tip(axes, column, index)}
    </label>`;
  });
}

function tip({ told, series }: Axes, { name }: Column, index: number): Html {
  const { all, values } = told(index);
  const line = ({ series: place, value }: Told): Html => {
    const each = series[place] ?? { label: '' };
    return html` <span><i class="swatch ${seriesClass(each, place)}"></i>${quoted(each.label)} ${value}</span>`;
  };
  return html`<span class="tip"><b>${name}:</b> <span>${all}</span>${values.map(line)}</span>`;
}

const xLabel = ({ label }: Column, place: string | undefined): Html | null =>
  place === undefined ? null : html`<span class="x-label ${place}" aria-hidden="true">${label}</span>`;

const LABELS_MOST = 7;

/**
 * The columns whose labels are shown, with their places: the newest, at most seven, and on a phone every other one of
 * them. Labels at the ends do not reach beyond the columns.
 */
function labelled(columns: readonly Column[]): ReadonlyMap<number, string> {
  const all = columns.flatMap(({ label }, index) => (label === undefined ? [] : [index]));
  const step = Math.ceil(all.length / LABELS_MOST);
  const kept = all.toReversed().filter((_, place) => place % step === 0);
  const isCrowded = kept.length > LABELS_MOST / 2;
  const edge = Math.ceil(columns.length / 20);
  const sideOf = (index: number): string =>
    index < edge ? 'start' : index >= columns.length - edge ? 'end' : 'middle';
  return new Map(
    kept.map((index, place) => [index, `${sideOf(index)}${isCrowded && place % 2 === 1 ? ' wide' : ''}`]),
  );
}

interface NumbersTable {
  readonly title: string;
  /** What the columns of the chart are, such as `Day`. */
  readonly first: string;
  readonly heads: readonly string[];
  /** As in the chart, oldest first. */
  readonly rows: readonly (readonly [name: string, ...values: string[]])[];
}

/** The numbers of a chart as a table, newest first. */
export const numbersTable = ({ title, first, heads, rows }: NumbersTable): Html =>
  html`<div class="table-frame chart-table" role="group" aria-label="${title}, as a table" tabindex="0"><table class="plain-table">
    <thead><tr><th scope="col">${first}</th>${heads.map((head) => html`<th scope="col" class="number">${head}</th>`)}</tr></thead>
    <tbody>${rows
      .toReversed()
      .map(
        ([name, ...values]) =>
          html`<tr><th scope="row">${name}</th>${values.map((value) => html`<td class="number">${value}</td>`)}</tr>`,
      )}</tbody>
  </table></div>`;

/** A vertical axis. Its ticks are the same distance apart. */
export interface Scale {
  /** The labels of the ticks, from the bottom up. */
  readonly ticks: readonly string[];
  /** The height of a value in percent of the axis. */
  heightOf(value: number): number;
}

const TICKS_MOST = 4;

/** From 0 to at least the largest value, by round numbers: `0 1 2 3`, `0 20 40 60`. */
export function countScale(most: number): Scale {
  const steps = Array.from({ length: 15 }, (_, power) =>
    [1, 2, 5].map((digit) => digit * 10 ** power),
  ).flat();
  const step = steps.find((each) => most / each <= TICKS_MOST) ?? most;
  const ticks = Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
  const top = ticks.at(-1) ?? 1;
  return { ticks: ticks.map(shortCount), heightOf: (value) => rounded((value / top) * 100) };
}
