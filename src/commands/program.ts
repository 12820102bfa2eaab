import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import manifest from '../../package.json' with { type: 'json' };
import { systemClock } from '../platform/clock.ts';
import { isInClone, isSource } from '../platform/own-module.ts';
import { systemRandom } from '../platform/random.ts';
import { onReloadSignal, stopSignal } from '../platform/signals.ts';
import { systemTerminal, type Terminal } from '../platform/terminal.ts';
import { helpTypedHere, typedHere } from '../platform/typed-here.ts';
import { Command, CommanderError } from './commander.ts';
import type { RunParts } from './run.ts';

type LoadCommands = (terminal: Terminal, parts: RunParts) => Promise<readonly CommandUnknownOpts[]>;

/** How a command was typed. */
interface Typed {
  /** The words after the program's name. */
  readonly words: readonly string[];
  readonly terminal: Terminal;
  /** The program's name, as it has to be typed. */
  readonly teller: string;
}

/** In a clone the built program: it starts in a quarter of the time that the source needs, and npm prints nothing. */
function tellerHere(): string {
  if (!isInClone(import.meta.url)) return 'teller';
  const built = new URL(isSource(import.meta.url) ? '../../dist/cli.js' : './cli.js', import.meta.url);
  const path = relative(process.cwd(), fileURLToPath(built)).replaceAll('\\', '/');
  return `node ${path.includes(' ') ? JSON.stringify(path) : path}`;
}

const teller = tellerHere();

const inShell = (): Typed => ({
  words: process.argv.slice(2),
  terminal: typedHere(systemTerminal, teller),
  teller,
});

/** Runs the command that was typed, with real time, random numbers, signals and terminal. */
export async function startProgram(load: LoadCommands, typed: Typed = inShell()): Promise<void> {
  try {
    await (await program(load, typed)).parseAsync([...typed.words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has printed what is wrong. Its exit code for that is 1, ours is 2.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    if (error.code === 'commander.help')
      typed.terminal.err('error: no command given; use one of those above [usage]');
  }
}

async function program(load: LoadCommands, typed: Typed): Promise<CommandUnknownOpts> {
  const { version, description } = manifest;
  const root = new Command(typed.teller).description(description).version(version);
  root.enablePositionalOptions();
  const parts: RunParts = {
    clock: systemClock,
    random: systemRandom,
    stopped: stopSignal,
    onReloadAsked: onReloadSignal,
    input: () => process.stdin,
    teller: typed.teller,
  };
  for (const command of await load(typed.terminal, parts)) root.addCommand(command);
  return refusing(root, typed);
}

/** Prints usage errors like every other error. Commander passes its settings only to subcommands that it created itself. */
function refusing(command: CommandUnknownOpts, typed: Typed): CommandUnknownOpts {
  for (const subcommand of command.commands) refusing(subcommand, typed);
  const lines = (text: string): string => helpTypedHere(text, typed.teller).replace(/\n$/, '');
  return command.exitOverride().configureOutput({
    outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')} [usage]\n`),
    writeOut: (text) => typed.terminal.out(lines(text)),
    writeErr: (text) => typed.terminal.err(lines(text)),
  });
}
