import { dirname } from 'node:path';
import {
  type Config,
  hasReal,
  type ListenerConfig,
  namedRewards,
  practiceNames,
  zoneOf,
} from '../config/config.ts';
import { wantedConnections } from '../config/wanted-connections.ts';
import { type Clock, isClockSet } from '../core/clock.ts';
import { connectionCaps } from '../core/connection-caps.ts';
import { localDay } from '../core/local-time.ts';
import { DEFAULT_SITE, serviceNameOf } from '../core/service-name.ts';
import type { GameServerConfig } from '../delivery/game-server-kind.ts';
import { GameServerQueue } from '../delivery/game-server-queue.ts';
import { gameServerKinds, kindOf, takesCommands } from '../delivery/kinds.ts';
import type { SeenPlayers } from '../delivery/seen-players.ts';
import type { TogetherSettings } from '../delivery/together/together.ts';
import type { Ledger, UsedConfig } from '../ledger/ledger.ts';
import { type AlarmSettings, Alarms } from '../notify/alarms/alarms.ts';
import { Events } from '../notify/events/events.ts';
import { wantsOf } from '../notify/events/receiver.ts';
import { postAnywhere } from '../notify/webhook/post.ts';
import { freeSpace } from '../platform/free-space.ts';
import type { EmbeddedServers } from '../practice/embedded.ts';
import { judgeByPeriods, rulesOf } from '../votes/sites.ts';
import type { WebhookSettings } from '../votes/webhook-in.ts';
import type { Environment } from './environment.ts';
import { Retention } from './retention.ts';

/** The settings that the parts of a running Teller get from its config, at the start and again at each reload. */

/** What the ledger keeps of the config, from now on. */
export function usedConfig(config: Config, clock: Clock): UsedConfig {
  const now = clock.now();
  return {
    today: localDay(now, zoneOf(config, clock)),
    rewards: namedRewards(config).map(({ name, was, limit, servers, whereOnline }) => ({
      ...{ name, was, limit, servers, whereOnline },
    })),
    tops: config.tops.map(({ name, period }) => ({ name, period })),
    isReal: hasReal(config),
    // So that a site's first vote is not older than the time it was first seen; a clock that is not set says nothing.
    ...(isClockSet(now) ? { seen: { sites: webhookSites(config), at: now } } : {}),
    told: { receivers: wantsOf(config.events), at: now },
  };
}

/** Practice servers say who real players are only where nobody real is paid (rule 9). */
export function believedServers(config: Config): ReadonlySet<string> {
  const practice = new Set(practiceNames(config));
  const names = [...config.gameServers.keys()];
  const real = [...config.gameServers].flatMap(([name, { kind }]) =>
    practice.has(name) || !takesCommands(kind) ? [] : [name],
  );
  return new Set(real.length === 0 ? names : real);
}

/** What the alarms watch. A practice server is always there, and one that is not served has nothing to accept. */
export const alarmSettings = (config: Config, clock: Clock): AlarmSettings => ({
  target: config.alarms,
  zone: zoneOf(config, clock),
  watched: {
    sites: [...config.sites.keys()].filter((name) => name !== DEFAULT_SITE).map(serviceNameOf),
    gameServers: [...config.gameServers].flatMap(([name, server]) =>
      kindOf(server).isPractice || !isServed(server, config)
        ? []
        : [{ name, takesVotes: !takesCommands(server.kind) }],
    ),
    folder: dirname(config.ledger),
  },
});

/** What forgets what is old, notifies the operator, and tells other programs. */
export const keepingOf = (config: Config, ledger: Ledger, { clock, random, log }: Environment) => ({
  retention: new Retention({ ledger, clock, log }, config.keep),
  alarms: new Alarms(
    { ledger, ledgerFile: config.ledger, clock, random, log, freeSpace },
    alarmSettings(config, clock),
  ),
  events: new Events({ ledger, clock, random, log, post: postAnywhere(clock) }, config.events),
});

/** Lowers `maxConnections` to what the open-file limit allows. */
export const listenerSettings = (config: Config, openFiles: number | null): ListenerConfig => ({
  ...config.listener,
  maxConnections: connectionCaps(openFiles, wantedConnections(config)).listener,
});

export const webhookSites = ({ sites }: Config): readonly string[] =>
  [...sites].filter(([, { webhook }]) => webhook !== null).map(([name]) => name);

export function webhookSettings({ sites, webhook }: Config, ledger: Ledger, clock: Clock): WebhookSettings {
  return { sites, hosts: webhook.hosts, unrewardedReason: judgeByPeriods(sites, ledger, clock) };
}

/** What a config says about what players earn together. */
export const togetherSettings = (
  config: Config,
  queues: ReadonlyMap<string, GameServerQueue>,
  seen: SeenPlayers,
  clock: Clock,
): TogetherSettings => ({
  seen,
  rules: rulesOf(config, zoneOf(config, clock)),
  tops: config.tops,
  publish: config.publish,
  remind: config.remind,
  sites: config.sites,
  bedrockPrefixes: config.players.bedrockPrefixes,
  servers: new Map([...queues].map(([name, { server }]) => [name, server])),
});

/** In shadow no command is run anywhere, and votes are still forwarded. */
const isServed = ({ kind }: GameServerConfig, { pay }: Config): boolean =>
  pay.mode === 'real' || !takesCommands(kind);

/** The queue of each game server that is served, not started. Queues in `kept` are used again as they are. */
export async function queuesFor(
  config: Config,
  ledger: Ledger,
  seen: SeenPlayers,
  embedded: EmbeddedServers,
  around: Environment,
  kept: ReadonlyMap<string, GameServerQueue> = new Map(),
): Promise<ReadonlyMap<string, GameServerQueue>> {
  await Promise.all(gameServerKinds.map((kind) => kind.load?.()));
  const queues = new Map<string, GameServerQueue>();
  for (const [name, server] of config.gameServers) {
    if (!isServed(server, config)) continue;
    queues.set(name, kept.get(name) ?? (await queueFor(name, server, { ledger, seen, embedded }, around)));
    if (!kept.has(name)) applyToQueue(queues.get(name), config);
  }
  return queues;
}

/** What a queue needs to know of the config besides its own game server. */
export function applyToQueue(queue: GameServerQueue | undefined, { rewards }: Config): void {
  if (queue === undefined) return;
  queue.keepsSeen = rewards.some(({ announcement }) => announcement !== null);
}

async function queueFor(
  name: string,
  config: GameServerConfig,
  { ledger, seen, embedded }: { ledger: Ledger; seen: SeenPlayers; embedded: EmbeddedServers },
  { clock, random, log, observer, connect }: Environment,
): Promise<GameServerQueue> {
  return new GameServerQueue({
    name,
    practice: kindOf(config).isPractice,
    takesVotes: !takesCommands(config.kind),
    isSilent: !kindOf(config).reportsPresence({ ...config }),
    server: await connect(config, name, embedded.servers.get(name) ?? null),
    ledger,
    joinDelayMs: config.joinDelayMs,
    presenceIntervalMs: config.presenceIntervalMs,
    seen,
    clock,
    random,
    log,
    observer,
  });
}
