import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Problem } from '../../core/problem.ts';
import { textIfAny } from '../../platform/plain-file.ts';
import { parsePluginYaml } from '../plugin-yaml.ts';

/** The plugin's config, parsed, and the folder that it is in. */
export interface SuperbVoteSetup {
  readonly folder: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/**
 * Reads config.yml, which is given itself or by its folder.
 *
 * @throws Problem `import-nothing`, `import-unreadable`
 */
export async function readSuperbVote(given: string): Promise<SuperbVoteSetup> {
  const found = await stat(given).catch(() => null);
  const file = path.resolve(found?.isDirectory() === true ? path.join(given, 'config.yml') : given);
  const text = await textIfAny(file);
  if (text === null) throw new Problem('import-nothing', `${file} does not exist or cannot be read`);
  try {
    const config = parsePluginYaml(text);
    if ('rewards' in config) return { folder: path.dirname(file), config };
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    throw new Problem('import-unreadable', `${file}: ${reason}`);
  }
  throw new Problem('import-nothing', `${file} is not the config of SuperbVote: it has no \`rewards\``);
}
