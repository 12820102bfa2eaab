import { allGrants } from '../ledger/all-grants.ts';
import type { GrantRow, LedgerReader, VoteRow } from '../ledger/ledger.ts';
import { likelyPlayer } from './near-names.ts';

/** One vote with its grants. */
export interface VoteTrace {
  readonly vote: VoteRow;
  /** If the decision was `cooldown` or `unlisted`, the vote whose window this one fell into. */
  readonly takenBy: VoteRow | null;
  /** In the order in which they were created. */
  readonly grants: readonly GrantRow[];
}

/** The latest `limit` votes of a recipient, newest last. */
export async function traceOf(
  ledger: LedgerReader,
  recipient: string,
  limit: number,
  bedrockPrefixes: readonly string[],
): Promise<readonly VoteTrace[]> {
  const votes = await ledger.votes({ recipient, limit });
  const traces: VoteTrace[] = [];
  const likely = await likelyPlayer(ledger, recipient, bedrockPrefixes);
  for (const vote of votes.toReversed()) traces.push(await traceVote(ledger, vote, likely));
  return traces;
}

/** @param likely the player who is probably meant; null if nothing is known. */
export async function traceVote(
  ledger: LedgerReader,
  vote: VoteRow,
  likely: string | null,
): Promise<VoteTrace> {
  const [takenBy] = vote.takenBy === null ? [] : await ledger.votes({ id: vote.takenBy, limit: 1 });
  const grants: GrantRow[] = [];
  for await (const grant of allGrants(ledger, { voteId: vote.id })) grants.unshift(grant);
  return { vote, takenBy: takenBy ?? null, grants: grants.map((grant) => withLikely(grant, likely)) };
}

/** A player seen on the game server is more likely than one who only voted. */
const withLikely = (grant: GrantRow, likely: string | null): GrantRow => ({
  ...grant,
  likelyPlayer: grant.state === 'waiting' ? (grant.likelyPlayer ?? likely) : null,
});
