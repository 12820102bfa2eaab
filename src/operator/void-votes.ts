import type { GrantRow, Ledger, VoidRefusal, VoteRow } from '../ledger/ledger.ts';
import { allGrants } from './grants/selection.ts';

/** A vote that can be voided, with what was granted for it, which stays. */
export interface VoidableVote {
  readonly vote: VoteRow;
  readonly grants: readonly GrantRow[];
}

export type VoidPlan =
  | { readonly kind: 'planned'; readonly votes: readonly VoidableVote[] }
  | { readonly kind: 'refused'; readonly code: VoidRefusal; readonly id: number };

/** Refused if any of the votes does not exist or is voided already. */
export async function planVoid(ledger: Ledger, ids: readonly number[]): Promise<VoidPlan> {
  const votes: VoidableVote[] = [];
  for (const id of ids) {
    const [vote] = await ledger.votes({ id, limit: 1 });
    if (vote === undefined) return { kind: 'refused', code: 'vote-missing', id };
    if (vote.voided !== null) return { kind: 'refused', code: 'vote-voided', id };
    const grants: GrantRow[] = [];
    for await (const grant of allGrants(ledger, { voteId: id })) grants.unshift(grant);
    votes.push({ vote, grants });
  }
  return { kind: 'planned', votes };
}
