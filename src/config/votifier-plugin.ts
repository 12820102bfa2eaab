import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Problem } from '../core/problem.ts';
import { requireNoPipe, textIfAny } from '../platform/plain-file.ts';
import { isThere } from '../platform/write-file.ts';
import { type KeyPair, PRIVATE_KEY, PUBLIC_KEY, readKeyPair } from './keys.ts';
import {
  CONFIG_NAMES,
  isVotifierConfig,
  type PluginConfig,
  parsePluginConfig,
} from './votifier-plugin-config.ts';

/** The setup of a Votifier plugin: its config and key pair. */
export interface PluginSetup extends PluginConfig {
  readonly folder: string;
  /** null if the plugin has none or never started. */
  readonly pair: KeyPair | null;
}

/**
 * Reads the plugin's folder. Also accepts the folder of all plugins, of the server or of the proxy.
 * @throws Problem `import-nothing`, `import-unreadable`, `key-missing`, `key-invalid`, `key-mismatch`
 */
export async function readVotifierPlugin(dir: string): Promise<PluginSetup> {
  const folder = await findPlugin(path.resolve(dir));
  const config = await readPluginConfig(folder);
  const keys = path.join(folder, 'rsa');
  const hasKeys =
    (await isThere(path.join(keys, PUBLIC_KEY))) || (await isThere(path.join(keys, PRIVATE_KEY)));
  for (const name of [PUBLIC_KEY, PRIVATE_KEY]) await requireNoPipe(path.join(keys, name));
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
  const sentence = `there is no Votifier plugin in ${dir}: neither ${CONFIG_NAMES.join(' or ')} with \`tokens\` nor rsa/${PRIVATE_KEY}, nor a folder plugins/Votifier`;
  throw new Problem('import-nothing', sentence);
}

const isFolder = async (folder: string): Promise<boolean> =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Checks the content, because a proxy's own config is also named `config.yml`. */
async function isPlugin(dir: string): Promise<boolean> {
  if (await isThere(path.join(dir, 'rsa', PRIVATE_KEY))) return true;
  const texts = await Promise.all(CONFIG_NAMES.map((name) => textIfAny(path.join(dir, name))));
  return texts.some((text) => text !== null && isVotifierConfig(text));
}

/** A folder that was copied from one kind of proxy to another can contain both files, of which one is in use. */
async function readPluginConfig(folder: string): Promise<PluginConfig> {
  const files = CONFIG_NAMES.map((name) => path.join(folder, name));
  const texts = await Promise.all(files.map(textIfAny));
  const present = files.flatMap((file, at) => (texts[at] === null ? [] : [{ file, text: texts[at] ?? '' }]));
  const [first, second] = present;
  if (second !== undefined) {
    const sentence = `${folder} has both ${CONFIG_NAMES.join(' and ')}; move the one that the plugin does not use to another folder`;
    throw new Problem('import-unreadable', sentence);
  }
  return parsePluginConfig(first?.file ?? (files[0] as string), first?.text ?? '');
}

/** The file in which a proxy's plugin keeps votes for players who were not online. */
const CACHE = 'cached-votes.json';

async function votesWaiting(folder: string): Promise<PluginConfig['notImported']> {
  const text = (await textIfAny(path.join(folder, CACHE))) ?? '';
  if (!text.includes('serviceName')) return [];
  const sentence = `the plugin has not forwarded these votes yet; let it do so before you remove it, or reward them by hand`;
  return [{ what: CACHE, sentence }];
}
