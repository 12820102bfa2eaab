import { type Config, practiceNames } from '../config/config.ts';
import { loadConfig, readWrittenText } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import type { Finding } from '../core/finding.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { type GameServerAddition, planGameServer, writeGameServer } from '../operator/game-servers/add.ts';
import type { EntryFault } from '../operator/game-servers/fields.ts';
import { tryGameServer } from '../operator/game-servers/try.ts';
import { isPaying, type ProcessReload } from '../operator/reload.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { agreeToOtherChanges } from './agree-to-others.ts';
import { findingCells } from './check.ts';
import { action, type ExitCode, type FlagsOf, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { type Ask, agreed } from './confirm.ts';
import { exitOf, printProcess, processJson, reloadAndWait } from './reload.ts';

/** Asks for what must not be shown; null: they do not say it. */
export type AskSecret = (question: string) => Promise<string | null>;

interface Tools {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  readonly ask: Ask;
  readonly askSecret: AskSecret;
}

const NOTES = `
The password is asked for, or read from the file of --password-file. It is written to data/secrets beside the config, where only you can
read it; the config names that file. Before anything is written, the game server is tried: login, and who is online.
`;

const newCommand = () =>
  new Command('add')
    .description('add a game server with RCON to the config file, or put it in the place of another one')
    .argument('<name>', 'its name in the config, such as survival')
    .option('--host <host>', 'where it listens', '127.0.0.1')
    .option('--port <port>', '`rcon.port` of its server.properties', '25575')
    .option('--password-file <file>', 'a file with `rcon.password` of its server.properties')
    .option('--replace <name>', 'the game server whose place it takes, such as the practice server main')
    .option('--dry-run', 'try the game server and show the lines that would change, and write nothing')
    .option('--no-try', 'do not try the game server first')
    .option('--yes', 'do not ask, not even if the game server cannot be reached')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', NOTES);

type AddFlags = FlagsOf<typeof newCommand>;

export const gameServersAddCommand = (tools: Tools) =>
  newCommand().action(action(tools.terminal, (name, flags) => add(name, flags, tools)));

async function add(name: string, flags: AddFlags, tools: Tools): Promise<ExitCode> {
  const { terminal } = tools;
  const config = await loadConfig(flags.config, { missingSecrets: 'defer' });
  const password = await passwordOf(name, flags, tools);
  const entered = { name, host: flags.host, port: numberIn(flags.port), password };
  const plan = await planGameServer(config, { ...entered, replaces: flags.replace ?? null });
  if (plan.kind === 'refused') throw refused(plan.faults);
  if (plan.kind === 'unfit') {
    const lines = plan.faults.map(({ path, sentence }) => `${path}: ${sentence}`);
    throw new Problem(
      'config-invalid',
      `with this game server, the config would have errors, so nothing was written:\n${lines.join('\n')}`,
    );
  }
  const findings = flags.try ? await tryGameServer(plan, { ...tools, isInUse: inUseBy(config) }) : [];
  if (!flags.json) printPlan(plan, config, findings, terminal);
  if (flags.dryRun) return printDryRun(plan, findings, flags, terminal);
  await agreeToWrite(config, findings, flags, tools);
  await writeGameServer(plan);
  const processes = await reloadAndWait(config.ledger, terminal, tools.clock);
  if (flags.json) printJson(terminal, [planJson(plan, findings, true, processes)]);
  else printWritten(plan, processes, terminal);
  return processes.every(({ reply }) => reply.kind === 'reloaded') ? 0 : exitOf(processes);
}

/** Anything that is no number is refused with the other faults. */
const numberIn = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);

async function passwordOf(name: string, flags: AddFlags, { terminal, askSecret }: Tools): Promise<string> {
  if (flags.passwordFile !== undefined)
    return readWrittenText(flags.passwordFile, 'secret-missing', 'the file with the password');
  if (!terminal.interactive)
    throw new Problem('usage', 'there is no terminal to ask for the password at: give --password-file');
  const typed = await askSecret(`RCON password of ${name} (\`rcon.password\` in its server.properties)`);
  if (typed === null) throw new Problem('not-confirmed', 'nothing was changed');
  return typed;
}

const FLAGS: Readonly<Record<EntryFault['field'], string>> = {
  name: 'the name',
  host: '--host',
  port: '--port',
  password: 'the password:',
  replaces: '--replace:',
};

const refused = (faults: readonly EntryFault[]): Problem =>
  new Problem(
    'game-server-refused',
    faults.map(({ field, code, sentence }) => `${FLAGS[field]} ${sentence} (${code})`).join('; '),
  );

/** A running Teller may already be connected to the game server, which may allow one connection only. */
const inUseBy =
  ({ gameServers, ledger }: Config) =>
  async (): Promise<boolean> =>
    [...gameServers.values()].some(({ kind }) => kind === 'rcon') && isPaying(ledger);

async function agreeToWrite(
  config: Config,
  findings: readonly Finding[],
  flags: AddFlags,
  tools: Tools,
): Promise<void> {
  const yes = flags.yes === true;
  if (findings.some(({ mark }) => mark === 'problem'))
    await agreed(tools.terminal, tools.ask, yes, 'Commands cannot be sent there now. Write it anyway?');
  await agreeToOtherChanges(config, 'Adding a game server', yes, tools);
}

function printPlan(
  { diff, replaced }: GameServerAddition,
  config: Config,
  findings: readonly Finding[],
  terminal: Terminal,
): void {
  for (const line of diff) terminal.out(printable(line, Number.POSITIVE_INFINITY));
  if (findings.length > 0) printTable(terminal, findings.map(findingCells));
  if (replaced !== null && practiceNames(config).includes(replaced))
    terminal.err(
      `note: what waits to be paid on the practice server ${replaced} is held; \`teller grants\` shows it`,
    );
}

function printDryRun(
  plan: GameServerAddition,
  findings: readonly Finding[],
  { json }: AddFlags,
  terminal: Terminal,
): ExitCode {
  if (json) printJson(terminal, [planJson(plan, findings, false, [])]);
  else terminal.err('nothing was written (--dry-run)');
  return findings.some(({ mark }) => mark === 'problem') ? 1 : 0;
}

function printWritten(
  { file, name, passwordFile, unusedFile }: GameServerAddition,
  processes: readonly ProcessReload[],
  terminal: Terminal,
): void {
  terminal.err(`added to ${file}: ${name}; its password is in ${passwordFile}`);
  if (unusedFile !== null)
    terminal.err(`the config no longer names ${unusedFile}, which holds a password: remove it`);
  for (const process of processes) printProcess(process, terminal);
}

const planJson = (
  { file, name, replaced, passwordFile, unusedFile, diff }: GameServerAddition,
  findings: readonly Finding[],
  isWritten: boolean,
  processes: readonly ProcessReload[],
) => ({
  ...{ file, name, replaced, passwordFile, unusedFile, diff, findings, isWritten },
  processes: processes.map(processJson),
});
