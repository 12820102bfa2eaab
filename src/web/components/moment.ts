import { isoTime } from '../../core/instant.ts';
import { type Html, html, quoted } from '../html.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A day in UTC, such as `3 Jun`. */
export const dayText = (ms: number): string => {
  const date = new Date(ms);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
};

/** A time to the second, for logs: `3 Jun 14:05:09 UTC`. */
export const instant = (ms: number): Html =>
  html`<time datetime="${isoTime(ms)}" title="${fullText(ms)}">${dayText(ms)} ${isoTime(ms).slice(11, 19)} UTC</time>`;

const ISO_TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/;

/** A sentence that others may have written, with its times as people read them: `3 Jun 2026 14:05:09 UTC`. */
export const withTimes = (sentence: string): Html =>
  html`${sentence.split(ISO_TIME).map((part, index) => (index % 2 === 0 ? quoted(part) : timeIn(part)))}`;

function timeIn(iso: string): Html {
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? quoted(iso) : dated(ms);
}

/** A time to the second that may be years ago: `3 Jun 2026 14:05:09 UTC`. */
export function dated(ms: number): Html {
  const iso = isoTime(ms);
  return html`<time datetime="${iso}">${dayText(ms)} ${iso.slice(0, 4)} ${iso.slice(11, 19)} UTC</time>`;
}

/** A time to the minute, for people: `3 Jun 14:05 UTC`. */
export const clockText = (ms: number): string => `${dayText(ms)} ${isoTime(ms).slice(11, 16)} UTC`;

/** A time relative to the server's `now`. The script keeps it up to date, and the tooltip has the exact time. */
export const ago = (ms: number, now: number): Html =>
  html`<time datetime="${isoTime(ms)}" title="${fullText(ms)}" data-ago>${agoText(ms - now)}</time>`;

const fullText = (ms: number): string => `${isoTime(ms).slice(0, 19).replace('T', ' ')} UTC`;

/**
 * Worded like Intl.RelativeTimeFormat in the script, so that nothing changes when the script runs. Rounded to the
 * nearest unit, so that right after a vote the next one is "in 24 hours" and not "in 23". Days are used from two days on.
 */
function agoText(ms: number): string {
  const size = Math.abs(ms);
  if (size < MINUTE_MS) return ms > 0 ? 'in a moment' : 'just now';
  const [unit, each] = unitFor(size);
  const count = Math.round(size / each);
  const named = count === 1 ? unit : `${unit}s`;
  return ms > 0 ? `in ${count} ${named}` : `${count} ${named} ago`;
}

function unitFor(size: number): readonly [unit: string, each: number] {
  if (size < HOUR_MS - MINUTE_MS / 2) return ['minute', MINUTE_MS];
  return size < 2 * DAY_MS - HOUR_MS / 2 ? ['hour', HOUR_MS] : ['day', DAY_MS];
}
