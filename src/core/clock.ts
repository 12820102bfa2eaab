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
  /** Wall time as this machine has it, on a clock that practice moves; absent where nothing moves it. */
  base?(): number;
  /** Monotonic time in milliseconds from an arbitrary start. */
  monotonic(): number;
  /** Milliseconds that the machine has slept, from an arbitrary start; absent where the system does not tell. */
  slept?(): number;
  /** Calls back once, `delayMs` of monotonic time from now. */
  after(delayMs: number, callback: () => void): Cancel;
  /** Calls back once, when the event loop has handled what is ready now. */
  nextTurn(callback: () => void): void;
}

/** Wall time that practice does not move. */
export const baseTime = (clock: Clock): number => clock.base?.() ?? clock.now();

/** Nobody ran this before. */
export const EARLIEST_MS = Date.UTC(2026, 0, 1);

/** Whether wall time can be the present: a board without a clock of its own begins in 1970, until it is told. */
export const isClockSet = (now: number): boolean => now >= EARLIEST_MS;

/**
 * When this was made, by whatever wall time is right by now: monotonic time tells how long ago it was.
 *
 * @returns the instant in milliseconds since the Unix epoch, for what wall time is known to be now.
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

/** How long ago a moment was, by whichever time says longer: monotonic time stands still while the machine sleeps. */
export const ageOf = (clock: Clock, { wall, monotonic }: Moment): number =>
  Math.max(clock.monotonic() - monotonic, baseTime(clock) - wall);

export const pause = (clock: Clock, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
