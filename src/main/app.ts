/**
 * A running Teller: how its parts are started, reloaded and stopped. A start that fails leaves nothing open. A reload that fails
 * changes nothing; one that succeeds changes every part in the same turn of the event loop.
 */
import { type Change, changesBetween, type Reloaded, valuesOf } from '../config/changes.ts';
import { type Config, hasReal, namedRewards, zoneOf } from '../config/config.ts';
import { type Clock, isClockSet } from '../core/clock.ts';
import type { ConfigNews } from '../core/config-news.ts';
import { localDay } from '../core/local-time.ts';
import type { Pause } from '../core/pause.ts';
import { Problem } from '../core/problem.ts';
import type { ServedGameServer } from '../delivery/queue.ts';
import type { Ledger, UsedConfig } from '../ledger/ledger.ts';
import { wantsOf } from '../notify/events/receiver.ts';
import type { ListeningAddress } from '../platform/listen.ts';
import { type Closable, type OnEnd, started } from '../platform/started.ts';
import type { PracticeServer } from '../practice/server.ts';
import type { Recovery } from '../votes/catch-up.ts';
import { reportClock } from '../votes/vote-log.ts';
import type { Environment } from './environment.ts';
import { type Part, Parts, type Prepared, webhookSites } from './parts.ts';

/** A running Teller. Closing it finishes the votes and the command in progress. */
export interface App extends Closable {
  /** The config in effect. */
  readonly config: Config;
  readonly listener: ListeningAddress;
  /** The address for signed webhooks; null if no site has one. */
  readonly webhook: ListeningAddress | null;
  readonly recovery: Recovery;
  readonly ledger: Ledger;
  /** Those that are served, in the order of the config. */
  readonly gameServers: readonly ServedGameServer[];
  /** What the operator had paused when it started. */
  readonly pauses: readonly Pause[];
  /** Resolves if nothing can be stored any more, so that the process should end: `thread-ended`. */
  readonly failed: Promise<Problem>;
  /** The embedded practice servers by name. */
  readonly practiceServers: ReadonlyMap<string, PracticeServer>;
  /** Call this when the operator has changed what is owed or paused in this process: it is acted on at once. */
  operatorChanged(): void;
  /**
   * Applies another config. If it rejects with a Problem (`port-…`, `ledger-…`), the previous config stays in effect.
   */
  reload(next: Config): Promise<Reloaded>;
  /** Call this when the config file differs from what runs, and with null when it does not any more. */
  noteConfig(news: ConfigNews | null): void;
}

/**
 * Starts every part of `teller run`. Throws a Problem if one cannot start (`data-unwritable`, `ledger-…`, `key-…`, `port-…`), after
 * stopping those that had started. The ledger, which all of them use, is opened first and closed last.
 */
export async function startApp(
  config: Config,
  around: Environment,
  build = (...on: ConstructorParameters<typeof Parts>) => new Parts(...on),
): Promise<App> {
  let onFailed: (problem: Problem) => void = () => {};
  const failed = new Promise<Problem>((resolve) => (onFailed = resolve));
  const { ledger, parts, pauses, ...running } = await started(async (onEnd) => {
    const ledger = await openLedger(config, around, onFailed, onEnd);
    const parts = build(config.ledger, { ...around, ledger });
    const next = { config, changes: [], queues: new Map() };
    for (const part of parts.list) {
      const prepared = await part.prepare?.(next);
      await prepared?.commit();
      onEnd(() => part.close?.());
    }
    for (const part of parts.list) await part.start?.();
    // The practice clock moves time that nobody waits through.
    const look = (): void => {
      for (const part of parts.list) part.lookNow?.();
    };
    onEnd(around.clock.practice?.whenMoved(look) ?? (() => {}));
    return { ledger, parts, pauses: await ledger.pauses() };
  });
  const { votesAt: listener, recovery, practice, delivery, alarms } = parts;
  if (listener === undefined || recovery === undefined) throw new Error('a part was not prepared');
  const reloader = new Reloader(config, parts.list, ledger, around);
  return {
    ...{ ledger, pauses, failed, listener, recovery, practiceServers: practice.servers },
    get config() {
      return reloader.config;
    },
    get webhook() {
      return parts.webhooks?.address ?? null;
    },
    get gameServers() {
      return [...parts.queues.values()];
    },
    operatorChanged: () => delivery.operatorChanged(),
    noteConfig: (news) => alarms.live().noteConfig(news),
    reload: (next) => reloader.reload(next),
    close: async () => {
      await reloader.close();
      await running.close();
    },
  };
}

/** Applies changed configs to the parts. Votes and commands in progress keep the config they started with. */
class Reloader {
  private last: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  constructor(
    public config: Config,
    private readonly parts: readonly Part[],
    private readonly ledger: Ledger,
    private readonly around: Environment,
  ) {}

  /** Reloads run one after another. If anything fails, rejects with a Problem, and nothing has changed. */
  reload(next: Config): Promise<Reloaded> {
    const reloading = this.last.then(() => this.apply(next));
    this.last = reloading.catch(() => {});
    return reloading;
  }

  /** Waits for a reload that is in progress. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.last;
  }

  private async apply(wanted: Config): Promise<Reloaded> {
    const changes = changesBetween(valuesOf(this.config.settings), valuesOf(wanted.settings));
    const needRestart = changes.filter(({ needsRestart }) => needsRestart);
    const applied = changes.filter(({ needsRestart }) => !needsRestart);
    if (this.isClosed || applied.length === 0) return { applied: [], needRestart };
    const config = keepingFixed(wanted, this.config, needRestart);
    const steps = await this.prepare(config, applied);
    this.config = config;
    // Each commit takes effect as it is called, so no vote is judged by half a config; then what they still wait for is waited for.
    await Promise.all(steps.map(({ name, commit }) => this.take(name, commit)));
    return { applied, needRestart };
  }

  /** Does what can fail, and undoes it if anything does. What the ledger stores comes last, because it cannot be undone. */
  private async prepare(config: Config, changes: readonly Change[]) {
    const steps: (Prepared & Pick<Part, 'name'>)[] = [];
    const next = { config, changes, queues: new Map() };
    try {
      for (const part of this.parts) {
        const prepared = await part.prepare?.(next);
        if (prepared !== undefined) steps.push({ ...prepared, name: part.name });
      }
      await this.ledger.useConfig(usedConfig(config, this.around.clock));
      return steps;
    } catch (error) {
      for (const { name, undo } of steps.toReversed()) await this.take(name, () => undo?.());
      throw error;
    }
  }

  /** A step that fails is a bug. The others are still taken, so that the parts do not stay with different configs. */
  private async take(name: string, step: () => unknown): Promise<void> {
    try {
      await step();
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      const sentence = `a reload went on without a step (${name}) because of a bug in Teller: ${message}`;
      this.around.log.error({ code: 'bug', step: name, stack }, sentence);
    }
  }
}

/** The wanted config, with the current values of keys that need a restart. The webhook port can change while it is not open. */
function keepingFixed(wanted: Config, current: Config, fixed: readonly Change[]): Config {
  const { listener, webhook, keys, ledger, timeZone, settings } = current;
  const isOpen = webhookSites(current).length > 0;
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

/** Opens the ledger of a config. Throws a Problem (`ledger-…`, `time-zone-differs`). */
async function openLedger(
  config: Config,
  { clock, log, openLedger }: Environment,
  onEnded: (problem: Problem) => void,
  onEnd: OnEnd,
): Promise<Ledger> {
  const ledger = await openLedger(config.ledger, { onClockNews: (news) => reportClock(news, log), onEnded });
  onEnd(() => ledger.close());
  const zone = zoneOf(config, clock);
  const inForce = await ledger.useTimeZone(zone);
  if (inForce !== zone) {
    const sentence = `Another Teller records votes into this ledger with the time zone ${inForce}, and this one has ${zone}; set the same "timeZone" in both configs.`;
    throw new Problem('time-zone-differs', sentence);
  }
  await ledger.useConfig(usedConfig(config, clock));
  if (ledger.replacesLost) {
    const sentence = `the ledger at ${config.ledger} is gone, so a new one was created, which does not know what was paid before; if you did not remove it, stop Teller and put the old ledger back`;
    log.warn({ code: 'ledger-made' }, sentence);
  }
  return ledger;
}

/** What the ledger keeps of the config, from now on. */
function usedConfig(config: Config, clock: Clock): UsedConfig {
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
