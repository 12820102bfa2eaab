import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { compile } from '../support/compile.ts';
import { installPackage } from '../support/package.ts';
import type { Delay, Question, Usage } from './probe.ts';

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

export const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Kills the child when the benchmark exits. */
export function killAtExit(child: ChildProcess): void {
  children.add(child);
  child.once('exit', () => children.delete(child));
}

/** Kills every child, and resolves when they have ended. */
export async function killAll(): Promise<void> {
  const ended = [...children].map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(ended);
}

/** Creates a folder outside the repository, which is removed when the process exits. */
export function workFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'teller-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

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

export interface Ready {
  readonly listener: { readonly port: number };
  /** Of a process that listens on several. */
  readonly ports?: readonly number[];
}

/** A process that is measured. */
export interface Measured {
  /** Its ready line. */
  readonly ready: Ready;
  /** From spawn to the ready line. */
  readonly startMs: number;
  usage(): Promise<Usage>;
  /** Starts to watch the delay of its event loop. */
  watchDelay(): Promise<void>;
  /** Since `watchDelay`. */
  delay(): Promise<Delay>;
  /** Asks a script of this folder something of its own. */
  ask<Answer>(order: object): Promise<Answer>;
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
  const child = spawn(process.execPath, [...flags, '--import', installed.script('probe'), script, ...args], {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    cwd: tmpdir(),
    env: { ...process.env, TZ: 'UTC', ...env },
  });
  const exited = once(child, 'exit');
  killAtExit(child);
  const ready = await readyLine(child, [script, ...args]);
  const ask = async <Answer>(question: Question | object): Promise<Answer> => {
    const answer = once(child, 'message');
    child.send(question);
    return (await answer)[0];
  };
  return {
    ready,
    startMs: performance.now() - spawned,
    usage: () => ask('usage'),
    watchDelay: () => ask('watch-delay'),
    delay: () => ask('delay'),
    ask,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function readyLine(child: ChildProcess, args: readonly string[]): Promise<Ready> {
  if (child.stdout === null) throw new Error('no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{"msg":"ready"')) return JSON.parse(line);
  }
  throw new Error(`ended before it was ready: ${args.join(' ')}`);
}

/**
 * Runs a script of this folder to its end, with one JSON argument.
 *
 * @param onProgress called with each line before the last, which is the result as JSON.
 */
export async function runScript<Result>(
  installed: Installed,
  name: string,
  order: object,
  onProgress: (line: string) => void = () => {},
): Promise<Result> {
  const child = spawn(process.execPath, [installed.script(name), JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TZ: 'UTC' },
  });
  killAtExit(child);
  let last = '';
  for await (const line of createInterface({ input: child.stdout })) {
    if (last !== '') onProgress(last);
    last = line;
  }
  if (last === '') throw new Error(`${name} printed no result`);
  return JSON.parse(last);
}

/** A command of the CLI, run to its end. */
export interface Finished {
  readonly ms: number;
  readonly code: number | null;
  readonly out: string;
}

export async function runCommand(installed: Installed, args: readonly string[]): Promise<Finished> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [installed.cli, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: tmpdir(),
    env: { ...process.env, TZ: 'UTC' },
  });
  killAtExit(child);
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const [code] = await once(child, 'close');
  return { ms: performance.now() - startedAt, code, out };
}
