import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Random } from '../core/random.ts';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/random.ts';
import { stopSignal } from '../platform/signals.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { PracticeAddress } from '../practice/address-file.ts';
import { startPracticeServer } from '../practice/server.ts';
import { type ExitCode, type FlagsOf, service } from './command.ts';
import { Command } from './commander.ts';
import { readPort } from './flags.ts';
import { controlCommands } from './practice-control.ts';

export interface PracticeParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Resolves when the process is asked to stop. */
  readonly stopped: () => Promise<unknown>;
  /** How to type commands on this machine: `teller`, or `node dist/cli.js` from a clone. */
  readonly teller: string;
}

const SYSTEM: PracticeParts = {
  clock: systemClock,
  random: systemRandom,
  stopped: stopSignal,
  teller: 'teller',
};

const newCommand = () =>
  new Command('practice')
    .description('run a practice game server with RCON, or control a running one')
    .enablePositionalOptions()
    .option('--host <host>', 'the host to listen on (default: 127.0.0.1)')
    .option('--port <port>', 'its RCON port (default: a free one)')
    .option('--password <password>', 'its RCON password (default: a new one, shown on stderr)')
    .option('--log <file>', 'append every command that runs to this file, one JSON line each')
    .option('--json', 'accepted for scripts; the ready line is always JSON');

type PracticeFlags = FlagsOf<typeof newCommand>;

/** Runs a practice game server until it is stopped, or controls a running one. */
export function practiceCommand(terminal: Terminal, parts: PracticeParts = SYSTEM) {
  const command = newCommand().action(
    service(terminal, (unblocked, flags) => runPractice(flags, unblocked, parts)),
  );
  for (const control of controlCommands(terminal, parts.clock)) command.addCommand(control);
  return command;
}

async function runPractice(
  flags: PracticeFlags,
  terminal: Terminal,
  parts: PracticeParts,
): Promise<ExitCode> {
  const { host, password, log: logFile } = flags;
  const server = await startPracticeServer({
    ...(host === undefined ? {} : { host }),
    ...(password === undefined ? {} : { password }),
    ...(logFile === undefined ? {} : { logFile }),
    port: readPort('--port', flags.port ?? '0'),
    clock: parts.clock,
    random: parts.random,
    log: faultsOnly(terminal),
  });
  if (password === undefined) terminal.err(`the RCON password is ${server.password}`);
  if (password === undefined && flags.json !== true)
    for (const line of nextSteps(server, parts.teller)) terminal.err(line);
  const practiceServer = { host: server.host, port: server.port };
  // A reader of the ready line may stop the process at once.
  const stopped = parts.stopped();
  terminal.out(JSON.stringify({ msg: 'ready', practice: true, practiceServer }));
  await stopped;
  await server.close();
  return 0;
}

/** For a password that was made here. Alex joins, because the first test vote of the console is for Steve. */
const nextSteps = ({ host, port, password }: PracticeAddress, teller: string): readonly string[] => [
  `To connect it, enter ${host}, port ${port} and this password in the console, under "Connect a game server".`,
  'Nobody is online yet. A player joins, and what they were given is shown, with:',
  ...['join', 'inventory'].map(
    (control) => `  ${teller} practice ${control} Alex --host ${host} --port ${port} --password ${password}`,
  ),
];

const faultsOnly = (terminal: Terminal): Log => ({
  debug: () => {},
  info: () => {},
  warn: (_, sentence) => terminal.err(sentence),
  error: (_, sentence) => terminal.err(sentence),
});
