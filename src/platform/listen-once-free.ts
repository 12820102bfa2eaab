import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import type { ListeningAddress } from './listen.ts';
import { type PortHolder, portHolder } from './port-holder.ts';

export interface PortWait {
  readonly clock: Clock;
  readonly log: Log;
  readonly port: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** So that the port is taken within a second of being free. */
const TRY_INTERVAL_MS = 200;
/** How often the program that has the port is looked for. */
const LOOK_INTERVAL_MS = 5_000;

/**
 * Listens as soon as no other program has the port, and logs which one has it: at once, and when that changes. Rejects with
 * the Problem of `listen`; if it is `port-in-use`, only once the wait has been ended.
 */
export async function listenOnceFree(
  listen: () => Promise<ListeningAddress>,
  { clock, log, port, signal }: PortWait,
): Promise<ListeningAddress> {
  let logged: string | null = null;
  let lookAt = clock.monotonic();
  for (;;) {
    try {
      const listening = await listen();
      if (logged !== null)
        log.info({ code: 'port-free', port }, `port ${port} is free, and Teller listens on it now`);
      return listening;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'port-in-use' || signal.aborted) throw error;
    }
    if (clock.monotonic() >= lookAt) {
      lookAt = clock.monotonic() + LOOK_INTERVAL_MS;
      const holder = nameOf(await portHolder(port));
      const sentence = `waiting for port ${port}, on which ${holder} listens; Teller takes it as soon as it is free`;
      if (holder !== logged) log.warn({ code: 'port-wait', port }, sentence);
      logged = holder;
    }
    await pause(clock, signal);
  }
}

const nameOf = (holder: PortHolder | null): string =>
  holder === null ? 'another program, perhaps of another user,' : `${holder.name} (process ${holder.pid})`;

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
