/** Milliseconds since the Unix epoch as ISO 8601 UTC, the one form in which times are shown. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
