import { parentPort, workerData } from 'node:worker_threads';
import { BatchRunner } from './batch.ts';
import type { Answer } from './calls.ts';
import { type FromThread, faultOf, type SentAnswer, type ToThread } from './thread-messages.ts';
import type { DatabaseWork } from './work.ts';

export interface OpenedWork {
  readonly work: DatabaseWork<object>;
  /** Plain values for the main thread. */
  readonly facts: unknown;
}

/**
 * The whole life of a database's thread: opens it with what the main thread has passed, and runs batch after batch. An
 * error that no call explains ends the thread, and the main thread gets it.
 */
export function serveThread<Data>(open: (data: Data) => OpenedWork, monotonic: () => number): void {
  const port = parentPort;
  if (port === null) throw new Error('this module is for a thread');
  const post = (message: FromThread): void => port.postMessage(message);
  const opened = opening(() => open(workerData as Data), post);
  if (opened === null) return;
  const runner = new BatchRunner(opened.work, monotonic);
  port.on('message', (message: ToThread) => {
    if (message === 'close') {
      opened.work.close();
      post({ kind: 'closed' });
      port.close();
      return;
    }
    const { answers, news } = runner.run(message.requests);
    post({ kind: 'answered', answers: answers.map(sent), news });
  });
  post({ kind: 'opened', facts: opened.facts });
}

function opening(open: () => OpenedWork, post: (message: FromThread) => void): OpenedWork | null {
  try {
    return open();
  } catch (error) {
    post({ kind: 'refused', fault: faultOf(error) });
    return null;
  }
}

const sent = (answer: Answer): SentAnswer => ('error' in answer ? { fault: faultOf(answer.error) } : answer);
