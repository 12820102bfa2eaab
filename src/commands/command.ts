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

/** Prints rows as an aligned table; the first row is the heading. */
export const printTable = (terminal: Terminal, rows: readonly (readonly string[])[]): void => {
  const widths = rows.reduce<number[]>(
    (wide, row) => row.map((cell, column) => Math.max(wide[column] ?? 0, cell.length)),
    [],
  );
  for (const row of rows) {
    terminal.out(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
};
