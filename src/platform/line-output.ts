import type { LineSink } from './line-sink.ts';

/** How much text may wait for a stalled reader, in UTF-16 units. A write in progress may hold as much again. */
const WAITING_MAX = 1_048_576;

/**
 * Lines for a reader that may stall: a full pipe, a terminal under Ctrl-S, a hung SSH window. The lines of one turn of
 * the event loop are written together, and one write at a time. Beyond a limit, lines are lost and counted, so that
 * nothing else waits for the reader.
 *
 * Rejected: pino's own destination (sonic-boom). It always writes on a pool thread (12 instead of 4 microseconds of CPU
 * for each of 20 lines in a turn), it tries a full pipe again only every 100 ms, and so lost lines of a reader that kept
 * reading, and its `flush` forgets the lines that come during a write.
 */
export class LineOutput {
  /** Reports lost lines, once others are written again. The report may print a line. */
  onLost: (lines: number) => void = () => {};
  private waiting = '';
  private waitingLines = 0;
  private lost = 0;
  private isScheduled = false;
  private isWriting = false;
  private idle: (() => void)[] = [];

  constructor(private readonly sink: LineSink) {}

  print(line: string): void {
    if (this.waiting.length + line.length >= WAITING_MAX) {
      this.lost++;
      return;
    }
    this.waiting += `${line}\n`;
    this.waitingLines++;
    if (this.isScheduled || this.isWriting) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.write();
    });
  }

  /** Resolves once every line is written or lost; while the reader stalls, it does not. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.idle.push(resolve);
      this.write();
    });
  }

  /** For the exit of a process: no callback runs any more. */
  writeNow(): void {
    const { text } = this.take();
    if (text !== '') this.sink.writeNow(text);
  }

  private write(): void {
    if (this.isWriting) return;
    const { text, lines } = this.take();
    if (text === '') {
      for (const resolve of this.idle.splice(0)) resolve();
      return;
    }
    this.isWriting = true;
    this.sink.write(text, (error) => {
      this.isWriting = false;
      if (error) this.lost += lines;
      else if (this.lost > 0) this.reportLost();
      this.write();
    });
  }

  /** The report comes after the lines that were kept, and has room whatever is waiting. */
  private reportLost(): void {
    const { text, lines } = this.take();
    const { lost } = this;
    this.lost = 0;
    this.onLost(lost);
    this.waiting = text + this.waiting;
    this.waitingLines += lines;
  }

  private take(): { text: string; lines: number } {
    const taken = { text: this.waiting, lines: this.waitingLines };
    this.waiting = '';
    this.waitingLines = 0;
    return taken;
  }
}
