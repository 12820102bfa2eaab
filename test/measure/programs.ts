/** Programs that are measured, in processes of their own. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder away from the clone. It is removed when this process ends. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'teller-measured-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Copies a build into a folder away from its clone, where commands begin with `teller`, whatever the clone is called. @returns `cli.js`. */
export function movedBuild(dist: string, folder: string): string {
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  for (const name of ['package.json', 'node_modules'])
    symlinkSync(join(dist, '..', name), join(folder, name));
  return join(folder, 'dist/cli.js');
}

export interface Ran {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach(endGroup));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** Starts a program of node. It is killed with all that it has started by `endAll`, and when this process ends. */
export function launched(words: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(process.execPath, words, { ...options, detached: true });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

export async function endAll(): Promise<void> {
  const ended = [...running].map((child) => once(child, 'exit'));
  running.forEach(endGroup);
  await Promise.all(ended);
}

/** Runs a program to its end. When its time is up, it is killed with all that it has started. */
export async function finished(
  words: readonly string[],
  options: SpawnOptions,
  withinMs = 60_000,
): Promise<Ran & { readonly isLate: boolean }> {
  const child = launched(words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err, isLate] = ['', '', false];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child);
  }, withinMs);
  const [exit] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { exit, out, err, isLate };
}

/** Starts a program, and waits for its ready line. `stop` asks it to end, and waits until it has. */
export function started<Ready>(words: readonly string[], options: SpawnOptions) {
  const child = launched(words, options);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  return { child, stop, ready: printed(child, READY).then((line): Ready => JSON.parse(line)) };
}

export const READY = /^(\{"msg":"ready".*)$/m;

/** Waits for a whole line that matches. @returns its first group. Rejects if the process ends before that. */
export function printed(child: ChildProcess, wanted: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const read = (piece: Buffer | string): void => {
      text += piece;
      const found = wanted.exec(text.slice(0, text.lastIndexOf('\n') + 1))?.[1];
      if (found === undefined) return;
      for (const stream of [child.stdout, child.stderr]) stream?.off('data', read);
      resolve(found);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('close', () => reject(new Error(`it ended before it was ready:\n${text}`)));
  });
}

/** Kills a process that was started with `detached`, and all that it has started. */
export function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes have ended.
  }
}
