import { DAY_MS } from '../../core/duration.ts';
import type { Per } from '../../core/period.ts';

/** What VotingPlugin stores of one streak of a player. */
export interface StreakState {
  readonly per: Per;
  readonly length: number;
  /** A time in the last period that counted; null if the state does not say which one that was. */
  readonly lastAt: number | null;
}

/** A streak of its own, or a group of streaks that count together. */
const COLUMN = /^VoteStreak(?:Group_(?:DAILY|WEEKLY|MONTHLY))?_./;

export const isStreakColumn = (column: string): boolean => COLUMN.test(column);

/**
 * Reads the value of such a column: at least six parts between `|`, of which the first is the period that the player last
 * voted in (`2026-11-22`, `2026-W47` or `2026-11`), the second the length, and the fourth whether that period counts
 * already. Read from VoteStreakHandler.java of VotingPlugin 7.1.
 *
 * @returns null if it has another form.
 */
export function parseStreakState(text: string): StreakState | null {
  const [period = '', length = '', , counted] = text.split('|');
  const found = periodOf(period);
  if (found === null || !/^\d{1,7}$/.test(length)) return null;
  return { per: found.per, length: Number(length), lastAt: counted === 'true' ? found.at : null };
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const WEEK = /^(\d{4})-W(\d\d)$/;
const MONTH = /^(\d{4})-(\d\d)$/;

/** Noon in UTC of a day in the middle of the period: in nearly every time zone, that is in the period. */
function periodOf(text: string): { readonly per: Per; readonly at: number } | null {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (day !== undefined) return { per: 'day', at: noon(Number(year), Number(month), Number(day)) };
  const [, weekYear, week] = WEEK.exec(text) ?? [];
  if (week !== undefined) return { per: 'week', at: thursday(Number(weekYear), Number(week)) };
  const [, ofYear, inMonth] = MONTH.exec(text) ?? [];
  return inMonth === undefined ? null : { per: 'month', at: noon(Number(ofYear), Number(inMonth), 15) };
}

const noon = (year: number, month: number, day: number): number => Date.UTC(year, month - 1, day, 12);

/** Week 1 is the one with 4 January (ISO 8601). */
function thursday(year: number, week: number): number {
  const fourth = noon(year, 1, 4);
  const weekday = (new Date(fourth).getUTCDay() + 6) % 7;
  return fourth + ((week - 1) * 7 + 3 - weekday) * DAY_MS;
}
