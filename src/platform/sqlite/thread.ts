import { Problem } from '../../core/problem.ts';
import type { Thread } from '../thread.ts';
import type { Answer, Request } from './calls.ts';
import { errorOf, type FromThread, type ToThread } from './thread-messages.ts';

/** The `threadId` of a worker that has ended. */
const ENDED_THREAD = -1;

export interface ThreadParts {
  /** Starts a thread that calls `serveThread`. */
  readonly start: () => Thread;
  /** What it opens, in plain values. */
  readonly data: unknown;
  /** Such a thread, which was started earlier and has opened nothing yet. */
  readonly early?: Thread | null;
  readonly onNews: (news: unknown) => void;
  /** Called with `thread-ended` if the thread ends before it is closed. Every call has been rejected by then. */
  readonly onEnded: (problem: Problem) => void;
}

/** The main thread's end of the thread that owns a database. */
export class DatabaseThread {
  private readonly worker: Thread;
  private readonly opening: Promise<unknown>;
  private onAnswer: ((message: FromThread) => void) | null = null;
  private fail: (error: Error) => void = () => {};
  private isOpen = false;
  private ended: Problem | null = null;

  constructor(private readonly parts: ThreadParts) {
    this.worker = usable(parts.early) ?? parts.start();
    this.worker.ref();
    this.opening = this.next().then((message) => this.opened(message));
    this.opening.catch(() => undefined); // whoever opens or calls it gets the error
    this.worker.on('message', (message: FromThread) => this.onAnswer?.(message));
    this.worker.on('error', (error) => this.end(error));
    this.worker.on('exit', () => this.end(null));
    const first: ToThread = { open: parts.data };
    this.worker.postMessage(first);
  }

  /** Resolves to what the thread has found at opening. Rejects with its Problem. */
  facts(): Promise<unknown> {
    return this.opening;
  }

  /** One batch at a time. Rejects with `thread-ended` if the thread is gone. */
  async run(requests: readonly Request[]): Promise<readonly Answer[]> {
    await this.opening;
    try {
      return await this.answersTo(requests);
    } catch (error) {
      if (!isUnsendable(error)) throw error;
      return requests.length === 1 ? [{ error }] : this.runEach(requests);
    }
  }

  /** A call whose arguments cannot be sent, which is a bug, does not disturb the others. */
  private async runEach(requests: readonly Request[]): Promise<readonly Answer[]> {
    const answers: Answer[] = [];
    for (const request of requests) answers.push(...(await this.run([request])));
    return answers;
  }

  private async answersTo(requests: readonly Request[]): Promise<readonly Answer[]> {
    const message = await this.ask({ requests });
    if (message.kind !== 'answered') throw new Error(`a database thread answered ${message.kind}`);
    for (const news of message.news) this.parts.onNews(news);
    return message.answers.map((answer) => ('fault' in answer ? { error: errorOf(answer.fault) } : answer));
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

  private async opened(message: FromThread): Promise<unknown> {
    this.isOpen = message.kind === 'opened';
    if (message.kind === 'opened') return message.facts;
    await this.worker.terminate();
    throw message.kind === 'refused' ? errorOf(message.fault) : new Error('a database thread did not open');
  }

  private end(error: Error | null): void {
    if (this.ended !== null) return;
    const why = error === null ? 'it stopped without an error' : error.message;
    this.ended = new Problem(
      'thread-ended',
      `A thread of the database has stopped (${why}). Nothing that was answered is lost; start Teller again.`,
      {
        cause: error,
      },
    );
    this.fail(this.ended);
    if (this.isOpen) this.parts.onEnded(this.ended);
    this.isOpen = false;
  }
}

/** null for a thread that has ended meanwhile: another attempt will say why. */
const usable = (early: Thread | null | undefined): Thread | null =>
  early === undefined || early?.threadId === ENDED_THREAD ? null : early;

const isUnsendable = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'DataCloneError';
