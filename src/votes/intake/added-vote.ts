import type { JudgedArrival } from '../../core/decide.ts';
import type { Claim } from '../../core/vote.ts';

/** A vote that the operator adds, besides its player and service. */
export interface AddedVote {
  /** When it was cast; null: now. */
  readonly at: number | null;
  /** A listing's ID of the vote, or the operator's own; null: none. */
  readonly eventId: string | null;
  /** The account on this machine. */
  readonly by: string;
  readonly now: number;
}

/** Makes a vote that would be accepted one that the operator adds. */
export const addedVote = (judged: JudgedArrival, { at, eventId, by, now }: AddedVote): JudgedArrival => ({
  ...judged,
  vote: {
    ...judged.vote,
    castAt: at ?? now,
    // A vote with an ID is found by it: if it also took the place of a listener vote of that time, that one could no
    // longer be paired with the listing's own ID (rule 2).
    claim: at === null || eventId !== null ? null : claimOf(at),
    receivedAt: now,
    channel: 'operator',
    address: null,
    eventId,
    blockDigest: null,
    wire: JSON.stringify({ addedBy: by }),
  },
});

/** A vote of the time before Teller, besides its player and service. */
export type ImportedVote = Pick<AddedVote, 'by' | 'now'> & {
  /** When it was cast. */
  readonly at: number;
};

/**
 * Makes a vote that would be accepted one that is imported. Its time identifies it, as that of a listener vote does, so that
 * it is the same vote if it is imported again or found in a listing's API.
 */
export const importedVote = (judged: JudgedArrival, { at, by, now }: ImportedVote): JudgedArrival => ({
  ...judged,
  vote: {
    ...judged.vote,
    ...{ castAt: at, claim: claimOf(at), receivedAt: now },
    ...{ channel: 'import', address: null, eventId: null, blockDigest: null },
    wire: JSON.stringify({ addedBy: by }),
  },
});

const claimOf = (at: number): Claim => ({ at, precision: at % 1000 === 0 ? 's' : 'ms' });

/** Who added or imported a vote, from its stored text. */
export const adderOf = (wire: string): string => (JSON.parse(wire) as { readonly addedBy: string }).addedBy;
