#!/usr/bin/env node
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { systemClock } from './runtime/clock.ts';
import { systemDice } from './runtime/dice.ts';
import { stopSignal } from './runtime/signals.ts';
import { systemTerminal as terminal } from './runtime/terminal.ts';

const isClone = import.meta.url.endsWith('.ts');
const parts = {
  clock: systemClock,
  dice: systemDice,
  stopped: stopSignal,
  teller: isClone ? 'npx tsx src/cli.ts' : 'teller',
};

/** One file a command; only the one that was typed is loaded, so that `run` starts without the others' libraries. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./commands/run.ts')).runCommand(terminal, parts),
  send: async () => (await import('./commands/send.ts')).sendCommand(terminal, systemClock),
  practice: async () => (await import('./commands/practice.ts')).practiceCommand(terminal, parts),
};

async function program(name: string | undefined): Promise<Command> {
  const require = createRequire(import.meta.url);
  const { version, description } = require(isClone ? '../package.json' : '../../package.json');
  const root = new Command('teller')
    .description(description)
    .version(version)
    .enablePositionalOptions()
    .exitOverride();
  const named = name === undefined ? undefined : commands[name];
  const wanted = named === undefined ? Object.values(commands) : [named];
  for (const load of wanted) root.addCommand((await load()).exitOverride().copyInheritedSettings(root));
  return root;
}

try {
  await (await program(process.argv[2])).parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  // commander has printed what is wrong; its own exit code for that is 1, ours for wrong usage is 2.
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
