import { pause } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import type { ConsoleParts } from './parts.ts';

/** Between two parts, so that pages and checks come in between. */
const PAUSE_MS = 50;

type Parts = Pick<ConsoleParts, 'clock' | 'log' | 'onEnd'>;

/**
 * Does in small parts what a page would otherwise do when it is first opened. Stops when the console ends, or if the ledger
 * cannot be read: the page then does the rest itself.
 *
 * @param part does a few milliseconds of work, and says whether all is done.
 */
export function inBackground(part: () => Promise<boolean>, { clock, log, onEnd }: Parts): void {
  const end = new AbortController();
  const run = async (): Promise<void> => {
    do await pause(clock, PAUSE_MS, end.signal);
    while (!end.signal.aborted && !(await part()));
  };
  const running = run().catch((error: unknown) => {
    const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (!(error instanceof Problem))
      log.error(
        { code: 'page-fault', at: 'background', fault },
        'Work in the background of the console failed',
      );
  });
  onEnd(() => {
    end.abort();
    return running;
  });
}
