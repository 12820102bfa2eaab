import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { publicKeyText } from '../../protocol/votifier/v1.ts';
import { type Config, practiceNames } from '../config/config.ts';
import { createFirstConfig, createMissingSecrets, type FirstConfig } from '../config/first-start.ts';
import { readKeyPair } from '../config/keys.ts';
import { loadConfig } from '../config/load.ts';
import { requirePracticeOnly } from '../config/practice-only.ts';
import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { type App, startApp } from '../main/app.ts';
import { type Environment, environment } from '../main/environment.ts';
import { metricsFor } from '../notify/metrics/wanted.ts';
import { startControl } from '../operator/control/control.ts';
import { pauseJson } from '../operator/trace/rows.ts';
import { createLog, LOG_FORMATS, type LogFormat } from '../platform/log.ts';
import { practiceClockIn } from '../platform/practice-clock.ts';
import { tellReady } from '../platform/tell-ready.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { Thread } from '../platform/thread.ts';
import { logWarnings } from '../platform/warnings.ts';
import { type ExitCode, type FlagsOf, service } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import type { Ask } from './confirm.ts';
import { Flags } from './flags.ts';
import type { AskSecret } from './game-servers-add.ts';
import { serveConsole } from './serve-console.ts';
import { withTypedCommands } from './typed-commands.ts';
import { typedOnMachine } from './typed-on-machine.ts';

export interface RunParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Resolves when the process is asked to stop. */
  readonly stopped: () => Promise<unknown>;
  /** Calls back when the process is asked to reload its config. */
  readonly onReloadAsked?: (callback: () => void) => void;
  /** Where commands can be typed while Teller runs, with --typed; absent: nowhere. */
  readonly input?: () => Readable;
  /** The ledger's thread, if it was started already. */
  readonly ledgerThread?: Thread;
  /** How to type commands on this machine: `teller`, or `node dist/cli.js` from a clone. */
  readonly teller: string;
  /** How the person at the terminal is asked; absent: there. */
  readonly ask?: Ask | undefined;
  readonly askSecret?: AskSecret | undefined;
}

const newCommand = () =>
  new Command('run')
    .description('receive votes and pay rewards; the first start creates a config')
    .option(
      '--config <file>',
      `the config file (default: ${DEFAULT_CONFIG}, which is created if it does not exist)`,
    )
    .option('--practice-clock', 'use the practice clock; only if all game servers are practice servers')
    .option('--typed', 'read commands from standard input, one per line, as in a panel’s console')
    .option('--wait-port', 'if another program has the listener’s port, wait until it is free')
    .option('--format <format>', `log format: auto, text or json; overrides log.format`)
    .option('--json', 'same as --format json; the ready line is always JSON');

type RunFlags = FlagsOf<typeof newCommand>;

/** Listens for votes and pays rewards, until it is stopped. */
export const runCommand = (terminal: Terminal, parts: RunParts) =>
  newCommand().action(
    service(terminal, (unblocked, flags) => {
      const file = resolve(flags.config ?? DEFAULT_CONFIG);
      const typedInto = flags.typed === true ? file : null;
      return withTypedCommands(typedInto, unblocked, parts, (typed) => run(file, flags, unblocked, typed));
    }),
  );

async function run(
  file: string,
  { config: configFlag, practiceClock, waitPort, ...written }: RunFlags,
  terminal: Terminal,
  parts: RunParts,
): Promise<ExitCode> {
  const format = readFormat(written);
  await createMissing(file, configFlag === undefined, terminal, parts);
  const load = async (): Promise<Config> => {
    const loaded = await loadConfig(file);
    if (practiceClock) requirePracticeOnly(loaded);
    return loaded;
  };
  const config = await load();
  const clock = practiceClock ? practiceClockIn(dirname(config.ledger), parts.clock) : parts.clock;
  const log = createLog(config.log.level, terminal, format ?? config.log.format, () => clock.now());
  logWarnings(log);
  const metrics = await metricsFor(config);
  const around = {
    ...environment(clock, parts.random, log, parts.ledgerThread),
    ...(metrics === null ? {} : { observer: metrics }),
  };
  const asked = waitPort ? parts.stopped() : null;
  const app = asked === null ? await startApp(config, around) : await startOnceFree(config, around, asked);
  if (app === null) return 0;
  const control = await startControl({ app, load, clock, log });
  parts.onReloadAsked?.(() => void control.reload());
  // A reader of the ready line may stop the process at once.
  const stopped = asked ?? parts.stopped();
  terminal.out(JSON.stringify(readyLine(config, app)));
  tellReady(log);
  if (config.pay.mode === 'shadow')
    log.warn({ code: 'shadow' }, 'nothing is paid, because pay.mode is "shadow"');
  if (app.practiceServers.size > 0) {
    log.warn(
      { code: 'practice' },
      'rewards go to a practice server until gameServers in the config names a real one',
    );
  }
  const served = await serveConsole({
    ...{ teller: app, control, clock, random: parts.random, log, metrics },
    command: typedOnMachine(parts.teller, file),
  });
  // Only at a terminal, because others may read where the output is kept.
  if (terminal.interactive && served !== null)
    terminal.err(`Open the console in a browser: ${served.link} (works once)`);
  const failure = await Promise.race([stopped.then(() => null), app.failed]);
  log.info({ code: 'ending' }, 'stopping after the votes and commands in progress');
  await served?.close();
  await control.close();
  await app.close();
  if (failure !== null) throw failure;
  return 0;
}

/** Creates the config, if it has the default name, and the secrets that a first start creates. */
async function createMissing(
  file: string,
  hasDefaultName: boolean,
  terminal: Terminal,
  { random, teller }: RunParts,
): Promise<void> {
  if (hasDefaultName && !existsSync(file)) {
    const first = await createFirstConfig(dirname(file), random);
    return printFirstStart(first, await loadConfig(file), terminal, teller);
  }
  const created = await createMissingSecrets(file, random);
  if (created.length === 0) return;
  terminal.err(
    `First start: created ${created.join(', ')}. \`${teller} keys\` shows what to paste at each listing.`,
  );
}

/** null: it was asked to stop before the port was free. */
async function startOnceFree(
  config: Config,
  around: Environment,
  stopped: Promise<unknown>,
): Promise<App | null> {
  const wait = new AbortController();
  void stopped.then(() => wait.abort());
  try {
    return await startApp(config, { ...around, portWait: wait.signal });
  } catch (error) {
    const isTaken = error instanceof Problem && error.code === 'port-in-use';
    if (isTaken && wait.signal.aborted) return null;
    throw error;
  }
}

/** undefined: use log.format of the config. */
function readFormat({ format, json }: RunFlags): LogFormat | undefined {
  const flags = new Flags();
  const read = flags.oneOf('--format', format, LOG_FORMATS);
  flags.done();
  return read ?? (json === true ? 'json' : undefined);
}

export function readyLine(config: Config, { listener, webhook, practiceServers, pauses }: App) {
  const [practiceServer] = practiceServers.values();
  return {
    msg: 'ready',
    practice: practiceNames(config).length > 0,
    ...payJson(config.pay),
    listener: { host: listener.host, port: listener.port },
    ...(webhook === null ? {} : { webhook: { host: webhook.host, port: webhook.port } }),
    ...(practiceServer === undefined
      ? {}
      : { practiceServer: { host: practiceServer.host, port: practiceServer.port } }),
    ...(pauses.length === 0 ? {} : { paused: pauses.map(pauseJson) }),
  };
}

/** Only what is not so by default. */
const payJson = ({ mode, from }: Config['pay']) => ({
  ...(mode === 'real' ? {} : { pay: mode }),
  ...(from === null ? {} : { payFrom: isoTime(from) }),
});

/** Says what the first start created, what to paste where and what to type next. The ready line follows. */
async function printFirstStart(
  first: FirstConfig,
  config: Config,
  terminal: Terminal,
  teller: string,
): Promise<void> {
  const publicKey = publicKeyText((await readKeyPair(config.keys)).publicKey);
  const lines = [
    `First start: created ${first.file}, with a new token and a new RSA key pair in data/ beside it.`,
    '',
    'A page in your browser, the console, leads you through these steps. Once Teller runs, type in another terminal:',
    `     ${teller} console open`,
    '',
    '1. Try it. Type in another terminal:',
    `     ${teller} send --player Steve     # sends a vote`,
    `     ${teller} explain Steve           # shows what became of it`,
    '',
    '2. Connect your game server. Until then, rewards go to a practice server inside Teller.',
    `   This asks for its RCON password, tries it, and writes it into ${basename(first.file)}:`,
    `     ${teller} game-servers add main --replace main --host 127.0.0.1 --port 25575`,
    '',
    '3. Connect each listing. On its page, enter:',
    `     address     the public address of this machine, port ${config.listener.port}`,
    `     token       if the page asks for one (Votifier v2); show it with: ${teller} keys`,
    '     public key  otherwise (Votifier v1):',
    '',
    publicKey,
    '',
    'Teller accepts votes once it prints a line with "ready" and the address and port that it listens on:',
  ];
  for (const line of lines) terminal.err(line);
}
