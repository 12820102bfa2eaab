/** Whether a process has something to do, as Linux tells it. */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

const text = Buffer.alloc(512);

const read = (file: number): string => text.toString('latin1', 0, readSync(file, text, 0, text.length, 0));

/** The files that say what a thread does. They stay open, because they are read a hundred times a second. */
class Thread {
  private readonly stat: number;
  private readonly schedstat: number;

  constructor(folder: string) {
    this.stat = openSync(`${folder}/stat`, 'r');
    this.schedstat = openSync(`${folder}/schedstat`, 'r');
  }

  /** `S`: it sleeps; `R`: it runs, or waits for a processor; `D`: it waits for the disk; `T`: a signal has stopped it. */
  state(): string {
    const stat = read(this.stat);
    return stat.charAt(stat.lastIndexOf(')') + 2);
  }

  /** How often it was given a processor. */
  turns(): string {
    return read(this.schedstat).trimEnd().split(' ').at(-1) ?? '';
  }

  close(): void {
    closeSync(this.stat);
    closeSync(this.schedstat);
  }
}

/** The threads of a process. */
export class Threads {
  private readonly known = new Map<string, Thread>();

  constructor(private readonly pid: number) {}

  /**
   * How often each thread was given a processor, if all of them sleep; null if one does not. One look proves nothing: threads that wake
   * each other can each be looked at while they sleep. After two looks with one result, all have slept from the first to the second.
   */
  look(): string | null {
    return this.each((thread) => {
      const before = thread.turns();
      return thread.state() === 'S' && thread.turns() === before ? before : null;
    });
  }

  /** Whether all threads were stopped by a signal. */
  areStopped(): boolean {
    return this.each((thread) => (thread.state() === 'T' ? '' : null)) !== null;
  }

  close(): void {
    for (const thread of this.known.values()) thread.close();
    this.known.clear();
  }

  /** What `seen` says of each thread; null if it says null of one, or if one has just ended. */
  private each(seen: (thread: Thread) => string | null): string | null {
    const folder = `/proc/${this.pid}/task`;
    const all: string[] = [];
    try {
      for (const id of readdirSync(folder)) {
        const thread = this.known.get(id) ?? new Thread(`${folder}/${id}`);
        this.known.set(id, thread);
        const one = seen(thread);
        if (one === null) return null;
        all.push(`${id} ${one}`);
      }
    } catch {
      this.close();
      return null;
    }
    return all.join(', ');
  }
}
