import { printableWhole } from '../core/printable.ts';
import { LineOutput } from './line-output.ts';
import { sinkOf } from './line-sink.ts';

/** Where commands print: results to `out`, everything else to `err`. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  /** Whether `err` is shown to a person; only then are there progress bars and colours. */
  readonly interactive: boolean;
  /** How many characters fit on a line of `out`; undefined if it is not a terminal. */
  readonly width?: number | undefined;
  /**
   * For a command that runs until it is stopped: from now on, a reader that stalls costs lines instead of time.
   * Undefined where printing never waits.
   */
  readonly unblock?: () => UnblockedTerminal;
  /** Calls back with how many lines were lost, once others are written again. Undefined where none are lost. */
  readonly onLost?: (report: (lines: number) => void) => void;
}

export interface UnblockedTerminal extends Terminal {
  /** Resolves once every line is written. Exits the process if its reader has stalled. */
  close(): Promise<void>;
}

/** How long a stalled reader delays the exit of the process. */
const LAST_CHANCE_MS = 2_000;

export const systemTerminal: Terminal = openTerminal(process.stdout, process.stderr);

/**
 * The reader can exit before this process does (`teller votes | head`, a rotated log). Then only later output is lost:
 * `run` continues, and a command that changes grants does not stop half way.
 */
function openTerminal(out: NodeJS.WriteStream, err: NodeJS.WriteStream): Terminal {
  out.on('error', reportLoss);
  err.on('error', () => {});
  const print = (stream: NodeJS.WriteStream) => (line: string) => {
    stream.write(`${line}\n`);
  };
  const interactive = err.isTTY === true && process.env.CI === undefined;
  return {
    out: print(out),
    err: print(err),
    interactive,
    get width() {
      return widthOf(out);
    },
    unblock: () => unblocked(out, err, interactive),
  };
}

/** Read for each table, because the window can change. Some terminals say 0. */
const widthOf = (out: NodeJS.WriteStream): number | undefined =>
  out.isTTY ? out.columns || undefined : undefined;

function unblocked(
  out: NodeJS.WriteStream,
  err: NodeJS.WriteStream,
  interactive: boolean,
): UnblockedTerminal {
  const outLines = new LineOutput(sinkOf(out, 1, reportLoss));
  const errLines = new LineOutput(sinkOf(err, 2, () => {}));
  const both = [outLines, errLines];
  const onLost = (report: (lines: number) => void): void => {
    for (const lines of both) lines.onLost = report;
  };
  onLost((lines) => errLines.print(lostLinesSentence(lines)));
  process.once('exit', () => {
    for (const lines of both) lines.writeNow();
  });
  return {
    out: (line) => outLines.print(line),
    err: (line) => errLines.print(line),
    interactive,
    get width() {
      return widthOf(out);
    },
    onLost,
    close: async () => {
      // Otherwise a write in progress keeps the process running for as long as the reader stalls.
      const timer = setTimeout(() => process.exit(), LAST_CHANCE_MS);
      await Promise.all(both.map((lines) => lines.settled()));
      clearTimeout(timer);
    },
  };
}

export const lostLinesSentence = (lines: number): string =>
  `lines that were not read in time or could not be written are lost: ${lines}`;

/** For a command that prints what others have written, such as a plugin's files: nothing of it is a command for the terminal. */
export const printingSafely = (terminal: Terminal): Terminal => ({
  ...terminal,
  out: (line) => terminal.out(printableWhole(line)),
  err: (line) => terminal.err(printableWhole(line)),
});

let isLossReported = false;

/** Output that could not be written, for example to a full disk, must not look complete. */
function reportLoss(error: NodeJS.ErrnoException): void {
  if (isLossReported || error.code === 'EPIPE') return;
  isLossReported = true;
  process.stderr.write(`error: the output could not be written (${error.message}) [data-unwritable]\n`);
  process.once('exit', () => {
    process.exitCode ||= 1;
  });
}
