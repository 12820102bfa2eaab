import path from 'node:path';
import type { Random } from '../core/random.ts';
import { FOR_ALL, OWNER_ONLY, writeFirst, writeWhole } from '../platform/write-file.ts';
import { configJsonSchema } from './describe.ts';
import { exampleText } from './example.ts';
import { ensureKeyPair } from './keys.ts';
import { freshToken, readTokenFile, tokenFileFor, tokenFileText, writeTokenFile } from './token-file.ts';

export interface FirstConfig {
  /** Absolute path of the config. */
  readonly file: string;
  /** Absolute paths of the files that were created; existing files are kept and not listed. */
  readonly written: readonly string[];
}

/** Written next to every config that Teller writes, so that editors complete and explain its keys. */
export const SCHEMA_FILE = 'config.schema.json';

export const schemaText = (): string => `${JSON.stringify(configJsonSchema(), null, 2)}\n`;

/**
 * Creates what a first start needs: a token, an RSA key pair, the config's schema, and the config that names them.
 * Existing keys, tokens and configs are kept.
 * @throws Problem `data-unwritable`, `key-missing`
 */
export async function createFirstConfig(
  dir: string,
  random: Random,
  name = 'config.json',
): Promise<FirstConfig> {
  const folder = path.resolve(dir);
  const file = path.join(folder, name);
  // The config is written last, so that everything it names exists once it does.
  const written = [
    ...(await ensureToken(path.join(folder, tokenFileFor('default')), random)),
    ...(await ensureKeyPair(path.join(folder, 'data/keys'))),
    ...(await writeSchema(path.join(folder, SCHEMA_FILE))),
    ...(await ensureConfig(file)),
  ];
  return { file, written };
}

/** If several processes start for the first time at once, one writes the token and the others keep it. */
async function ensureToken(file: string, random: Random): Promise<readonly string[]> {
  if ((await readTokenFile(file)) !== null) return [];
  const token = freshToken(random);
  if (await writeFirst(file, tokenFileText(token), OWNER_ONLY)) return [file];
  if ((await readTokenFile(file)) !== null) return [];
  await writeTokenFile(file, token); // the file was empty
  return [file];
}

async function writeSchema(file: string): Promise<readonly string[]> {
  await writeWhole(file, schemaText(), FOR_ALL);
  return [file];
}

async function ensureConfig(file: string): Promise<readonly string[]> {
  return (await writeFirst(file, exampleText, FOR_ALL)) ? [file] : [];
}
