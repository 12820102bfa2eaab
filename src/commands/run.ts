import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { publicKeyText } from '../../protocol/votifier/key-text.ts';
import { type App, startApp } from '../app.ts';
import { type Config, practiceNames } from '../config/config.ts';
import { createFirstConfig, type FirstConfig } from '../config/first-start.ts';
import { readKeyPair } from '../config/keys.ts';
import { loadConfig } from '../config/load.ts';
import { requirePracticeOnly } from '../config/practice-only.ts';
import { startControl } from '../control/control.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import { environment } from '../environment.ts';
import { createLog, LOG_FORMATS, type LogFormat } from '../runtime/log.ts';
import { practiceClockIn } from '../runtime/practice-clock.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { logWarnings } from '../runtime/warnings.ts';
import { action, type ExitCode } from './command.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { Flags } from './flags.ts';

export interface RunParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Resolves when the process is asked to end. */
  readonly stopped: () => Promise<unknown>;
  /** Calls back when the process is asked to read its config again. */
  readonly onReloadAsked?: (callback: () => void) => void;
  /** How commands are typed here: `teller`, or from a clone `npx tsx src/cli.ts`. */
  readonly teller: string;
}

interface RunFlags {
  readonly config?: string;
  readonly practiceClock?: boolean;
  readonly format?: string;
  readonly json?: boolean;
}

/** Listens for votes and pays rewards, until it is stopped. */
export const runCommand = (terminal: Terminal, parts: RunParts): Command =>
  new Command('run')
    .description('receive votes and pay rewards; without a config it makes a first one')
    .option(
      '--config <file>',
      `the config; without this flag ${DEFAULT_CONFIG}, which is created if it does not exist`,
    )
    .option('--practice-clock', 'go by the practice clock of this data; only where nothing is paid for real')
    .option('--format <format>', `the log as text or json, in place of the config’s log.format`)
    .option('--json', 'for scripts: --format json; the ready line is JSON in any case')
    .action(action(terminal, (flags: RunFlags) => run(flags, terminal, parts)));

async function run(
  { config: configFlag, practiceClock = false, ...written }: RunFlags,
  terminal: Terminal,
  parts: RunParts,
): Promise<ExitCode> {
  const format = readFormat(written);
  const file = resolve(configFlag ?? DEFAULT_CONFIG);
  const isFirstStart = configFlag === undefined && !existsSync(file);
  if (isFirstStart) {
    const first = await createFirstConfig(dirname(file), parts.random);
    await printFirstStart(first, await loadConfig(file), terminal, parts.teller);
  }
  const load = async (): Promise<Config> => {
    const loaded = await loadConfig(file);
    if (practiceClock) requirePracticeOnly(loaded);
    return loaded;
  };
  const config = await load();
  const clock = practiceClock ? practiceClockIn(dirname(config.ledger), parts.clock) : parts.clock;
  const log = createLog(config.log.level, terminal, format ?? config.log.format);
  logWarnings(log);
  const app = await startApp(config, environment(clock, parts.random, log));
  const control = await startControl({ app, load, clock: parts.clock, log });
  parts.onReloadAsked?.(() => void control.reload());
  // A reader of the ready line may stop it at once.
  const stopped = parts.stopped();
  terminal.out(JSON.stringify(readyLine(config, app)));
  if (app.practiceServers.size > 0) {
    log.warn({ code: 'practice' }, 'rewards go to a practice server until gameServers names a real one');
  }
  await stopped;
  log.info({ code: 'ending' }, 'ending: votes and the command in flight are finished first');
  await control.close();
  await app.close();
  return 0;
}

/** undefined: as the config says. */
function readFormat({ format, json }: RunFlags): LogFormat | undefined {
  const flags = new Flags();
  const read = flags.oneOf('--format', format, LOG_FORMATS);
  flags.done();
  return read ?? (json === true ? 'json' : undefined);
}

export function readyLine(config: Config, { listener, webhook, practiceServers }: App) {
  const [practiceServer] = practiceServers.values();
  return {
    msg: 'ready',
    practice: practiceNames(config).length > 0,
    listener: { host: listener.host, port: listener.port },
    ...(webhook === null ? {} : { webhook: { host: webhook.host, port: webhook.port } }),
    ...(practiceServer === undefined
      ? {}
      : { practiceServer: { host: practiceServer.host, port: practiceServer.port } }),
  };
}

/** What somebody who has just typed the first command needs to know, in the order in which he needs it. */
async function printFirstStart(
  first: FirstConfig,
  config: Config,
  terminal: Terminal,
  teller: string,
): Promise<void> {
  const publicKey = publicKeyText((await readKeyPair(config.keys)).publicKey);
  const lines = [
    `Teller made ${first.file}, with a fresh token and an RSA pair beside it.`,
    '',
    'Paste at the page of each listing that sends you votes:',
    `  address     this machine's public address, port ${config.listener.port}`,
    `  token       (v2, where the page asks for one) is shown by: ${teller} keys`,
    '  public key  (v1, everywhere else):',
    '',
    publicKey,
    '',
    'Rewards go to a practice game server inside Teller until gameServers in the config names a real one:',
    '  "main": { "kind": "rcon", "host": "127.0.0.1", "port": 25575, "password": "file:data/secrets/rcon" }',
    '',
    `Try it from another terminal:  ${teller} send --player Steve`,
    `And see what became of it:     ${teller} explain Steve`,
    '',
  ];
  for (const line of lines) terminal.err(line);
}
