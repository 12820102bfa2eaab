import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { CLI, compiled } from './processes.ts';

/** A process with a pipe as its standard input, such as `teller run --typed` in a panel's console. */
export interface TypedConsole {
  readonly process: ChildProcessWithoutNullStreams;
  /** Everything on standard output so far. */
  out(): string;
  /** Everything on standard error so far. */
  log(): string;
  /** Resolves once it listens, with the port of the listener. */
  ready(): Promise<string>;
  /** Types a line, and resolves with what is answered. */
  type(line: string): Promise<string>;
  /** Resolves with the exit code. */
  ended(): Promise<number | null>;
}

const SOON = { timeout: 60_000, interval: 20 };
/** An open quote, which is answered after everything that was typed before it. */
const MARK = '"';
const ANSWERED = /^(.*)error: the typed line has a quote [^\n]*\n/s;

/** @param within a prefix for the command, such as `env NAME=value`. */
export function typedConsole(
  folder: string,
  words: readonly string[],
  within: readonly string[] = [],
): TypedConsole {
  const [program = '', ...rest] = [...within, process.execPath, compiled(CLI), ...words];
  const child = spawn(program, rest, { cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  let [out, log] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  return {
    process: child,
    out: () => out,
    log: () => log,
    ready: async () => {
      const port = () => /"msg":"ready".*?"port":(\d+)/.exec(out)?.[1];
      await expect.poll(port, SOON).toBeDefined();
      return port() ?? '';
    },
    type: async (line) => {
      const before = out.length;
      child.stdin.write(`${line}\n${MARK}\n`);
      await expect.poll(() => out.slice(before), SOON).toMatch(ANSWERED);
      return ANSWERED.exec(out.slice(before))?.[1] ?? '';
    },
    ended: async () => {
      await closed;
      return child.exitCode;
    },
  };
}
