import type { Window } from '../../core/cooldown.ts';
import { nextWindow } from '../../core/window.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { VoteRow } from '../ledger.ts';
import { StoredReasons } from './reward-reasons.ts';
import { Windows } from './windows.ts';

/** A vote as it is stored, with the key of its recipient. */
export interface StoredVote
  extends Omit<
    VoteRow,
    'window' | 'nextAt' | 'takenBy' | 'reasons' | 'operatorReasons' | 'voided' | 'listed' | 'isPaidElsewhere'
  > {
  readonly recipientId: number;
  readonly windowStart: number;
  readonly windowEnd: number;
  readonly takenBy: number | null;
  readonly reasons: string | null;
  readonly operatorReasons: string | null;
  readonly listedAt: number | null;
  readonly listedTakenBy: number | null;
  readonly listedReasons: string | null;
  readonly voidedAt: number | null;
  readonly voidedBy: string | null;
  readonly voidReason: string | null;
  readonly paidElsewhere: number | null;
}

/** Stored votes as readers see them. What follows from the windows is computed here and not stored. */
export function voteRows(database: Database, stored: readonly StoredVote[]): VoteRow[] {
  const windows = new Windows(database);
  const storedReasons = new StoredReasons(database);
  return stored.map(({ windowStart, windowEnd, reasons, operatorReasons, ...vote }) => {
    const { recipientId: _, voidedAt, voidedBy, voidReason, ...known } = vote;
    const { listedAt, listedTakenBy, listedReasons, paidElsewhere, ...row } = known;
    const window = { start: windowStart, end: windowEnd };
    return {
      ...row,
      window,
      nextAt: nextAt(vote, window, windows),
      reasons: storedReasons.read(reasons),
      operatorReasons: storedReasons.read(operatorReasons),
      listed:
        listedAt === null
          ? null
          : { at: listedAt, takenBy: listedTakenBy ?? 0, reasons: storedReasons.read(listedReasons) },
      isPaidElsewhere: paidElsewhere === 1,
      voided: voidedAt === null ? null : { at: voidedAt, by: voidedBy ?? '', reason: voidReason ?? '' },
    };
  });
}

/** When the next vote could be rewarded, as it was when this vote came: only earlier votes count. */
function nextAt(
  vote: Pick<StoredVote, 'id' | 'service' | 'site' | 'recipientId' | 'castAt' | 'decision'>,
  window: Window,
  windows: Windows,
): number | null {
  if (vote.decision === 'rewarded') return window.end;
  if (vote.decision !== 'cooldown' && vote.decision !== 'unlisted') return null;
  const ms = window.end - window.start;
  const earlier = windows.rewardedSince(vote, vote.castAt - ms).filter(({ id }) => id < vote.id);
  // A window that does not start with its vote is a calendar day.
  return window.start === vote.castAt ? nextWindow(vote.castAt, { kind: 'span', ms }, earlier) : window.end;
}
