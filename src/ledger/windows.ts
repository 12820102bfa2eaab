import type { StoredWindow } from '../core/window.ts';

const WINDOWS = `
  SELECT id, cast_at AS castAt, window_start AS start, window_end AS "end" FROM votes
  WHERE decision = 'rewarded' AND recipient_id = @recipientId AND site = @site`;

/** The windows of a recipient and site that start after an instant. */
export const WINDOWS_SINCE = `${WINDOWS} AND window_start > @after ORDER BY window_start, id`;
/** The last window of theirs that starts before. */
export const WINDOW_BEFORE = `${WINDOWS} AND window_start <= @after ORDER BY window_start DESC, id DESC LIMIT 1`;

interface WindowRow {
  readonly id: number;
  readonly castAt: number;
  readonly start: number;
  readonly end: number;
}

export const storedWindows = (rows: unknown[]): StoredWindow[] =>
  (rows as WindowRow[]).map(({ id, castAt, start, end }) => ({ id, castAt, window: { start, end } }));
