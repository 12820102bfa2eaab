import { confirm } from '@clack/prompts';
import { Problem } from '../core/problem.ts';
import type { Terminal } from '../runtime/terminal.ts';

export type Ask = (question: string) => Promise<boolean>;

/** Anything but a yes, Ctrl-C included, is a no. */
export const askAtTerminal: Ask = async (question) =>
  (await confirm({ message: question, initialValue: false, output: process.stderr })) === true;

/**
 * Lets a change go on that cannot be taken back easily: with `--yes`, or when the person at the terminal agrees.
 * @throws Problem `usage` where nobody can be asked, `not-confirmed`
 */
export async function agreed(terminal: Terminal, ask: Ask, yes: boolean, question: string): Promise<void> {
  if (yes) return;
  if (!terminal.interactive)
    throw new Problem('usage', `${question} Nobody is here to answer; with --yes it is done without asking`);
  if (!(await ask(question))) throw new Problem('not-confirmed', 'nothing was changed');
}
