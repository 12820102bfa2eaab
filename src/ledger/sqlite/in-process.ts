import type { Clock } from '../../core/clock.ts';
import { inProcess } from '../../platform/sqlite/in-process.ts';
import type { Mode } from '../../platform/sqlite/open.ts';
import type { ClockNews, Ledger, LedgerCalls } from '../ledger.ts';
import { type OpenedLedger, openLedgerFile } from './open.ts';

export interface LedgerOptions {
  readonly clock: Clock;
  readonly onClockNews?: (news: ClockNews) => void;
  /** How long a call waits if another process has locked the ledger; by default 3 s. */
  readonly patienceMs?: number;
}

/**
 * Opens the ledger on this thread, which then waits for the disk: for commands that do little else, and for tests.
 * Rejects with a Problem (see `openLedgerFile`).
 */
export const openLedger = async (file: string, mode: Mode, options: LedgerOptions): Promise<Ledger> =>
  ledgerInProcess(openLedgerFile({ file, mode }), options);

export const ledgerInProcess = (
  { work, replacesLost }: OpenedLedger,
  { clock, onClockNews = () => {}, patienceMs }: LedgerOptions,
): Ledger => ({
  ...inProcess<LedgerCalls>(work, {
    clock,
    onNews: (news) => onClockNews(news as ClockNews),
    ...(patienceMs === undefined ? {} : { patienceMs }),
  }),
  replacesLost,
});
