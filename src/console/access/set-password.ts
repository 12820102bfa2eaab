import path from 'node:path';
import type { Config } from '../../config/config.ts';
import { editorOf, rewriteConfig } from '../../config/edit.ts';
import { readConfigText } from '../../config/load.ts';
import { OWNER_ONLY, writeWhole } from '../../platform/write-file.ts';
import { PASSWORD_LEAST, PASSWORD_MOST, type Passwords } from '../../web/auth/passwords.ts';

/** Where the hash of the console's password is kept, relative to the config. */
const HASH_FILE = 'data/secrets/console.password';

/** What is wrong with a new password; null: nothing. */
export function passwordFault(password: string): string | null {
  if (password.length < PASSWORD_LEAST) return `a password needs at least ${PASSWORD_LEAST} characters`;
  return password.length > PASSWORD_MOST ? `a password has at most ${PASSWORD_MOST} characters` : null;
}

export type PasswordSet =
  | { readonly kind: 'set'; readonly file: string }
  /** The config takes the hash from there, so only the operator can change it. */
  | { readonly kind: 'password-elsewhere'; readonly variable: string };

/**
 * Stores the hash of a password in the file that the config names; if it names none, adds one.
 * @throws Problem `data-unwritable`
 */
export async function setConsolePassword(
  { file: configFile }: Config,
  password: string,
  passwords: Passwords,
): Promise<PasswordSet> {
  const text = await readConfigText(configFile);
  const editor = editorOf(configFile);
  const named = editor.textAt(text, ['console', 'password']);
  if (named?.startsWith('env:')) return { kind: 'password-elsewhere', variable: named.slice('env:'.length) };
  const isFile = named?.startsWith('file:') === true;
  const relative = isFile ? named.slice('file:'.length) : HASH_FILE;
  const file = path.resolve(path.dirname(configFile), relative);
  await writeWhole(file, `${await passwords.hash(password)}\n`, OWNER_ONLY);
  if (!isFile)
    await rewriteConfig(configFile, editor.withValue(text, ['console', 'password'], `file:${relative}`));
  return { kind: 'set', file };
}
