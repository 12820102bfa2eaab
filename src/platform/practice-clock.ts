import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cancel, Clock, PracticeTime } from '../core/clock.ts';
import { DAY_MS, parseDuration } from '../core/duration.ts';
import { Problem } from '../core/problem.ts';
import { FOR_ALL, writeWhole } from './write-file.ts';

/** Ten years. Without a limit, time could pass the year 9999, after which dates are not valid. */
const OFFSET_MAX_MS = 3_660 * DAY_MS;
const STEP_MAX_MS = 366 * DAY_MS;

/** What to write for a step. */
export const PRACTICE_STEP = 'a duration of up to 366d, such as 30m, 12h, 24h or 7d';
export const PRACTICE_TOO_FAR =
  'The clock can be at most ten years ahead of real time. To start over, stop the service and delete its data folder.';

/** By how many milliseconds a step moves the clock; null if it is not a valid one. */
export function practiceStep(text: string): number | null {
  const byMs = parseDuration(text);
  return byMs === null || byMs === 0 || byMs > STEP_MAX_MS ? null : byMs;
}

/**
 * Wall time that can be moved forward for every part of the process at once, for practice. Monotonic time does not move,
 * so deadlines stay the same. The offset is stored in a file and never shrinks, so that stored times stay in the past.
 */
export class PracticeClock implements Clock, PracticeTime {
  readonly zone: string;
  private readonly machine: Clock;
  private offset: number;
  private last: Promise<unknown> = Promise.resolve();
  private readonly watchers = new Set<() => void>();

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

  get practice(): PracticeTime {
    return this;
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

  stalled(): number {
    return this.machine.stalled();
  }

  after(delayMs: number, callback: () => void): Cancel {
    return this.machine.after(delayMs, callback);
  }

  nextTurn(callback: () => void): void {
    this.machine.nextTurn(callback);
  }

  /**
   * Stores the new offset, then applies it; one call after another. Resolves to false beyond the limit. Rejects with a
   * Problem: `data-unwritable`.
   */
  advance(byMs: number): Promise<boolean> {
    const advanced = this.last.then(() => this.advanceNow(byMs));
    this.last = advanced.catch(() => {});
    return advanced;
  }

  whenMoved(callback: () => void): Cancel {
    this.watchers.add(callback);
    return () => this.watchers.delete(callback);
  }

  private async advanceNow(byMs: number): Promise<boolean> {
    const offsetMs = this.offset + Math.max(0, byMs);
    if (offsetMs > OFFSET_MAX_MS) return false;
    await writeWhole(this.file, `${JSON.stringify({ offsetMs })}\n`, FOR_ALL);
    this.offset = offsetMs;
    for (const moved of this.watchers) moved();
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
    if (Number.isInteger(offsetMs) && Number(offsetMs) >= 0 && Number(offsetMs) <= OFFSET_MAX_MS)
      return Number(offsetMs);
  } catch (error) {
    throw damaged(file, error);
  }
  throw damaged(file);
}

const damaged = (file: string, cause?: unknown): Problem =>
  new Problem(
    'practice-clock-damaged',
    `${file} does not contain {"offsetMs": number}; remove it and the data next to it to start over`,
    { cause },
  );
