import type { StoredWindow } from '../core/window.ts';

/** The rewarded votes of a recipient and site whose windows start after an instant, and the last one before it. */
export const WINDOWS_SINCE = `
  SELECT id, cast_at AS castAt, window_start AS start, window_end AS "end" FROM votes
  WHERE decision = 'rewarded' AND recipient_id = @recipientId AND site = @site
    AND window_start >= ifnull(
      (SELECT max(window_start) FROM votes
       WHERE decision = 'rewarded' AND recipient_id = @recipientId AND site = @site AND window_start <= @after), @after)
  ORDER BY window_start, id`;

interface WindowRow {
  readonly id: number;
  readonly castAt: number;
  readonly start: number;
  readonly end: number;
}

export const storedWindows = (rows: unknown[]): StoredWindow[] =>
  (rows as WindowRow[]).map(({ id, castAt, start, end }) => ({ id, castAt, window: { start, end } }));
