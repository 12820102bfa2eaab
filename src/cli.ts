#!/usr/bin/env node
import { createRequire } from 'node:module';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { loadCommands } from './commands/all.ts';
import { Command, CommanderError } from './commands/commander.ts';
import { systemClock } from './runtime/clock.ts';
import { systemRandom } from './runtime/random.ts';
import { onReloadSignal, stopSignal } from './runtime/signals.ts';
import { systemTerminal } from './runtime/terminal.ts';
import { helpTypedHere, typedHere } from './runtime/typed-here.ts';

const isClone = import.meta.url.endsWith('.ts');
const parts = {
  clock: systemClock,
  random: systemRandom,
  stopped: stopSignal,
  onReloadAsked: onReloadSignal,
  teller: isClone ? 'npx tsx src/cli.ts' : 'teller',
};
const terminal = typedHere(systemTerminal, parts.teller);

async function program(name: string | undefined): Promise<CommandUnknownOpts> {
  const { version, description } = createRequire(import.meta.url)(
    isClone ? '../package.json' : '../../package.json',
  );
  const root = new Command(parts.teller).description(description).version(version);
  root.enablePositionalOptions();
  for (const command of await loadCommands(terminal, parts, name)) root.addCommand(command);
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

try {
  await (await program(process.argv[2])).parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  // Commander has printed what is wrong. Its exit code for that is 1, ours is 2.
  process.exitCode = error.exitCode === 0 ? 0 : 2;
  if (error.code === 'commander.help')
    terminal.err('error: no command given; use one of those above [usage]');
}
