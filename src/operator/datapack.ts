import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { readJson } from '../core/json.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import { FOR_ALL, FOR_ALL_FOLDER } from '../platform/write-file.ts';
import { writeSet } from '../platform/write-set.ts';
import { DESCRIPTION, datapackFiles, PUBLISH, type VoteLink } from './datapack/files.ts';
import { layoutOf, OLDEST } from './datapack/layout.ts';

export interface WrittenPack {
  /** Absolute. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly links: readonly VoteLink[];
  /** Whether players see a dialog besides the messages. */
  readonly hasDialog: boolean;
  /** The entry of `publish` that the config lacks for the player's figures; null: it has one. */
  readonly publish: typeof PUBLISH | null;
}

/**
 * Writes a datapack with the vote links of a config. An earlier one of Teller's in the same folder is replaced.
 * Throws a Problem: `usage`, `no-vote-links`, `not-our-datapack`, `data-unwritable`.
 */
export async function writeDatapack(config: Config, version: string, out: string): Promise<WrittenPack> {
  const layout = layoutOf(version);
  if (layout === null)
    throw new Problem(
      'usage',
      `--minecraft must be a version of Minecraft Java Edition, such as 1.21.6, from ${OLDEST} on; not "${printable(version, 40)}"`,
    );
  const links = linksOf(config);
  if (links.length === 0)
    throw new Problem(
      'no-vote-links',
      'no entry of sites has a url, so there is nothing to show; set sites.<name>.url to the page where players vote',
    );
  const folder = path.resolve(out);
  const files = datapackFiles(layout, links);
  const before = await filesOfOurs(folder);
  // The user of the game server reads it.
  await writeSet(
    [...files].map(([file, text]) => ({ file: path.join(folder, file), text, mode: FOR_ALL, oldTo: null })),
    FOR_ALL_FOLDER,
  );
  // Of another version's layout.
  for (const file of before) if (!files.has(file)) await rm(path.join(folder, file), { force: true });
  return {
    ...{ folder, files: [...files.keys()], links, hasDialog: layout.hasDialogs },
    publish: isPublished(config) ? null : PUBLISH,
  };
}

const linksOf = ({ sites }: Config): readonly VoteLink[] =>
  [...sites].flatMap(([name, { url }]) => (url === null ? [] : [{ name: printable(name, 64), url }]));

const isPublished = ({ publish }: Config): boolean => {
  const commands = new Set(publish.flatMap((entry) => entry.commands));
  return PUBLISH.commands.every((command) => commands.has(command));
};

/** The files that an earlier call wrote there. Throws the Problem `not-our-datapack` if the folder has anything else. */
async function filesOfOurs(folder: string): Promise<readonly string[]> {
  const found = await filesIn(folder, '');
  if (found.length === 0) return [];
  const mcmeta = await readFile(path.join(folder, 'pack.mcmeta'), 'utf8').catch(() => '');
  const { pack } = Object(readJson(mcmeta));
  const foreign = found.find((file) => !OURS.test(file));
  if (Object(pack).description === DESCRIPTION && foreign === undefined) return found;
  const what = foreign === undefined ? 'is a datapack that Teller did not write' : `has ${foreign}`;
  throw new Problem(
    'not-our-datapack',
    `nothing was written: ${folder} ${what}; give --out a new folder, such as world/datapacks/teller`,
  );
}

const OURS =
  /^(?:pack\.mcmeta|data\/teller\/(?:functions?|dialog)\/\w+\.(?:mcfunction|json)|data\/minecraft\/tags\/functions?\/(?:load|tick)\.json)$/;
/** A folder with more is none of ours. */
const FILES_MAX = 100;

async function filesIn(folder: string, under: string): Promise<readonly string[]> {
  const entries = await readdir(path.join(folder, under), { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Problem('not-our-datapack', `nothing was written: ${folder} is no folder that can be read`);
  });
  const files: string[] = [];
  for (const entry of entries.slice(0, FILES_MAX)) {
    const name = `${under}${entry.name}`;
    files.push(...(entry.isDirectory() ? await filesIn(folder, `${name}/`) : [name]));
  }
  return files;
}
