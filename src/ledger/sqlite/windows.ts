import type { StoredWindow } from '../../core/window.ts';

const WINDOWS = `
  SELECT id, cast_at AS castAt, window_start AS start, window_end AS "end" FROM votes
  WHERE decision = 'rewarded' AND recipient_id = @recipientId AND site = @site`;

/** A recipient's windows on a site that start after an instant. */
export const WINDOWS_SINCE = `${WINDOWS} AND window_start > @after ORDER BY window_start, id`;
/** A recipient's last window on a site that starts at or before an instant. */
export const WINDOW_BEFORE = `${WINDOWS} AND window_start <= @after ORDER BY window_start DESC, id DESC LIMIT 1`;

/**
 * The rewarded votes of a recipient and site that were cast after an instant. A window starts when its vote was cast,
 * so the index covers the query. This runs for each vote, and reading the votes as well took twice as long.
 */
export const REWARDED_SINCE = `
  SELECT id, window_start AS castAt FROM votes
  WHERE decision = 'rewarded' AND recipient_id = ? AND site = ? AND window_start > ? ORDER BY window_start, id`;

interface WindowRow {
  readonly id: number;
  readonly castAt: number;
  readonly start: number;
  readonly end: number;
}

export const storedWindows = (rows: unknown[]): StoredWindow[] =>
  (rows as WindowRow[]).map(({ id, castAt, start, end }) => ({ id, castAt, window: { start, end } }));
