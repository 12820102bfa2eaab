/** The fields of a vote as they were sent, in either version, before anything is checked. */
export interface WireVote {
  readonly serviceName: string;
  readonly username: string;
  /** The voter's address as the site states it; may be empty. */
  readonly address: string;
  /** As sent: milliseconds, seconds, fractions, or free text [T-1]. */
  readonly timestamp: string;
}

/** When the vote was cast, as the site states it. */
export interface ClaimedTime {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Many senders only send whole seconds; such times are compared in seconds [T-4]. */
  readonly precision: 'ms' | 's';
}

const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);
const NUMBER = /^(\d{1,16})(?:\.(\d+))?$/;
const DATE = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,9})?) ?(Z|[+-]\d\d:?\d\d)$/;

/** [T-1]…[T-4] The claimed time in a timestamp field; null if it cannot be read with certainty. */
export function claimedTime(timestamp: string): ClaimedTime | null {
  const text = timestamp.trim();
  const at = fromNumber(text) ?? fromDate(text);
  return at === null ? null : { at, precision: at % 1000 === 0 ? 's' : 'ms' };
}

/**
 * [T-2] A number cannot be both: seconds in this century are below every millisecond in it. The fraction is read as
 * digits, because a binary fraction of a second times 1,000 is often a millisecond short.
 */
function fromNumber(text: string): number | null {
  const [matched, whole, fraction = ''] = NUMBER.exec(text) ?? [];
  if (matched === undefined) return null;
  const asMs = Number(whole);
  if (isPlausible(asMs)) return asMs;
  const asSeconds = asMs * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  return isPlausible(asSeconds) ? asSeconds : null;
}

/** [T-3] Only with a zone: without one, the time would be a guess. */
function fromDate(text: string): number | null {
  const [matched, day = '', time, zone] = DATE.exec(text) ?? [];
  if (matched === undefined || !isDay(day)) return null;
  const ms = Date.parse(`${day}T${time}${zone?.replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2')}`);
  return isPlausible(ms) ? ms : null;
}

/** Date.parse reads 30 February as 2 March. */
function isDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

const isPlausible = (ms: number): boolean => ms >= EARLIEST_MS && ms < LATEST_MS;
