/** Stands for what differs from run to run. */
export const BLANK = '…';

/** What looks like a time, an ID, a port, a secret or a place of this machine, in texts. */
const VOLATILE: readonly RegExp[] = [
  /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g,
  /\b\d{4}-\d\d(?:-\d\d)?\b/g,
  /\b\d{1,2} [A-Z][a-z]{2} \d{4}(?:,? \d\d:\d\d(?::\d\d)?)?/g,
  /\b\d\d:\d\d(?::\d\d)?\b/g,
  /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi,
  /\/tmp\/[\w./-]+/g,
  /(?<=(?:127\.0\.0\.1|localhost|\[::\]|\[::1\]|0\.0\.0\.0):)\d+/g,
  /\b[A-Za-z0-9_-]{32,}\b/g,
  /\b\d+(?:\.\d+)? (?:ms|s|seconds?|minutes?)\b/g,
  /\bjust now\b/g,
];
/** In milliseconds since 1970, of this decade. */
const isTime = (value: number): boolean => value > 1.7e12 && value < 2.1e12;

export function withoutVolatile(value: unknown): unknown {
  if (typeof value === 'number') return isTime(value) ? BLANK : value;
  return typeof value === 'string'
    ? VOLATILE.reduce((text, each) => text.replaceAll(each, BLANK), value)
    : value;
}
