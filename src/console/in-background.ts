import { pause } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import type { ConsoleParts } from './parts.ts';

/** Before the first part: the pages that an operator opens first come before it. */
const FIRST_PAUSE_MS = 2_000;
/** The least between two parts, so that pages and checks come in between: as long as the last one took. */
const PAUSE_MS = 50;

type Parts = Pick<ConsoleParts, 'clock' | 'log' | 'onEnd'>;

/**
 * Does in small parts what a page would otherwise do when it is first opened. Stops when the console ends, or if the ledger
 * cannot be read: the page then does the rest itself.
 *
 * @param part does a few milliseconds of work, and says whether all is done.
 * @returns whether it has begun and goes on.
 */
export function inBackground(part: () => Promise<boolean>, { clock, log, onEnd }: Parts): () => boolean {
  const end = new AbortController();
  let goesOn = false;
  const run = async (): Promise<void> => {
    for (let pauseMs = FIRST_PAUSE_MS; ; ) {
      await pause(clock, pauseMs, end.signal);
      if (end.signal.aborted) return;
      const beganAt = clock.monotonic();
      if (await part()) return;
      goesOn = true;
      pauseMs = Math.max(PAUSE_MS, clock.monotonic() - beganAt);
    }
  };
  const failed = (error: unknown): void => {
    const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (!(error instanceof Problem))
      log.error(
        { code: 'page-fault', at: 'background', fault },
        'Work in the background of the console failed',
      );
  };
  const running = run()
    .catch(failed)
    .finally(() => {
      goesOn = false;
    });
  onEnd(() => {
    end.abort();
    return running;
  });
  return () => goesOn;
}
