import type { Clock } from '../../core/clock.ts';
import { Problem } from '../../core/problem.ts';
import type { Thread } from '../thread.ts';
import type { Answer, Kinds, Request } from './calls.ts';
import { asyncCalls } from './engine.ts';
import { Gathering } from './gathering.ts';
import type { Closing } from './in-process.ts';
import { DatabaseThread, type ThreadParts } from './thread.ts';

export interface ThreadedParts extends Omit<ThreadParts, 'data'> {
  readonly clock: Pick<Clock, 'monotonic' | 'nextTurn'>;
  readonly patienceMs: number;
  readonly writer: unknown;
  /** For the thread that only reads, which is started with the first read. */
  readonly reader: unknown;
}

/** A thread with the calls that wait for it. */
class Lane {
  readonly gathering: Gathering;
  private thread: DatabaseThread | null = null;
  private isClosed = false;

  constructor(
    private readonly parts: ThreadedParts,
    private readonly data: unknown,
    private early: Thread | null = null,
  ) {
    this.gathering = new Gathering({ ...parts, run: (requests) => this.run(requests) });
  }

  /** Starts the thread, also again after it could not open. Rejects with the Problem of opening. */
  async open(): Promise<DatabaseThread> {
    this.thread ??= new DatabaseThread({ ...this.parts, data: this.data, early: this.early });
    this.early = null;
    const { thread } = this;
    try {
      await thread.facts();
    } catch (error) {
      this.thread = null;
      throw error;
    }
    return thread;
  }

  /** Answers what was called before. Later calls are rejected. */
  async close(): Promise<void> {
    await this.gathering.finished();
    this.isClosed = true;
    await this.thread?.close();
  }

  private async run(requests: readonly Request[]): Promise<readonly Answer[]> {
    if (this.isClosed) throw new Problem('thread-ended', 'The database has been closed.');
    return (await this.open()).run(requests);
  }
}

/**
 * Runs the calls on a thread that owns the writing connection, and reads on another, so that this thread never waits
 * for the disk and no query delays a write. Rejects with the Problem of opening.
 */
export async function threaded<Of extends object>(
  kinds: Kinds<Of>,
  parts: ThreadedParts,
): Promise<{ readonly calls: Closing<Of>; readonly facts: unknown }> {
  const [writer, reader] = [new Lane(parts, parts.writer, parts.early), new Lane(parts, parts.reader)];
  const facts = await (await writer.open()).facts();
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closing ??= Promise.all([writer.close(), reader.close()]).then(() => undefined);
    return closing;
  };
  return { calls: { ...asyncCalls<Of>(kinds, writer.gathering, reader.gathering), close }, facts };
}
