import type { Terminal } from '../../src/platform/terminal.ts';

/** A terminal that keeps what is printed. */
export interface FakeTerminal extends Terminal {
  readonly outLines: readonly string[];
  readonly errLines: readonly string[];
}

/** @param width of the terminal that shows `out`; without it, `out` is read by a program. */
export function fakeTerminal(interactive = false, width?: number): FakeTerminal {
  const outLines: string[] = [];
  const errLines: string[] = [];
  return {
    outLines,
    errLines,
    interactive,
    width,
    out: (line) => {
      outLines.push(line);
    },
    err: (line) => {
      errLines.push(line);
    },
  };
}
