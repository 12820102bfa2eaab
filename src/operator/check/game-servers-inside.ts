import type { Clock } from '../../core/clock.ts';
import { type Finding, ok, problem } from '../../core/finding.ts';
import type { PauseCode } from '../../core/game-server-codes.ts';
import type { ProblemCode } from '../../core/problem.ts';
import type { GameServerConfig } from '../../delivery/game-server.ts';
import { kindOf } from '../../delivery/kinds.ts';
import { gameServerReasons, sentenceOf } from '../../delivery/outcomes.ts';
import { oneByOne, presenceFinding, unreachable } from '../../delivery/presence.ts';
import type { ServedGameServer } from '../../delivery/queue.ts';
import { needsUuidsOn } from '../game-servers/needs-uuids.ts';
import type { GameServerWatch } from '../now/game-server-watch.ts';
import { connectionOf } from '../now/game-servers.ts';
import { notReal } from './game-servers.ts';
import type { Subject } from './subject.ts';

/** What a running Teller knows of its game servers without asking them. */
export interface KnownGameServers {
  readonly served: readonly ServedGameServer[];
  readonly watch: GameServerWatch;
  readonly tries: FirstTries;
}

/** Each as its queue knows it, and as it last answered. Only one to which nothing was sent yet is tried. */
export async function gameServersInside(
  { served, watch, tries }: KnownGameServers,
  subject: Subject,
): Promise<readonly Finding[]> {
  const each = served.map(async (server) => {
    const entry = subject.config.gameServers.get(server.name);
    if (entry === undefined) return [];
    const known = knownOf(server, entry, watch, subject);
    return known ?? tries.of(server, () => tryOne(server.name, entry, subject));
  });
  return (await Promise.all(each)).flat();
}

/** null: nothing is known. */
function knownOf(
  server: ServedGameServer,
  entry: GameServerConfig,
  watch: GameServerWatch,
  { config }: Subject,
): readonly Finding[] | null {
  const { isPractice, reportsPresence, placeOf } = kindOf(entry);
  const { name } = server;
  if (isPractice) return [notReal(name)];
  const where = `${name} (${placeOf(entry)})`;
  const seen = watch.of(server);
  const connection = connectionOf(server, seen);
  if (connection.kind === 'trouble') return [troubleFinding(where, connection)];
  if (seen?.isAskedOneByOne) return [oneByOne(where)];
  const needsUuids = needsUuidsOn(name, config);
  if (seen !== null) return [presenceFinding({ where, sentenceOf, needsUuids }, seen.presence)];
  if (connection.kind === 'connected') return [ok('game-server', `${where} accepts what is sent to it`)];
  // It is being asked, and the next check has its answer.
  return reportsPresence({ ...entry }) ? [] : null;
}

/** A queue also waits while the ledger cannot be used. */
function troubleFinding(where: string, { code, sentence }: { code: string; sentence: string }): Finding {
  return code in gameServerReasons
    ? unreachable({ where, sentenceOf }, code as PauseCode)
    : problem(code as ProblemCode, `${where}: ${sentence}`);
}

const tryOne = (
  name: string,
  entry: GameServerConfig,
  { clock, random, config }: Subject,
): Promise<readonly Finding[]> =>
  kindOf(entry).check(entry, {
    ...{ name, clock, random, sentenceOf },
    needsUuids: needsUuidsOn(name, config),
    isInUse: async () => false,
  });

const TRY_EVERY_MS = 60_000;

/** What was found when game servers were tried that nothing was sent to yet, so that they are tried once a minute only. */
export class FirstTries {
  private readonly tried = new WeakMap<ServedGameServer, { at: number; findings: readonly Finding[] }>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  async of(server: ServedGameServer, tryNow: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
    const last = this.tried.get(server);
    const now = this.clock.monotonic();
    if (last !== undefined && now - last.at < TRY_EVERY_MS) return last.findings;
    const findings = await tryNow();
    this.tried.set(server, { at: now, findings });
    return findings;
  }
}
