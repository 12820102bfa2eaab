import { daysOf, periodName, weekdayOf } from '../../core/period.ts';
import { type Content, type Html, html, isEmpty } from '../html.ts';
import { dayOfMonth, monthText, WEEKDAYS } from './day.ts';

interface MonthCalendar {
  /** As `periodOf('month', day)` numbers it. */
  readonly month: number;
  /** What the calendar shows, for screen readers. */
  readonly caption: string;
  /** What a day shows; empty for most days. A day is counted from 1970-01-01. */
  readonly cell: (day: number) => Content;
  readonly today?: number;
  /** The address of the month before, and of the one after. */
  readonly previous?: string | null;
  readonly next?: string | null;
}

/** The days of a month as a grid; on a phone, a list of the days that show something. */
export function monthCalendar({ month, caption, cell, today, previous, next }: MonthCalendar): Html {
  const { from, to } = daysOf('month', month);
  const monday = from - weekdayOf(from);
  const weeks = Array.from({ length: Math.ceil((to - monday + 1) / 7) }, (_, week) => monday + week * 7);
  const square = (day: number): Html =>
    day < from || day > to ? html`<td class="outside"></td>` : daySquare(day, cell(day), day === today);
  return html`<div class="month">
    <div class="month-head">
      <strong>${monthText(from)}</strong>
      ${monthLinks(previous ?? null, next ?? null)}
    </div>
    <table class="month-days" aria-label="${caption}, ${monthText(from)}">
      <thead><tr>${WEEKDAYS.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${weeks.map((start) => html`<tr>${WEEKDAYS.map((_, weekday) => square(start + weekday))}</tr>`)}</tbody>
    </table>
  </div>`;
}

const monthLinks = (previous: string | null, next: string | null): Html | null =>
  previous === null && next === null
    ? null
    : html`<nav class="actions" aria-label="Months">${monthLink('Previous', previous)}${monthLink('Next', next)}</nav>`;

const monthLink = (label: string, href: string | null): Html | null =>
  href === null ? null : html`<a class="button quiet small" href="${href}">${label}</a>`;

function daySquare(day: number, content: Content, isToday: boolean): Html {
  const shown = isEmpty(content) ? null : html`<div class="month-content">${content}</div>`;
  return html`<td class="${shown === null && 'none'}"${isToday && html` aria-current="date"`}>
    <time datetime="${periodName('day', day)}"><span class="weekday">${WEEKDAYS[weekdayOf(day)]} </span>${dayOfMonth(day)}</time>${shown}
  </td>`;
}
