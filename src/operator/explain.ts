import type { Config } from '../config/config.ts';
import { parsePlayerName, parseVotedName, playerKey } from '../core/player-name.ts';
import { isUserId } from '../intake/vote-report.ts';
import { allGrants } from '../ledger/all-grants.ts';
import type { GrantRow, LedgerReader, QueueState } from '../ledger/ledger.ts';
import type { GrantContext } from '../trace/grant-lines.ts';
import { nearNames, namesWithOtherPrefix } from '../trace/near-names.ts';
import {
  type NoiseFigure,
  noiseFigures,
  REFUSALS_SHOWN_MS,
  type RefusalFigure,
  refusalFigures,
} from '../trace/refusals.ts';
import { patternsOf } from '../trace/reply-doubts.ts';
import { traceOf, type VoteTrace } from '../trace/vote-trace.ts';

/** Everything that is known about one name. */
export interface Explanation {
  /** As it was looked for: spaces are `_`, as in a vote. */
  readonly name: string;
  /** The newest last. */
  readonly traces: readonly VoteTrace[];
  /** Grants of other players' votes that the operator has paid to this one. */
  readonly paidInstead: readonly GrantRow[];
  /** Whether a vote for this name can count at all. */
  readonly isAllowed: boolean;
  /** With votes: the same name with or without a Bedrock prefix. Without: every name close to it. */
  readonly otherNames: readonly string[];
  /** What was refused after this time may be the vote that is missed: refusals keep no player names. */
  readonly since: number;
  readonly refusals: readonly RefusalFigure[];
  readonly noise: readonly NoiseFigure[];
  /** By game server, as the process that delivers last stored them. */
  readonly queues: ReadonlyMap<string, QueueState>;
}

/** What became of a recipient's votes, and where there are none, what may be the reason. */
export async function explain(
  asked: string,
  limit: number,
  ledger: LedgerReader,
  config: Config,
  now: number,
): Promise<Explanation> {
  const { bedrockPrefixes } = config.players;
  const voted = parseVotedName(asked, bedrockPrefixes);
  const name = voted.kind === 'name' ? voted.name : asked;
  const traces = await traceOf(ledger, name, limit, bedrockPrefixes);
  const others = traces.length > 0 ? namesWithOtherPrefix : nearNames;
  const since = Math.max(traces.at(-1)?.vote.receivedAt ?? 0, now - REFUSALS_SHOWN_MS);
  const counts = await ledger.refusals(since);
  return {
    name,
    traces,
    paidInstead: await paidInsteadTo(name, ledger),
    isAllowed: isAllowed(name, config),
    otherNames: await others(ledger, playerKey(name), bedrockPrefixes),
    since,
    // They are counted by the hour: those of its beginning are older than asked for.
    refusals: refusalFigures(counts).filter(({ lastAt }) => lastAt > since),
    noise: noiseFigures(counts),
    queues: await ledger.queues(),
  };
}

/** How a grant stands by what is configured and what runs. */
export const contextOf = (
  { server }: GrantRow,
  { gameServers }: Config,
  { queues }: Pick<Explanation, 'queues'>,
): GrantContext => ({ patterns: patternsOf(gameServers, server), queue: queues.get(server) ?? null });

async function paidInsteadTo(recipient: string, ledger: LedgerReader): Promise<readonly GrantRow[]> {
  const grants: GrantRow[] = [];
  for await (const grant of allGrants(ledger, { recipient, redirected: true })) {
    if (playerKey(grant.player ?? '') === playerKey(recipient)) grants.unshift(grant);
  }
  return grants;
}

const isAllowed = (name: string, { players, sites }: Config): boolean =>
  parsePlayerName(name, players.bedrockPrefixes).kind === 'name' || mayBeUser(name, sites);

/** By webhook and API, votes also come for user IDs. */
const mayBeUser = (name: string, sites: Config['sites']): boolean =>
  isUserId(name) && [...sites.values()].some(({ api, webhook }) => api !== null || webhook !== null);
