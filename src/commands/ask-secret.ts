import { password } from '@clack/prompts';
import { readWrittenText } from '../config/load.ts';
import { Problem } from '../core/problem.ts';
import type { Terminal } from '../platform/terminal.ts';

/** Asks for what must not be shown; null: they pressed Ctrl-C. */
export type AskSecret = (question: string) => Promise<string | null>;

export const askSecretAtTerminal: AskSecret = async (question) => {
  const typed = await password({ message: question, output: process.stderr });
  return typeof typed === 'string' ? typed : null;
};

/** Where a secret comes from, if a person does not type it. */
interface SecretSource {
  /** undefined: they type it. */
  readonly file: string | undefined;
  readonly flag: string;
  readonly what: string;
}

/** @throws Problem `secret-missing`, `usage` if there is no terminal to ask at, `not-confirmed` */
export async function secretOf(
  { file, flag, what }: SecretSource,
  question: string,
  { terminal, askSecret }: { readonly terminal: Terminal; readonly askSecret: AskSecret },
): Promise<string> {
  if (file !== undefined) return readWrittenText(file, 'secret-missing', `the file with ${what}`);
  if (!terminal.interactive)
    throw new Problem('usage', `there is no terminal to ask for ${what} at: give ${flag}`);
  const typed = await askSecret(question);
  if (typed === null) throw new Problem('not-confirmed', 'nothing was changed');
  return typed;
}
