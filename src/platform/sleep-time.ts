import { uptime } from 'node:os';

export interface SleepTimeParts {
  /** Wall time in milliseconds. */
  readonly now: () => number;
  /** Milliseconds without sleep, from an arbitrary start. */
  readonly monotonic: () => number;
  /** Seconds since the system started, sleep included. */
  readonly uptime: () => number;
}

/** A shorter sleep may be missed. The clock is only judged by whole minutes. */
const SHORTEST_SLEEP_MS = 1_000;

/**
 * Returns a function that says how many milliseconds the machine has slept, from an arbitrary start. Wall time goes on
 * during sleep, and monotonic time does not. So the system is only asked after they have moved apart: to ask it for its
 * uptime opens a file, which in a flood of votes would be 2 % of what a vote costs.
 */
export function sleepTime(parts: Partial<SleepTimeParts> = {}): () => number {
  const { now, monotonic, uptime: up } = { ...system, ...parts };
  let apartMs = Number.NaN;
  let sleptMs = 0;
  return () => {
    const apartNowMs = now() - monotonic();
    if (!(Math.abs(apartNowMs - apartMs) < SHORTEST_SLEEP_MS)) {
      apartMs = apartNowMs;
      sleptMs = up() * 1_000 - monotonic();
    }
    return sleptMs;
  };
}

const system: SleepTimeParts = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => uptime(),
};
