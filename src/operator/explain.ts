import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { isPausedBy, type Pause } from '../core/pause.ts';
import { askedName, parseVotedName, playerKey } from '../core/player-name.ts';
import { serversIn } from '../core/pool.ts';
import type { GrantRow, Ledger, QueueState } from '../ledger/ledger.ts';
import { isUserId } from '../votes/judge-vote.ts';
import { type Uptime, uptimeOf } from './downtimes.ts';
import { allGrants } from './grants/selection.ts';
import type { GrantContext } from './trace/grant-todo.ts';
import { namesWithOtherPrefix, nearNames } from './trace/near-names.ts';
import {
  type NoiseFigure,
  noiseFigures,
  REFUSALS_SHOWN_MS,
  type RefusalFigure,
  refusalFigures,
} from './trace/refusals.ts';
import { patternsOf } from './trace/reply-doubts.ts';
import { traceOf, type VoteTrace } from './trace/vote-trace.ts';

/** Everything the ledger has about one name. */
export interface Explanation extends Uptime {
  /** The name that was looked up: spaces are `_`, as in a vote. */
  readonly name: string;
  /** Newest last. */
  readonly traces: readonly VoteTrace[];
  /** Grants that the operator gave to this player without a vote, in the order in which they were created. */
  readonly given: readonly GrantRow[];
  /** Grants that this player earned together with others, in the order in which they were created. */
  readonly together: readonly GrantRow[];
  /** Grants of other players' votes that the operator redirected to this player. */
  readonly paidInstead: readonly GrantRow[];
  /** Whether a vote for this name can be recorded at all. */
  readonly isAllowed: boolean;
  /** With votes: the same name with or without a Bedrock prefix. Without votes: every similar name. */
  readonly otherNames: readonly string[];
  /** Anything refused after this time may be the missing vote: refusals keep no player names. */
  readonly since: number;
  readonly refusals: readonly RefusalFigure[];
  readonly noise: readonly NoiseFigure[];
  /** By game server, as the delivering process last stored them. */
  readonly queues: ReadonlyMap<string, QueueState>;
  /** The operator's pauses that last. */
  readonly pauses: readonly Pause[];
}

/**
 * What became of a recipient's votes; if there are none, the likely reasons.
 *
 * @param isRunning whether a Teller that uses the ledger is running.
 */
export async function explain(
  asked: string,
  limit: number,
  ledger: Ledger,
  config: Config,
  { clock, isRunning }: { readonly clock: Clock; readonly isRunning: boolean },
): Promise<Explanation> {
  const now = clock.now();
  const { bedrockPrefixes } = config.players;
  const name = askedName(asked, bedrockPrefixes);
  const traces = await traceOf(ledger, name, limit, bedrockPrefixes);
  const others = traces.length > 0 ? namesWithOtherPrefix : nearNames;
  const since = Math.max(traces.at(-1)?.vote.receivedAt ?? 0, now - REFUSALS_SHOWN_MS);
  const [counts, names, otherNames, queues, pauses, uptime] = await Promise.all([
    ledger.refusals(since),
    namesOf(name, ledger),
    others(ledger, playerKey(name), bedrockPrefixes),
    ledger.queues(),
    ledger.pauses(),
    uptimeOf(ledger, clock, isRunning),
  ]);
  const [given, together, paidInstead] = await Promise.all([
    withoutVote(name, names, ledger, { given: true }),
    withoutVote(name, names, ledger, { together: true }),
    paidInsteadTo(name, names, ledger),
  ]);
  return {
    ...{ name, traces, given, together, paidInstead },
    isAllowed: isAllowed(name, config),
    ...{ otherNames, since },
    // Refusals are counted per hour, so the first hour can include older ones.
    refusals: refusalFigures(counts).filter(({ lastAt }) => lastAt > since),
    noise: noiseFigures(counts),
    ...{ queues, pauses },
    ...uptime,
  };
}

/** The reply patterns and the queue of a grant's game server, and what stops the grant. */
export const contextOf = (
  grant: GrantRow,
  { gameServers }: Config,
  { queues, pauses }: Pick<Explanation, 'queues' | 'pauses'>,
): GrantContext => ({
  patterns: patternsOf(gameServers, grant.server),
  queue: queueOf(grant.server, queues),
  pauses: pauses.filter((pause) => isPausedBy(grant, pause)),
});

/** A grant of a pool is stuck only if the queues of all its game servers are. */
export function queueOf(server: string, queues: Explanation['queues']): QueueState | null {
  const states = serversIn(server).map((name) => queues.get(name) ?? null);
  const working = states.find((state) => state?.reason == null);
  return working === undefined ? (states[0] ?? null) : working;
}

/** In lower case: those of the players who have or had the name, and the name itself. */
async function namesOf(name: string, ledger: Ledger): Promise<ReadonlySet<string>> {
  const players = await ledger.players(name);
  return new Set([playerKey(name), ...players.flatMap(({ names }) => names.map((each) => each.name))]);
}

async function withoutVote(
  recipient: string,
  names: ReadonlySet<string>,
  ledger: Ledger,
  which: { readonly given: true } | { readonly together: true },
): Promise<readonly GrantRow[]> {
  const grants: GrantRow[] = [];
  for await (const grant of allGrants(ledger, { recipient, ...which })) {
    const givenTo = grant.redirected?.insteadOf ?? grant.player ?? '';
    if (names.has(playerKey(givenTo))) grants.unshift(grant);
  }
  return grants;
}

async function paidInsteadTo(
  recipient: string,
  names: ReadonlySet<string>,
  ledger: Ledger,
): Promise<readonly GrantRow[]> {
  const grants: GrantRow[] = [];
  for await (const grant of allGrants(ledger, { recipient, redirected: true })) {
    if (names.has(playerKey(grant.player ?? ''))) grants.unshift(grant);
  }
  return grants;
}

const isAllowed = (name: string, { players, sites }: Config): boolean =>
  parseVotedName(name, players.bedrockPrefixes).kind === 'name' || mayBeUser(name, sites);

/** The webhook and the API also bring votes of user IDs. */
const mayBeUser = (name: string, sites: Config['sites']): boolean =>
  isUserId(name) && [...sites.values()].some(({ api, webhook }) => api !== null || webhook !== null);
