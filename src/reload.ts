import type { Alarms } from './alarms/alarms.ts';
import { type Change, changesBetween, changesEntry, type Reloaded, valuesOf } from './config/changes.ts';
import { type Config, kindByServer, practiceNames } from './config/config.ts';
import type { ConfigNews } from './core/config-news.ts';
import type { Delivery } from './delivery/delivery.ts';
import type { GameServerQueue } from './delivery/game-server-queue.ts';
import type { ServedGameServer } from './delivery/served-game-server.ts';
import type { SeenPlayers } from './delivery/seen-players.ts';
import type { Environment } from './environment.ts';
import type { Events } from './events/events.ts';
import type { Intake } from './intake/intake.ts';
import type { RefusalFigures } from './intake/refusal-figures.ts';
import type { UnlistedPayments } from './intake/unlisted-payments.ts';
import type { VoteLog } from './intake/vote-log.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Listener } from './listener/listener.ts';
import {
  alarmSettings,
  applyToQueue,
  intakeSettings,
  listenerSettings,
  queuesFor,
  seenSettings,
  togetherSettings,
  useRewards,
  userCacheFiles,
} from './parts.ts';
import type { EmbeddedServers } from './practice/embedded.ts';
import type { Recovery } from './recovery/recovery.ts';
import type { Together } from './together/together.ts';
import type { Retention } from './retention.ts';
import type { UserCaches } from './user-caches.ts';
import type { WebhookPort } from './webhook-port.ts';

/** The parts of a running Teller that a reload changes. */
export interface LiveParts {
  readonly ledger: Ledger;
  readonly embedded: EmbeddedServers;
  readonly seen: SeenPlayers;
  readonly userCaches: UserCaches;
  readonly retention: Retention;
  readonly alarms: Alarms;
  readonly events: Events;
  readonly queues: ReadonlyMap<string, GameServerQueue>;
  readonly delivery: Delivery;
  readonly together: Together;
  readonly refusals: RefusalFigures;
  readonly voteLog: VoteLog;
  readonly intake: Intake;
  readonly unlisted: UnlistedPayments;
  readonly listener: Listener;
  readonly webhookPort: WebhookPort;
  readonly recovery: Recovery;
}

/** Applies changed configs to a running Teller. Votes and commands in progress keep the config they started with. */
export class Reloader {
  private queues: ReadonlyMap<string, GameServerQueue>;
  private current: Config;
  private last: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  constructor(
    config: Config,
    private readonly parts: LiveParts,
    private readonly around: Environment,
  ) {
    this.current = config;
    this.queues = parts.queues;
  }

  get config(): Config {
    return this.current;
  }

  /** Those that are served, in the order of the config. */
  get gameServers(): readonly ServedGameServer[] {
    return [...this.queues.values()];
  }

  /** Reloads run one after another. If a part cannot start, rejects with a Problem and changes nothing. */
  reload(next: Config): Promise<Reloaded> {
    const reloading = this.last.then(() => this.apply(next));
    this.last = reloading.catch(() => {});
    return reloading;
  }

  /** Call this when the config file differs from what runs, and with null when it does not any more. */
  noteConfig(news: ConfigNews | null): void {
    this.parts.alarms.noteConfig(news);
  }

  /** Waits for a reload that is in progress. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.last;
  }

  private async apply(wanted: Config): Promise<Reloaded> {
    const changes = changesBetween(valuesOf(this.current.settings), valuesOf(wanted.settings));
    const needRestart = changes.filter(({ needsRestart }) => needsRestart);
    const applied = changes.filter(({ needsRestart }) => !needsRestart);
    if (this.isClosed || applied.length === 0) return { applied: [], needRestart };
    const next = this.keepingFixed(wanted, needRestart);
    const queues = await this.start(next, applied);
    await this.applyToVotes(next, applied);
    await this.applyToDelivery(next, queues);
    this.around.log.level = next.log.level;
    return { applied, needRestart };
  }

  /** The new config, with the current values of keys that need a restart. */
  private keepingFixed(wanted: Config, fixed: readonly Change[]): Config {
    const { listener, webhook, keys, ledger, timeZone, settings } = this.current;
    const isOpen = this.parts.webhookPort.address !== null;
    const fixedSettings = fixed.flatMap(({ key }) => {
      const setting = settings.get(key);
      return setting === undefined ? [] : [[key, setting] as const];
    });
    return {
      ...wanted,
      listener: { ...wanted.listener, host: listener.host, port: listener.port },
      webhook: isOpen ? { ...wanted.webhook, host: webhook.host, port: webhook.port } : wanted.webhook,
      keys,
      ledger,
      timeZone,
      settings: new Map([...wanted.settings, ...fixedSettings]),
    };
  }

  /** Steps that can fail come first, so that a failure changes nothing. @returns the queues of the new config. */
  private async start(next: Config, changes: readonly Change[]): Promise<typeof this.queues> {
    const { embedded, webhookPort } = this.parts;
    try {
      await embedded.start(practiceNames(next));
      const queues = await this.queuesOf(next, changes);
      await webhookPort.serve(next);
      await useRewards(next, this.parts.ledger, this.around.clock);
      await this.parts.events.apply(next.events);
      return queues;
    } catch (error) {
      await embedded.keepOnly(practiceNames(this.current));
      throw error;
    }
  }

  /** Queues whose game server has not changed continue undisturbed. */
  private queuesOf(next: Config, changes: readonly Change[]): Promise<typeof this.queues> {
    const { embedded, ledger, seen } = this.parts;
    const kept = [...this.queues].filter(([name]) => !changesEntry(changes, 'gameServers', name));
    return queuesFor(next, ledger, seen, embedded, this.around, new Map(kept));
  }

  private async applyToVotes(next: Config, changes: readonly Change[]): Promise<void> {
    const { recovery, intake, unlisted, refusals, listener, voteLog } = this.parts;
    const isDefaultChanged = changesEntry(changes, 'sites', 'default');
    // Before the sites are replaced, because a vote in progress needs its site.
    await recovery.drop((site) => isDefaultChanged || changesEntry(changes, 'sites', site));
    intake.apply(intakeSettings(next, this.around));
    unlisted.apply(next);
    refusals.apply(next.sites.keys());
    listener.apply(listenerSettings(next, this.around.openFiles));
    voteLog.practice = practiceNames(next).length > 0;
    recovery.startNew(next.sites);
    this.current = next;
  }

  private async applyToDelivery(next: Config, queues: typeof this.queues): Promise<void> {
    const { embedded, delivery, seen, together } = this.parts;
    this.queues = queues;
    seen.apply(seenSettings(next, this.around.clock));
    this.parts.userCaches.apply(userCacheFiles(next));
    this.parts.retention.apply(next.keep);
    this.parts.alarms.apply(alarmSettings(next, this.around.clock));
    together.apply(togetherSettings(next, queues, seen, this.around.clock));
    for (const queue of queues.values()) applyToQueue(queue, next);
    await delivery.replace([...queues.values()], kindByServer(next));
    await embedded.keepOnly(practiceNames(next));
  }
}
