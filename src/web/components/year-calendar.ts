import { periodOf, weekdayOf } from '../../core/period.ts';
import { type Html, html } from '../html.ts';
import { dayOfMonth, longDayText, monthText, shortMonthText, WEEKDAYS } from './day.ts';
import { amount, count, sum, type Unit } from './number.ts';

interface YearCalendar {
  readonly title: string;
  /** What is counted. */
  readonly unit: Unit;
  /** Oldest first, one for each day; usually of 365 days. */
  readonly values: readonly number[];
  /** Counted from 1970-01-01. */
  readonly lastDay: number;
}

interface CountedDay {
  readonly day: number;
  readonly value: number;
}

type Week = readonly CountedDay[];

/** A square for each day, darker for larger numbers, with a column for each week; and the same numbers by month, as text. */
export function yearCalendar({ title, unit, values, lastDay }: YearCalendar): Html {
  const days = values.map((value, index) => ({ value, day: lastDay - (values.length - 1 - index) }));
  const most = Math.max(0, ...values);
  const bounds = boundsFor(most);
  const weeks = groupsOf(days, ({ day }) => periodOf('week', day));
  const months = groupsOf(days, ({ day }) => periodOf('month', day));
  return html`<figure class="chart year">
    <figcaption><strong>${title}</strong><span class="soft">${total(days, unit)}</span></figcaption>
    <div class="year-frame" role="group" aria-label="${title}, day by day" tabindex="0">
      <table class="year-days" aria-label="${title}, a column for each week">
        <thead><tr><td></td>${monthHeads(weeks)}</tr></thead>
        <tbody>${WEEKDAYS.map(
          (name, weekday) =>
            html`<tr><th scope="row"><span>${name}</span></th>${weeks.map((week) =>
              square(
                week.find(({ day }) => weekdayOf(day) === weekday),
                unit,
                bounds,
              ),
            )}</tr>`,
        )}</tbody>
      </table>
    </div>
    ${legend(bounds, most, unit)}
    <details class="disclosure"><summary>As a table</summary><div class="disclosure-body">${monthsTable(title, months, unit)}</div></details>
  </figure>`;
}

function total(days: readonly CountedDay[], unit: Unit): string {
  const busy = days.filter(({ value }) => value > 0).length;
  return `${amount(sum(days.map(({ value }) => value)), unit)} on ${busy} of ${days.length} days`;
}

const LEVELS = 4;

/** The smallest number of each level, such as `1 3 5 8`; fewer than four levels if the numbers are small. */
function boundsFor(most: number): readonly number[] {
  const parts = [1, 2, 3].map((part) => Math.floor((most * part) / LEVELS) + 1);
  return [...new Set([1, ...parts])].filter((bound) => bound <= most);
}

/** From 0 for none to 4 for the most. If there are fewer levels, they are as far apart as possible. */
function levelOf(value: number, bounds: readonly number[]): number {
  const reached = bounds.filter((bound) => value >= bound).length;
  return bounds.length === 0 ? 0 : Math.round((reached * LEVELS) / bounds.length);
}

function groupsOf(days: readonly CountedDay[], keyOf: (day: CountedDay) => number): readonly Week[] {
  const groups = new Map<number, CountedDay[]>();
  for (const day of days) groups.set(keyOf(day), [...(groups.get(keyOf(day)) ?? []), day]);
  return [...groups.values()];
}

/** A month's name needs two columns. */
const LABEL_WEEKS = 2;

/** The month of a week is that of its last day. */
function monthHeads(weeks: readonly Week[]): Html[] {
  const lastDays = weeks.map((week) => week.at(-1) ?? { day: 0, value: 0 });
  return groupsOf(lastDays, ({ day }) => periodOf('month', day)).map((month) => {
    const name = shortMonthText(month[0]?.day ?? 0);
    return month.length < LABEL_WEEKS
      ? html`<td colspan="${month.length}"></td>`
      : html`<th scope="colgroup" colspan="${month.length}">${name}</th>`;
  });
}

/** The text is for screen readers, and shown to everyone who points at the square. */
function square(day: CountedDay | undefined, unit: Unit, bounds: readonly number[]): Html {
  if (day === undefined) return html`<td></td>`;
  const text = `${longDayText(day.day)}: ${day.value === 0 ? `no ${unit.many}` : amount(day.value, unit)}`;
  return html`<td class="level-${levelOf(day.value, bounds)}"><span class="tip">${text}</span></td>`;
}

/** The numbers of each level: `1`, `2–4`, `5–9`. */
function legend(bounds: readonly number[], most: number, unit: Unit): Html {
  const ranges = bounds.map((least, index) => {
    const last = (bounds[index + 1] ?? most + 1) - 1;
    const range = last === least ? count(least) : `${count(least)}–${count(last)}`;
    return html`<li><span class="swatch level-${levelOf(least, bounds)}"></span>${range}</li>`;
  });
  return html`<ul class="legend" aria-label="Colours"><li><span class="swatch level-0"></span>No ${unit.many}</li>${ranges}</ul>`;
}

/** Newest first. */
const monthsTable = (title: string, months: readonly Week[], unit: Unit): Html =>
  html`<div class="table-frame" role="group" aria-label="${title}, by month" tabindex="0"><table class="plain-table">
    <thead><tr><th scope="col">Month</th><th scope="col">In all</th><th scope="col">Days</th></tr></thead>
    <tbody>${months.toReversed().map(
      (days) => html`<tr><th scope="row">${monthText(days[0]?.day ?? 0)}</th>
        <td>${amount(sum(days.map(({ value }) => value)), unit)}</td><td>${daysOf(days)}</td></tr>`,
    )}</tbody>
  </table></div>`;

/** `1, 2 (3), 7`: a number in parentheses is more than one. */
const daysOf = (days: readonly CountedDay[]): string =>
  days
    .filter(({ value }) => value > 0)
    .map(({ day, value }) => (value === 1 ? `${dayOfMonth(day)}` : `${dayOfMonth(day)} (${count(value)})`))
    .join(', ');
