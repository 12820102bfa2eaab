/** A vote as it stands on the wire, in either version: texts nobody has judged yet. */
export interface WireVote {
  readonly serviceName: string;
  readonly username: string;
  /** The voter's address as the site tells it; may be empty. */
  readonly address: string;
  /** As sent: milliseconds, seconds, fractions, or free text [T-1]. */
  readonly timestamp: string;
}

/** When the site says the vote was cast. */
export interface ClaimedTime {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Whole seconds are all that many senders know; such times are compared in seconds [T-4]. */
  readonly precision: 'ms' | 's';
}

const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);
const NUMBER = /^\d{1,16}(?:\.\d{1,9})?$/;
const DATE = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,9})?) ?(Z|[+-]\d\d:?\d\d)$/;

/** [T-1]…[T-4] The claimed time in a timestamp field; null where the text is no time that can be relied on. */
export function claimedTime(timestamp: string): ClaimedTime | null {
  const text = timestamp.trim();
  const ms = NUMBER.test(text) ? fromNumber(Number(text)) : fromDate(text);
  if (ms === null) return null;
  const at = Math.floor(ms);
  return { at, precision: at % 1000 === 0 ? 's' : 'ms' };
}

/** [T-2] The same digits cannot be both: seconds of this century are below every millisecond of it. */
function fromNumber(value: number): number | null {
  if (isPlausible(value)) return value;
  return isPlausible(value * 1000) ? value * 1000 : null;
}

/** [T-3] Only with a zone: a local time without one would be a guess. */
function fromDate(text: string): number | null {
  const parts = DATE.exec(text);
  if (parts === null) return null;
  const zone = parts[3]?.replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2');
  const ms = Date.parse(`${parts[1]}T${parts[2]}${zone}`);
  return isPlausible(ms) ? ms : null;
}

const isPlausible = (ms: number): boolean => ms >= EARLIEST_MS && ms < LATEST_MS;
