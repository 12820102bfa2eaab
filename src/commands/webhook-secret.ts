import { fetchSecret } from '../config/secret.ts';
import { Problem } from '../core/problem.ts';

/** The help text of `--secret`. */
export const SECRET_HELP = 'file:PATH, env:NAME, or the secret itself';

const IS_REFERENCE = /^(?:env|file):/;

/** The same flag for another command line, with a typed secret hidden. */
export const secretFlag = (reference: string | undefined): string => {
  if (reference === undefined) return '';
  return ` --secret ${IS_REFERENCE.test(reference) ? reference : '…'}`;
};

/**
 * A secret on the command line is used unchanged, because a tester may want a bad one.
 *
 * @throws Problem `secret-missing`, `secret-placeholder`, `config-value`
 */
export async function readSecret(reference: string | undefined): Promise<string | null> {
  if (reference === undefined) return null;
  if (!IS_REFERENCE.test(reference)) return reference;
  const found = await fetchSecret(reference, { folder: process.cwd(), env: process.env });
  if (typeof found !== 'string') throw new Problem(found.code, found.sentence);
  return found;
}
