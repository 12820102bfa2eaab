/** Cancels a pending callback; calling it twice, or after the callback ran, does nothing. */
export type Cancel = () => void;

/**
 * Wall time and monotonic time. Wall time dates events (cast times, windows) and practice may move it forward.
 * Monotonic time measures waits (deadlines, backoff) and is never moved.
 */
export interface Clock {
  /** The IANA name of the time zone for local days. */
  readonly zone: string;
  /** Wall time in milliseconds since the Unix epoch. */
  now(): number;
  /** This machine's wall time, on a clock that practice moves; absent on any other clock. */
  base?(): number;
  /** How practice moves this clock's wall time; absent on any other clock. */
  readonly practice?: PracticeTime;
  /** Monotonic time in milliseconds from an arbitrary start. */
  monotonic(): number;
  /**
   * Milliseconds that the machine has slept, from an arbitrary start; absent if the operating system does not report
   * it.
   */
  slept?(): number;
  /**
   * Milliseconds of monotonic time in which the event loop did not turn, from an arbitrary start: something blocked it,
   * or the process was stopped. Short stalls may be missed.
   */
  stalled(): number;
  /** Calls back once, `delayMs` of monotonic time from now. */
  after(delayMs: number, callback: () => void): Cancel;
  /** Calls back once, after the event loop has handled the events that are ready now. */
  nextTurn(callback: () => void): void;
}

/** Wall time that practice moves forward. */
export interface PracticeTime {
  /** Milliseconds ahead of this machine's wall time. */
  readonly offsetMs: number;
  /** Resolves to false beyond the limit. Rejects with a Problem: `data-unwritable`. */
  advance(byMs: number): Promise<boolean>;
  /** Calls back after each move, so that what has become due is not left to the next look at the time. */
  whenMoved(callback: () => void): Cancel;
}

/** Wall time that practice does not move. */
export const baseTime = (clock: Clock): number => clock.base?.() ?? clock.now();

/** An earlier time cannot be the present: Teller did not exist yet. */
export const EARLIEST_MS = Date.UTC(2026, 0, 1);

/** Whether wall time can be the present: a board without a battery-backed clock starts in 1970 until it is set. */
export const isClockSet = (now: number): boolean => now >= EARLIEST_MS;

/**
 * Remembers this moment, so that its instant can be computed later, even if wall time was wrong at the moment itself.
 *
 * @returns the instant in milliseconds since the Unix epoch, given the right wall time.
 */
export function startOf(clock: Clock): (now: number) => number {
  const startedAt = clock.monotonic();
  return (now) => Math.floor(now - (clock.monotonic() - startedAt));
}

/** One moment in wall time and in monotonic time. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

export const momentOf = (clock: Clock): Moment => ({ wall: baseTime(clock), monotonic: clock.monotonic() });

/** How long ago a moment was: the longer of the two times, since monotonic time stops while the machine sleeps. */
export const ageOf = (clock: Clock, { wall, monotonic }: Moment): number =>
  Math.max(clock.monotonic() - monotonic, baseTime(clock) - wall);

/** Lets the event loop handle the events that are ready now. */
export const nextTurn = (clock: Pick<Clock, 'nextTurn'>): Promise<void> =>
  new Promise((resolve) => clock.nextTurn(resolve));

/** Resolves after `delayMs` of monotonic time, or when the signal aborts. Leaves no timer and no listener. */
export const pause = (clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
