import { DAY_MS } from './duration.ts';
import { CLAIM_TOLERANCE_MS, type Vote } from './vote.ts';

/** A backup that took the place of a lost ledger. */
export interface Restore {
  readonly backupAt: number;
  readonly restoredAt: number;
}

/**
 * A vote cast before a backup may have come after it, by this much: the site's clock is slow, or the listing's API
 * reported it late (the longest that a listing keeps its events). A vote that came in time is in the backup and is the
 * same vote, so this holds almost no grant that is owed.
 */
export const LATE_MS = 90 * DAY_MS;

/** Rule 1: whether the ledger that was lost may have paid this vote, so that the operator decides. */
export const isInRestoreDoubt = (
  { castAt, claim, blockDigest }: Pick<Vote, 'castAt' | 'claim' | 'blockDigest'>,
  restores: readonly Restore[],
): boolean =>
  restores.some(
    ({ backupAt, restoredAt }) =>
      (castAt >= backupAt - LATE_MS && castAt < restoredAt) ||
      (isReplayable({ castAt, claim, blockDigest }) &&
        claim !== null &&
        claim.at >= backupAt - CLAIM_TOLERANCE_MS &&
        claim.at < restoredAt + CLAIM_TOLERANCE_MS),
  );

/**
 * The lost ledger held block digests that this one lacks. A v1 block from then that is replayed now counts by its
 * receipt; only its claimed time shows when it was sent, as exactly as its sender's clock was set.
 */
const isReplayable = ({
  castAt,
  claim,
  blockDigest,
}: Pick<Vote, 'castAt' | 'claim' | 'blockDigest'>): boolean => blockDigest !== null && claim?.at !== castAt;
