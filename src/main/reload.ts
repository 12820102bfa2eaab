import { type Change, changesBetween, changesEntry, type Reloaded, valuesOf } from '../config/changes.ts';
import { type Config, kindByServer, practiceNames } from '../config/config.ts';
import type { ConfigNews } from '../core/config-news.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { GameServerQueue } from '../delivery/game-server-queue.ts';
import type { SeenPlayers } from '../delivery/seen-players.ts';
import type { ServedGameServer } from '../delivery/served-game-server.ts';
import type { Together } from '../delivery/together/together.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Alarms } from '../notify/alarms/alarms.ts';
import type { Events } from '../notify/events/events.ts';
import type { EmbeddedServers } from '../practice/embedded.ts';
import type { Recovery } from '../votes/catch-up.ts';
import type { Intake } from '../votes/intake.ts';
import type { Listener } from '../votes/listener.ts';
import type { RefusalFigures } from '../votes/refusals.ts';
import type { UnlistedPayments } from '../votes/unlisted-payments.ts';
import type { VoteLog } from '../votes/vote-log.ts';
import type { Environment } from './environment.ts';
import {
  alarmSettings,
  applyToQueue,
  believedServers,
  listenerSettings,
  queuesFor,
  togetherSettings,
  usedConfig,
} from './parts.ts';
import type { Retention } from './retention.ts';
import type { WebhookPort } from './webhook-port.ts';

/** The parts of a running Teller that a reload changes. */
export interface LiveParts {
  readonly ledger: Ledger;
  readonly embedded: EmbeddedServers;
  readonly seen: SeenPlayers;
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

  /** Reloads run one after another. If anything fails, rejects with a Problem, and nothing has changed. */
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
    for (const [name, step] of await this.prepare(next, applied)) await this.take(name, step);
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

  /**
   * Does what can fail, and undoes it if anything does. What the ledger stores comes last, because it cannot be undone.
   *
   * @returns the steps that put the config into effect, in order. None can fail.
   */
  private async prepare(next: Config, changes: readonly Change[]): Promise<Steps> {
    const { embedded, webhookPort, ledger } = this.parts;
    const undo: Steps = [['practice servers', () => embedded.keepOnly(practiceNames(this.current))]];
    try {
      await embedded.start(practiceNames(next));
      const queues = await this.queuesOf(next, changes);
      undo.push(['game servers', () => this.closeUnused(queues)]);
      const webhook = await webhookPort.prepare(next);
      undo.push(['webhook port', webhook.undo]);
      const steps: Steps = [
        ...this.stepsForVotes(next, changes),
        ['webhook port', webhook.commit],
        ...this.stepsForDelivery(next, queues),
      ];
      await ledger.useConfig(usedConfig(next, this.around.clock));
      return steps;
    } catch (error) {
      for (const [name, step] of undo.reverse()) await this.take(name, step);
      throw error;
    }
  }

  /** A step that fails is a bug. The others are still taken, so that the parts do not stay with different configs. */
  private async take(name: string, step: Step): Promise<void> {
    try {
      await step();
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      const sentence = `a reload went on without a step (${name}) because of a bug in Teller: ${message}`;
      this.around.log.error({ code: 'bug', step: name, stack }, sentence);
    }
  }

  /** Queues whose game server has not changed continue undisturbed. */
  private queuesOf(next: Config, changes: readonly Change[]): Promise<typeof this.queues> {
    const { embedded, ledger, seen } = this.parts;
    const kept = [...this.queues].filter(([name]) => !changesEntry(changes, 'gameServers', name));
    return queuesFor(next, ledger, seen, embedded, this.around, new Map(kept));
  }

  private async closeUnused(queues: typeof this.queues): Promise<void> {
    const used = new Set(this.queues.values());
    for (const queue of queues.values()) if (!used.has(queue)) await queue.close();
  }

  /** Settings are made here, before the ledger stores the config, and given to the parts by the steps. */
  private stepsForVotes(next: Config, changes: readonly Change[]): Steps {
    const { recovery, intake, unlisted, refusals, listener, voteLog } = this.parts;
    const isDefaultChanged = changesEntry(changes, 'sites', 'default');
    const isDropped = (site: string): boolean => isDefaultChanged || changesEntry(changes, 'sites', site);
    const listenerNext = listenerSettings(next, this.around.openFiles);
    return [
      // Before the sites are replaced, because a vote in progress needs its site.
      ['recovery', () => recovery.drop(isDropped)],
      ['intake', () => intake.apply(next)],
      ['unlisted votes', () => unlisted.apply(next)],
      ['refusals', () => refusals.apply(next.sites.keys())],
      ['listener', () => listener.apply(listenerNext)],
      ['vote log', () => voteLog.apply(practiceNames(next).length > 0)],
      ['recovery of new sites', () => recovery.startNew(next.sites)],
      [
        'config',
        () => {
          this.current = next;
        },
      ],
    ];
  }

  private stepsForDelivery(next: Config, queues: typeof this.queues): Steps {
    const { embedded, delivery, seen, together, retention, alarms, events } = this.parts;
    const { clock, log } = this.around;
    const believed = believedServers(next);
    const alarmsNext = alarmSettings(next, clock);
    const togetherNext = togetherSettings(next, queues, seen, clock);
    return [
      [
        'queues',
        () => {
          this.queues = queues;
          for (const queue of queues.values()) applyToQueue(queue, next);
        },
      ],
      ['players', () => seen.apply(believed)],
      ['retention', () => retention.apply(next.keep)],
      ['alarms', () => alarms.apply(alarmsNext)],
      ['events', () => events.apply(next.events)],
      ['together', () => together.apply(togetherNext)],
      ['delivery', () => delivery.replace([...queues.values()], kindByServer(next))],
      ['practice servers', () => embedded.keepOnly(practiceNames(next))],
      [
        'log level',
        () => {
          log.level = next.log.level;
        },
      ],
    ];
  }
}

type Step = () => void | Promise<void>;
/** Each with the name that its failure is logged with. */
type Steps = (readonly [name: string, step: Step])[];
