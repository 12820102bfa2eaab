import { isoTime } from '../../core/instant.ts';
import { type Html, html } from '../html.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MINUTE_MS = 60_000;
const UNITS = [
  ['day', 86_400_000],
  ['hr.', 3_600_000],
  ['min.', MINUTE_MS],
] as const;

/** A day of UTC in words, `3 Jun`. */
export const dayText = (ms: number): string => {
  const date = new Date(ms);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
};

/** An instant to the second, UTC, for logs: `3 Jun 14:05:09`. */
export const instant = (ms: number): Html =>
  html`<time datetime="${isoTime(ms)}" title="${fullText(ms)}">${dayText(ms)} ${isoTime(ms).slice(11, 19)}</time>`;

/** How long ago, or in how long, from the server's `now`; the script keeps it fresh, the title has the instant. */
export const ago = (ms: number, now: number): Html =>
  html`<time datetime="${isoTime(ms)}" title="${fullText(ms)}" data-ago>${agoText(ms - now)}</time>`;

const fullText = (ms: number): string => `${isoTime(ms).slice(0, 19).replace('T', ' ')} UTC`;

/** In the words of the script's Intl.RelativeTimeFormat, so that nothing jumps when it takes over. */
function agoText(ms: number): string {
  if (Math.abs(ms) < MINUTE_MS) return ms > 0 ? 'in a moment' : 'just now';
  const [unit, size] = UNITS.find(([, least]) => Math.abs(ms) >= least) ?? UNITS[2];
  const count = Math.floor(Math.abs(ms) / size);
  const named = unit === 'day' && count !== 1 ? 'days' : unit;
  return ms > 0 ? `in ${count} ${named}` : `${count} ${named} ago`;
}
