import { existsSync } from 'node:fs';

/**
 * A module that is loaded by its URL: the module of a thread, or a program of the command line. In the source it is in the
 * folder of the module that loads it, which passes its `import.meta.url`. The package has one folder with all code, so it is
 * beside every module there, too: see `build/bundle.ts`.
 */
export const ownModule = (name: string, from: string): URL =>
  new URL(`./${name}${isSource(from) ? '.ts' : '.js'}`, from);

/** Whether a module runs as TypeScript. */
export const isSource = (url: string): boolean => url.endsWith('.ts');

/** Whether a module is in a clone, as its source or built: the package ships no source beside what is built. */
export const isInClone = (url: string): boolean =>
  isSource(url) || existsSync(new URL('../src/commands/cli.ts', url));
