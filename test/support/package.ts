import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildPackage } from '../../build/package.ts';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Puts the program into a folder as npm installs it: what the package ships as `dist`, with its dependencies and without those
 * that only a clone has.
 *
 * @returns its command.
 */
export async function installPackage(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await buildPackage(join(folder, 'dist'));
  linkDependencies(join(folder, 'node_modules'));
  return join(folder, 'dist/cli.js');
}

/** Links the packages that npm would install, so that nothing is found that an installation does not have. */
export function linkDependencies(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile;
  const installed = Object.entries(packages).filter(([, { dev }]) => dev !== true);
  for (const [, name] of installed.flatMap(([path]) => [
    /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [],
  ])) {
    if (name === undefined) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, name));
  }
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}
