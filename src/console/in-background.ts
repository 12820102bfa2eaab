import { pause } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import type { ConsoleParts } from './parts.ts';

/** Before the first part: the page that an operator opens first comes before it. */
const FIRST_PAUSE_MS = 600;
/** The least between two parts, so that pages and checks come in between: as long as the last one took. */
const PAUSE_MS = 50;

/** `not-begun` until the first part is done; `ended` when all is done, or when the rest is left to the page. */
export type Progress = 'not-begun' | 'goes-on' | 'ended';

type Parts = Pick<ConsoleParts, 'clock' | 'log' | 'onEnd'>;

/**
 * Does in small parts what a page would otherwise do when it is first opened. Stops when the console ends, or if the ledger
 * cannot be read: the page then does the rest itself.
 *
 * @param part does a few milliseconds of work, and says whether all is done.
 * @returns how far it is.
 */
export function inBackground(part: () => Promise<boolean>, { clock, log, onEnd }: Parts): () => Progress {
  const end = new AbortController();
  let progress: Progress = 'not-begun';
  const run = async (): Promise<void> => {
    for (let pauseMs = FIRST_PAUSE_MS; ; ) {
      await pause(clock, pauseMs, end.signal);
      if (end.signal.aborted) return;
      const beganAt = clock.monotonic();
      if (await part()) return;
      progress = 'goes-on';
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
      progress = 'ended';
    });
  onEnd(() => {
    end.abort();
    return running;
  });
  return () => progress;
}
