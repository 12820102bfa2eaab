import path from 'node:path';
import { Command } from 'commander';
import { practiceNames, Secret } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import { perhapsMeant } from '../core/perhaps.ts';
import { Problem } from '../core/problem.ts';
import { openRconConnection } from '../delivery/rcon/login.ts';
import { notSentReasons, pauseReasons } from '../delivery/reasons.ts';
import { type PracticeAddress, practiceAddressFile, readPracticeAddress } from '../practice/address-file.ts';
import { faults, isFaultName } from '../practice/faults.ts';
import { STEERING_LOGIN_ID, STEERING_NO } from '../practice/steering.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';

interface SteeringFlags {
  readonly host?: string;
  readonly port?: string;
  readonly password?: string;
  readonly config?: string;
  readonly server?: string;
  readonly json?: boolean;
  readonly for?: string;
}

const ANSWER_WITHIN_MS = 5_000;

interface Tools {
  readonly terminal: Terminal;
  readonly clock: Clock;
}

/** One subcommand for each thing that can be done to a running practice server. */
export const steeringCommands = (terminal: Terminal, clock: Clock): Command[] =>
  [join, leave, players, inventory, fault, faultList, clear].map((make) => make({ terminal, clock }));

const join = (tools: Tools): Command =>
  steering('join', 'let a player join')
    .argument('<name>', 'the player')
    .action(
      action(tools.terminal, (name: string, flags: SteeringFlags) =>
        say(tools, flags, `join ${quoted(name)}`),
      ),
    );

const leave = (tools: Tools): Command =>
  steering('leave', 'let a player leave')
    .argument('<name>', 'the player')
    .action(
      action(tools.terminal, (name: string, flags: SteeringFlags) =>
        say(tools, flags, `leave ${quoted(name)}`),
      ),
    );

const players = ({ terminal, clock }: Tools): Command =>
  steering('players', 'who is on it').action(
    action(terminal, async (flags: SteeringFlags) => {
      const names = JSON.parse(await steer(flags, 'players', clock)) as string[];
      const rows = names.map((player) => ({ player }));
      return printRows(terminal, flags, ['player'], rows);
    }),
  );

const inventory = ({ terminal, clock }: Tools): Command =>
  steering('inventory', 'what a player has')
    .argument('<name>', 'the player')
    .action(
      action(terminal, async (name: string, flags: SteeringFlags) => {
        const items = JSON.parse(await steer(flags, `inventory ${quoted(name)}`, clock)) as Record<
          string,
          number
        >;
        const rows = Object.entries(items).map(([item, count]) => ({ item, count }));
        return printRows(terminal, flags, ['item', 'count'], rows);
      }),
    );

const fault = (tools: Tools): Command =>
  steering('fault', 'let it misbehave: see `practice faults`')
    .argument('<name>', 'the fault')
    .option(
      '--for <times>',
      'for how many commands or logins; a question about who is online is not counted (default: until `practice clear`)',
    )
    .action(
      action(tools.terminal, (name: string, flags: SteeringFlags) =>
        say(tools, flags, faultRequest(name, flags)),
      ),
    );

const faultList = ({ terminal, clock }: Tools): Command =>
  steering('faults', 'every fault there is, and which are on').action(
    action(terminal, async (flags: SteeringFlags) => {
      const on = new Set(JSON.parse(await steer(flags, 'faults', clock)) as string[]);
      const rows = Object.entries(faults).map(([name, means]) => ({ fault: name, on: on.has(name), means }));
      return printRows(terminal, flags, ['fault', 'on', 'means'], rows);
    }),
  );

const clear = (tools: Tools): Command =>
  steering('clear', 'end every fault').action(
    action(tools.terminal, (flags: SteeringFlags) => say(tools, flags, 'clear')),
  );

/** Asks, and prints the answer as it is. */
async function say({ terminal, clock }: Tools, flags: SteeringFlags, request: string): Promise<ExitCode> {
  const answer = await steer(flags, request, clock);
  if (flags.json === true) printJson(terminal, [{ answer }]);
  else terminal.out(answer);
  return 0;
}

const steering = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .option('--host <host>', 'where it listens (default: 127.0.0.1)')
    .option('--port <port>', 'its RCON port; without it, the one inside `teller run` is meant')
    .option('--password <password>', 'its RCON password')
    .option('--config <file>', `the config that \`teller run\` uses (default: ${DEFAULT_CONFIG})`)
    .option('--server <name>', 'which of its practice game servers, where there are several')
    .option('--json', 'print one array')
    .hook('preAction', takeFromParent);

/** `practice --port 1234 join Bob` means the same as `practice join Bob --port 1234`. */
function takeFromParent(command: Command): void {
  for (const [name, value] of Object.entries(command.parent?.opts() ?? {})) {
    if (command.getOptionValue(name) === undefined) command.setOptionValue(name, value);
  }
}

function printRows<Row extends Record<string, unknown>>(
  terminal: Terminal,
  { json }: SteeringFlags,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): ExitCode {
  if (json === true) printJson(terminal, rows);
  else printTable(terminal, [columns, ...rows.map((row) => columns.map((column) => String(row[column])))]);
  return 0;
}

function faultRequest(name: string, { for: times }: SteeringFlags): string {
  if (!isFaultName(name)) {
    const meant = perhapsMeant(name, Object.keys(faults));
    throw new Problem(
      'usage',
      `there is no fault ${name}${meant === null ? '' : `; perhaps you meant ${meant}`}`,
    );
  }
  if (times !== undefined && !/^[1-9]\d{0,5}$/.test(times)) {
    throw new Problem('usage', `--for must be a whole number from 1 to 999999, not "${times}"`);
  }
  return times === undefined ? `fault ${name}` : `fault ${name} for ${times}`;
}

/** @throws Problem `practice-not-running`, `practice-refused` */
async function steer(flags: SteeringFlags, request: string, clock: Clock): Promise<string> {
  const { host, port, password } = await findServer(flags);
  const target = { host, port, password: new Secret(password), commandTimeoutMs: ANSWER_WITHIN_MS, clock };
  const opened = await openRconConnection(
    { ...target, firstId: STEERING_LOGIN_ID },
    new AbortController().signal,
  );
  if (opened.kind === 'failed') throw notRunning(`${host}:${port}: ${notSentReasons[opened.reason]}`);
  const answer = await opened.connection.exchange(`practice ${request}`);
  opened.connection.close();
  if (answer.kind !== 'reply') throw notRunning(`${host}:${port}: ${pauseReasons[answer.reason]}`);
  if (answer.text.startsWith(STEERING_NO)) {
    throw new Problem('practice-refused', answer.text.slice(STEERING_NO.length));
  }
  return answer.text;
}

async function findServer({ host, port, password, config, server }: SteeringFlags): Promise<PracticeAddress> {
  if (port === undefined) return await findEmbedded(config ?? DEFAULT_CONFIG, server);
  if (!/^\d{1,5}$/.test(port)) throw new Problem('usage', `--port must be a whole number, not "${port}"`);
  if (password === undefined) throw new Problem('usage', '--port needs --password');
  return { host: host ?? '127.0.0.1', port: Number(port), password };
}

/** The one inside `teller run`, by the file that it leaves beside the ledger. */
async function findEmbedded(file: string, wanted: string | undefined): Promise<PracticeAddress> {
  const config = await loadConfig(file, { missingSecrets: 'defer' });
  const servers = practiceNames(config);
  const server = wanted ?? (servers.length === 1 ? servers[0] : undefined);
  if (servers.length === 0) throw notRunning(`the config ${file} has no practice game server`);
  if (server === undefined || !servers.includes(server)) {
    throw new Problem('usage', `say which practice game server with --server: ${servers.join(', ')}`);
  }
  const folder = path.dirname(config.ledger);
  const address = await readPracticeAddress(folder, server);
  if (address !== null) return address;
  throw notRunning(`${practiceAddressFile(folder, server)} is not there: does \`teller run\` run?`);
}

const notRunning = (sentence: string): Problem =>
  new Problem('practice-not-running', `no practice game server to steer: ${sentence}`);

/** A Bedrock player's name can have characters that end a word. */
const quoted = (name: string): string => JSON.stringify(name);
