import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');

/**
 * The command, what other programs import, and every module that is loaded by its URL (see `src/platform/own-module.ts`), with the packages that are bundled
 * into it. Each has files of its own: files that all shared would be many small ones, with which `run` took 345 instead of
 * 290 ms to be ready.
 *
 * `run` has its validator and the package of its page server bundled, which are a hundred files each otherwise. The other programs have not: one of them contains the
 * listing service, whose packages extend the validator that npm installs. CommonJS packages are never bundled, because they find
 * files beside them (the driver's binary, pino's threads), and to load them with `commonJs` is as fast.
 */
export const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  'src/commands/cli.ts': [],
  'src/commands/run-program.ts': ['zod', 'leven', 'hono', '@hono/node-server'],
  'src/commands/any-program.ts': [],
  'src/config/edit-thread.ts': [],
  'src/config/yaml-thread.ts': [],
  'src/ledger/ledger-thread.ts': ['leven'],
  'src/votes/decryption-thread.ts': [],
  'src/listing/database/listing-thread.ts': [],
  'src/library/vote-teller.ts': [],
};

/**
 * Bundles the program into one folder without subfolders, because a module that is loaded by its URL has to be beside the code
 * that loads it. What is imported when it is first needed stays in files of its own. Nothing is renamed or shortened, so that a
 * stack in a log can be read; with `node --enable-source-maps` it has the lines of the source.
 *
 * @returns the files of the source and of packages that are in the bundle, from the root of the repository.
 */
export async function bundle(folder: string): Promise<readonly string[]> {
  rmSync(folder, { recursive: true, force: true });
  const built = await Promise.all(
    Object.entries(ENTRIES).map(([entry, bundled]) =>
      build({ ...OPTIONS, entryPoints: [entry], outdir: folder, external: allExcept(bundled) }),
    ),
  );
  return [...new Set(built.flatMap(({ metafile }) => Object.keys(metafile.inputs)))];
}

function allExcept(bundled: readonly string[]): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return Object.keys(dependencies).filter((name) => !bundled.includes(name));
}

const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;
