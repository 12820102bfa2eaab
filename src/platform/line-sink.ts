import { writeFile, writeSync } from 'node:fs';
import { Socket } from 'node:net';

/** Where lines go. Neither function may block on the reader. */
export interface LineSink {
  /** Calls back once all of the text is written, or with the reason why not. */
  write(text: string, done: (error?: Error | null) => void): void;
  /** Writes what can be written at once, because the process exits. */
  writeNow(text: string): void;
}

/**
 * A pipe, a socket or a terminal is written without blocking, on the main thread. A file is written on a pool thread,
 * because its disk may be slow; a pipe that is full would hold that thread, and so the exit of the process, for ever.
 */
export function sinkOf(
  stream: NodeJS.WriteStream,
  descriptor: number,
  onError: (error: Error) => void,
): LineSink {
  if (stream instanceof Socket) {
    unblock(stream);
    return {
      write: (text, done) => void stream.write(text, done),
      writeNow: (text) => void stream.write(text),
    };
  }
  return {
    write: (text, done) =>
      writeFile(descriptor, text, (error) => {
        if (error !== null) onError(error);
        done(error);
      }),
    writeNow: (text) => {
      try {
        writeSync(descriptor, text);
      } catch (error) {
        onError(error as Error);
      }
    },
  };
}

/**
 * Node makes writes to a terminal block. Node (libuv) opened the terminal a second time for this process, so that the
 * shell's descriptor stays as it is.
 */
function unblock(stream: NodeJS.WriteStream): void {
  const { _handle: handle } = stream as { _handle?: { setBlocking?(on: boolean): number } };
  handle?.setBlocking?.(false);
}
