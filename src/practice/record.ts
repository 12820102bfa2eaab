import { appendFileSync, writeFileSync } from 'node:fs';
import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';

/** One command that was executed, even if its reply was lost. */
export interface CommandRecord {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly command: string;
  /** The game's answer, even if a fault prevented sending it. */
  readonly reply: string;
}

/** How many of the latest commands are kept in memory; a log file has all of them. */
const KEPT = 100_000;

/** The commands that the game executed, to compare with Teller's own record. */
export class CommandLog {
  private readonly records: CommandRecord[] = [];

  /** @param file appended to, and created at once, so that a wrong path fails at the start instead of with a reward. */
  constructor(
    private readonly clock: Clock,
    private readonly file: string | null,
  ) {
    if (file !== null) writeFileSync(file, '', { flag: 'a', mode: 0o600 });
  }

  /** Returns when the kernel has the line, so that every reply that was sent is in the file even after a crash. */
  add(command: string, reply: string): void {
    const record = { time: isoTime(this.clock.now()), command, reply };
    if (this.file !== null) appendFileSync(this.file, `${JSON.stringify(record)}\n`);
    this.records.push(record);
    if (this.records.length > KEPT * 2) this.records.splice(0, KEPT);
  }

  all(): readonly CommandRecord[] {
    return [...this.records];
  }
}
