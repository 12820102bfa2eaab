import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { Problem } from '../core/problem.ts';
import { isThere } from '../runtime/write-file.ts';
import { type KeyPair, PRIVATE_KEY, PUBLIC_KEY, readKeyPair } from './keys.ts';

/** What a Votifier plugin's folder holds that listings know it by. */
export interface PluginSetup {
  readonly folder: string;
  /** null: it has none, or never started. */
  readonly pair: KeyPair | null;
  readonly tokens: ReadonlyMap<string, string>;
  readonly port: number | null;
  /** The address it listened on. */
  readonly host: string | null;
}

/**
 * Reads the plugin's folder; the folder of all plugins, or the server's, will do as well.
 * @throws Problem `import-nothing`, `import-unreadable`, `key-missing`, `key-invalid`, `key-mismatch`
 */
export async function readVotifierPlugin(dir: string): Promise<PluginSetup> {
  const folder = await findPlugin(path.resolve(dir));
  const { tokens, port, host } = await readPluginConfig(path.join(folder, CONFIG));
  const keys = path.join(folder, 'rsa');
  const hasKeys =
    (await isThere(path.join(keys, PUBLIC_KEY))) || (await isThere(path.join(keys, PRIVATE_KEY)));
  return {
    folder,
    pair: hasKeys ? await readKeyPair(keys) : null,
    tokens: new Map(Object.entries(tokens)),
    port: port ?? null,
    host: host ?? null,
  };
}

const CONFIG = 'config.yml';

const PLUGIN_FOLDERS = ['NuVotifier', 'nuvotifier', 'Votifier', 'votifier', 'VotifierPlus'];

async function findPlugin(dir: string): Promise<string> {
  if (await isPlugin(dir)) return dir;
  const folders = [dir, path.join(dir, 'plugins')].flatMap((plugins) =>
    PLUGIN_FOLDERS.map((name) => path.join(plugins, name)),
  );
  for (const folder of folders) {
    if (await isFolder(folder)) return folder;
  }
  const sentence = `${dir} holds no Votifier plugin: neither ${CONFIG} with \`tokens\` nor rsa/${PRIVATE_KEY}, nor a folder plugins/Votifier`;
  throw new Problem('import-nothing', sentence);
}

const isFolder = async (folder: string): Promise<boolean> =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** A proxy has a `config.yml` of its own, so the name is not enough. */
async function isPlugin(dir: string): Promise<boolean> {
  if (await isThere(path.join(dir, 'rsa', PRIVATE_KEY))) return true;
  const text = await readFile(path.join(dir, CONFIG), 'utf8').catch(() => '');
  return /^tokens\s*:/m.test(text);
}

const pluginConfig = z.object({
  host: z.string().optional(),
  port: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((port) => port > 0 && port <= 65_535)
    .optional(),
  tokens: z.record(z.string(), z.string()).default({}),
});

async function readPluginConfig(file: string): Promise<z.output<typeof pluginConfig>> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const result = pluginConfig.safeParse(parseYaml(file, text) ?? {});
  if (result.success) return result.data;
  const at = result.error.issues[0]?.path.join('.') ?? '';
  throw new Problem('import-unreadable', `${file}: \`${at || CONFIG}\` is not what the plugin writes there`);
}

function parseYaml(file: string, text: string): unknown {
  try {
    // Every value a text: a token of digits must keep its leading zeros.
    return parse(text, { schema: 'failsafe' }) || null;
  } catch (error) {
    const [reason] = String((error as Error).message).split('\n');
    throw new Problem('import-unreadable', `${file} is not YAML: ${reason}`);
  }
}
