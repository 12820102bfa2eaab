import { Worker } from 'node:worker_threads';
import { isSource } from './own-module.ts';

/** What the main thread needs of a `Worker`. */
export interface Thread {
  readonly threadId: number;
  postMessage(message: unknown): void;
  // biome-ignore lint/suspicious/noExplicitAny: node says the same of a message
  on(event: 'message' | 'error' | 'exit', listener: (value: any) => void): unknown;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

/** Registers the loader for TypeScript, which a thread does not inherit from the process, and imports the module. */
const FROM_A_CLONE = new URL('./clone-thread.mjs', import.meta.url);

/**
 * Starts a thread before anything is known for it to do, so that it loads its module while this thread loads others. It
 * does not keep the process running, and an error of it is for the part that uses it.
 */
export function startThreadEarly(module: URL): Worker {
  const thread = startThread(module, null);
  thread.unref();
  return thread.on('error', () => {});
}

/** Starts a thread that runs a module with plain values as its `workerData`. Throws if they cannot be copied. */
export function startThread(module: URL, data: unknown): Worker {
  const options = { workerData: data, execArgv: [] };
  return isSource(module.href)
    ? new Worker(FROM_A_CLONE, { ...options, argv: [module.href] })
    : new Worker(module, options);
}
