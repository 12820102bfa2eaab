import { CLAIM_TOLERANCE_MS, type Claim, isSameClaim, type Vote } from './vote.ts';

/** The parts of a stored vote that show whether an arriving vote is the same one. */
export interface KnownVote {
  readonly id: number;
  readonly service: string;
  readonly recipientId: number;
  readonly claimedAt: number | null;
  readonly receivedAt: number;
  readonly eventId: string | null;
  readonly blockDigest: Uint8Array | null;
}

/** The parts of an arriving vote that are compared with stored votes. */
export interface ArrivingVote extends Pick<Vote, 'service' | 'eventId' | 'blockDigest' | 'claim'> {
  readonly recipientId: number;
}

export interface SameVote {
  readonly id: number;
  /** The stored vote came without an event ID, and gets that of this vote. */
  readonly getsEventId: boolean;
}

/**
 * Rule 2: finds the same vote by the most certain sign first: event ID, v1 block, service with recipient and claimed
 * time, or with the time of receipt as it was forwarded.
 *
 * @param known in order of their IDs; at least the stored votes with this event ID, with this block, and those of the
 * same service and recipient in the same claimed second.
 */
export function sameVote(vote: ArrivingVote, known: readonly KnownVote[]): SameVote | null {
  const same =
    known.find((other) => hasSameEvent(vote, other)) ??
    known.find((other) => isRenamed(vote, other)) ??
    known.find((other) => hasSameBlock(vote, other));
  if (same !== undefined) return { id: same.id, getsEventId: false };
  const claimed = known.find((other) => hasSameClaim(vote, other));
  if (claimed !== undefined) return { id: claimed.id, getsEventId: vote.eventId !== null };
  const returned = known.find((other) => isReturned(vote, other));
  return returned === undefined ? null : { id: returned.id, getsEventId: false };
}

/**
 * The time that identifies a vote where it is forwarded to: the claimed time, or the time of receipt of a vote whose claimed
 * time is missing or cannot be believed.
 */
export const identifyingTime = (claim: Claim | null, receivedAt: number): number =>
  claim !== null && isCredible(claim.at, receivedAt) ? claim.at : receivedAt;

/** The vote was forwarded from here with its time of receipt, and comes back with it as the claimed time. */
const isReturned = (vote: ArrivingVote, other: KnownVote): boolean =>
  vote.eventId === null &&
  vote.claim !== null &&
  (other.claimedAt === null || !isCredible(other.claimedAt, other.receivedAt)) &&
  vote.service === other.service &&
  vote.recipientId === other.recipientId &&
  isSameClaim(vote.claim, storedClaim(other.receivedAt));

const hasSameEvent = (vote: ArrivingVote, other: KnownVote): boolean =>
  vote.eventId !== null && vote.eventId === other.eventId && vote.service === other.service;

/**
 * A site whose entry was renamed may repeat its votes. If only the event ID were compared, one site could suppress
 * another's votes.
 */
const isRenamed = (vote: ArrivingVote, other: KnownVote): boolean =>
  vote.eventId !== null &&
  vote.eventId === other.eventId &&
  vote.recipientId === other.recipientId &&
  vote.claim !== null &&
  other.claimedAt !== null &&
  secondOf(vote.claim.at) === secondOf(other.claimedAt);

const hasSameBlock = (vote: ArrivingVote, other: KnownVote): boolean =>
  vote.blockDigest !== null &&
  other.blockDigest !== null &&
  Buffer.compare(vote.blockDigest, other.blockDigest) === 0;

/** A vote from the listener gets at most one event ID and keeps it; two event IDs are two votes. */
const hasSameClaim = (vote: ArrivingVote, other: KnownVote): boolean =>
  vote.claim !== null &&
  other.claimedAt !== null &&
  vote.service === other.service &&
  vote.recipientId === other.recipientId &&
  isSameClaim(vote.claim, storedClaim(other.claimedAt)) &&
  isCredible(other.claimedAt, other.receivedAt) &&
  (vote.eventId === null || other.eventId === null);

/**
 * A claimed time far in the future does not identify a vote. Otherwise anyone who has the public key could forge votes
 * for tomorrow, and tomorrow's genuine votes would be treated as repeats.
 */
const isCredible = (claimedAt: number, receivedAt: number): boolean =>
  claimedAt <= receivedAt + CLAIM_TOLERANCE_MS;

/** The precision is not stored: a time without milliseconds is precise to the second [T-4]. */
const storedClaim = (at: number): Claim => ({ at, precision: at % 1000 === 0 ? 's' : 'ms' });

export const secondOf = (at: number): number => Math.floor(at / 1000);
