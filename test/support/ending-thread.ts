/** Preloaded into every thread of a process: a thread that gets a vote of `Doomed` ends, as after a crash inside. */
import { isMainThread, parentPort } from 'node:worker_threads';

if (!isMainThread) {
  parentPort?.on('message', (message) => {
    if (JSON.stringify(message).includes('"player":"Doomed"')) process.exit(7);
  });
}
