import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Problem } from '../../core/problem.ts';
import { requireNoPipe } from '../../platform/plain-file.ts';
import { Options } from '../options.ts';
import { parsePluginYaml } from '../plugin-yaml.ts';
import type { VotingPluginFiles } from './convert.ts';
import { servicesIn } from './sites.ts';
import type { VotingPluginData } from './source.ts';

const SITES = 'VoteSites.yml';
const OTHERS = ['Shop.yml', 'GUI.yml', 'bungeeconfig.yml', 'bungee.yml'];

export interface VotingPluginSetup {
  readonly folder: string;
  readonly files: VotingPluginFiles;
}

/**
 * Reads the plugin's folder, or the one of the server that it is in.
 *
 * @throws Problem `import-nothing`, `import-unreadable`
 */
export async function readVotingPlugin(dir: string): Promise<VotingPluginSetup> {
  const folder = await folderIn(path.resolve(dir));
  const names = await readdir(folder);
  const read = (name: string) => yamlIn(folder, actual(names, name));
  return {
    folder,
    files: {
      config: await read('Config.yml'),
      voteSites: await read(SITES),
      specialRewards: await read('SpecialRewards.yml'),
      bungeeSettings: await read('BungeeSettings.yml'),
      rewardFiles: await rewardFiles(folder, actual(names, 'Rewards')),
      others: OTHERS.filter((name) => actual(names, name) !== null),
    },
  };
}

/** What the players' data is read with. */
export const playersWith = (
  { folder, files }: VotingPluginSetup,
  data: string | null,
  bedrockPrefixes: readonly string[],
): VotingPluginData => ({
  ...{ folder, data, bedrockPrefixes },
  services: servicesIn(new Options(files.voteSites, '')),
});

const PLACES = ['', 'VotingPlugin', path.join('plugins', 'VotingPlugin')];

async function folderIn(dir: string): Promise<string> {
  for (const place of PLACES) {
    const folder = path.join(dir, place);
    const names = await readdir(folder).catch(() => []);
    if (actual(names, SITES) !== null || actual(names, 'bungeeconfig.yml') !== null) return folder;
  }
  throw new Problem(
    'import-nothing',
    `there is no VotingPlugin in ${dir}: it has no ${SITES}, nor a folder plugins/VotingPlugin`,
  );
}

const actual = (names: readonly string[], wanted: string): string | null =>
  names.find((name) => name.toLowerCase() === wanted.toLowerCase()) ?? null;

async function yamlIn(folder: string, name: string | null): Promise<Readonly<Record<string, unknown>>> {
  if (name === null) return {};
  const file = path.join(folder, name);
  await requireNoPipe(file);
  try {
    return parsePluginYaml(await readFile(file, 'utf8'));
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    throw new Problem('import-unreadable', `${file}: ${reason}`);
  }
}

async function rewardFiles(folder: string, name: string | null): Promise<VotingPluginFiles['rewardFiles']> {
  if (name === null) return new Map();
  const inner = path.join(folder, name);
  const names = (await readdir(inner).catch(() => [])).filter((each) => /\.yml$/i.test(each));
  const read = await Promise.all(names.map((each) => yamlIn(inner, each)));
  return new Map(names.map((each, at) => [each.replace(/\.yml$/i, '').toLowerCase(), read[at] ?? {}]));
}
