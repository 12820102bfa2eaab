import type { DecisionKind } from '../core/decide.ts';
import { instantOf } from '../core/local-time.ts';
import type { Channel } from '../core/vote.ts';
import type { GrantCounts, Ledger, VoteFilter, VotePage, VoteRow } from '../ledger/ledger.ts';

export const DECISIONS: readonly DecisionKind[] = [
  ...(['rewarded', 'cooldown', 'unlisted', 'too-old', 'before-start', 'no-player', 'practice'] as const),
];

export const CHANNELS: readonly Channel[] = [
  ...(['listener-v1', 'listener-v2', 'webhook', 'api', 'operator', 'import'] as const),
];

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

/** A list looks at so many votes, and says how far it came: to look at more would take longer than a page may take. */
const LOOK_AT = 6_000;
/** So many are looked at with one call, which takes up to 20 ms if each is on another page of the file. */
const AT_ONCE = 3_000;

/** Votes with their grants. */
export async function voteList(
  ledger: Pick<Ledger, 'votePage' | 'grantsOfVotes'>,
  filter: VoteFilter,
  lookAt: number = LOOK_AT,
): Promise<VoteList> {
  const { votes, ...searched } = await search(ledger, filter, lookAt);
  const counts = await ledger.grantsOfVotes(votes.map(({ id }) => id));
  return {
    ...searched,
    votes: votes.map((vote) => {
      const grants = counts.get(vote.id) ?? {};
      return { vote, grants, payment: paymentOf(vote, grants) };
    }),
  };
}

function paymentOf({ isPaidElsewhere }: Pick<VoteRow, 'isPaidElsewhere'>, grants: GrantCounts): Payment {
  const has = (state: keyof GrantCounts): boolean => (grants[state] ?? 0) > 0;
  if (has('held') || has('refused')) return 'needs-operator';
  if (has('waiting')) return 'waiting';
  if (has('pending')) return 'pending';
  if (has('delivered')) return 'paid';
  if (isPaidElsewhere) return 'elsewhere';
  return has('cancelled') ? 'cancelled' : 'nothing';
}

/** Every vote that matches, up to the limit, however many have to be looked at. */
export const votesMatching = async (
  ledger: Pick<Ledger, 'votePage'>,
  filter: VoteFilter,
): Promise<readonly VoteRow[]> => (await search(ledger, filter, Number.POSITIVE_INFINITY)).votes;

async function search(
  ledger: Pick<Ledger, 'votePage'>,
  filter: VoteFilter,
  lookAt: number,
): Promise<VotePage> {
  let found: VotePage = { votes: [], lookedAt: 0, searchedTo: filter.after ?? Number.MAX_SAFE_INTEGER };
  while (found.searchedTo !== null && found.votes.length < filter.limit && found.lookedAt < lookAt) {
    const rest = { after: found.searchedTo, limit: filter.limit - found.votes.length };
    const page = await ledger.votePage({ ...filter, ...rest }, Math.min(AT_ONCE, lookAt - found.lookedAt));
    const { searchedTo } = page;
    found = { votes: [...found.votes, ...page.votes], lookedAt: found.lookedAt + page.lookedAt, searchedTo };
  }
  return found;
}

/** The times in which the votes of a local day were received. @param day days since 1970-01-01. */
export const receivedOn = (
  day: number,
  zone: string,
): { readonly since: number; readonly until: number } => ({
  since: instantOf({ day, minute: 0 }, zone),
  until: instantOf({ day: day + 1, minute: 0 }, zone),
});
