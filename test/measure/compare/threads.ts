/** Whether a process has something to do, as Linux tells it. */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

const stat = Buffer.alloc(512);

/** The threads of a process. The files that say what they do stay open, because they are read a hundred times a second. */
export class Threads {
  private readonly files = new Map<string, number>();

  constructor(readonly pid: number) {}

  /** Whether no thread runs, waits for a processor, or waits for the disk. */
  areAsleep(): boolean {
    return this.are('S');
  }

  /** Whether all threads were stopped by a signal. */
  areStopped(): boolean {
    return this.are('T');
  }

  close(): void {
    for (const file of this.files.values()) closeSync(file);
    this.files.clear();
  }

  private are(state: string): boolean {
    const tasks = `/proc/${this.pid}/task`;
    try {
      for (const task of readdirSync(tasks))
        if (!this.files.has(task)) this.files.set(task, openSync(`${tasks}/${task}/stat`, 'r'));
    } catch {
      return false; // a thread has just ended
    }
    for (const [task, file] of this.files)
      try {
        const text = stat.toString('latin1', 0, readSync(file, stat, 0, stat.length, 0));
        if (!text.startsWith(state, text.lastIndexOf(')') + 2)) return false;
      } catch {
        closeSync(file);
        this.files.delete(task);
      }
    return true;
  }
}
