import type { Clock } from '../../core/clock.ts';
import { BatchRunner } from './batch.ts';
import { LOCKED_PATIENCE_MS } from './calls.ts';
import { asyncCalls } from './engine.ts';
import { Gathering } from './gathering.ts';
import type { DatabaseWork } from './work.ts';

export interface InProcessParts {
  readonly clock: Pick<Clock, 'monotonic' | 'nextTurn'>;
  readonly onNews: (news: unknown) => void;
  readonly patienceMs?: number;
}

export type Closing<Of> = Of & {
  /** Resolves when everything that was called is answered, and the database is closed. */
  close(): Promise<void>;
};

/** Runs the calls on this thread, which waits for the disk. For commands and tests. */
export function inProcess<Of extends object>(work: DatabaseWork<Of>, parts: InProcessParts): Closing<Of> {
  const { clock, onNews, patienceMs = LOCKED_PATIENCE_MS } = parts;
  const runner = new BatchRunner(work, () => clock.monotonic());
  const gathering = new Gathering({
    clock,
    patienceMs,
    run: async (requests) => {
      const { answers, news } = runner.run(requests);
      for (const one of news) onNews(one);
      return answers;
    },
  });
  return {
    ...asyncCalls<Of>(work.kinds, gathering, gathering),
    close: async () => {
      await gathering.finished();
      work.close();
    },
  };
}
