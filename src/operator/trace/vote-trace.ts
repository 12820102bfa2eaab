import type { GrantRow, Ledger, VoteRow } from '../../ledger/ledger.ts';
import { allGrants } from '../grants/selection.ts';
import { likelyPlayer } from './near-names.ts';

/** One vote with its grants. */
export interface VoteTrace {
  readonly vote: VoteRow;
  /** If the decision was `cooldown` or `unlisted`, the vote whose window this one fell into. */
  readonly takenBy: VoteRow | null;
  /** In the order in which they were created. */
  readonly grants: readonly TracedGrant[];
}

export interface TracedGrant extends GrantRow {
  /** Of a waiting grant: the player who is probably meant; null if nothing is known. */
  readonly likelyPlayer: string | null;
}

/** So many votes are traced together, which takes one trip to the ledger's reader for each question instead of ten. */
const AT_ONCE = 10;

const portions = (votes: readonly VoteRow[]): readonly (readonly VoteRow[])[] =>
  Array.from({ length: Math.ceil(votes.length / AT_ONCE) }, (_, at) =>
    votes.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );

/** The latest `limit` votes of a recipient, newest last. */
export async function traceOf(
  ledger: Ledger,
  recipient: string,
  limit: number,
  bedrockPrefixes: readonly string[],
): Promise<readonly VoteTrace[]> {
  const [votes, likely] = await Promise.all([
    ledger.votes({ recipient, limit }),
    likelyPlayer(ledger, recipient, bedrockPrefixes),
  ]);
  const traces: VoteTrace[] = [];
  // Some at a time: anyone may ask for many votes, and those of one turn of the event loop are one batch.
  for (const part of portions(votes.toReversed()))
    traces.push(...(await Promise.all(part.map((vote) => traceVote(ledger, vote, likely)))));
  return traces;
}

/** @param likely the player who is probably meant; null if nothing is known. */
export async function traceVote(ledger: Ledger, vote: VoteRow, likely: string | null): Promise<VoteTrace> {
  const [takenBy] = vote.takenBy === null ? [] : await ledger.votes({ id: vote.takenBy, limit: 1 });
  const grants: GrantRow[] = [];
  for await (const grant of allGrants(ledger, { voteId: vote.id })) grants.unshift(grant);
  return { vote, takenBy: takenBy ?? null, grants: grants.map((grant) => withLikely(grant, likely)) };
}

const withLikely = (grant: GrantRow, likely: string | null): TracedGrant => ({
  ...grant,
  likelyPlayer: grant.state === 'waiting' ? likely : null,
});
