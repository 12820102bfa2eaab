import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type Config,
  type GameServerConfig,
  type HttpServerConfig,
  kindByServer,
  practiceNames,
  type RconServerConfig,
  Secret,
} from './config/config.ts';
import { ensureKeyPair, readKeyPair } from './config/keys.ts';
import type { Clock } from './core/clock.ts';
import { decide } from './core/decide.ts';
import type { Dice } from './core/dice.ts';
import type { Log } from './core/log.ts';
import { Problem } from './core/problem.ts';
import { Delivery } from './delivery/delivery.ts';
import type { GameServer } from './delivery/game-server.ts';
import { httpGameServer } from './delivery/http-game-server.ts';
import { Lane } from './delivery/lane.ts';
import { rconGameServer } from './delivery/rcon-game-server.ts';
import { GroupCommit } from './intake/group-commit.ts';
import { Intake } from './intake/intake.ts';
import { Rulings } from './intake/pay-terms.ts';
import { RefusalFigures } from './intake/refusal-figures.ts';
import { rulesOf } from './intake/rules.ts';
import { VoteLog } from './intake/vote-log.ts';
import type { Ledger, Recorded } from './ledger/ledger.ts';
import { openLedger } from './ledger/sqlite-ledger.ts';
import { Listener } from './listener/listener.ts';
import { EmbeddedServers } from './practice/embedded.ts';
import type { PracticeServer } from './practice/server.ts';
import { Recovery } from './recovery/recovery.ts';
import type { ListeningAddress } from './runtime/listen.ts';
import { type Closable, type OnEnd, started } from './runtime/started.ts';
import { lockFileOf, takeLock } from './sqlite/lock.ts';
import { WebhookIn } from './webhook-in/webhook-in.ts';

/** What the app is given from outside: time, chance, the log, and how the ledger and the game servers are reached. */
export interface Surroundings {
  readonly clock: Clock;
  readonly dice: Dice;
  readonly log: Log;
  readonly openLedger: (file: string) => Ledger;
  readonly connect: (server: RconServerConfig | HttpServerConfig, name: string) => GameServer;
}

export const surroundings = (clock: Clock, dice: Dice, log: Log): Surroundings => ({
  clock,
  dice,
  log,
  openLedger: (file) => openLedger(file, 'create', clock),
  connect: (server, name) =>
    server.kind === 'http'
      ? httpGameServer({ ...server, name, clock, dice, log })
      : rconGameServer({ ...server, clock, dice }),
});

/** A running Teller. Closing it finishes the votes and the command in flight. */
export interface App extends Closable {
  readonly listener: ListeningAddress;
  /** Where signed webhooks come in; null where no site has one. */
  readonly webhook: ListeningAddress | null;
  readonly recovery: Recovery;
  /** The embedded practice servers by name. */
  readonly practiceServers: ReadonlyMap<string, PracticeServer>;
}

/**
 * Builds every part of `teller run` and hands each its collaborators. Throws a Problem where one of them cannot
 * start (`data-unwritable`, `ledger-…`, `key-…`, `port-…`), and has then ended those that had.
 */
export async function startApp(config: Config, around: Surroundings): Promise<App> {
  return started((onEnd) => startParts(config, around, onEnd));
}

async function startParts(config: Config, around: Surroundings, onEnd: OnEnd): Promise<Omit<App, 'close'>> {
  const ledger = await openLedgerIn(config, around);
  onEnd(() => ledger.close());
  const embedded = new EmbeddedServers(dirname(config.ledger), around);
  onEnd(() => embedded.close());
  await embedded.start(practiceNames(config));
  const delivery = deliveryFor(config, ledger, embedded, around);
  onEnd(() => delivery.close());
  const refusals = new RefusalFigures(ledger, around.clock, around.log, config.sites.keys());
  onEnd(() => refusals.store());
  const voteLog = new VoteLog(around.log, around.clock, embedded.servers.size > 0);
  onEnd(() => voteLog.close());
  const intake = intakeFor(config, ledger, voteLog, refusals, around, () => delivery.nudge());
  onEnd(() => intake.close());
  const listener = await listenerFor(config, intake, refusals, around);
  const listening = await listener.listen();
  onEnd(() => listener.close());
  const webhook = await webhookFor(config, intake, refusals, ledger, around, onEnd);
  const recovery = new Recovery({ sites: config.sites, ledger, intake, refusals, ...around });
  onEnd(() => recovery.close());
  await delivery.start();
  recovery.start();
  return { listener: listening, webhook, recovery, practiceServers: embedded.servers };
}

async function webhookFor(
  { sites, webhook: at }: Config,
  intake: Intake,
  refusals: RefusalFigures,
  ledger: Ledger,
  { clock, log }: Surroundings,
  onEnd: OnEnd,
): Promise<ListeningAddress | null> {
  const withWebhook = [...sites].filter(([, { webhook }]) => webhook !== null).map(([name]) => name);
  if (withWebhook.length === 0) return null;
  const rulings = new Rulings(sites, ledger, clock);
  for (const name of withWebhook) await rulings.meet(name);
  const rulingFor = (site: string, votedAt: number) => rulings.of(site, votedAt);
  const webhookIn = new WebhookIn({ ...at, sites, intake, refusals, rulingFor, clock, log });
  const address = await webhookIn.listen();
  onEnd(() => webhookIn.close());
  return address;
}

async function openLedgerIn(config: Config, around: Surroundings): Promise<Ledger> {
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

function deliveryFor(
  config: Config,
  ledger: Ledger,
  embedded: EmbeddedServers,
  around: Surroundings,
): Delivery {
  const servers = [...config.gameServers];
  return new Delivery({
    lanes: servers.map(([name, server]) =>
      laneFor(name, server, ledger, embedded.servers.get(name) ?? null, around),
    ),
    ledger,
    kindByServer: kindByServer(config),
    takeLock: () => takeLock(lockFileOf(config.ledger)),
    onDelivering: () => embedded.publish(),
    clock: around.clock,
    log: around.log,
  });
}

function laneFor(
  name: string,
  config: GameServerConfig,
  ledger: Ledger,
  practice: PracticeServer | null,
  { clock, dice, log, connect }: Surroundings,
): Lane {
  const target =
    practice === null ? (config as RconServerConfig | HttpServerConfig) : addressOf(practice, config);
  const joinsByHimself = practice !== null && config.kind === 'practice' && config.autoJoin;
  return new Lane({
    name,
    practice: practice !== null,
    server: connect(target, name),
    ledger,
    joinDelayMs: config.joinDelayMs,
    presenceIntervalMs: config.presenceIntervalMs,
    welcome: (player) => joinsByHimself && practice.join(player),
    clock,
    dice,
    log,
  });
}

/** An embedded practice server is paid over TCP like any other. */
const addressOf = ({ host, port, password }: PracticeServer, config: GameServerConfig): RconServerConfig => ({
  ...config,
  kind: 'rcon',
  host,
  port,
  password: new Secret(password),
});

function intakeFor(
  config: Config,
  ledger: Ledger,
  voteLog: VoteLog,
  refusals: RefusalFigures,
  { clock, dice, log }: Surroundings,
  nudge: () => void,
): Intake {
  const rules = rulesOf(config);
  return new Intake({
    sites: config.sites,
    bedrockPrefixes: config.players.bedrockPrefixes,
    commit: new GroupCommit(ledger, (arrival, rewarded) => decide(arrival, rewarded, rules, dice), clock),
    clock,
    log,
    onRecorded: (vote, recorded) => {
      voteLog.recorded(vote, recorded);
      if (owesSomething(recorded)) nudge();
    },
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
  { clock, dice, log }: Surroundings,
) {
  const made = await ensureKeyPair(config.keys);
  if (made.length > 0)
    log.info({ code: 'keys-made', files: made }, `made the RSA pair for v1 senders in ${config.keys}`);
  const { privateKey } = await readKeyPair(config.keys);
  return new Listener({ ...config.listener, intake, refusals, privateKey, clock, dice });
}
