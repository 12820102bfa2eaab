import path from 'node:path';
import type { Random } from '../core/random.ts';
import { FOR_ALL, isThere, OWNER_ONLY, writeFirst, writeWhole } from '../platform/write-file.ts';
import type { Config } from './config.ts';
import { configJsonSchema } from './describe.ts';
import { exampleText } from './example.ts';
import { pathText } from './fault.ts';
import { ensureKeyPair } from './keys.ts';
import { examineConfig, readConfigText } from './load.ts';
import { freshToken, tokenFileFor, tokenFileText } from './token-file.ts';
import { tokenPlace } from './token-place.ts';

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
    ...(await ensureSecrets(
      path.join(folder, 'data/keys'),
      [path.join(folder, tokenFileFor('default'))],
      random,
    )),
    ...(await writeSchema(path.join(folder, SCHEMA_FILE))),
    ...(await ensureConfig(file)),
  ];
  return { file, written };
}

/**
 * Creates what a first start with an existing config needs: the tokens that it keeps in files, and the RSA key pair. It creates
 * nothing once there is a ledger, because listings may have the token that is missing now, nor while anything else is wrong with the
 * config. Returns the files that this call created.
 * @throws Problem `config-missing`, `data-unwritable`, `key-missing`
 */
export async function createMissingSecrets(file: string, random: Random): Promise<readonly string[]> {
  const { config, missingSecrets } = await examineConfig(file);
  if (config === null || missingSecrets.length === 0 || (await isThere(config.ledger))) return [];
  const tokens = await tokenFiles(config);
  const missing = missingSecrets.flatMap(({ path: at }) => tokens.get(at) ?? []);
  return missing.length === missingSecrets.length ? await ensureSecrets(config.keys, missing, random) : [];
}

/** By their path in the config. */
async function tokenFiles({ file, sites }: Config): Promise<ReadonlyMap<string, string>> {
  const text = await readConfigText(file);
  const places = [...sites.keys()].map((site) => [site, tokenPlace(text, file, site)] as const);
  return new Map(
    places.flatMap(([site, place]) =>
      place.kind === 'file' ? [[pathText(['sites', site, 'token']), place.file]] : [],
    ),
  );
}

/**
 * The private key first: if only that is missing, nothing is created. No file is ever replaced, and if several processes start for the
 * first time at once, one of them creates each file and the others use it.
 */
async function ensureSecrets(
  keys: string,
  tokens: readonly string[],
  random: Random,
): Promise<readonly string[]> {
  const created = [...(await ensureKeyPair(keys))];
  for (const token of tokens) {
    if (await isThere(token)) continue;
    if (await writeFirst(token, tokenFileText(freshToken(random)), OWNER_ONLY)) created.push(token);
  }
  return created;
}

async function writeSchema(file: string): Promise<readonly string[]> {
  await writeWhole(file, schemaText(), FOR_ALL);
  return [file];
}

async function ensureConfig(file: string): Promise<readonly string[]> {
  return (await writeFirst(file, exampleText, FOR_ALL)) ? [file] : [];
}
