import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import { type ListeningAddress, whoListens } from './listen.ts';

export interface PortWait {
  readonly clock: Clock;
  readonly log: Log;
  readonly port: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** So that the port is taken within a second of being free. */
const TRY_INTERVAL_MS = 200;

/**
 * Listens as soon as no other program has the port, and logs that it waits. Rejects with the Problem of `listen`; if it is
 * `port-in-use`, only once the wait has been ended.
 */
export async function listenOnceFree(
  listen: () => Promise<ListeningAddress>,
  { clock, log, port, signal }: PortWait,
): Promise<ListeningAddress> {
  let isWaiting = false;
  for (;;) {
    try {
      const listening = await listen();
      if (isWaiting)
        log.info({ code: 'port-free', port }, `port ${port} is free, and Teller listens on it now`);
      return listening;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'port-in-use' || signal.aborted) throw error;
    }
    if (!isWaiting)
      log.warn(
        { code: 'port-wait', port },
        `waiting for port ${port}, on which another program listens (\`${whoListens(port)}\` shows which); Teller takes it as soon as it is free`,
      );
    isWaiting = true;
    await pause(clock, signal);
  }
}

function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const cancel = clock.after(TRY_INTERVAL_MS, end);
    signal.addEventListener('abort', end);
    function end(): void {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    }
  });
}
