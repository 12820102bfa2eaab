/**
 * The one list of the parts of a running Teller. They start in its order and stop in reverse order. Each part is prepared for a config,
 * at the start and at every reload: that may fail, and changes nothing that runs. Committing what was prepared cannot fail. A new part
 * is one more entry of the list.
 */
import { dirname } from 'node:path';
import { type Change, changesEntry } from '../config/changes.ts';
import { type Config, kindByServer, practiceNames, zoneOf } from '../config/config.ts';
import { ensureKeyPair, readKeyPair } from '../config/keys.ts';
import { wantedConnections } from '../config/wanted-connections.ts';
import { connectionCaps } from '../core/connection-caps.ts';
import { DEFAULT_SITE, serviceNameOf } from '../core/service-name.ts';
import type { Vote } from '../core/vote.ts';
import { Delivery } from '../delivery/delivery.ts';
import type { GameServerConfig } from '../delivery/game-server.ts';
import { gameServerKinds, kindOf, takesCommands } from '../delivery/kinds.ts';
import { SeenPlayers } from '../delivery/presence.ts';
import { GameServerQueue } from '../delivery/queue.ts';
import { Together } from '../delivery/together.ts';
import type { Ledger, Recorded } from '../ledger/ledger.ts';
import { type AlarmSettings, Alarms } from '../notify/alarms/alarms.ts';
import { Events } from '../notify/events/events.ts';
import { postAnywhere } from '../notify/webhook/post.ts';
import { freeSpace } from '../platform/free-space.ts';
import type { ListeningAddress } from '../platform/listen.ts';
import { RAISE_LIMIT } from '../platform/open-files.ts';
import { EmbeddedServers } from '../practice/embedded.ts';
import { Recovery } from '../votes/catch-up.ts';
import { Intake } from '../votes/intake.ts';
import { Listener } from '../votes/listener.ts';
import { RefusalFigures } from '../votes/refusals.ts';
import { judgeByPeriods, rulesOf, UnlistedPayments } from '../votes/sites.ts';
import { VoteLog } from '../votes/vote-log.ts';
import type { WebhookIn } from '../votes/webhook-in.ts';
import type { Environment } from './environment.ts';
import { Heartbeat, Retention } from './upkeep.ts';

export interface Part {
  /** The log names it if it fails because of a bug. */
  readonly name: string;
  /** Does for a config what can fail, and changes nothing that runs. Absent: no config concerns it. */
  prepare?(next: Next): Prepared | Promise<Prepared>;
  /** Begins its work, once every part is there. */
  start?(): void | Promise<void>;
  /** Begins what only the delivering process does (rule 6), before anything is paid. */
  startDelivering?(): void | Promise<void>;
  /** Called with every vote once it is on disk. */
  recorded?(vote: Vote, recorded: Recorded): void;
  /** Wall time was moved: what is due now is not left to the next look. */
  lookNow?(): void;
  /** Finishes what is in progress. It may not have begun its work. */
  close?(): void | Promise<void>;
}

/** The config that the parts are prepared for, one after another. */
export interface Next {
  readonly config: Config;
  /** How it differs from the config in effect; empty at the start. */
  readonly changes: readonly Change[];
  /** Of the game servers that it serves, in its order: `delivery` adds them, for the parts after it. */
  readonly queues: Map<string, GameServerQueue>;
}

/** One of the two is called, once. */
export interface Prepared {
  /** Puts the config into effect as it is called. A promise resolves when the earlier config has no effect any more. Cannot fail. */
  readonly commit: () => unknown;
  /** Leaves everything as it was. Absent: it is. */
  readonly undo?: () => unknown;
}

/** The parts of one Teller: the list, and what the console and the commands see of them. */
export class Parts {
  readonly list: readonly Part[];
  readonly delivery: Delivery;
  /** The practice servers in this process. */
  readonly practice: EmbeddedServers;
  /** Of the game servers that are served, in the order of the config. */
  queues: ReadonlyMap<string, GameServerQueue> = new Map();
  /** Where votes are accepted. */
  votesAt: ListeningAddress | undefined;
  /** Where signed webhooks are accepted; null: no site has one. */
  webhooks: { readonly server: WebhookIn; readonly address: ListeningAddress } | null = null;
  /** What looks for the votes that never arrived. */
  recovery: Recovery | undefined;
  private readonly seen: SeenPlayers;
  private readonly heartbeat: Heartbeat;

  /** @param file the ledger's. */
  constructor(
    private readonly file: string,
    private readonly around: Environment & { readonly ledger: Ledger },
  ) {
    const { ledger, clock, log, observer } = around;
    this.practice = new EmbeddedServers(dirname(file), around);
    this.seen = new SeenPlayers(ledger, clock, new Set());
    this.heartbeat = new Heartbeat(around);
    this.list = [
      {
        // They are prepared with the queues of `delivery`, and stop after the last command of those.
        name: 'practice servers',
        startDelivering: () => this.practice.publish(),
        close: () => this.practice.close(),
      },
      {
        name: 'delivery',
        prepare: (next) => this.prepareDelivery(next),
        start: () => this.delivery.start(),
        recorded: (_, recorded) => {
          if (hasGrants(recorded)) this.onGrants();
        },
        lookNow: () => this.delivery.lookNow(),
        close: () => this.delivery.close(),
      },
      this.unlisted,
      this.together,
      this.retention,
      this.alarms,
      this.events,
      { ...this.refusals, close: () => this.refusals.live().store() },
      {
        name: 'figures',
        recorded: (vote, recorded) =>
          observer.recorded(vote, recorded.kind === 'new' ? recorded.decision.kind : 'known'),
      },
      { ...this.voteLog, recorded: (vote, recorded) => this.voteLog.live().recorded(vote, recorded) },
      this.intake,
      {
        ...this.listener,
        close: async () => {
          await this.listener.close();
          await this.heartbeat.close();
        },
      },
      {
        name: 'webhook port',
        prepare: (next) => this.prepareWebhooks(next),
        close: () => this.closeWebhooks(),
      },
      {
        name: 'recovery',
        prepare: (next) => this.prepareRecovery(next),
        start: () => this.recovery?.start(),
        close: () => this.recovery?.close(),
      },
      { name: 'log level', prepare: ({ config }) => ({ commit: () => (log.level = config.log.level) }) },
    ];
    this.delivery = new Delivery({ ...around, seen: this.seen, whileDelivering: this.list });
  }

  /** Queues whose game server has not changed continue undisturbed. New ones begin when the old ones have ended. */
  private async prepareDelivery({ config, changes, queues }: Next): Promise<Prepared> {
    const { queues: before, practice } = this;
    const [names, namesBefore] = [practiceNames(config), [...practice.servers.keys()]];
    const undo = async (): Promise<void> => {
      for (const [name, queue] of queues) if (queue !== before.get(name)) await queue.close();
      await practice.keepOnly(namesBefore);
    };
    try {
      await practice.start(names);
      await Promise.all(gameServerKinds.map((kind) => kind.load?.()));
      for (const [name, server] of config.gameServers) {
        if (!isServed(server, config)) continue;
        const kept = changesEntry(changes, 'gameServers', name) ? undefined : before.get(name);
        queues.set(name, kept ?? (await this.queueOf(name, server)));
      }
    } catch (error) {
      await undo();
      throw error;
    }
    const [believed, kinds] = [believedServers(config), kindByServer(config)];
    const keepsSeen = config.rewards.some(({ announcement }) => announcement !== null);
    const commit = async (): Promise<void> => {
      this.queues = queues;
      for (const queue of queues.values()) queue.keepsSeen = keepsSeen;
      this.seen.apply(believed);
      await this.delivery.replace([...queues.values()], kinds);
      await practice.keepOnly(names);
    };
    return { commit, undo };
  }

  private async queueOf(name: string, config: GameServerConfig): Promise<GameServerQueue> {
    const { around, seen } = this;
    const kind = kindOf(config);
    const embedded = this.practice.servers.get(name) ?? null;
    return new GameServerQueue({
      ...around,
      name,
      practice: kind.isPractice,
      takesVotes: !takesCommands(config.kind),
      isSilent: !kind.reportsPresence({ ...config }),
      server: await kind.connect(config, { ...around, name, embedded }),
      joinDelayMs: config.joinDelayMs,
      presenceIntervalMs: config.presenceIntervalMs,
      seen,
    });
  }

  private readonly onGrants = (): void => this.delivery.nudge();

  private readonly unlisted = living(
    'unlisted votes',
    ({ config }) => config,
    (config) => {
      const { ledger, clock, random, log } = this.around;
      return new UnlistedPayments(config, ledger, clock, random, log, this.onGrants);
    },
  );

  private readonly together = living(
    'together',
    ({ config, queues }) => ({
      seen: this.seen,
      rules: rulesOf(config, zoneOf(config, this.around.clock)),
      tops: config.tops,
      publish: config.publish,
      remind: config.remind,
      sites: config.sites,
      bedrockPrefixes: config.players.bedrockPrefixes,
      servers: new Map([...queues].map(([name, { server }]) => [name, server])),
    }),
    (settings) => {
      const recovered = () => this.recovery?.status() ?? [];
      return new Together({ ...this.around, onGrants: this.onGrants, recovered }, settings);
    },
  );

  private readonly retention = living(
    'retention',
    ({ config }) => config.keep,
    (keep) => new Retention(this.around, keep),
  );

  readonly alarms = living(
    'alarms',
    ({ config }) => ({
      target: config.alarms,
      zone: zoneOf(config, this.around.clock),
      watched: watchedBy(config),
    }),
    (settings) => new Alarms({ ...this.around, ledgerFile: this.file, freeSpace }, settings),
  );

  private readonly events = living(
    'events',
    ({ config }) => config.events,
    (receivers) => new Events({ ...this.around, post: postAnywhere(this.around.clock) }, receivers),
  );

  private readonly refusals = living(
    'refusals',
    ({ config }) => [...config.sites.keys()],
    (sites) => {
      const { ledger, clock, log, observer } = this.around;
      return new RefusalFigures(ledger, clock, log, sites, observer);
    },
  );

  private readonly voteLog = living(
    'vote log',
    ({ config }) => practiceNames(config).length > 0,
    (hasPractice) => new VoteLog(this.around.log, this.around.clock, hasPractice),
  );

  private readonly intake = living(
    'intake',
    ({ config }) => config,
    (config) =>
      new Intake(config, {
        ...this.around,
        onRecorded: this.list.flatMap(({ name, recorded }) =>
          recorded === undefined ? [] : [[name, recorded] as const],
        ),
        onAnswered: (ms) => this.around.observer.answered(ms),
        // Its grants may be for game servers that the reload removed.
        onRecordedLate: () => this.delivery.holdOrphanedSoon(),
        onUnable: (vote, error) => this.voteLog.live().unable(vote, error),
        // As a refusal, so that `teller explain` and `teller check` show it.
        onLost: ({ service, address }) => this.refusals.live().count('ledger-unable', service, address ?? ''),
      }),
  );

  private readonly listener = living(
    'listener',
    ({ config }) => {
      const { listener: maxConnections } = connectionCaps(this.around.openFiles, wantedConnections(config));
      return { ...config.listener, maxConnections, config };
    },
    async ({ config: { keys, listener: wanted }, ...settings }) => {
      const { log, openFiles } = this.around;
      const { maxConnections } = settings;
      const created = await ensureKeyPair(keys);
      if (created.length > 0)
        log.info({ code: 'keys-made', files: created }, `created the RSA key pair for v1 senders in ${keys}`);
      const { privateKey } = await readKeyPair(keys);
      if (maxConnections < wanted.maxConnections) {
        const sentence = `this process may have only ${openFiles} files open, so it accepts ${maxConnections} connections at one time instead of ${wanted.maxConnections}; ${RAISE_LIMIT}`;
        log.warn({ code: 'files-few', openFiles, connections: maxConnections }, sentence);
      }
      const listener = new Listener({ ...this.ofVotes(), ...settings, privateKey });
      this.votesAt = await listener.listen();
      this.heartbeat.start();
      return listener;
    },
  );

  /** Until it is committed, a port that is open already serves the earlier config. */
  private async prepareWebhooks({ config }: Next): Promise<Prepared> {
    const { webhooks: open, around } = this;
    if (webhookSites(config).length === 0) return { commit: () => this.closeWebhooks() };
    const { sites, webhook } = config;
    const unrewardedReason = judgeByPeriods(sites, around.ledger, around.clock);
    const settings = { sites, hosts: webhook.hosts, unrewardedReason };
    if (open !== null) return { commit: () => open.server.apply(settings) };
    const { webhook: maxConnections } = connectionCaps(around.openFiles, wantedConnections(config));
    const { WebhookIn } = await import('../votes/webhook-in.ts');
    const server = new WebhookIn(settings, this.ofVotes(), maxConnections);
    const address = await server.listen(webhook.host, webhook.port);
    return { commit: () => (this.webhooks = { server, address }), undo: () => server.close() };
  }

  private async closeWebhooks(): Promise<void> {
    const open = this.webhooks;
    this.webhooks = null;
    await open?.server.close();
  }

  private prepareRecovery({ config: { sites }, changes }: Next): Prepared {
    const { recovery } = this;
    if (recovery === undefined) {
      const first = new Recovery(sites, { ...this.ofVotes(), ledger: this.around.ledger });
      return { commit: () => (this.recovery = first) };
    }
    const isDropped = (site: string): boolean =>
      changesEntry(changes, 'sites', 'default') || changesEntry(changes, 'sites', site);
    const commit = async (): Promise<void> => {
      await recovery.drop(isDropped);
      recovery.startNew(sites);
    };
    return { commit };
  }

  /** What every channel of votes is built on. */
  private ofVotes() {
    const { clock, random, log, portWait } = this.around;
    return { clock, random, log, portWait, intake: this.intake.live(), refusals: this.refusals.live() };
  }
}

/** A part that is one object: made with the settings of the first config, it is given those of each later one. */
function living<Settings, Live extends Living<Settings>>(
  name: string,
  settingsOf: (next: Next) => Settings,
  create: (settings: Settings) => Live | Promise<Live>,
) {
  let made: Live | undefined;
  return {
    name,
    prepare: async (next: Next): Promise<Prepared> => {
      const settings = settingsOf(next);
      const before = made;
      if (before !== undefined) return { commit: () => before.apply(settings) };
      const first = await create(settings);
      return { commit: () => (made = first) };
    },
    startDelivering: () => made?.start?.(),
    lookNow: () => made?.lookNow?.(),
    close: () => made?.close?.(),
    /** Call this only after the first commit. */
    live: (): Live => {
      if (made === undefined) throw new Error(`${name} is used before it was prepared`);
      return made;
    },
  };
}

interface Living<Settings> {
  apply(settings: Settings): void;
  /** Begins what only the delivering process does. */
  start?(): void | Promise<void>;
  lookNow?(): void;
  close?(): void | Promise<void>;
}

const hasGrants = (recorded: Recorded): boolean =>
  recorded.kind === 'new' && (recorded.rewards.length > 0 || recorded.isForwarded === true);

/** The sites that send signed webhooks. */
export const webhookSites = ({ sites }: Config): readonly string[] =>
  [...sites].filter(([, { webhook }]) => webhook !== null).map(([name]) => name);

/** In shadow no command is run anywhere, and votes are still forwarded. */
const isServed = ({ kind }: GameServerConfig, { pay }: Config): boolean =>
  pay.mode === 'real' || !takesCommands(kind);

/** Practice servers say who real players are only where nobody real is paid (rule 9). */
function believedServers({ gameServers }: Config): ReadonlySet<string> {
  const all = [...gameServers];
  const real = all.filter(([, server]) => !kindOf(server).isPractice && takesCommands(server.kind));
  return new Set((real.length === 0 ? all : real).map(([name]) => name));
}

/** What the alarms watch. A practice server is always there, and one that is not served has nothing to accept. */
const watchedBy = (config: Config): AlarmSettings['watched'] => ({
  sites: [...config.sites.keys()].filter((name) => name !== DEFAULT_SITE).map(serviceNameOf),
  gameServers: [...config.gameServers].flatMap(([name, server]) =>
    kindOf(server).isPractice || !isServed(server, config)
      ? []
      : [{ name, takesVotes: !takesCommands(server.kind) }],
  ),
  folder: dirname(config.ledger),
});
