/** Where commands print: results to `out`, everything else to `err`. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  /** Whether `err` is shown to a person; only then are there progress bars and colours. */
  readonly interactive: boolean;
}

export const systemTerminal: Terminal = openTerminal(process.stdout, process.stderr);

/**
 * The reader can exit before this process does (`teller votes | head`, a rotated log). Then only later output is lost:
 * `run` continues, and a command that changes grants does not stop half way.
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

/** Output that could not be written, for example to a full disk, must not look complete. */
function reportLoss(error: Error): void {
  if (isLossReported) return;
  isLossReported = true;
  process.stderr.write(`error: the output could not be written (${error.message}) [data-unwritable]\n`);
  process.once('exit', () => {
    process.exitCode ||= 1;
  });
}
