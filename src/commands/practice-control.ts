import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { judgeRequest } from '../../protocol/rcon.ts';
import { loadConfig } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import { durationText } from '../core/duration.ts';
import { nearestWord } from '../core/nearest-word.ts';
import { Problem } from '../core/problem.ts';
import { sentenceOf } from '../delivery/outcomes.ts';
import { moveStoppedClock } from '../operator/practice-clock.ts';
import { askPractice, findPractice } from '../operator/practice-control.ts';
import { PRACTICE_STEP, practiceStep } from '../platform/practice-clock.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { PracticeAddress } from '../practice/address-file.ts';
import { controlRequest, type ListedPlayer, type ShownTime } from '../practice/control.ts';
import { faults, isFaultName } from '../practice/faults.ts';
import { action, type ExitCode, type FlagsOf, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { readConfig } from './with-ledger.ts';

interface Tools {
  readonly terminal: Terminal;
  readonly clock: Clock;
}

/** One subcommand for each way to control a running practice server. */
export const controlCommands = (terminal: Terminal, clock: Clock): CommandUnknownOpts[] =>
  [join, leave, players, inventory, run, fault, faultList, clear, practiceClock].map((make) =>
    make({ terminal, clock }),
  );

const join = (tools: Tools) =>
  control('join', 'make a player join; with a known UUID and another name, they have been renamed')
    .argument('<name>', 'the player')
    .option(
      '--uuid <uuid>',
      'their UUID: version 4 for a Java account (default: whoever had the name last, or one without an account)',
    )
    .action(
      action(tools.terminal, (name, flags) => say(tools, flags, controlRequest.join(name, flags.uuid))),
    );

const leave = (tools: Tools) =>
  control('leave', 'make a player leave')
    .argument('<name>', 'the player')
    .action(action(tools.terminal, (name, flags) => say(tools, flags, controlRequest.leave(name))));

const players = ({ terminal, clock }: Tools) =>
  control('players', 'list the players who are online').action(
    action(terminal, async (flags) => {
      const rows = JSON.parse(
        await ask(flags, controlRequest.players(), { terminal, clock }),
      ) as ListedPlayer[];
      return printRows(terminal, flags, ['player', 'uuid'], rows);
    }),
  );

const inventory = ({ terminal, clock }: Tools) =>
  control('inventory', 'list the items that a player has')
    .argument('<name>', 'the player')
    .action(
      action(terminal, async (name, flags) => {
        const items = JSON.parse(
          await ask(flags, controlRequest.inventory(name), { terminal, clock }),
        ) as Record<string, number>;
        const rows = Object.entries(items).map(([item, count]) => ({ item, count }));
        return printRows(terminal, flags, ['item', 'count'], rows);
      }),
    );

const run = (tools: Tools) =>
  control('run', 'run a command of the game, such as `tag Steve add vip`')
    .argument('<command...>', 'the command')
    .action(
      action(tools.terminal, (words, flags) => say(tools, flags, gameCommand(words.join(' ')), NO_OUTPUT)),
    );

const NO_OUTPUT = '(no output)';

/** @throws Problem `usage` */
function gameCommand(line: string): string {
  if (judgeRequest(line) === null) return line;
  throw new Problem('usage', 'the command must be one line of at most 1,446 bytes');
}

const fault = (tools: Tools) =>
  control('fault', 'make the practice server misbehave; `teller practice faults` lists the faults')
    .argument('<name>', 'the fault')
    .option(
      '--for <times>',
      'for how many commands or logins, not counting requests for the player list (default: until `teller practice clear`)',
    )
    .action(action(tools.terminal, (name, flags) => say(tools, flags, faultRequest(name, flags.for))));

const faultList = ({ terminal, clock }: Tools) =>
  control('faults', 'list all faults, and which are on').action(
    action(terminal, async (flags) => {
      const on = new Set(
        JSON.parse(await ask(flags, controlRequest.faults(), { terminal, clock })) as string[],
      );
      const rows = Object.entries(faults).map(([name, means]) => ({ fault: name, on: on.has(name), means }));
      return printRows(terminal, flags, ['fault', 'on', 'means'], rows);
    }),
  );

const clear = (tools: Tools) =>
  control('clear', 'turn off all faults').action(
    action(tools.terminal, (flags) => say(tools, flags, controlRequest.clear())),
  );

const practiceClock = (tools: Tools) =>
  control('clock', 'show the practice clock, or move it forward; it also moves while Teller is stopped')
    .argument('[duration]', 'how far to move it, such as 90m, 24h or 7d')
    .action(action(tools.terminal, (step, flags) => moveClock(tools, flags, step)));

async function moveClock(
  { terminal, clock }: Tools,
  flags: ControlFlags,
  step: string | undefined,
): Promise<ExitCode> {
  if (step !== undefined && practiceStep(step) === null)
    throw new Problem('usage', `"${step}" is not ${PRACTICE_STEP}`);
  const stopped = flags.port === undefined ? await moveStopped(flags.config, step, clock) : null;
  const shown =
    stopped ?? (JSON.parse(await ask(flags, controlRequest.clock(step), { terminal, clock })) as ShownTime);
  if (flags.json === true) printJson(terminal, [shown]);
  else terminal.out(`${shown.now}, ${durationText(shown.offsetMs)} ahead of real time`);
  return 0;
}

/** null if Teller is running. */
const moveStopped = async (
  file = DEFAULT_CONFIG,
  step: string | undefined,
  clock: Clock,
): Promise<ShownTime | null> =>
  moveStoppedClock(await loadConfig(file, { missingSecrets: 'defer' }), step ?? null, clock);

/** Sends the request and prints the answer unchanged; people see `nothing` instead of an empty one. */
async function say(
  { terminal, clock }: Tools,
  flags: ControlFlags,
  request: string,
  nothing = '',
): Promise<ExitCode> {
  const answer = await ask(flags, request, { terminal, clock });
  if (flags.json === true) printJson(terminal, [{ answer }]);
  else terminal.out(answer === '' ? nothing : answer);
  return 0;
}

const control = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .option('--host <host>', 'the host of the practice server (default: 127.0.0.1)')
    .option('--port <port>', 'its RCON port (default: the practice server inside `teller run`)')
    .option('--password <password>', 'its RCON password')
    .option('--config <file>', `the config file that \`teller run\` uses (default: ${DEFAULT_CONFIG})`)
    .option('--server <name>', 'which practice game server, if the config has several')
    .option('--json', 'print one JSON array')
    .hook('preAction', takeFromParent);

type ControlFlags = FlagsOf<typeof control>;

/** `practice --port 1234 join Bob` means the same as `practice join Bob --port 1234`. */
function takeFromParent(command: CommandUnknownOpts): void {
  for (const [name, value] of Object.entries(command.parent?.opts() ?? {})) {
    if (command.getOptionValue(name) === undefined) command.setOptionValue(name, value);
  }
}

function printRows<Row extends Record<string, unknown>>(
  terminal: Terminal,
  { json }: ControlFlags,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): ExitCode {
  if (json === true) printJson(terminal, rows);
  else printTable(terminal, [columns, ...rows.map((row) => columns.map((column) => String(row[column])))]);
  return 0;
}

function faultRequest(name: string, times: string | undefined): string {
  if (!isFaultName(name)) {
    const meant = nearestWord(name, Object.keys(faults));
    throw new Problem(
      'usage',
      `there is no fault ${name}${meant === null ? '; `teller practice faults` lists them' : `; did you mean ${meant}?`}`,
    );
  }
  if (times !== undefined && !/^[1-9]\d{0,5}$/.test(times)) {
    throw new Problem('usage', `--for must be a whole number from 1 to 999999, not "${times}"`);
  }
  return controlRequest.fault(name, times === undefined ? undefined : Number(times));
}

/** @throws Problem `practice-not-running`, `practice-refused`, `usage` */
async function ask(flags: ControlFlags, request: string, tools: Tools): Promise<string> {
  const address = await findServer(flags, tools);
  const answer = await askPractice(address, request, tools.clock);
  switch (answer.kind) {
    case 'answered':
      return answer.text;
    case 'refused':
      throw new Problem('practice-refused', answer.text);
    case 'unreachable':
      throw notRunning(`${address.host}:${address.port}: ${sentenceOf(answer.reason)}`);
  }
}

async function findServer(
  { host, port, password, config, server }: ControlFlags,
  tools: Tools,
): Promise<PracticeAddress> {
  if (port === undefined) return await findEmbedded(config ?? DEFAULT_CONFIG, server, tools);
  if (!/^\d{1,5}$/.test(port)) throw new Problem('usage', `--port must be a whole number, not "${port}"`);
  if (password === undefined) throw new Problem('usage', '--port needs --password');
  return { host: host ?? '127.0.0.1', port: Number(port), password };
}

async function findEmbedded(
  file: string,
  wanted: string | undefined,
  { terminal, clock }: Tools,
): Promise<PracticeAddress> {
  const { config } = await readConfig(file, terminal, clock);
  const found = await findPractice(config, wanted);
  switch (found.kind) {
    case 'found':
      return found.address;
    case 'none-configured':
      throw notRunning(
        `the config ${file} has none; for one that runs by itself, add the --port and --password that it printed`,
      );
    case 'not-named':
      throw new Problem('usage', `choose a practice game server with --server: ${found.servers.join(', ')}`);
    case 'not-running':
      throw notRunning(`${found.addressFile} does not exist; is \`teller run\` running?`);
  }
}

const notRunning = (sentence: string): Problem =>
  new Problem('practice-not-running', `no practice game server to control: ${sentence}`);
