import { dirname } from 'node:path';
import type { Reloaded } from '../config/changes.ts';
import { type Config, kindByServer, practiceNames } from '../config/config.ts';
import { ensureKeyPair, readKeyPair } from '../config/keys.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import type { ConfigNews } from '../core/config-news.ts';
import type { Pause } from '../core/pause.ts';
import type { Problem } from '../core/problem.ts';
import { Delivery } from '../delivery/delivery.ts';
import { SeenPlayers } from '../delivery/seen-players.ts';
import type { ServedGameServer } from '../delivery/served-game-server.ts';
import { Together } from '../delivery/together/together.ts';
import type { Ledger, Recorded } from '../ledger/ledger.ts';
import type { ListeningAddress } from '../platform/listen.ts';
import { RAISE_LIMIT } from '../platform/open-files.ts';
import { type Closable, type OnEnd, started } from '../platform/started.ts';
import { EmbeddedServers } from '../practice/embedded.ts';
import type { PracticeServer } from '../practice/server.ts';
import { Recovery } from '../votes/catch-up.ts';
import { Intake } from '../votes/intake.ts';
import { Listener } from '../votes/listener.ts';
import { RefusalFigures } from '../votes/refusals.ts';
import { UnlistedPayments } from '../votes/unlisted-payments.ts';
import { VoteLog } from '../votes/vote-log.ts';
import type { Environment } from './environment.ts';
import { Heartbeat } from './heartbeat.ts';
import { openLedgerIn } from './open-ledger.ts';
import { believedServers, keepingOf, listenerSettings, queuesFor, togetherSettings } from './parts.ts';
import { Reloader } from './reload.ts';
import { WebhookPort } from './webhook-port.ts';

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
 * Builds every part of `teller run` and connects them. Throws a Problem if a part cannot start (`data-unwritable`,
 * `ledger-…`, `key-…`, `port-…`), after stopping the parts that had started.
 */
export async function startApp(config: Config, around: Environment): Promise<App> {
  const parts = await started((onEnd) => startParts(config, around, onEnd));
  const { reloader, webhookPort, ...rest } = parts;
  return {
    ...rest,
    get config() {
      return reloader.config;
    },
    get webhook() {
      return webhookPort.address;
    },
    get gameServers() {
      return reloader.gameServers;
    },
    reload: (next) => reloader.reload(next),
    noteConfig: (news) => reloader.noteConfig(news),
    close: async () => {
      await reloader.close();
      await rest.close();
    },
  };
}

/** Each part is built from the parts above it. They stop in reverse order: senders first, the ledger last. */
async function startParts(config: Config, around: Environment, onEnd: OnEnd) {
  const { clock, log } = around;
  let onFailed: (problem: Problem) => void = () => {};
  const failed = new Promise<Problem>((resolve) => (onFailed = resolve));
  const ledger = await openLedgerIn(config, around, onFailed);
  onEnd(() => ledger.close());
  const embedded = new EmbeddedServers(dirname(config.ledger), around);
  onEnd(() => embedded.close());
  await embedded.start(practiceNames(config));
  const seen = new SeenPlayers(ledger, clock, believedServers(config));
  const queues = await queuesFor(config, ledger, seen, embedded, around);
  const unlisted = new UnlistedPayments(config, ledger, clock, around.random, log, () => delivery.nudge());
  const onGrants = (): void => delivery.nudge();
  const keeping = keepingOf(config, ledger, around);
  const together = new Together(
    { ...around, ledger, onGrants, recovered: () => recovery.status() },
    togetherSettings(config, queues, seen, clock),
  );
  const published = { start: () => embedded.publish() };
  const whileDelivering = [published, unlisted, together, ...Object.values(keeping)];
  const ofServers = { queues: [...queues.values()], kindByServer: kindByServer(config) };
  const delivery = new Delivery({ ...ofServers, ledger, whileDelivering, clock, log });
  const heartbeat = new Heartbeat({ ...around, ledger });
  for (const part of [delivery, unlisted, together, heartbeat, ...Object.values(keeping)])
    onEnd(() => part.close());
  const refusals = new RefusalFigures(ledger, clock, log, config.sites.keys(), around.observer);
  onEnd(() => refusals.store());
  const voteLog = new VoteLog(log, clock, embedded.servers.size > 0);
  onEnd(() => voteLog.close());
  const intake = intakeFor(config, ledger, voteLog, refusals, delivery, around);
  onEnd(() => intake.close());
  const listener = await listenerFor(config, intake, refusals, around);
  const listening = await listener.listen();
  onEnd(() => listener.close());
  heartbeat.start();
  const webhookPort = new WebhookPort({ ...around, intake, refusals, ledger });
  onEnd(() => webhookPort.close());
  await (await webhookPort.prepare(config)).commit();
  const recovery = new Recovery(config.sites, { ledger, intake, refusals, ...around });
  onEnd(() => recovery.close());
  await delivery.start();
  recovery.start();
  onEnd(whenMoved(clock, [delivery, together, keeping.alarms, keeping.events]));
  const parts = {
    ...{ ledger, embedded, queues, seen },
    ...keeping,
    delivery,
    together,
    refusals,
    voteLog,
    intake,
    unlisted,
    listener,
    webhookPort,
    recovery,
  };
  const reloader = new Reloader(config, parts, around);
  const practiceServers = embedded.servers;
  const pauses = await ledger.pauses();
  return {
    ...{ reloader, webhookPort, listener: listening, recovery, ledger, practiceServers, pauses, failed },
    operatorChanged: () => delivery.operatorChanged(),
  };
}

/** The practice clock moves time that nobody waits through. */
const whenMoved = (clock: Clock, parts: readonly { lookNow(): void }[]): Cancel =>
  clock.practice?.whenMoved(() => {
    for (const part of parts) part.lookNow();
  }) ?? (() => {});

const intakeFor = (
  config: Config,
  ledger: Ledger,
  voteLog: VoteLog,
  refusals: RefusalFigures,
  delivery: Delivery,
  around: Environment,
): Intake =>
  new Intake(config, {
    ledger,
    clock: around.clock,
    random: around.random,
    log: around.log,
    onRecorded: {
      delivery: (_, recorded) => {
        if (hasGrants(recorded)) delivery.nudge();
      },
      figures: (vote, recorded) =>
        around.observer.recorded(vote, recorded.kind === 'new' ? recorded.decision.kind : 'known'),
      log: (vote, recorded) => voteLog.recorded(vote, recorded),
    },
    onAnswered: (ms) => around.observer.answered(ms),
    // Its grants may be for game servers that the reload removed.
    onRecordedLate: () => delivery.holdOrphanedSoon(),
    onUnable: (vote, error) => voteLog.unable(vote, error),
    // As a refusal, so that `teller explain` and `teller check` show it.
    onLost: ({ service, address }) => refusals.count('ledger-unable', service, address ?? ''),
  });

const hasGrants = (recorded: Recorded): boolean =>
  recorded.kind === 'new' && (recorded.decision.rewards.length > 0 || recorded.isForwarded === true);

async function listenerFor(
  config: Config,
  intake: Intake,
  refusals: RefusalFigures,
  { clock, random, log, openFiles, portWait }: Environment,
) {
  const created = await ensureKeyPair(config.keys);
  if (created.length > 0)
    log.info(
      { code: 'keys-made', files: created },
      `created the RSA key pair for v1 senders in ${config.keys}`,
    );
  const { privateKey } = await readKeyPair(config.keys);
  const settings = listenerSettings(config, openFiles);
  if (settings.maxConnections < config.listener.maxConnections) {
    const sentence = `this process may have only ${openFiles} files open, so it accepts ${settings.maxConnections} connections at one time instead of ${config.listener.maxConnections}; ${RAISE_LIMIT}`;
    log.warn({ code: 'files-few', openFiles, connections: settings.maxConnections }, sentence);
  }
  return new Listener({ ...settings, intake, refusals, privateKey, clock, random, log, portWait });
}
