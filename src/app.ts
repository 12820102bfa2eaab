import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Reloaded } from './config/changes.ts';
import { type Config, practiceNames, kindByServer } from './config/config.ts';
import { ensureKeyPair, readKeyPair } from './config/keys.ts';
import { Problem } from './core/problem.ts';
import { Delivery } from './delivery/delivery.ts';
import type { GameServerQueue } from './delivery/game-server-queue.ts';
import type { Environment } from './environment.ts';
import { withClockWatch } from './intake/clock-watch.ts';
import { Intake } from './intake/intake.ts';
import { RefusalFigures } from './intake/refusal-figures.ts';
import { VoteLog } from './intake/vote-log.ts';
import type { Ledger, Recorded } from './ledger/ledger.ts';
import { Listener } from './listener/listener.ts';
import { intakeSettings, listenerSettings, queuesFor } from './parts.ts';
import { EmbeddedServers } from './practice/embedded.ts';
import type { PracticeServer } from './practice/server.ts';
import { Recovery } from './recovery/recovery.ts';
import { Reloader } from './reload.ts';
import type { ListeningAddress } from './runtime/listen.ts';
import { RAISE_LIMIT } from './runtime/open-files.ts';
import { type Closable, type OnEnd, started } from './runtime/started.ts';
import { lockFileOf, takeLock } from './sqlite/lock.ts';
import { WebhookPort } from './webhook-port.ts';

/** A running Teller. Closing it finishes the votes and the command in flight. */
export interface App extends Closable {
  /** The config in force. */
  readonly config: Config;
  readonly listener: ListeningAddress;
  /** Where signed webhooks come in; null where no site has one. */
  readonly webhook: ListeningAddress | null;
  readonly recovery: Recovery;
  /** The embedded practice servers by name. */
  readonly practiceServers: ReadonlyMap<string, PracticeServer>;
  /** Goes on by another config. Rejects with a Problem (`port-…`, `ledger-…`), and the one before stays in force then. */
  reload(next: Config): Promise<Reloaded>;
}

/**
 * Builds every part of `teller run` and passes each its collaborators. Throws a Problem where one of them cannot
 * start (`data-unwritable`, `ledger-…`, `key-…`, `port-…`), and has then ended those that had.
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
    reload: (next) => reloader.reload(next),
    close: async () => {
      await reloader.close();
      await rest.close();
    },
  };
}

async function startParts(config: Config, around: Environment, onEnd: OnEnd) {
  const { clock, log } = around;
  const ledger = withClockWatch(await openLedgerIn(config, around), clock, log);
  onEnd(() => ledger.close());
  const embedded = new EmbeddedServers(dirname(config.ledger), around);
  onEnd(() => embedded.close());
  await embedded.start(practiceNames(config));
  const queues = await queuesFor(config, ledger, embedded, around);
  const delivery = deliveryFor(config, queues, ledger, embedded, around);
  onEnd(() => delivery.close());
  const refusals = new RefusalFigures(ledger, clock, log, config.sites.keys());
  onEnd(() => refusals.store());
  const voteLog = new VoteLog(log, clock, embedded.servers.size > 0);
  onEnd(() => voteLog.close());
  const intake = intakeFor(config, ledger, voteLog, refusals, delivery, around);
  onEnd(() => intake.close());
  const listener = await listenerFor(config, intake, refusals, around);
  const listening = await listener.listen();
  onEnd(() => listener.close());
  const webhookPort = new WebhookPort({ intake, refusals, ledger, clock, log, openFiles: around.openFiles });
  onEnd(() => webhookPort.close());
  await webhookPort.serve(config);
  const recovery = new Recovery({ sites: config.sites, ledger, intake, refusals, ...around });
  onEnd(() => recovery.close());
  await delivery.start();
  recovery.start();
  const parts = {
    ledger,
    embedded,
    queues,
    delivery,
    refusals,
    voteLog,
    intake,
    listener,
    webhookPort,
    recovery,
  };
  const reloader = new Reloader(config, parts, around);
  return { reloader, webhookPort, listener: listening, recovery, practiceServers: embedded.servers };
}

async function openLedgerIn(config: Config, around: Environment): Promise<Ledger> {
  const folder = dirname(config.ledger);
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw new Problem('data-unwritable', `The folder ${folder} cannot be made (${error.message}).`, {
      cause: error,
    });
  });
  const isGone = !existsSync(config.ledger) && existsSync(lockFileOf(config.ledger));
  const ledger = around.openLedger(config.ledger);
  if (isGone) {
    const sentence = `there was a ledger at ${config.ledger}, and it is gone: a new one was made, which knows nothing of what that one has paid; if this was not meant, end Teller and put the old one back`;
    around.log.warn({ code: 'ledger-made' }, sentence);
  }
  return ledger;
}

const deliveryFor = (
  config: Config,
  queues: ReadonlyMap<string, GameServerQueue>,
  ledger: Ledger,
  embedded: EmbeddedServers,
  { clock, log }: Environment,
): Delivery =>
  new Delivery({
    queues: [...queues.values()],
    ledger,
    kindByServer: kindByServer(config),
    takeLock: () => takeLock(lockFileOf(config.ledger)),
    onDelivering: () => embedded.publish(),
    clock,
    log,
  });

function intakeFor(
  config: Config,
  ledger: Ledger,
  voteLog: VoteLog,
  refusals: RefusalFigures,
  delivery: Delivery,
  around: Environment,
): Intake {
  const { clock, log } = around;
  return new Intake({
    ...intakeSettings(config, ledger, around),
    clock,
    log,
    onRecorded: (vote, recorded) => {
      voteLog.recorded(vote, recorded);
      if (owesSomething(recorded)) delivery.nudge();
    },
    onRecordedLate: () => delivery.holdOrphanedSoon(),
    onUnable: (vote, error) => voteLog.unable(vote, error),
    onLost: ({ service, address }) => refusals.count('ledger-unable', service, address ?? ''),
  });
}

const owesSomething = (recorded: Recorded): boolean =>
  recorded.kind === 'new' && recorded.decision.kind === 'rewarded' && recorded.decision.grants.length > 0;

async function listenerFor(
  config: Config,
  intake: Intake,
  refusals: RefusalFigures,
  { clock, random, log, openFiles }: Environment,
) {
  const made = await ensureKeyPair(config.keys);
  if (made.length > 0)
    log.info({ code: 'keys-made', files: made }, `made the RSA pair for v1 senders in ${config.keys}`);
  const { privateKey } = await readKeyPair(config.keys);
  const settings = listenerSettings(config, openFiles);
  if (settings.maxConnections < config.listener.maxConnections) {
    const sentence = `this process may have ${openFiles} files open, so ${settings.maxConnections} connections are taken at one time instead of ${config.listener.maxConnections}; ${RAISE_LIMIT}`;
    log.warn({ code: 'files-few', openFiles, connections: settings.maxConnections }, sentence);
  }
  return new Listener({ ...settings, intake, refusals, privateKey, clock, random });
}
