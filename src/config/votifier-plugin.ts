import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Problem } from '../core/problem.ts';
import { isThere } from '../runtime/write-file.ts';
import { type KeyPair, PRIVATE_KEY, PUBLIC_KEY, readKeyPair } from './keys.ts';
import {
  CONFIG_NAMES,
  isVotifierConfig,
  type PluginConfig,
  parsePluginConfig,
} from './votifier-plugin-config.ts';

/** What a Votifier plugin's folder holds that listings know it by. */
export interface PluginSetup extends PluginConfig {
  readonly folder: string;
  /** null: it has none, or never started. */
  readonly pair: KeyPair | null;
}

/**
 * Reads the plugin's folder. The folder of all plugins works too, and so does the server's or the proxy's.
 * @throws Problem `import-nothing`, `import-unreadable`, `key-missing`, `key-invalid`, `key-mismatch`
 */
export async function readVotifierPlugin(dir: string): Promise<PluginSetup> {
  const folder = await findPlugin(path.resolve(dir));
  const config = await readPluginConfig(folder);
  const keys = path.join(folder, 'rsa');
  const hasKeys =
    (await isThere(path.join(keys, PUBLIC_KEY))) || (await isThere(path.join(keys, PRIVATE_KEY)));
  const waiting = await votesWaiting(folder);
  return {
    ...config,
    folder,
    pair: hasKeys ? await readKeyPair(keys) : null,
    notImported: [...config.notImported, ...waiting],
  };
}

const PLUGIN_FOLDERS = ['NuVotifier', 'nuvotifier', 'Votifier', 'votifier', 'VotifierPlus'];

/** Bukkit, BungeeCord and Velocity keep a plugin's folder in `plugins`, Sponge in `config`. */
const PARENTS = ['', 'plugins', 'config'];

async function findPlugin(dir: string): Promise<string> {
  if (await isPlugin(dir)) return dir;
  const folders = PARENTS.flatMap((parent) => PLUGIN_FOLDERS.map((name) => path.join(dir, parent, name)));
  for (const folder of folders) {
    if (await isFolder(folder)) return folder;
  }
  const sentence = `${dir} holds no Votifier plugin: neither ${CONFIG_NAMES.join(' or ')} with \`tokens\` nor rsa/${PRIVATE_KEY}, nor a folder plugins/Votifier`;
  throw new Problem('import-nothing', sentence);
}

const isFolder = async (folder: string): Promise<boolean> =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );

const textOf = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null);

/** A proxy has a `config.yml` of its own, so the name is not enough. */
async function isPlugin(dir: string): Promise<boolean> {
  if (await isThere(path.join(dir, 'rsa', PRIVATE_KEY))) return true;
  const texts = await Promise.all(CONFIG_NAMES.map((name) => textOf(path.join(dir, name))));
  return texts.some((text) => text !== null && isVotifierConfig(text));
}

/** Where a folder was copied from one proxy to another, both files can be there. Only one of them is in use. */
async function readPluginConfig(folder: string): Promise<PluginConfig> {
  const files = CONFIG_NAMES.map((name) => path.join(folder, name));
  const texts = await Promise.all(files.map(textOf));
  const present = files.flatMap((file, at) => (texts[at] === null ? [] : [{ file, text: texts[at] ?? '' }]));
  const [first, second] = present;
  if (second !== undefined) {
    const sentence = `${folder} has both ${CONFIG_NAMES.join(' and ')}; move away the one that the plugin does not use`;
    throw new Problem('import-unreadable', sentence);
  }
  return parsePluginConfig(first?.file ?? (files[0] as string), first?.text ?? '');
}

/** Where a proxy's plugin keeps votes for players who were not on a server. */
const CACHE = 'cached-votes.json';

async function votesWaiting(folder: string): Promise<PluginConfig['notImported']> {
  const text = (await textOf(path.join(folder, CACHE))) ?? '';
  if (!text.includes('serviceName')) return [];
  const sentence = `votes that the plugin has not passed on yet; empty it before you remove the plugin, or pay them by hand`;
  return [{ what: CACHE, sentence }];
}
