import { password as promptForPassword } from '@clack/prompts';
import { type Config, hasReal } from '../config/config.ts';
import { loadConfig, readWrittenText } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import type { Finding } from '../core/finding.ts';
import { countText } from '../core/list-text.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { openLedger } from '../ledger/ledger.ts';
import { type GameServerAddition, planGameServer, writeGameServer } from '../operator/game-servers/add.ts';
import type { EntryFault, EntryField } from '../operator/game-servers/fields.ts';
import { tryGameServer } from '../operator/game-servers/try.ts';
import { waitingOn } from '../operator/game-servers/waiting-on.ts';
import { withLedgerIfThere } from '../operator/ledger-if-there.ts';
import { type EndedPractice, endedText, voidPracticeVotes } from '../operator/practice-votes.ts';
import { isPaying, type ProcessReload } from '../operator/reload.ts';
import { accountName } from '../platform/account.ts';
import type { Terminal } from '../platform/terminal.ts';
import { agreeToOtherChanges } from './agree-to-others.ts';
import { findingCells } from './check.ts';
import { action, type ExitCode, type FlagsOf, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { type Ask, agreed } from './confirm.ts';
import { exitOfEdit, printProcess, processJson, reloadAndWait } from './reload.ts';

/** Asks for what must not be shown; null: they pressed Ctrl-C. */
export type AskSecret = (question: string) => Promise<string | null>;

export const askSecretAtTerminal: AskSecret = async (question) => {
  const typed = await promptForPassword({ message: question, output: process.stderr });
  return typeof typed === 'string' ? typed : null;
};

interface Tools {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  readonly ask: Ask;
  readonly askSecret: AskSecret;
}

/** After so many wrong passwords in a row they are asked whether to write it anyway. */
const PASSWORD_TRIES = 3;

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
  const { plan, findings } = await tried(name, config, flags, tools);
  const waiting = await waitingOn(plan.replaced, config, (file) => openLedger(file, 'read', tools));
  if (!flags.json) printPlan(plan, findings, waiting, terminal);
  if (flags.dryRun) return printDryRun(plan, findings, waiting, flags, terminal);
  await agreeToWrite(config, findings, flags, tools);
  await writeGameServer(plan);
  const processes = await reloadAndWait(config.ledger, terminal, tools.clock);
  const practiceVotes = await endPractice(config, processes, tools);
  if (flags.json)
    printJson(terminal, [{ ...planJson(plan, findings, waiting, true, processes), practiceVotes }]);
  else printWritten(plan, processes, terminal);
  return exitOfEdit(processes);
}

interface Tried {
  readonly plan: GameServerAddition;
  readonly findings: readonly Finding[];
}

/** After a wrong password, which was typed, they are asked for it again. */
async function tried(name: string, config: Config, flags: AddFlags, tools: Tools): Promise<Tried> {
  for (let asked = 1; ; asked += 1) {
    const plan = await planned(name, config, flags, tools);
    const findings = flags.try ? await tryGameServer(plan, { ...tools, isInUse: inUseBy(config) }) : [];
    const wrong = findings.find(({ code }) => code === 'wrong-password');
    const isAskedAgain = flags.passwordFile === undefined && flags.yes !== true && asked < PASSWORD_TRIES;
    if (wrong === undefined || !isAskedAgain) return { plan, findings };
    tools.terminal.err(`${wrong.sentence} [${wrong.code}]`);
  }
}

/** Anything that is no number is refused with the other faults. */
const numberIn = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);

async function planned(
  name: string,
  config: Config,
  flags: AddFlags,
  tools: Tools,
): Promise<GameServerAddition> {
  const password = await passwordOf(name, flags.passwordFile, tools);
  const { host, replace: replaces = null } = flags;
  const port = numberIn(flags.port);
  const plan = await planGameServer(config, { name, host, port, password, replaces });
  if (plan.kind === 'planned') return plan;
  if (plan.kind === 'refused') throw refused(plan.faults);
  const lines = plan.faults.map(({ path: place, sentence }) => `${place}: ${sentence}`);
  throw new Problem(
    'config-invalid',
    `with this game server, the config would have errors, so nothing was written:\n${lines.join('\n')}`,
  );
}

/** @throws Problem `secret-missing`, `usage` if there is no terminal to ask at, `not-confirmed` */
async function passwordOf(
  name: string,
  file: string | undefined,
  { terminal, askSecret }: Tools,
): Promise<string> {
  if (file !== undefined) return readWrittenText(file, 'secret-missing', 'the file with the password');
  if (!terminal.interactive)
    throw new Problem('usage', 'there is no terminal to ask for the password at: give --password-file');
  const typed = await askSecret(`RCON password of ${name} (\`rcon.password\` in its server.properties)`);
  if (typed === null) throw new Problem('not-confirmed', 'nothing was changed');
  return typed;
}

const FLAGS: Readonly<Record<EntryField, string>> = {
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
  { diff, replaced, name, keptOn }: GameServerAddition,
  findings: readonly Finding[],
  waiting: number,
  terminal: Terminal,
): void {
  for (const line of diff) terminal.out(printable(line, Number.POSITIVE_INFINITY));
  if (findings.length > 0) printTable(terminal, findings.map(findingCells));
  if (keptOn !== null)
    terminal.err(
      `note: rewards that named no game server stay on ${keptOn}; to pay some on ${name}, change their \`servers\``,
    );
  if (waiting > 0)
    terminal.err(
      `note: ${countText(waiting, 'grant')} that ${waiting === 1 ? 'waits' : 'wait'} on the practice server ${replaced} will be held; \`teller grants\` shows ${waiting === 1 ? 'it' : 'them'}`,
    );
}

function printDryRun(
  plan: GameServerAddition,
  findings: readonly Finding[],
  waiting: number,
  { json }: AddFlags,
  terminal: Terminal,
): ExitCode {
  if (json) printJson(terminal, [planJson(plan, findings, waiting, false, [])]);
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
  { file, name, replaced, keptOn, passwordFile, unusedFile, diff }: GameServerAddition,
  findings: readonly Finding[],
  waiting: number,
  isWritten: boolean,
  processes: readonly ProcessReload[],
) => ({
  ...{ file, name, replaced, keptOn, passwordFile, unusedFile, diff, findings, waiting, isWritten },
  processes: processes.map(processJson),
});

/**
 * Call this when a real game server was written into a config. It voids the practice votes if that is the first one and every
 * running process has it: until then practice goes on, and `check` says later what is left to do.
 */
function endPractice(
  before: Config,
  processes: readonly ProcessReload[],
  { terminal, clock }: { readonly terminal: Terminal; readonly clock: Clock },
): Promise<EndedPractice | null> {
  if (hasReal(before) || processes.some(({ reply }) => reply.kind !== 'reloaded'))
    return Promise.resolve(null);
  const open = (file: string) => openLedger(file, 'write', { clock });
  return withLedgerIfThere(before.ledger, open, async (ledger) => {
    if (ledger === null) return null;
    const practice = await voidPracticeVotes(ledger, accountName(), clock.now());
    const said = endedText(practice);
    if (said !== null) terminal.err(said);
    return practice;
  });
}
