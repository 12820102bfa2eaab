import { allGrants } from '../ledger/all-grants.ts';
import type { GrantRow, LedgerReader, VoteRow } from '../ledger/ledger.ts';

/** One vote with all that followed from it. */
export interface VoteTrace {
  readonly vote: VoteRow;
  /** The vote whose window it fell into, where the decision was `cooldown`. */
  readonly takenBy: VoteRow | null;
  /** In the order in which they were made. */
  readonly grants: readonly GrantRow[];
}

/** The latest `limit` votes of a recipient, the newest last, as one reads what happened. */
export async function traceOf(
  ledger: LedgerReader,
  recipient: string,
  limit: number,
): Promise<readonly VoteTrace[]> {
  const votes = await ledger.votes({ recipient, limit });
  const traces: VoteTrace[] = [];
  for (const vote of votes.toReversed()) traces.push(await traceVote(ledger, vote));
  return traces;
}

async function traceVote(ledger: LedgerReader, vote: VoteRow): Promise<VoteTrace> {
  const [takenBy] = vote.takenBy === null ? [] : await ledger.votes({ id: vote.takenBy, limit: 1 });
  const grants: GrantRow[] = [];
  for await (const grant of allGrants(ledger, { voteId: vote.id })) grants.unshift(grant);
  return { vote, takenBy: takenBy ?? null, grants };
}
