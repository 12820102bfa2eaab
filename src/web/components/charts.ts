import { DAY_MS } from '../../core/duration.ts';
import { type Html, html, quoted } from '../html.ts';
import { dayText } from './moment.ts';
import { amount, count, percent, rounded, shortCount, sum, type Unit } from './number.ts';
import type { Tone } from './tone.ts';

/**
 * Charts are drawn in percent of the available width, so that a phone shows thinner bars instead of smaller letters. Each
 * chart has a sentence for screen readers that says the same, and a tooltip for each value.
 */

interface DailyBars {
  readonly title: string;
  /** What is counted. */
  readonly unit: Unit;
  /** Oldest first, one for each day. */
  readonly values: readonly number[];
  /** Any instant of the last day. */
  readonly lastDay: number;
}

/** A bar for each day, with a scale; a sentence if all values are 0. */
export function dailyBars({ title, unit, values, lastDay }: DailyBars): Html {
  const days = values.map((value, index) => ({
    value,
    name: dayText(lastDay - (values.length - 1 - index) * DAY_MS),
  }));
  const total = sum(values);
  const caption = html`<strong>${title}</strong><span class="soft">${busiest(days, unit)}</span>`;
  if (total === 0) {
    const none = html`<p class="chart-none">No ${unit.many} in ${values.length} days.</p>`;
    return html`<figure class="chart bars"><figcaption>${caption}</figcaption>${none}</figure>`;
  }
  const ticks = ticksFor(Math.max(...values));
  const top = ticks.at(-1) ?? 1;
  const width = 100 / values.length;
  const bars = days.map(({ value, name }, index) =>
    bar({ x: index * width, width, share: value / top, tip: `${name}: ${amount(value, unit)}` }),
  );
  return html`<figure class="chart bars">
    <figcaption>${caption}</figcaption>
    <div class="plot">
      ${scale(ticks)}
      <svg class="plot-area" role="img" aria-label="${title}: ${daysSentence(days, total, unit)}">${gridLines(ticks)}${bars}</svg>
      <div class="chart-ends" aria-hidden="true"><span>${days[0]?.name}</span><span>${days.at(-1)?.name}, today</span></div>
    </div>
  </figure>`;
}

/** `10 votes, most on 7 Dec (3)`; empty if there are none. */
function busiest(days: readonly Day[], unit: Unit): string {
  const total = sum(days.map(({ value }) => value));
  const most = Math.max(0, ...days.map(({ value }) => value));
  const day = days.findLast(({ value }) => value === most);
  return total === 0 || day === undefined
    ? ''
    : `${amount(total, unit)}, most on ${day.name} (${count(most)})`;
}

const TICKS_MOST = 4;

/** Round numbers from 0 to at least the largest value: `0 1 2 3`, `0 20 40 60`. */
function ticksFor(most: number): number[] {
  const steps = Array.from({ length: 15 }, (_, power) =>
    [1, 2, 5].map((digit) => digit * 10 ** power),
  ).flat();
  const step = steps.find((each) => most / each <= TICKS_MOST) ?? most;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}

const heightOf = (tick: number, ticks: readonly number[]): string =>
  percent(100 - (tick / (ticks.at(-1) ?? 1)) * 100);

/** The scale beside the bars, hidden from screen readers, which read the bars' sentence. */
function scale(ticks: readonly number[]): Html {
  const marks = ticks.map((tick) => ({ y: heightOf(tick, ticks), label: shortCount(tick) }));
  const longest = Math.max(...marks.map(({ label }) => label.length));
  return html`<svg class="scale of-${longest}" aria-hidden="true">${marks.map(
    ({ y, label }) => html`<text x="100%" y="${y}" dy="0.32em" text-anchor="end">${label}</text>`,
  )}</svg>`;
}

const gridLines = (ticks: readonly number[]): Html[] =>
  ticks.map((tick) => {
    const y = heightOf(tick, ticks);
    return html`<line class="${tick === 0 ? 'base' : 'grid'}" x1="0" x2="100%" y1="${y}" y2="${y}"/>`;
  });

interface Day {
  readonly value: number;
  readonly name: string;
}

function daysSentence(days: readonly Day[], total: number, unit: Unit): string {
  const busy = days.filter(({ value }) => value > 0).map(({ value, name }) => `${name} ${count(value)}`);
  return `${amount(total, unit)} in ${days.length} days. ${busy.length === 0 ? '' : `${busy.join(', ')}.`}`;
}

interface Bar {
  readonly x: number;
  readonly width: number;
  /** Of the full height. */
  readonly share: number;
  readonly tip: string;
}

/** The whole column shows the tooltip, not only the bar. */
function bar({ x, width, share, tip }: Bar): Html {
  const height = Math.max(1.5, share * 100);
  const mark =
    share > 0 &&
    html`<rect class="bar-mark" x="${percent(x + width * 0.12)}" width="${percent(width * 0.76)}" y="${percent(100 - height)}" height="${percent(height)}" rx="1.5"/>`;
  return html`<g><title>${tip}</title><rect class="hit" x="${percent(x)}" width="${percent(width)}" y="0" height="100%"/>${mark}</g>`;
}

interface Sparkline {
  readonly title: string;
  readonly unit: Unit;
  /** Oldest first, one for each hour. */
  readonly values: readonly number[];
}

/** A line of the values of the last hours. */
export function sparkline({ title, unit, values }: Sparkline): Html {
  const most = Math.max(1, ...values);
  const last = Math.max(1, values.length - 1);
  const points = values
    .map((value, hour) => `${rounded(hour)},${rounded(38 - (value / most) * 36)}`)
    .join(' ');
  const total = sum(values);
  const sentence = `${title}: ${amount(total, unit)} in ${values.length} hours. At most ${count(Math.max(0, ...values))} in an hour, ${count(values.at(-1) ?? 0)} in the last hour.`;
  return html`<figure class="chart sparkline">
    <figcaption><strong>${title}</strong><span class="soft">${amount(total, unit)}</span></figcaption>
    <svg role="img" aria-label="${sentence}" viewBox="0 0 ${last} 40" preserveAspectRatio="none">
      <polygon class="area" points="0,38 ${points} ${last},38"/><line class="base" x1="0" x2="${last}" y1="38" y2="38"/>
      <polyline class="line" points="${points}"/>
    </svg>
    <div class="chart-ends" aria-hidden="true"><span>${values.length} h ago</span><span>now</span></div>
  </figure>`;
}

interface Share {
  readonly label: string;
  readonly value: number;
  readonly tone: Tone;
}

/** One bar that shows the parts of a whole, with a legend below that gives the count of each part. */
export function shares(title: string, list: readonly Share[]): Html {
  const total = sum(list.map(({ value }) => value));
  let x = 0;
  const parts = list.map(({ label, value, tone }) => {
    const width = total === 0 ? 0 : (value / total) * 100;
    const rect = html`<rect class="tone-${tone}" x="${percent(x)}" width="${percent(width)}" height="100%"><title>${label}: ${count(value)}</title></rect>`;
    x += width;
    return rect;
  });
  const sentence = `${title}: ${list.map(({ label, value }) => `${label} ${count(value)}`).join(', ')}.`;
  return html`<figure class="chart shares">
    <figcaption><strong>${title}</strong><span class="soft">${total === 0 ? 'None yet' : `${count(total)} in total`}</span></figcaption>
    <svg role="img" aria-label="${sentence}"><rect class="none" width="100%" height="100%"/>${parts}</svg>
    <ul class="legend">${list.map(
      ({ label, value, tone }) =>
        html`<li><span class="swatch tone-${tone}"></span>${quoted(label)} <strong>${count(value)}</strong></li>`,
    )}</ul>
  </figure>`;
}
