import { loadConfig } from '../config/load.ts';
import { linkFileIn } from '../console/access/files.ts';
import { readLink } from '../console/access/one-time-link.ts';
import { passwordFault, setConsolePassword } from '../console/access/set-password.ts';
import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { controlFolder } from '../operator/control/place.ts';
import { openBrowser } from '../platform/open-browser.ts';
import type { Terminal } from '../platform/terminal.ts';
import { Passwords } from '../web/auth/passwords.ts';
import { type AskPassword, askPasswordAtTerminal, type PasswordSource } from './ask-password.ts';
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
            password(command.optsWithGlobals() as ConsoleFlags, source, terminal, tools),
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

async function password(
  { config: file, json = false }: ConsoleFlags,
  source: PasswordSource,
  terminal: Terminal,
  { clock, random, askPassword = askPasswordAtTerminal }: ConsoleTools,
): Promise<ExitCode> {
  const config = await loadConfig(file, { missingSecrets: 'defer' });
  const typed = await askPassword(terminal, source, passwordFault);
  const set = await setConsolePassword(config, typed, new Passwords(random));
  if (set.kind === 'password-elsewhere') {
    const sentence = `the hash of the password is in the environment variable ${set.variable}; change it there`;
    throw new Problem('password-elsewhere', sentence);
  }
  const processes = await reloadAndWait(config.ledger, terminal, clock);
  if (json) printJson(terminal, [{ file: set.file, reloaded: processes.length }]);
  else {
    terminal.out(`the console has a new password, and its sessions end; the hash is in ${set.file}`);
    for (const process of processes) printProcess(process, terminal);
  }
  return 0;
}
