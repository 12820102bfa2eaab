import { appendFileSync, writeFileSync } from 'node:fs';
import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';

/** One command that was executed, whatever became of its reply. */
export interface CommandRecord {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly command: string;
  /** What the game answered, even where a fault kept it back. */
  readonly reply: string;
}

/** The latest ones in memory; a log file holds them all. */
const KEPT = 100_000;

/** What the game was told to do: the truth that a payer's own record can be held against. */
export class CommandLog {
  private readonly records: CommandRecord[] = [];

  /** @param file appended to, and made at once, so that a wrong path fails the start and not a reward. */
  constructor(
    private readonly clock: Clock,
    private readonly file: string | null,
  ) {
    if (file !== null) writeFileSync(file, '', { flag: 'a', mode: 0o600 });
  }

  /** Returns when the line is with the kernel: a reply that somebody has seen is in the file, whoever dies. */
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
