import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Cancel, Clock } from '../core/clock.ts';
import { DAY_MS } from '../core/duration.ts';
import { Problem } from '../core/problem.ts';

/** Ten years. It never shrinks, and dates beyond the year 9999 are none. */
const OFFSET_MOST_MS = 3_660 * DAY_MS;

/**
 * Wall time that practice moves forward, for every part of the process at once. Monotonic time is not moved, so
 * deadlines stay what they are. The offset is kept in a file and never shrinks: what is stored lies in the past, as
 * it does in life.
 */
export class PracticeClock implements Clock {
  readonly zone: string;
  private readonly machine: Clock;
  private offset: number;

  /** Throws a Problem: `practice-clock-damaged`. */
  constructor(
    base: Clock,
    private readonly file: string,
  ) {
    this.machine = base;
    this.zone = base.zone;
    this.offset = readOffset(file);
  }

  /** Milliseconds ahead of the base clock. */
  get offsetMs(): number {
    return this.offset;
  }

  now(): number {
    return this.machine.now() + this.offset;
  }

  base(): number {
    return this.machine.now();
  }

  monotonic(): number {
    return this.machine.monotonic();
  }

  slept(): number {
    return this.machine.slept?.() ?? 0;
  }

  after(delayMs: number, callback: () => void): Cancel {
    return this.machine.after(delayMs, callback);
  }

  nextTurn(callback: () => void): void {
    this.machine.nextTurn(callback);
  }

  /** Stored before it counts. False where it would go too far. Throws a Problem: `data-unwritable`. */
  advance(byMs: number): boolean {
    const offset = this.offset + Math.max(0, byMs);
    if (offset > OFFSET_MOST_MS) return false;
    writeOffset(this.file, offset);
    this.offset = offset;
    return true;
  }
}

/** The practice clock of the data in this folder. Throws a Problem: `practice-clock-damaged`. */
export const practiceClockIn = (folder: string, base: Clock): PracticeClock =>
  new PracticeClock(base, join(folder, 'practice-clock.json'));

function readOffset(file: string): number {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw damaged(file, error);
  }
  try {
    const { offsetMs } = JSON.parse(text) as { offsetMs?: unknown };
    if (Number.isInteger(offsetMs) && Number(offsetMs) >= 0 && Number(offsetMs) <= OFFSET_MOST_MS)
      return Number(offsetMs);
  } catch (error) {
    throw damaged(file, error);
  }
  throw damaged(file);
}

const damaged = (file: string, cause?: unknown): Problem =>
  new Problem(
    'practice-clock-damaged',
    `${file} does not hold {"offsetMs": number}; remove it and the data beside it to begin anew`,
    { cause },
  );

function writeOffset(file: string, offsetMs: number): void {
  const draft = `${file}.new`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(draft, `${JSON.stringify({ offsetMs })}\n`, { flush: true });
    renameSync(draft, file);
  } catch (error) {
    throw new Problem('data-unwritable', `${file} cannot be written (${(error as Error).message})`, {
      cause: error,
    });
  }
}
