import type { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import type { Cancel } from '../core/clock.ts';
import { whileInForeground } from './foreground.ts';
import { LineSplitter, type LineWatcher } from './line-splitter.ts';

/** Calls back with whether the stream may be read: at first, and when that changes. */
type MayRead = (tell: (mayRead: boolean) => void) => Cancel;

const ALWAYS: MayRead = (tell) => {
  tell(true);
  return () => {};
};

/** Lines that a person or a program types. Their end, and an error, only mean that no more come. */
export class TypedInput {
  private stopAsking: Cancel = () => {};

  constructor(
    private readonly stream: Readable,
    private readonly whileReadable: MayRead = ALWAYS,
  ) {}

  /** @param max how long a line may be, in UTF-16 units */
  open(max: number, watcher: LineWatcher): void {
    const lines = new LineSplitter(max, watcher);
    this.stream.pause(); // until it is known that it may be read
    this.stream.on('data', (piece: Buffer) => lines.push(piece));
    this.stream.on('end', () => lines.end());
    // A terminal that was closed, or a descriptor that was never open for reading, as under nohup.
    this.stream.on('error', () => {});
    this.stopAsking = this.whileReadable((mayRead) => {
      if (mayRead) this.stream.resume();
      else this.stream.pause();
    });
  }

  /** From now on, this input no longer keeps the process running. */
  close(): void {
    this.stopAsking();
    this.stream.destroy();
  }
}

export const standardInput = (): TypedInput =>
  new TypedInput(process.stdin, isatty(0) ? whileInForeground : ALWAYS);
