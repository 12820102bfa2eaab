import path from 'node:path';
import { text } from 'node:stream/consumers';
import { password } from '@clack/prompts';
import type { Config } from '../config/config.ts';
import { editorOf, rewriteConfig } from '../config/edit.ts';
import { loadConfig, readConfigText, readWrittenText } from '../config/load.ts';
import { linkFileIn } from '../console/access/files.ts';
import { readLink } from '../console/access/one-time-link.ts';
import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { controlFolder } from '../operator/control/place.ts';
import { openBrowser } from '../platform/open-browser.ts';
import type { Terminal } from '../platform/terminal.ts';
import { OWNER_ONLY, writeWhole } from '../platform/write-file.ts';
import { PASSWORD_LEAST, PASSWORD_MOST, Passwords } from '../web/auth/passwords.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { printProcess, reloadAndWait } from './reload.ts';
import { readConfig } from './with-ledger.ts';

interface ConsoleTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly askPassword?: AskPassword;
  /** Opens a URL in a browser. @returns whether it could. */
  readonly open?: (url: string) => Promise<boolean>;
}

/** What both commands take. */
interface ConsoleFlags {
  readonly config: string;
  readonly json?: boolean;
}

export const consoleCommand = (terminal: Terminal, tools: ConsoleTools) =>
  new Command('console')
    .description('open the console, the operator’s pages of a running Teller, or set its password')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .addCommand(
      new Command('open')
        .description('print a link that opens the console once without a password, and open it in a browser')
        .option('--print', 'only print the link')
        .configureHelp({ showGlobalOptions: true })
        .action(
          action(terminal, ({ print = false }, command) =>
            open(command.optsWithGlobals() as ConsoleFlags, print, terminal, tools),
          ),
        ),
    )
    .addCommand(
      new Command('password')
        .description('set the password of the console; at a terminal you are asked for it')
        .option('--stdin', 'read the password from standard input')
        .option('--password-file <file>', 'read the password from this file, which you can then remove')
        .configureHelp({ showGlobalOptions: true })
        .action(
          action(terminal, (source, command) =>
            changePassword(command.optsWithGlobals() as ConsoleFlags, source, terminal, tools),
          ),
        ),
    );

async function open(
  { config: file, json = false }: ConsoleFlags,
  printOnly: boolean,
  terminal: Terminal,
  { clock, open: openUrl = openBrowser }: ConsoleTools,
): Promise<ExitCode> {
  const { ledger } = (await readConfig(file, terminal, clock)).config;
  const url = await readLink(linkFileIn(controlFolder(ledger)));
  if (url === null) {
    const sentence = `no Teller with the ledger ${ledger} serves a console that this user may open; start one with \`teller run\`, or use the account that runs it`;
    throw new Problem('console-not-served', sentence);
  }
  if (json) printJson(terminal, [{ url }]);
  else terminal.out(url);
  if (json || printOnly || !terminal.interactive) return 0;
  const isOpened = await openUrl(url);
  terminal.err(
    isOpened ? 'Opening it in your browser. The link works once.' : 'Open it in a browser. It works once.',
  );
  return 0;
}

async function changePassword(
  { config: file, json = false }: ConsoleFlags,
  source: PasswordSource,
  terminal: Terminal,
  { clock, random, askPassword = askPasswordAtTerminal }: ConsoleTools,
): Promise<ExitCode> {
  const config = await loadConfig(file, { missingSecrets: 'defer' });
  const typed = await askPassword(terminal, source, passwordFault);
  const hashFile = await setConsolePassword(config, typed, new Passwords(random));
  const processes = await reloadAndWait(config.ledger, terminal, clock);
  if (json) printJson(terminal, [{ file: hashFile, reloaded: processes.length }]);
  else {
    terminal.out(`the console has a new password, and its sessions end; the hash is in ${hashFile}`);
    for (const process of processes) printProcess(process, terminal);
  }
  return 0;
}

/** Where a new password comes from, other than from a person at the terminal. */
interface PasswordSource {
  /** Standard input is the password. */
  readonly stdin?: boolean | undefined;
  /** This file holds it. */
  readonly passwordFile?: string | undefined;
}

/**
 * Asks for a new password, or reads it. Throws a Problem: `usage` if there is no terminal to ask at and no other source, or
 * if the password has a fault; `secret-missing`, `not-confirmed`.
 *
 * @param faultOf what is wrong with a password; null: nothing
 */
type AskPassword = (
  terminal: Terminal,
  source: PasswordSource,
  faultOf: (password: string) => string | null,
) => Promise<string>;

const askPasswordAtTerminal: AskPassword = async (terminal, source, faultOf) => {
  const given = await givenPassword(source);
  if (given !== null) {
    const fault = faultOf(given);
    if (fault !== null) throw new Problem('usage', fault);
    return given;
  }
  if (!terminal.interactive)
    throw new Problem(
      'usage',
      'there is no terminal to ask at: give --password-file, or pipe the password into this command and add --stdin',
    );
  const typed = await password({
    message: 'New password of the console',
    validate: (value) => faultOf(value ?? '') ?? undefined,
    output: process.stderr,
  });
  if (typeof typed !== 'string') throw new Problem('not-confirmed', 'nothing was changed');
  return typed;
};

/** Without the line break at its end; null: no source was given. */
async function givenPassword({ stdin = false, passwordFile }: PasswordSource): Promise<string | null> {
  if (passwordFile === undefined && !stdin) return null;
  const given =
    passwordFile === undefined
      ? await text(process.stdin)
      : await readWrittenText(passwordFile, 'secret-missing', 'the file with the password');
  return given.replace(/\r?\n$/, '');
}

/** Where the hash of the console's password is kept, relative to the config. */
const HASH_FILE = 'data/secrets/console.password';

/** What is wrong with a new password; null: nothing. */
function passwordFault(password: string): string | null {
  if (password.length < PASSWORD_LEAST) return `a password needs at least ${PASSWORD_LEAST} characters`;
  return password.length > PASSWORD_MOST ? `a password has at most ${PASSWORD_MOST} characters` : null;
}

/**
 * Stores the hash of a password in the file that the config names; if it names none, adds one.
 * @returns the file.
 * @throws Problem `data-unwritable`; `password-elsewhere` if the config takes it from where only the operator can change it
 */
async function setConsolePassword(
  { file: configFile }: Config,
  password: string,
  passwords: Passwords,
): Promise<string> {
  const text = await readConfigText(configFile);
  const editor = editorOf(configFile);
  const named = editor.textAt(text, ['console', 'password']);
  if (named?.startsWith('env:')) {
    const sentence = `the hash of the password is in the environment variable ${named.slice('env:'.length)}; change it there`;
    throw new Problem('password-elsewhere', sentence);
  }
  const isFile = named?.startsWith('file:') === true;
  const relative = isFile ? named.slice('file:'.length) : HASH_FILE;
  const file = path.resolve(path.dirname(configFile), relative);
  await writeWhole(file, `${await passwords.hash(password)}\n`, OWNER_ONLY);
  if (!isFile)
    await rewriteConfig(configFile, editor.withValue(text, ['console', 'password'], `file:${relative}`));
  return file;
}
