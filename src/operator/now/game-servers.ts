import type { Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import type { CannotTellCode, PauseCode } from '../../core/game-server-codes.ts';
import type { GameServerConfig } from '../../delivery/game-server.ts';
import { kindOf } from '../../delivery/kinds.ts';
import { gameServerReasons, sentenceOf } from '../../delivery/outcomes.ts';
import type { ServedGameServer } from '../../delivery/queue.ts';
import type { Ledger, QueueLength } from '../../ledger/ledger.ts';
import type { GameServerWatch, Seen } from './game-server-watch.ts';

/** Whether commands can be sent to a game server. */
export type Connection =
  | { readonly kind: 'connected' }
  /** Nothing was sent to it yet. */
  | { readonly kind: 'untried' }
  /** `code`: of a reason or a problem. */
  | { readonly kind: 'trouble'; readonly code: string; readonly sentence: string };

/** What a game server reports about who is online. */
export type Reports =
  /** `hasUuids`: null as long as the list was empty. */
  | { readonly kind: 'list'; readonly hasUuids: boolean | null }
  | { readonly kind: 'one-by-one' }
  | { readonly kind: 'nothing'; readonly code: CannotTellCode; readonly sentence: string }
  | { readonly kind: 'unknown' };

export interface GameServerNow {
  readonly name: string;
  readonly kind: string;
  /** What the kind is, in a few words. */
  readonly means: string;
  readonly isPractice: boolean;
  /** null: inside this process. */
  readonly place: string | null;
  readonly connection: Connection;
  /** When it is tried again, in milliseconds since the Unix epoch; null: there is no trouble with it, or it is tried now. */
  readonly retryAt: number | null;
  readonly reports: Reports;
  /** Who was online at the last answer; null: not known. */
  readonly online: readonly string[] | null;
  readonly queue: Omit<QueueLength, 'server'>;
}

/** The game servers of a running Teller, and what waits for them. */
export interface GameServersNow {
  readonly servers: readonly GameServerNow[];
  /** Queues of pools, of which no game server has taken the grants, and of game servers that are gone. */
  readonly others: readonly QueueLength[];
}

/** Counts of grants end here. */
export const COUNTED_MAX = 10_000;

const EMPTY: GameServerNow['queue'] = { pending: 0, waiting: 0, held: 0, refused: 0 };

export async function gameServersNow(
  config: Config,
  served: readonly ServedGameServer[],
  watch: GameServerWatch,
  ledger: Pick<Ledger, 'queueLengths'>,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): Promise<GameServersNow> {
  const lengths = await ledger.queueLengths(COUNTED_MAX);
  const servers = served.flatMap((server): GameServerNow[] => {
    const entry = config.gameServers.get(server.name);
    if (entry === undefined) return [];
    const { server: _, ...queue } = lengths.find((each) => each.server === server.name) ?? {
      server: server.name,
      ...EMPTY,
    };
    return [{ ...gameServerNow(server, entry, watch.of(server), clock), queue }];
  });
  const shown = new Set(servers.map(({ name }) => name));
  return { servers, others: lengths.filter(({ server }) => !shown.has(server)) };
}

function gameServerNow(
  server: ServedGameServer,
  entry: GameServerConfig,
  seen: Seen | null,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): Omit<GameServerNow, 'queue'> {
  const kind = kindOf(entry);
  const connection = connectionOf(server, seen);
  const monotonic = clock.monotonic();
  const { retryAt } = server.state;
  const isLater = connection.kind === 'trouble' && retryAt !== null && retryAt > monotonic;
  return {
    name: server.name,
    kind: kind.name,
    means: kind.means,
    isPractice: kind.isPractice,
    place: kind.placeOf(entry),
    connection,
    retryAt: isLater ? Math.round(clock.now() + retryAt - monotonic) : null,
    reports: reportsOf(kind.reportsPresence({ ...entry }), seen),
    online: seen?.presence.kind === 'known' ? seen.presence.names : null,
  };
}

/** An answer about who is online is newer than what the queue knows, which may have had nothing to send. */
export function connectionOf({ state: { reason } }: ServedGameServer, seen: Seen | null): Connection {
  if (seen?.presence.kind === 'unreachable') return troubleOf(seen.presence.reason);
  if (seen !== null) return { kind: 'connected' };
  if (reason === undefined) return { kind: 'untried' };
  return reason === null ? { kind: 'connected' } : troubleOf(reason);
}

/** A queue also waits if the ledger cannot be used. */
const troubleOf = (code: string): Connection => ({
  kind: 'trouble',
  code,
  sentence:
    code in gameServerReasons
      ? sentenceOf(code as PauseCode)
      : 'the ledger cannot be used at the moment, so nothing is sent; see the log',
});

function reportsOf(canReport: boolean, seen: Seen | null): Reports {
  if (!canReport) return { kind: 'unknown' };
  if (seen === null || seen.presence.kind === 'unreachable') return { kind: 'unknown' };
  if (seen.isAskedOneByOne || seen.presence.kind === 'asked') return { kind: 'one-by-one' };
  if (seen.presence.kind === 'known') return { kind: 'list', hasUuids: seen.hasUuids };
  const { reason } = seen.presence;
  return { kind: 'nothing', code: reason, sentence: sentenceOf(reason) };
}
