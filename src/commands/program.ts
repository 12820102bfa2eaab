import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import manifest from '../../package.json' with { type: 'json' };
import { systemClock } from '../runtime/clock.ts';
import { isSource } from '../runtime/own-module.ts';
import { systemRandom } from '../runtime/random.ts';
import { onReloadSignal, stopSignal } from '../runtime/signals.ts';
import { systemTerminal, type Terminal } from '../runtime/terminal.ts';
import { helpTypedHere, typedHere } from '../runtime/typed-here.ts';
import { Command, CommanderError } from './commander.ts';
import type { RunParts } from './run.ts';

type LoadCommands = (terminal: Terminal, parts: RunParts) => Promise<readonly CommandUnknownOpts[]>;

const parts: RunParts = {
  clock: systemClock,
  random: systemRandom,
  stopped: stopSignal,
  onReloadAsked: onReloadSignal,
  teller: isSource(import.meta.url) ? 'npx tsx src/cli.ts' : 'teller',
};
const terminal = typedHere(systemTerminal, parts.teller);

/** Runs the command that was typed, with real time, random numbers, signals and terminal. */
export async function startProgram(load: LoadCommands): Promise<void> {
  try {
    await (await program(load)).parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has printed what is wrong. Its exit code for that is 1, ours is 2.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    if (error.code === 'commander.help')
      terminal.err('error: no command given; use one of those above [usage]');
  }
}

async function program(load: LoadCommands): Promise<CommandUnknownOpts> {
  const { version, description } = manifest;
  const root = new Command(parts.teller).description(description).version(version);
  root.enablePositionalOptions();
  for (const command of await load(terminal, parts)) root.addCommand(command);
  return refusing(root);
}

/** Prints usage errors like every other error. Commander passes its settings only to subcommands that it created itself. */
function refusing(command: CommandUnknownOpts): CommandUnknownOpts {
  for (const subcommand of command.commands) refusing(subcommand);
  return command.exitOverride().configureOutput({
    outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')} [usage]\n`),
    writeOut: (text) => process.stdout.write(helpTypedHere(text, parts.teller)),
    writeErr: (text) => process.stderr.write(helpTypedHere(text, parts.teller)),
  });
}
