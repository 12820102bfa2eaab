import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { buildPackage } from '../../build/package.ts';
import { furnish, type Place } from '../kit/place.ts';
import { endGroup, printed } from '../measure/programs.ts';
import { temporaryFolder } from './folder.ts';
import { CLI, compiled } from './processes.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A folder that is like a clone after `npm ci`, with a separate config and data. */
export async function cloneFolder(more: object = {}): Promise<Place> {
  const made = furnish(temporaryFolder(), more);
  copyFileSync(join(ROOT, 'package.json'), join(made.folder, 'package.json'));
  for (const name of ['src', 'protocol', 'node_modules'])
    symlinkSync(join(ROOT, name), join(made.folder, name));
  await buildPackage(join(made.folder, 'dist'));
  return made;
}

/** A folder in which the package is installed, so that `npx teller` finds it. */
export function installedFolder(more: object = {}): Place {
  const made = furnish(temporaryFolder(), more);
  const bin = join(made.folder, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  chmodSync(compiled(CLI), 0o755);
  symlinkSync(compiled(CLI), join(bin, 'teller'));
  return made;
}

/** Runs a command that starts Teller, and waits until it listens. */
export async function typed(program: string, args: readonly string[], folder: string) {
  // Its own process group, so that all of its processes can be ended with the test.
  const child = spawn(program, args, { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => endGroup(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const port = await printed(child, /"msg":"ready".*?"listener":\{"host":"[^"]*","port":(\d+)\}/);
  return {
    /** The command that was typed: npm, npx, or `script` with its own terminal. */
    process: child as ChildProcess,
    port: Number(port),
    output: () => output,
  };
}
