import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { Problem } from '../core/problem.ts';
import type { Terminal } from '../platform/terminal.ts';

/** 0: success, 1: failure, 2: wrong usage or config. */
export type ExitCode = 0 | 1 | 2;

/** The type of the flags that commander passes to the action of a command that `Build` returns. */
export type FlagsOf<Build extends (...given: never[]) => CommandUnknownOpts> = ReturnType<
  ReturnType<Build>['opts']
>;

/**
 * Adapts a command's body to commander: what it returns becomes the exit code, and a Problem is printed as its sentence
 * with its code. Any other error is a bug and is not caught.
 */
export const action =
  <Arguments extends unknown[]>(terminal: Terminal, body: (...given: Arguments) => Promise<ExitCode>) =>
  async (...given: Arguments): Promise<void> => {
    try {
      process.exitCode = await body(...given);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      printProblem(terminal, error);
      process.exitCode = error.exit;
    }
  };

export const printProblem = (terminal: Terminal, { message, code }: Problem): void => {
  for (const line of `error: ${message} [${code}]`.split('\n')) terminal.err(line);
};

/** As `action`, for a command that runs until it is stopped: a reader that stalls does not delay it. */
export const service =
  <Arguments extends unknown[]>(
    terminal: Terminal,
    body: (unblocked: Terminal, ...given: Arguments) => Promise<ExitCode>,
  ) =>
  async (...given: Arguments): Promise<void> => {
    const unblocked = terminal.unblock?.();
    await action(unblocked ?? terminal, (...same: Arguments) => body(unblocked ?? terminal, ...same))(
      ...given,
    );
    await unblocked?.close();
  };

/** `--json` prints one array, so that a script can read the whole output at once. */
export const printJson = (terminal: Terminal, rows: readonly unknown[]): void => {
  const text = JSON.stringify(rows, null, terminal.interactive ? 2 : undefined);
  for (const line of text.split('\n')) terminal.out(line);
};

const GAP = '  ';
/** However narrow the terminal is. */
const COLUMN_LEAST = 8;

/**
 * Prints rows as a table; the first row is the heading. At a terminal, columns are aligned and long cells are wrapped so that
 * lines fit; for a program, they are only separated.
 */
export function printTable(terminal: Terminal, rows: readonly (readonly string[])[]): void {
  if (terminal.width === undefined) {
    for (const row of rows) terminal.out(row.join(GAP).trimEnd());
    return;
  }
  const widths = columnWidths(rows, terminal.width);
  for (const row of rows) for (const line of tableLines(row, widths)) terminal.out(line);
}

/** Columns that need less than an even share keep what they need, and the others share the rest. */
function columnWidths(rows: readonly (readonly string[])[], width: number): readonly number[] {
  const needed: number[] = [];
  for (const row of rows)
    for (const [column, { length }] of row.entries()) needed[column] = Math.max(needed[column] ?? 0, length);
  let left = width - GAP.length * (needed.length - 1);
  const widths = [...needed];
  const narrowFirst = [...needed.keys()].toSorted((a, b) => (needed[a] ?? 0) - (needed[b] ?? 0));
  for (const [at, column] of narrowFirst.entries()) {
    const share = Math.max(COLUMN_LEAST, Math.floor(left / (needed.length - at)));
    widths[column] = Math.min(needed[column] ?? 0, share);
    left -= widths[column];
  }
  return widths;
}

function tableLines(row: readonly string[], widths: readonly number[]): readonly string[] {
  const cells = row.map((cell, column) => wrapped(cell, widths[column] ?? 0));
  const height = Math.max(1, ...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) =>
    cells
      .map((lines, column) => (lines[at] ?? '').padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** Breaks between words, and in a word that is longer than the line. */
function wrapped(cell: string, width: number): readonly string[] {
  if (cell.length <= width) return [cell];
  const pieces = cell.split(' ').flatMap((word) => word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? ['']);
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + piece.length > width) lines.push(piece);
    else lines[lines.length - 1] = `${last} ${piece}`;
  }
  return lines;
}
