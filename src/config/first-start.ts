import path from 'node:path';
import type { Random } from '../core/random.ts';
import { FOR_ALL, OWNER_ONLY, writeFirst, writeWhole } from '../runtime/write-file.ts';
import { configJsonSchema } from './describe.ts';
import { exampleText } from './example.ts';
import { ensureKeyPair } from './keys.ts';
import { freshToken, readTokenFile, tokenFileFor, tokenFileText, writeTokenFile } from './token-file.ts';

export interface FirstConfig {
  /** Absolute path of the config. */
  readonly file: string;
  /** Absolute paths of the files that were made; what existed is kept and not among them. */
  readonly written: readonly string[];
}

/** Beside every config that Teller writes, so that editors complete and explain its keys. */
export const SCHEMA_FILE = 'config.schema.json';

export const schemaText = (): string => `${JSON.stringify(configJsonSchema(), null, 2)}\n`;

/**
 * What a first start needs: a token, an RSA pair, the config that names them, and the config's schema. Keys, tokens
 * and a config that exist are kept.
 * @throws Problem `data-unwritable`, `key-missing`
 */
export async function createFirstConfig(
  dir: string,
  random: Random,
  name = 'config.json',
): Promise<FirstConfig> {
  const folder = path.resolve(dir);
  const file = path.join(folder, name);
  // The config last: where it is, all that it names is there too.
  const written = [
    ...(await ensureToken(path.join(folder, tokenFileFor('default')), random)),
    ...(await ensureKeyPair(path.join(folder, 'data/keys'))),
    ...(await writeSchema(path.join(folder, SCHEMA_FILE))),
    ...(await ensureConfig(file)),
  ];
  return { file, written };
}

/** Of several first starts at once, one makes the token and the others read it. */
async function ensureToken(file: string, random: Random): Promise<readonly string[]> {
  if ((await readTokenFile(file)) !== null) return [];
  const token = freshToken(random);
  if (await writeFirst(file, tokenFileText(token), OWNER_ONLY)) return [file];
  if ((await readTokenFile(file)) !== null) return [];
  await writeTokenFile(file, token); // an empty file is no token
  return [file];
}

async function writeSchema(file: string): Promise<readonly string[]> {
  await writeWhole(file, schemaText(), FOR_ALL);
  return [file];
}

async function ensureConfig(file: string): Promise<readonly string[]> {
  return (await writeFirst(file, exampleText, FOR_ALL)) ? [file] : [];
}
