import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Compiles the repository into a folder, each file by itself, so that processes start half a second faster than with tsx.
 * Types are not checked.
 *
 * @returns the folder with the compiled `src`, `protocol` and `test`.
 */
export function compile(folder: string): string {
  const out = join(folder, 'dist');
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const args = ['--noEmit', 'false', '--noCheck', '--outDir', out, '--rootDir', ROOT];
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(tsc, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`does not compile:\n${stdout}`);
  return out;
}
