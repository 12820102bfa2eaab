import { DAY_MS } from './duration.ts';
import { CLAIM_TOLERANCE_MS, type Vote } from './vote.ts';

/** A backup that replaced a lost ledger. */
export interface Restore {
  readonly backupAt: number;
  readonly restoredAt: number;
}

/**
 * A vote cast up to this long before a backup may have arrived after it, because the site's clock is slow or the
 * listing's API reported it late (a listing keeps its events at most this long). A vote that arrived before the backup
 * is in it and counts as the same vote, so hardly any grant is held unnecessarily.
 */
export const LATE_MS = 90 * DAY_MS;

/** Rule 1: whether the lost ledger may have paid this vote, so that the operator has to decide. */
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
 * The lost ledger held block digests that this one lacks. If one of those v1 blocks is replayed now, the vote is dated
 * by its receipt. Only its claimed time shows when it was sent, and that is only as exact as the sender's clock.
 */
const isReplayable = ({
  castAt,
  claim,
  blockDigest,
}: Pick<Vote, 'castAt' | 'claim' | 'blockDigest'>): boolean => blockDigest !== null && claim?.at !== castAt;
