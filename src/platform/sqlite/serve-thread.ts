import { type MessagePort, parentPort } from 'node:worker_threads';
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
 * The whole life of a database's thread: opens it with what the main thread sends first, and runs batch after batch. An
 * error that no call explains ends the thread, and the main thread gets it.
 */
export function serveThread<Data>(open: (data: Data) => OpenedWork, monotonic: () => number): void {
  if (parentPort === null) throw new Error('this module is for a thread');
  serveDatabase(parentPort, open, monotonic);
}

/** The same for one database of a thread that may have others. */
export function serveDatabase<Data>(
  port: MessagePort,
  open: (data: Data) => OpenedWork,
  monotonic: () => number,
): void {
  port.once('message', (first: ToThread) => {
    const opened = opening(() => open((first as { open: Data }).open), port);
    if (opened !== null) serve(opened, port, monotonic);
  });
}

function serve({ work, facts }: OpenedWork, port: MessagePort, monotonic: () => number): void {
  const post = (message: FromThread): void => port.postMessage(message);
  const runner = new BatchRunner(work, monotonic);
  port.on('message', (message: ToThread) => {
    if (message === 'close') {
      work.close();
      post({ kind: 'closed' });
      port.close();
    } else if ('requests' in message) {
      const { answers, news } = runner.run(message.requests);
      post({ kind: 'answered', answers: answers.map(sent), news });
    }
  });
  post({ kind: 'opened', facts });
}

function opening(open: () => OpenedWork, port: MessagePort): OpenedWork | null {
  try {
    return open();
  } catch (error) {
    const refused: FromThread = { kind: 'refused', fault: faultOf(error) };
    port.postMessage(refused);
    return null;
  }
}

const sent = (answer: Answer): SentAnswer => ('error' in answer ? { fault: faultOf(answer.error) } : answer);
