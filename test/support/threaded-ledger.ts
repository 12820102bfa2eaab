import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Problem } from '../../src/core/problem.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedgerThread } from '../../src/ledger/sqlite/threaded.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { placeEmptyLedger } from './empty-ledger.ts';
import { temporaryFolder } from './folder.ts';
import { onSharedThread } from './shared-thread.ts';

interface ThreadedLedger {
  readonly ledger: Ledger;
  readonly file: string;
  /** Why the thread ended by itself. */
  readonly ended: readonly Problem[];
}

/** A new ledger on a thread of its own, closed with the test. */
export async function freshThreadedLedger(
  { patienceMs }: { readonly patienceMs?: number } = {},
  file = join(temporaryFolder(), 'teller.db'),
): Promise<ThreadedLedger> {
  const ended: Problem[] = [];
  placeEmptyLedger(file);
  const ledger = await openLedgerThread(file, {
    clock: systemClock,
    start: onSharedThread,
    onEnded: (problem) => void ended.push(problem),
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
  onTestFinished(() => ledger.close());
  await ledger.useTimeZone('UTC');
  return { ledger, file, ended };
}
