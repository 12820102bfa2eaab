import { nextWindow, type RewardedVote } from '../../core/window.ts';
import type { Database } from '../../sqlite/open.ts';
import type { VoteRow } from '../ledger.ts';
import { readReasons } from './reward-reasons.ts';

/** A vote as it is stored, with the key of its recipient. */
export interface StoredVote
  extends Omit<VoteRow, 'cooldownMs' | 'nextAt' | 'takenBy' | 'reasons' | 'operatorReasons'> {
  readonly recipientId: number;
  readonly windowStart: number;
  readonly windowEnd: number;
  readonly takenBy: number | null;
  readonly reasons: string | null;
  readonly operatorReasons: string | null;
}

/** Stored votes as readers see them. What follows from the windows is computed here and not stored. */
export function voteRows(database: Database, stored: readonly StoredVote[]): VoteRow[] {
  // Only earlier votes, so that the time of the next reward is shown as it was when this vote came.
  const windowsBefore = database.prepare(`
    SELECT id, cast_at AS castAt FROM votes
    WHERE decision = 'rewarded' AND recipient_id = ? AND site = ? AND window_start > ? AND id < ?
    ORDER BY window_start`);
  return stored.map(({ recipientId, windowStart, windowEnd, reasons, operatorReasons, ...vote }) => {
    const { id, site, castAt, decision } = vote;
    const cooldownMs = windowEnd - windowStart;
    const taken = (): RewardedVote[] =>
      windowsBefore.all(recipientId, site, castAt - cooldownMs, id) as RewardedVote[];
    const nextAt =
      decision === 'rewarded'
        ? windowEnd
        : decision === 'cooldown'
          ? nextWindow(castAt, cooldownMs, taken())
          : null;
    return {
      ...vote,
      cooldownMs,
      nextAt,
      reasons: readReasons(reasons),
      operatorReasons: readReasons(operatorReasons),
    };
  });
}
