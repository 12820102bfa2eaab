import { baseTime, type Clock } from './clock.ts';
import { CLOCK_TOLERANCE_MS } from './clock-doubt.ts';

/** Wall time and monotonic time at one moment. Wall time is the base clock's, which practice does not move. */
export interface ClockReading {
  readonly wall: number;
  readonly monotonic: number;
  /** How long the machine has slept, from an arbitrary start; 0 if the operating system does not report it. */
  readonly sleptMs?: number;
}

export const readingOf = (clock: Clock): ClockReading => ({
  wall: baseTime(clock),
  monotonic: clock.monotonic(),
  sleptMs: clock.slept?.() ?? 0,
});

/** A believed time, and the reading that was taken at that time. */
export interface Anchor {
  readonly at: number;
  readonly monotonic: number;
  readonly sleptMs: number;
}

export const anchorAt = (at: number, { monotonic, sleptMs = 0 }: ClockReading): Anchor => ({
  at,
  monotonic,
  sleptMs,
});

/** Whether the clock is ahead of monotonic time by exactly as long as the machine slept. If so, nobody has set it. */
export function wasAsleep(anchor: Anchor | null, { wall, monotonic, sleptMs = 0 }: ClockReading): boolean {
  if (anchor === null) return false;
  const aheadMs = wall - anchor.at - (monotonic - anchor.monotonic);
  const asleepMs = sleptMs - anchor.sleptMs;
  return aheadMs > CLOCK_TOLERANCE_MS && Math.abs(aheadMs - asleepMs) <= CLOCK_TOLERANCE_MS;
}
