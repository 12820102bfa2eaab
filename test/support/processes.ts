import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject, onTestFinished } from 'vitest';
import { startThread, type Thread } from '../../src/platform/thread.ts';
import { printed, READY } from '../measure/programs.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The compiled version of a script, see `global-setup.ts`. The program is bundled, as it is shipped: it starts three times as fast. */
export const compiled = (script: string): string =>
  script === CLI
    ? join(inject('bundled'), 'cli.js')
    : join(inject('compiled'), relative(ROOT, script).replace(/\.ts$/, '.js'));

/** Starts the compiled version of a thread's module. */
export const compiledThread = (module: string) => (): Thread =>
  startThread(pathToFileURL(compiled(module)), null);

export const CLI = join(ROOT, 'src/commands/cli.ts');

/** A process that may not be ready yet. `ready` rejects if it ends before. */
export type Launched<Ready> = ReturnType<typeof launchScript<Ready>>;
/** A process that runs until it is stopped, killed, or the test ends. */
export type Running<Ready> = Omit<Launched<Ready>, 'ready'> & { readonly ready: Ready };

interface ListeningAddress {
  readonly host: string;
  readonly port: number;
}

export interface TellerReady {
  readonly practice: boolean;
  readonly listener: ListeningAddress;
  readonly webhook?: ListeningAddress;
  readonly practiceServer?: ListeningAddress;
}

/** Starts `teller run` or another long-running command of the CLI and waits for its ready line. */
export const startTeller = (
  args: readonly string[],
  folder: string,
  within: readonly string[] = [],
): Promise<Running<TellerReady>> => startScript(CLI, args, folder, within);

/**
 * Starts a script of the tests in the same way.
 *
 * @param within a prefix for the command: see `smallDisk`.
 */
export async function startScript<Ready>(
  script: string,
  args: readonly string[],
  folder: string,
  within: readonly string[] = [],
): Promise<Running<Ready>> {
  const { ready, ...running } = launchScript<Ready>(script, args, folder, within);
  return { ...running, ready: await ready };
}

/** Starts a script, and does not wait until it is ready. */
export function launchScript<Ready>(
  script: string,
  args: readonly string[],
  folder: string,
  within: readonly string[] = [],
) {
  const { child, err, closed } = spawnNode([script, ...args], folder, within);
  child.stdin.end();
  /** Resolves when the process has ended. */
  const ended = async (): Promise<void> => void (await closed);
  const ready = printed(child, READY).then((line): Ready => JSON.parse(line));
  return {
    process: child as ChildProcess,
    /** What it has written to standard error so far. */
    log: err,
    ...{ ended, ready },
    /** kill -9. */
    kill: (): Promise<void> => {
      child.kill('SIGKILL');
      return ended();
    },
    /** Asks it to end, and resolves with its exit code. */
    stop: async (): Promise<number | null> => {
      child.kill('SIGTERM');
      await ended();
      return child.exitCode;
    },
  };
}

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of the CLI to its end. */
export async function teller(
  args: readonly string[],
  folder: string,
  within: readonly string[] = [],
): Promise<Finished> {
  const { child, out, err, closed } = spawnNode([CLI, ...args], folder, within);
  child.stdin.end();
  await closed;
  return { code: child.exitCode, out: out(), err: err() };
}

/** It ends with the test at the latest. Keeps what it prints. */
function spawnNode([script, ...args]: [string, ...string[]], folder: string, within: readonly string[]) {
  const [program = '', ...rest] = [...within, process.execPath, compiled(script), ...args];
  const child = spawn(program, rest, { cwd: folder });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  // Not `exit`, which can come before all output has been read.
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  return { child, out: () => out, err: () => err, closed };
}

/** Stops a process as Ctrl-Z does. Resolves when it runs no more; `kill('SIGCONT')` lets it go on. */
export async function stopped(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP');
  const state = () => /^\d+ \(.*\) (\w)/.exec(readFileSync(`/proc/${child.pid}/stat`, 'utf8'))?.[1];
  await expect.poll(state, { interval: 5 }).toBe('T');
}

const SOON = { timeout: 60_000, interval: 20 };
/** An open quote, which is answered after everything that was typed before it. */
const MARK = '"';
const ANSWERED = /^(.*)error: the typed line has a quote [^\n]*\n/s;

/**
 * A process with a pipe as its standard input, such as `teller run --typed` in a panel's console.
 *
 * @param within a prefix for the command, such as `env NAME=value`.
 */
export function typedConsole(folder: string, words: readonly string[], within: readonly string[] = []) {
  const { child, out, err, closed } = spawnNode([CLI, ...words], folder, within);
  return {
    ...{ process: child, out, log: err },
    /** Resolves once it listens, with the port of the listener. */
    ready: async (): Promise<string> => {
      const port = () => /"msg":"ready".*?"port":(\d+)/.exec(out())?.[1];
      await expect.poll(port, SOON).toBeDefined();
      return port() ?? '';
    },
    /** Types a line, and resolves with what is answered. */
    type: async (line: string): Promise<string> => {
      const before = out().length;
      child.stdin.write(`${line}\n${MARK}\n`);
      await expect.poll(() => out().slice(before), SOON).toMatch(ANSWERED);
      return ANSWERED.exec(out().slice(before))?.[1] ?? '';
    },
    /** Resolves with the exit code. */
    ended: async (): Promise<number | null> => {
      await closed;
      return child.exitCode;
    },
  };
}
