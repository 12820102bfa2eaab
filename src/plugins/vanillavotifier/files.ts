import path from 'node:path';
import { Problem } from '../../core/problem.ts';
import { textIfAny } from '../../platform/plain-file.ts';
import { parsePluginYaml } from '../plugin-yaml.ts';
import { convertVanillaVotifier, type VanillaVotifierSetup } from './convert.ts';

export interface VanillaVotifierFiles {
  readonly folder: string;
  readonly setup: VanillaVotifierSetup;
  /** The texts of the key pair; null if one of them is missing. */
  readonly pair: { readonly publicKey: string; readonly privateKey: string } | null;
}

/**
 * Reads config.yaml or config.json, and the keys that it names.
 *
 * @throws Problem `import-nothing`, `import-unreadable`
 */
export async function readVanillaVotifier(given: string): Promise<VanillaVotifierFiles> {
  const file = path.resolve(given);
  const text = await textIfAny(file);
  if (text === null) throw new Problem('import-nothing', `${file} does not exist or cannot be read`);
  const fields = parsed(file, text);
  if (!('on-vote' in fields || 'rcon-list' in fields)) {
    const sentence = `${file} is not the config of VanillaVotifier: it has neither \`on-vote\` nor \`rcon-list\``;
    throw new Problem('import-nothing', sentence);
  }
  const folder = path.dirname(file);
  const setup = convertVanillaVotifier(fields, path.basename(file));
  return { folder, setup, pair: setup.keys === null ? null : await pairOf(folder, setup.keys) };
}

/** JSON is YAML as well. */
function parsed(file: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parsePluginYaml(text.replaceAll('\t', ' '));
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    throw new Problem('import-unreadable', `${file}: ${reason}`);
  }
}

async function pairOf(
  folder: string,
  names: { readonly public: string; readonly private: string },
): Promise<VanillaVotifierFiles['pair']> {
  const read = (name: string) => textIfAny(path.resolve(folder, name));
  const [publicKey, privateKey] = await Promise.all([read(names.public), read(names.private)]);
  return publicKey === null || privateKey === null
    ? null
    : { publicKey: withoutLabels(publicKey), privateKey: withoutLabels(privateKey) };
}

/** The program labels a PKCS #8 key as `RSA PRIVATE KEY`, which other programs do not read. */
const withoutLabels = (pem: string): string => pem.replaceAll(/-----[^-]+-----/g, '').replaceAll(/\s/g, '');
