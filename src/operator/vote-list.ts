import { instantOf } from '../core/local-time.ts';
import type { GrantCounts, LedgerReader, VoteFilter, VotePage, VoteRow } from '../ledger/ledger.ts';

/**
 * What became of the grants of a vote, in a word: the one that an operator has to know first.
 * - `needs-operator`: one is held or refused
 * - `waiting`: one waits for its player, or for the end of its delay
 * - `pending`: one will be tried
 * - `paid`: all that were not cancelled are delivered
 * - `elsewhere`: another listener pays them
 */
export type Payment =
  | 'needs-operator'
  | 'waiting'
  | 'pending'
  | 'paid'
  | 'elsewhere'
  | 'cancelled'
  | 'nothing';

/** A vote as a list shows it. */
export interface ListedVote {
  readonly vote: VoteRow;
  readonly grants: GrantCounts;
  readonly payment: Payment;
}

export interface VoteList extends Pick<VotePage, 'lookedAt' | 'searchedTo'> {
  /** Newest first. */
  readonly votes: readonly ListedVote[];
}

/** One page of votes with their grants. @param lookAt how many votes are looked at; by default, see `votePage`. */
export async function voteList(
  ledger: Pick<LedgerReader, 'votePage' | 'grantsOfVotes'>,
  filter: VoteFilter,
  lookAt?: number,
): Promise<VoteList> {
  const { votes, ...searched } = await ledger.votePage(filter, lookAt);
  const counts = await ledger.grantsOfVotes(votes.map(({ id }) => id));
  return {
    ...searched,
    votes: votes.map((vote) => {
      const grants = counts.get(vote.id) ?? {};
      return { vote, grants, payment: paymentOf(vote, grants) };
    }),
  };
}

export function paymentOf(
  { isPaidElsewhere }: Pick<VoteRow, 'isPaidElsewhere'>,
  grants: GrantCounts,
): Payment {
  const has = (state: keyof GrantCounts): boolean => (grants[state] ?? 0) > 0;
  if (has('held') || has('refused')) return 'needs-operator';
  if (has('waiting')) return 'waiting';
  if (has('pending')) return 'pending';
  if (has('delivered')) return 'paid';
  if (isPaidElsewhere) return 'elsewhere';
  return has('cancelled') ? 'cancelled' : 'nothing';
}

/** Every vote that matches, up to the limit, however many have to be looked at. */
export async function votesMatching(
  ledger: Pick<LedgerReader, 'votePage'>,
  filter: VoteFilter,
): Promise<readonly VoteRow[]> {
  let found: readonly VoteRow[] = [];
  for (let from: Pick<VoteFilter, 'after'> = filter; ; ) {
    const page = await ledger.votePage({ ...filter, ...from, limit: filter.limit - found.length });
    found = [...found, ...page.votes];
    if (page.searchedTo === null || found.length === filter.limit) return found;
    from = { after: page.searchedTo };
  }
}

/** The times in which the votes of a local day were received. @param day days since 1970-01-01. */
export const receivedOn = (
  day: number,
  zone: string,
): { readonly since: number; readonly until: number } => ({
  since: instantOf({ day, minute: 0 }, zone),
  until: instantOf({ day: day + 1, minute: 0 }, zone),
});
