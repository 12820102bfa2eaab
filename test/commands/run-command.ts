import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';
import { onTestFinished } from 'vitest';
import type { FakeTerminal } from '../support/log.ts';

export interface Ran {
  readonly exit: number | string | undefined | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command like the program, and returns what it printed and its exit code. */
export async function runCommand(
  command: Command,
  terminal: FakeTerminal,
  words: readonly string[],
): Promise<Ran> {
  const before = process.exitCode;
  onTestFinished(() => {
    process.exitCode = before;
  });
  process.exitCode = undefined;
  await command.parseAsync([...words], { from: 'user' });
  return { exit: process.exitCode, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}
