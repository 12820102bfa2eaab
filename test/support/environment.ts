import type { Clock } from '../../src/core/clock.ts';
import { openLedgerThread } from '../../src/ledger/sqlite/threaded.ts';
import { type Environment, environment } from '../../src/main/environment.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { placeEmptyLedger } from './empty-ledger.ts';
import { onSharedThread } from './shared-thread.ts';

/** Opens a ledger as `teller run` does, on a thread that other tests use too, and without creating its tables. */
export const openSharedLedger =
  (clock: Clock): Environment['openLedger'] =>
  (file, watchers) => {
    placeEmptyLedger(file);
    return openLedgerThread(file, { clock, ...watchers, start: onSharedThread });
  };

/** The environment of a whole Teller in this process. */
export const testEnvironment = (clock: Clock, log: Environment['log']): Environment => ({
  ...environment(clock, systemRandom, log),
  openLedger: openSharedLedger(clock),
});
