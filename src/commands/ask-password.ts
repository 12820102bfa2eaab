import { text } from 'node:stream/consumers';
import { password } from '@clack/prompts';
import { readWrittenText } from '../config/load.ts';
import { Problem } from '../core/problem.ts';
import type { Terminal } from '../platform/terminal.ts';

/** Where a new password comes from, other than from a person at the terminal. */
export interface PasswordSource {
  /** Standard input is the password. */
  readonly stdin?: boolean | undefined;
  /** This file holds it. */
  readonly passwordFile?: string | undefined;
}

/**
 * Asks for a new password, or reads it. Throws a Problem: `usage` if there is no terminal to ask at and no other source, or
 * if the password has a fault; `secret-missing`, `not-confirmed`.
 *
 * @param faultOf what is wrong with a password; null: nothing
 */
export type AskPassword = (
  terminal: Terminal,
  source: PasswordSource,
  faultOf: (password: string) => string | null,
) => Promise<string>;

export const askPasswordAtTerminal: AskPassword = async (terminal, source, faultOf) => {
  const given = await givenPassword(source);
  if (given !== null) {
    const fault = faultOf(given);
    if (fault !== null) throw new Problem('usage', fault);
    return given;
  }
  if (!terminal.interactive)
    throw new Problem(
      'usage',
      'there is no terminal to ask at: give --password-file, or pipe the password into this command and add --stdin',
    );
  const typed = await password({
    message: 'New password of the console',
    validate: (value) => faultOf(value ?? '') ?? undefined,
    output: process.stderr,
  });
  if (typeof typed !== 'string') throw new Problem('not-confirmed', 'nothing was changed');
  return typed;
};

/** Without the line break at its end; null: no source was given. */
async function givenPassword({ stdin = false, passwordFile }: PasswordSource): Promise<string | null> {
  if (passwordFile === undefined && !stdin) return null;
  const given =
    passwordFile === undefined
      ? await text(process.stdin)
      : await readWrittenText(passwordFile, 'secret-missing', 'the file with the password');
  return given.replace(/\r?\n$/, '');
}
