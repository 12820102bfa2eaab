import { MINUTE_MS } from '../core/duration.ts';

/** How often a process that records votes says that it still runs. */
export const HEARTBEAT_MS = MINUTE_MS;

/** A process that recorded votes. Its times are those of this machine, which practice does not move. */
export interface Run {
  readonly startedAt: number;
  /** Its last heartbeat, or its end. */
  readonly seenAt: number;
  /** null: it runs, or it was killed up to a heartbeat after `seenAt`. */
  readonly endedAt: number | null;
}

export interface RunLedger {
  /**
   * Stores that this process runs.
   *
   * @param id null at its start.
   * @returns the ID for the next call. It is another one if the row is gone.
   */
  keepRun(id: number | null, now: number): Promise<number>;
  endRun(id: number, now: number): Promise<void>;
}

export interface RunReader {
  /** Those of the last 30 days and the one before them, by their start. */
  runs(): Promise<readonly Run[]>;
}
