import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { launched, started } from '../measure/programs.ts';
import { compile, installPackage } from '../support/package.ts';
import type { Usage } from './probe.ts';

/** Built once, so that no measured process runs from TypeScript. */
export interface Installed {
  /** The command, built as `npm pack` ships it. */
  readonly cli: string;
  /** A script of this folder, such as `load`. */
  script(name: string): string;
}

export async function install(folder: string): Promise<Installed> {
  const compiled = compile(join(folder, 'compiled'));
  return {
    cli: await installPackage(join(folder, 'installed')),
    script: (name) => join(compiled, `test/bench/${name}.js`),
  };
}

/** The environment in which threads have the probe, too: they take what is loaded before them from here alone. */
export const probedThreads = (installed: Installed): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import ${pathToFileURL(installed.script('probe')).href}`,
});

export interface Ready {
  readonly listener: { readonly host?: string; readonly port: number };
}

/** A process that is measured. */
export interface Measured {
  /** Its ready line. */
  readonly ready: Ready;
  /** From spawn to the ready line. */
  readonly startMs: number;
  usage(): Promise<Usage>;
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a script and waits for its line `{"msg":"ready" …}`. What it logs is discarded. */
export async function start(
  installed: Installed,
  [script, ...args]: readonly [string, ...string[]],
  { flags = [], env = {} }: StartOptions = {},
): Promise<Measured> {
  const spawned = performance.now();
  const words = [...flags, '--import', installed.script('probe'), script, ...args];
  const { child, stop, ready } = started<Ready>(words, {
    ...{ stdio: ['ignore', 'pipe', 'ignore', 'ipc'], cwd: tmpdir() },
    env: { ...process.env, TZ: 'UTC', ...env },
  });
  return {
    ready: await ready,
    startMs: performance.now() - spawned,
    stop,
    usage: async () => {
      const answer = once(child, 'message');
      child.send('usage');
      return (await answer)[0];
    },
  };
}

/** Runs a command of the CLI or a script to its end. @param onLine called with each line that it prints. @returns all of them. */
export async function run(
  program: string,
  words: readonly string[],
  onLine: (line: string) => void = () => {},
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const child = launched([program, ...words], {
    ...{ stdio: ['ignore', 'pipe', 'ignore'], cwd: tmpdir() },
    env: { ...process.env, TZ: 'UTC', ...env },
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    lines.push(line);
    onLine(line);
  }
  return lines;
}

/** Runs a script of this folder to its end, with words and a JSON argument. Its last line is the result as JSON. */
export async function runScript<Result>(
  installed: Installed,
  [name, ...words]: readonly [string, ...string[]],
  order: object,
  onLine?: (line: string) => void,
): Promise<Result> {
  const result = (await run(installed.script(name), [...words, JSON.stringify(order)], onLine)).at(-1);
  if (result === undefined) throw new Error(`${name} printed no result`);
  return JSON.parse(result);
}

/** The environment of a process whose every fsync takes so many milliseconds longer. */
export type SlowSync = (ms: number) => Readonly<Record<string, string>>;

const SLOW_SYNC = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
static int slowly(const char *name, int descriptor) {
  long ms = atol(getenv("SLOW_SYNC_MS"));
  struct timespec pause = {ms / 1000, (ms % 1000) * 1000000L};
  nanosleep(&pause, NULL);
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(descriptor);
}
int fsync(int descriptor) { return slowly("fsync", descriptor); }
int fdatasync(int descriptor) { return slowly("fdatasync", descriptor); }
`;

/** Compiles a library into a folder, which is loaded before all others. @returns why that is impossible, if it is. */
export function slowSyncIn(folder: string): SlowSync | string {
  if (process.platform !== 'linux') return 'LD_PRELOAD is for Linux';
  const library = join(folder, 'slow-sync.so');
  const words = ['-shared', '-fPIC', '-O2', '-o', library, '-x', 'c', '-', '-ldl'];
  const { error } = spawnSync('cc', words, { input: SLOW_SYNC });
  if (error !== undefined || !existsSync(library)) return 'there is no C compiler (cc)';
  return (ms) => ({ LD_PRELOAD: library, SLOW_SYNC_MS: String(ms) });
}
