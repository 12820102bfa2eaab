import { joined, NO_OCCASION, type Occasion, occasion } from '../core/occasion.ts';
import { parsePeriod } from '../core/period.ts';

const TOTAL =
  /^(?:total|site (?<site>.{1,128}) total|(?<per>day|week|month) (?<period>\S+) total|network) (?<count>[1-9]\d{0,8})$/;
const STREAK = /^streak (?<length>[1-9]\d{0,4}) reached (?<period>\S+)$/;
const PERIOD = /^(?<per>day|week|return) (?<period>\S+)$/;

/**
 * The occasion with a name as conditions give it, such as `total 25` or `streak 7 reached 2026-11-21`, or several that are
 * joined by commas; null for any other text.
 */
export function parseOccasion(text: string): Occasion | null {
  const whole = parseOne(text);
  if (whole !== null) return whole;
  const parts = text.split(', ').map(parseOne);
  const known = parts.filter((part) => part !== null);
  return known.length < parts.length ? null : known.reduce(joined, NO_OCCASION);
}

const parseOne = (text: string): Occasion | null =>
  parseTotal(text) ?? parseStreak(text) ?? parsePeriodic(text);

function parseTotal(text: string): Occasion | null {
  const found = TOTAL.exec(text)?.groups;
  if (found === undefined) return null;
  const { per, period, count } = found;
  if (per !== undefined && parsePeriod(period ?? '')?.per !== per) return null;
  return occasion(text, { threshold: Number(count), isNetworks: text.startsWith('network ') });
}

function parseStreak(text: string): Occasion | null {
  const found = STREAK.exec(text)?.groups;
  const reached = parsePeriod(found?.period ?? '');
  if (found === undefined || reached === null) return null;
  const length = Number(found.length);
  return occasion(text, { threshold: length, streaks: [{ ...reached, length }] });
}

/** `day 2026-11-21` for all sites, and `return 2026-11-21`. */
function parsePeriodic(text: string): Occasion | null {
  const found = PERIOD.exec(text)?.groups;
  const expected = found?.per === 'return' ? 'day' : found?.per;
  return expected === undefined || parsePeriod(found?.period ?? '')?.per !== expected ? null : occasion(text);
}
