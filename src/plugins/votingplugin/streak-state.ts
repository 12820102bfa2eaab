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
 * voted in (`2026-11-22`, `2026-W47` or `2026-11`), the second the length, the fourth whether that period counts
 * already, and the sixth how many were missed. Where none was missed, the one before counts in any case. Read from VoteStreakHandler.java of VotingPlugin 7.1.
 *
 * @returns null if it has another form.
 */
export function parseStreakState(text: string): StreakState | null {
  const [period = '', length = '', , counted, , missed] = text.split('|');
  const found = periodOf(period);
  if (found === null || !/^\d{1,7}$/.test(length)) return null;
  const lastAt = counted === 'true' ? found.at : missed === '0' ? found.before : null;
  return { per: found.per, length: Number(length), lastAt };
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const WEEK = /^(\d{4})-W(\d\d)$/;
const MONTH = /^(\d{4})-(\d\d)$/;

interface WrittenPeriod {
  readonly per: Per;
  /** Noon in UTC of a day in the middle of the period: in nearly every time zone, that is in the period. */
  readonly at: number;
  /** The same of the period before. */
  readonly before: number;
}

function periodOf(text: string): WrittenPeriod | null {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year !== undefined && month !== undefined && day !== undefined)
    return { per: 'day', at: noon(year, month, day), before: noon(year, month, day - 1) };
  const [, weekYear, week] = (WEEK.exec(text) ?? []).map(Number);
  if (weekYear !== undefined && week !== undefined)
    return { per: 'week', at: thursday(weekYear, week), before: thursday(weekYear, week - 1) };
  const [, ofYear, inMonth] = (MONTH.exec(text) ?? []).map(Number);
  if (ofYear === undefined || inMonth === undefined) return null;
  return { per: 'month', at: noon(ofYear, inMonth, 15), before: noon(ofYear, inMonth - 1, 15) };
}

const noon = (year: number, month: number, day: number): number => Date.UTC(year, month - 1, day, 12);

/** Week 1 is the one with 4 January (ISO 8601). */
function thursday(year: number, week: number): number {
  const fourth = noon(year, 1, 4);
  const weekday = (new Date(fourth).getUTCDay() + 6) % 7;
  return fourth + ((week - 1) * 7 + 3 - weekday) * DAY_MS;
}
