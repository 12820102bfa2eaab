import type { Pause } from '../core/pause.ts';

/** For those who pay, and for those who show why nothing is paid. */
export interface PauseReader {
  /** The operator's pauses that last, oldest first. Nothing that they stop is read as payable or claimed. */
  pauses(): Promise<readonly Pause[]>;
}
