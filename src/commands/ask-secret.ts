import { password } from '@clack/prompts';

/** Asks for what must not be shown; null: they pressed Ctrl-C. */
export type AskSecret = (question: string) => Promise<string | null>;

export const askSecretAtTerminal: AskSecret = async (question) => {
  const typed = await password({ message: question, output: process.stderr });
  return typeof typed === 'string' ? typed : null;
};
