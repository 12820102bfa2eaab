/**
 * A database on a thread of its own, so that the main thread never waits for a disk: both ends of that thread, and the same calls
 * without one, for commands and tests. Reads have a second thread, which is started with the first of them.
 */
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { Clock } from '../core/clock.ts';
import { Problem, type ProblemCode } from '../core/problem.ts';
import type { Thread } from '../platform/thread.ts';
import {
  type Answer,
  BatchRunner,
  Gathering,
  LOCKED_PATIENCE_MS,
  type Names,
  namesOf,
  type Request,
  type Work,
} from './batch.ts';
import type { CallsOf } from './db.ts';

/** To the thread: first what it opens, in plain values, then batches, then `close`. */
type ToThread = { readonly open: unknown } | { readonly requests: readonly Request[] } | 'close';

/** From it. It begins with `opened` or `refused`, and answers each batch. */
type FromThread =
  | { readonly kind: 'opened'; readonly facts: unknown; readonly names: Names }
  | { readonly kind: 'refused'; readonly fault: Fault }
  | { readonly kind: 'answered'; readonly answers: readonly SentAnswer[]; readonly news: readonly unknown[] }
  | { readonly kind: 'closed' };

type SentAnswer = { readonly value: unknown } | { readonly fault: Fault };

/** An error without its class, which is lost between threads. `code` is null for a bug. */
interface Fault {
  readonly code: ProblemCode | null;
  readonly message: string;
  readonly stack: string | undefined;
}

export interface OpenedWork {
  readonly work: Work;
  /** Plain values for the main thread. */
  readonly facts: unknown;
}

/** The calls, which answer when what they did is on disk. `close` answers everything that was called before it. */
export type Closing<Calls> = Calls & { close(): Promise<void> };

interface CallingParts {
  readonly clock: Pick<Clock, 'monotonic' | 'nextTurn' | 'after'>;
  readonly patienceMs?: number | undefined;
  readonly onNews: (news: unknown) => void;
}

/** Runs the calls on this thread, which waits for the disk. */
export function inProcess<Module>(work: Work, parts: CallingParts): Closing<CallsOf<Module>> {
  const { clock, onNews, patienceMs = LOCKED_PATIENCE_MS } = parts;
  const runner = new BatchRunner(work, () => clock.monotonic());
  const gathering = new Gathering(clock, patienceMs, async (requests) => {
    const { answers, news } = await runner.run(requests);
    for (const one of news) onNews(one);
    return answers;
  });
  const close = (): Promise<void> => gathering.finished().then(() => work.close());
  return { ...callsOf<CallsOf<Module>>(namesOf(work), gathering, gathering), close };
}

/** Which names there are is said by the modules that the type is derived from. */
function callsOf<Calls>({ reads, others }: Names, reader: Gathering, writer: Gathering): Calls {
  const through = (gathering: Gathering) => (name: string) =>
    [name, (...args: readonly unknown[]) => gathering.call(name, args)] as const;
  return Object.fromEntries([...reads.map(through(reader)), ...others.map(through(writer))]) as Calls;
}

export interface ThreadParts extends CallingParts {
  /** Starts a thread that calls `serveThread`. */
  readonly start: () => Thread;
  /** Such a thread, which was started earlier and has opened nothing yet. */
  readonly early?: Thread | undefined;
  /** What each of the two threads opens, in plain values. */
  readonly writer: unknown;
  readonly reader: unknown;
  /** Called with `thread-ended` if a thread ends before it is closed. Every call has been rejected by then. */
  readonly onEnded: (problem: Problem) => void;
}

/** Runs the calls on threads. Rejects with the Problem of opening. */
export async function onThreads<Module>(
  parts: ThreadParts,
): Promise<{ readonly calls: Closing<CallsOf<Module>>; readonly facts: unknown }> {
  const writer = new ThreadLane(parts, parts.writer, true, parts.early);
  const reader = new ThreadLane(parts, parts.reader, false);
  const { facts, names } = await (await writer.open()).opening;
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closing ??= Promise.all([writer.close(), reader.close()]).then(() => undefined);
    return closing;
  };
  const calls = callsOf<CallsOf<Module>>(names, reader.gathering, writer.gathering);
  return { calls: { ...calls, close }, facts };
}

/** A thread with the calls that wait for it. */
class ThreadLane {
  readonly gathering: Gathering;
  private thread: DatabaseThread | null = null;
  private isClosed = false;

  constructor(
    private readonly parts: ThreadParts,
    private readonly data: unknown,
    writes: boolean,
    private early?: Thread | undefined,
  ) {
    const { clock, patienceMs = LOCKED_PATIENCE_MS } = parts;
    this.gathering = new Gathering(clock, patienceMs, (requests) => this.run(requests), writes);
  }

  /** Starts the thread, also again after it could not open. */
  async open(): Promise<DatabaseThread> {
    this.thread ??= new DatabaseThread(this.parts, this.data, this.early);
    this.early = undefined;
    const { thread } = this;
    try {
      await thread.opening;
    } catch (error) {
      this.thread = null;
      throw error;
    }
    return thread;
  }

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

type Opened = Extract<FromThread, { kind: 'opened' }>;

/** The `threadId` of a worker that has ended. */
const ENDED_THREAD = -1;

/** The main thread's end of the thread that owns a database. */
class DatabaseThread {
  /** Rejects with the Problem of opening. */
  readonly opening: Promise<Opened>;
  private readonly worker: Thread;
  private onAnswer: ((message: FromThread) => void) | null = null;
  private fail: (error: Error) => void = () => {};
  private isOpen = false;
  private ended: Problem | null = null;

  constructor(
    private readonly parts: ThreadParts,
    data: unknown,
    early: Thread | undefined,
  ) {
    // Of a thread that has ended meanwhile, another attempt will say why.
    this.worker = early === undefined || early.threadId === ENDED_THREAD ? parts.start() : early;
    this.worker.ref();
    this.opening = this.next().then(async (message) => {
      this.isOpen = message.kind === 'opened';
      if (message.kind === 'opened') return message;
      await this.worker.terminate();
      throw message.kind === 'refused' ? errorOf(message.fault) : new Error('a database thread did not open');
    });
    this.opening.catch(() => undefined); // whoever opens or calls it gets the error
    this.worker.on('message', (message: FromThread) => this.onAnswer?.(message));
    this.worker.on('error', (error) => this.end(error));
    this.worker.on('exit', () => this.end(null));
    const first: ToThread = { open: data };
    this.worker.postMessage(first);
  }

  /** One batch at a time. Rejects with `thread-ended` if the thread is gone. */
  async run(requests: readonly Request[]): Promise<readonly Answer[]> {
    await this.opening;
    try {
      const message = await this.ask({ requests });
      if (message.kind !== 'answered') throw new Error(`a database thread answered ${message.kind}`);
      for (const news of message.news) this.parts.onNews(news);
      return message.answers.map((answer) => ('fault' in answer ? { error: errorOf(answer.fault) } : answer));
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'DataCloneError')) throw error;
      // A call whose arguments cannot be sent, which is a bug, does not disturb the others.
      if (requests.length === 1) return [{ error }];
      const answers: Answer[] = [];
      for (const request of requests) answers.push(...(await this.run([request])));
      return answers;
    }
  }

  /** Call this when all batches are answered. */
  async close(): Promise<void> {
    await this.opening.catch(() => undefined);
    const closed = this.isOpen ? this.ask('close').catch(() => undefined) : null;
    this.isOpen = false;
    await closed;
    await this.worker.terminate();
  }

  private ask(message: ToThread): Promise<FromThread> {
    this.worker.postMessage(message); // may throw, so that no answer is to be awaited
    return this.next();
  }

  private next(): Promise<FromThread> {
    return new Promise((resolve, reject) => {
      if (this.ended !== null) return reject(this.ended);
      this.onAnswer = resolve;
      this.fail = reject;
    });
  }

  private end(error: Error | null): void {
    if (this.ended !== null) return;
    const why = error === null ? 'it stopped without an error' : error.message;
    const sentence = `A thread of the database has stopped (${why}). Nothing that was answered is lost; start Teller again.`;
    this.ended = new Problem('thread-ended', sentence, { cause: error });
    this.fail(this.ended);
    if (this.isOpen) this.parts.onEnded(this.ended);
    this.isOpen = false;
  }
}

/**
 * The whole life of a database's thread: opens it with what the main thread sends first, and runs batch after batch. An error that no
 * call explains ends the thread, and the main thread gets it.
 */
export function serveThread<Data>(
  open: (data: Data) => OpenedWork,
  monotonic: () => number,
  port: MessagePort | null = parentPort,
): void {
  if (port === null) throw new Error('this module is for a thread');
  const post = (message: FromThread): void => port.postMessage(message);
  port.once('message', (first: ToThread) => {
    try {
      const { work, facts } = open((first as { open: Data }).open);
      const runner = new BatchRunner(work, monotonic);
      // The other end sends the next batch only when this one is answered.
      port.on('message', async (message: ToThread) => {
        if (message === 'close') {
          work.close();
          post({ kind: 'closed' });
          port.close();
        } else if ('requests' in message) {
          const { answers, news } = await runner.run(message.requests);
          const sent: SentAnswer[] = [];
          for (const answer of answers)
            sent.push('error' in answer ? { fault: faultOf(answer.error) } : answer);
          post({ kind: 'answered', answers: sent, news });
        }
      });
      post({ kind: 'opened', facts, names: namesOf(work) });
    } catch (error) {
      post({ kind: 'refused', fault: faultOf(error) });
    }
  });
}

function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { code: null, message: String(error), stack: undefined };
  const { message, stack } = error;
  return { code: error instanceof Problem ? error.code : null, message, stack };
}

function errorOf({ code, message, stack }: Fault): Error {
  const error = code === null ? new Error(message) : new Problem(code, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
