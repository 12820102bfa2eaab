/** Where commands print. Results go to `out`, everything said about them to `err`. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  /** Whether a person is looking at `err`; progress bars and colours are for them only. */
  readonly interactive: boolean;
}

export const systemTerminal: Terminal = {
  out: (line) => {
    process.stdout.write(`${line}\n`);
  },
  err: (line) => {
    process.stderr.write(`${line}\n`);
  },
  interactive: process.stderr.isTTY === true && process.env.CI === undefined,
};
