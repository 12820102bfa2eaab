import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { Problem } from '../core/problem.ts';
import { systemTerminal, type Terminal } from '../platform/terminal.ts';
import { loadCommands } from './all.ts';
import { printProblem } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { startProgram } from './program.ts';
import { TYPED_FLAG } from './typed-process.ts';

/** The command that was typed, in a shell or into a running Teller; the help of all commands if none was. */
export const anyProgram = (): Promise<void> =>
  process.argv[2] === TYPED_FLAG
    ? typedProgram(process.argv.slice(3))
    : startProgram((terminal, parts) => loadCommands(terminal, parts, process.argv[2]));

/** Everything is printed to standard output, in its order, because all of it is the answer to what was typed. */
const terminal: Terminal = {
  out: systemTerminal.out,
  err: systemTerminal.out,
  interactive: false,
  unblock: () => {
    throw new Problem('usage', 'this command runs until it is stopped: run it in a shell, not here');
  },
};

/** One command that was typed into a running Teller, in a process of its own. */
async function typedProgram([config = DEFAULT_CONFIG, ...words]: readonly string[]): Promise<void> {
  try {
    await startProgram(
      async (_, parts) => {
        const commands = await loadCommands(terminal, parts, words[0]);
        for (const command of commands) useConfig(command, config);
        return [...commands, stopCommand()];
      },
      { terminal, teller: 'teller', words },
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    printProblem(terminal, error);
    process.exitCode = error.exit;
  }
}

/**
 * Where no config is named, it is that of the running Teller. A subcommand takes the one of its command, as in
 * `votes --config other.json add`.
 */
function useConfig(command: CommandUnknownOpts, config: string): void {
  for (const argument of command.registeredArguments)
    if (argument.defaultValue === DEFAULT_CONFIG) argument.default(config);
  if (command.options.some(({ long }) => long === '--config'))
    command.setOptionValueWithSource('config', config, 'default');
  else for (const subcommand of command.commands) useConfig(subcommand, config);
}

/** For the help, and for what is similar. The running Teller answers `stop` itself. */
const stopCommand = () =>
  new Command('stop').description('stop Teller, after the votes and commands in progress');
