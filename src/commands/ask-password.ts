import { text } from 'node:stream/consumers';
import { password } from '@clack/prompts';
import { Problem } from '../core/problem.ts';
import type { Terminal } from '../runtime/terminal.ts';

/**
 * Asks for a new password. Throws a Problem: `usage` if there is no terminal to ask at and nothing is piped, or if the
 * password has a fault; `not-confirmed`.
 *
 * @param isPiped whether standard input is the password
 * @param faultOf what is wrong with a password; null: nothing
 */
export type AskPassword = (
  terminal: Terminal,
  isPiped: boolean,
  faultOf: (password: string) => string | null,
) => Promise<string>;

export const askPasswordAtTerminal: AskPassword = async (terminal, isPiped, faultOf) => {
  if (isPiped) {
    const piped = (await text(process.stdin)).replace(/\r?\n$/, '');
    const fault = faultOf(piped);
    if (fault !== null) throw new Problem('usage', fault);
    return piped;
  }
  if (!terminal.interactive)
    throw new Problem(
      'usage',
      'there is no terminal to ask at: pipe the password into this command and add --stdin',
    );
  const typed = await password({
    message: 'New password of the console',
    validate: (value) => faultOf(value ?? '') ?? undefined,
    output: process.stderr,
  });
  if (typeof typed !== 'string') throw new Problem('not-confirmed', 'nothing was changed');
  return typed;
};
