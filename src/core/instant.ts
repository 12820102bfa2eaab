/** Milliseconds since the Unix epoch as ISO 8601 in UTC, the only format in which times are shown. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

const WRITTEN = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * An ISO 8601 date or date-time as milliseconds since the Unix epoch, in UTC if it names no zone; null for other texts.
 */
export function parseInstant(text: string): number | null {
  const parts = WRITTEN.exec(text);
  if (parts === null) return null;
  const ms = Date.parse(text.includes('T') && parts[1] === undefined ? `${text}Z` : text);
  return Number.isNaN(ms) ? null : ms;
}

export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
