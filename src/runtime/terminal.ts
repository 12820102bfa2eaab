/** Where commands print. Results go to `out`, everything said about them to `err`. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  /** Whether a person is looking at `err`; progress bars and colours are for them only. */
  readonly interactive: boolean;
}

export const systemTerminal: Terminal = openTerminal(process.stdout, process.stderr);

/**
 * Whoever reads may go before the process ends (`teller votes | head`, a log that is rotated away). What is printed
 * then is lost, and nothing else: `run` serves on, and a command that changes grants does not stop half way.
 */
function openTerminal(out: NodeJS.WriteStream, err: NodeJS.WriteStream): Terminal {
  out.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') reportLoss(error);
  });
  err.on('error', () => {});
  const print = (stream: NodeJS.WriteStream) => (line: string) => {
    stream.write(`${line}\n`);
  };
  return {
    out: print(out),
    err: print(err),
    interactive: err.isTTY === true && process.env.CI === undefined,
  };
}

let isLossReported = false;

/** A result that could not be written (a full disk) must not look like a whole one. */
function reportLoss(error: Error): void {
  if (isLossReported) return;
  isLossReported = true;
  process.stderr.write(`error: the output could not be written (${error.message}) [data-unwritable]\n`);
  process.once('exit', () => {
    process.exitCode ||= 1;
  });
}
