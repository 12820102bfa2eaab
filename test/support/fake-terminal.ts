import type { Terminal } from '../../src/platform/terminal.ts';

/** A terminal that keeps what is printed. */
export interface FakeTerminal extends Terminal {
  readonly outLines: readonly string[];
  readonly errLines: readonly string[];
}

export function fakeTerminal(interactive = false): FakeTerminal {
  const outLines: string[] = [];
  const errLines: string[] = [];
  return {
    outLines,
    errLines,
    interactive,
    out: (line) => {
      outLines.push(line);
    },
    err: (line) => {
      errLines.push(line);
    },
  };
}
