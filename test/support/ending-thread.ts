/** Preloaded into every thread of a process: a thread that gets a vote of `Doomed` ends, as after a crash inside. */
import { isMainThread, parentPort } from 'node:worker_threads';

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  const listen = port.on.bind(port);
  // A listener of our own would start the port, and messages would be lost before the thread listens.
  port.on = ((event: string, listener: (message: unknown) => void) =>
    listen(event as 'message', (message) => {
      if (JSON.stringify(message).includes('"player":"Doomed"')) process.exit(7);
      listener(message);
    })) as typeof port.on;
}
