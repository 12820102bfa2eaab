/** Ends a pending callback; calling it twice, or after the callback ran, does nothing. */
export type Cancel = () => void;

/**
 * The two times of this program. Wall time names instants (cast times, windows) and may be moved forward in
 * practice; monotonic time measures waits (deadlines, backoff) and nothing moves it.
 */
export interface Clock {
  /** The IANA name of the time zone that local days begin in. */
  readonly zone: string;
  /** Wall time in milliseconds since the Unix epoch. */
  now(): number;
  /** This machine's wall time, on a clock that practice moves; absent on any other clock. */
  base?(): number;
  /** Monotonic time in milliseconds from an arbitrary start. */
  monotonic(): number;
  /** Milliseconds that the machine has slept, from an arbitrary start; absent if the system does not say. */
  slept?(): number;
  /** Calls back once, `delayMs` of monotonic time from now. */
  after(delayMs: number, callback: () => void): Cancel;
  /** Calls back once, when the event loop has handled what is ready now. */
  nextTurn(callback: () => void): void;
}

/** Wall time that practice does not move. */
export const baseTime = (clock: Clock): number => clock.base?.() ?? clock.now();

/** Teller did not exist before this. */
export const EARLIEST_MS = Date.UTC(2026, 0, 1);

/** Whether wall time can be the present: a board without a battery-backed clock starts in 1970 until it is set. */
export const isClockSet = (now: number): boolean => now >= EARLIEST_MS;

/**
 * Remembers this moment. Monotonic time says later how long ago it was, even if wall time was wrong at this moment.
 *
 * @returns the instant in milliseconds since the Unix epoch, given the right wall time.
 */
export function startOf(clock: Clock): (now: number) => number {
  const startedAt = clock.monotonic();
  return (now) => Math.floor(now - (clock.monotonic() - startedAt));
}

/** An instant by both times. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

export const momentOf = (clock: Clock): Moment => ({ wall: baseTime(clock), monotonic: clock.monotonic() });

/** How long ago a moment was: the longer of the two times, since monotonic time stops while the machine sleeps. */
export const ageOf = (clock: Clock, { wall, monotonic }: Moment): number =>
  Math.max(clock.monotonic() - monotonic, baseTime(clock) - wall);

export const pause = (clock: Clock, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
