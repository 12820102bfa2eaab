import { confirm } from '@clack/prompts';
import { Problem } from '../core/problem.ts';
import type { Terminal } from '../platform/terminal.ts';

export type Ask = (question: string) => Promise<boolean>;

/** Any answer except yes, including Ctrl-C, means no. */
export const askAtTerminal: Ask = async (question) =>
  (await confirm({ message: question, initialValue: false, output: process.stderr })) === true;

/**
 * Confirms a change that cannot easily be undone: with `--yes`, or by asking the person at the terminal.
 * @throws Problem `usage` if there is no terminal to ask at, `not-confirmed`
 */
export async function agreed(terminal: Terminal, ask: Ask, yes: boolean, question: string): Promise<void> {
  if (yes) return;
  if (!terminal.interactive)
    throw new Problem(
      'usage',
      `${question} There is no terminal to ask at: add --yes to do it without asking.`,
    );
  if (!(await ask(question))) throw new Problem('not-confirmed', 'nothing was changed');
}
