import type { Clock } from '../core/clock.ts';
import { systemClock } from './clock.ts';
import type { LineSink } from './line-sink.ts';

/** How much text may wait for a stalled reader, in UTF-16 units. A write in progress may hold as much again. */
const WAITING_MAX = 1_048_576;

/**
 * Lines that come sooner than this after a write began are written together when it is over. A write costs 35 to 80
 * microseconds, most of it for one more pass of the event loop and, for a file, the thread that writes it. In a flood of
 * votes, whose lines come in many turns, that was a fifth of what a vote cost.
 */
const PAUSE_MS = 10;

/**
 * Lines for a reader that may stall: a full pipe, a terminal under Ctrl-S, a hung SSH window. A lone line is written in
 * the turn of the event loop that it came in. While many come, those of `PAUSE_MS` are written together, and one write at
 * a time. Beyond a limit, lines are lost and counted, so that nothing else waits for the reader.
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
  private isPlanned = false;
  private isWriting = false;
  /** Monotonic. */
  private restUntil = 0;
  private idle: (() => void)[] = [];

  constructor(
    private readonly sink: LineSink,
    private readonly clock: Pick<Clock, 'monotonic' | 'after' | 'nextTurn'> = systemClock,
  ) {}

  print(line: string): void {
    if (this.waiting.length + line.length >= WAITING_MAX) {
      this.lost++;
      return;
    }
    this.waiting += `${line}\n`;
    this.waitingLines++;
    this.plan();
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

  private plan(): void {
    if (this.isPlanned || this.isWriting) return;
    this.isPlanned = true;
    const write = (): void => {
      this.isPlanned = false;
      this.write();
    };
    const restMs = this.restUntil - this.clock.monotonic();
    if (restMs <= 0) this.clock.nextTurn(write);
    else this.clock.after(restMs, write);
  }

  private write(): void {
    if (this.isWriting) return;
    const { text, lines } = this.take();
    if (text === '') {
      for (const resolve of this.idle.splice(0)) resolve();
      return;
    }
    this.isWriting = true;
    this.restUntil = this.clock.monotonic() + PAUSE_MS;
    this.sink.write(text, (error) => {
      this.isWriting = false;
      if (error) this.lost += lines;
      else if (this.lost > 0) this.reportLost();
      if (this.idle.length > 0) this.write();
      else if (this.waiting !== '') this.plan();
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
