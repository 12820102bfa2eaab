import { spawn } from 'node:child_process';
import { LineSplitter } from '../platform/line-splitter.ts';
import type { Terminal } from '../platform/terminal.ts';

/** The first argument of a process that runs one typed command: `--typed-command CONFIG WORDS…`. Not for operators. */
export const TYPED_FLAG = '--typed-command';

/** A command in progress that somebody typed into a running Teller. */
export interface TypedProcess {
  /** Resolves once the command has ended and everything that it printed is passed on. */
  readonly ended: Promise<void>;
  kill(): void;
}

/** Longer lines are those of `--json`. A megabyte is what waits for a reader at most. */
const ANSWER_LINE_MAX = 1_000_000;

/**
 * Runs a typed command as a process of its own, as in another shell: it may wait for the disk, and what goes wrong in it
 * costs Teller nothing (rule 13). To start it takes this thread 5 ms. It runs for a third of a second or longer, with 45 MB of memory
 * of its own.
 *
 * Rejected: to run it in this process, or on a thread of it. Where one part of a process closes the ledger's file, as a backup
 * does, the system drops the locks that SQLite has on it in the whole process.
 *
 * @param config the config file of commands without --config
 */
export function startTyped(words: readonly string[], config: string, terminal: Terminal): TypedProcess {
  const program = [...process.execArgv, process.argv[1] ?? '', TYPED_FLAG, config];
  const child = spawn(process.execPath, [...program, ...words], {
    ...{ stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true },
  });
  let isKilled = false;
  const parts = [
    [child.stdout, terminal.out],
    [child.stderr, terminal.err],
  ] as const;
  for (const [stream, print] of parts) {
    const onTooLong = () => terminal.err('error: a line of the answer is too long to be shown here');
    const lines = new LineSplitter(ANSWER_LINE_MAX, { onLine: print, onTooLong });
    stream.on('data', (piece: Buffer) => lines.push(piece));
    stream.on('end', () => lines.end());
  }
  const ended = new Promise<void>((resolve) => {
    child.once('error', ({ message }) => {
      terminal.err(`error: the command could not be run (${message})`);
      resolve();
    });
    child.once('close', (_, signal) => {
      if (signal !== null && !isKilled) terminal.err(`error: the command was ended by ${signal}`);
      resolve();
    });
  });
  const kill = (): void => {
    isKilled = true;
    child.kill();
  };
  return { ended, kill };
}
