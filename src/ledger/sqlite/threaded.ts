import type { Problem } from '../../core/problem.ts';
import { LOCKED_PATIENCE_MS } from '../../platform/sqlite/calls.ts';
import { threaded } from '../../platform/sqlite/threaded.ts';
import { startThread, type Thread } from '../../platform/thread.ts';
import type { ClockNews, Ledger } from '../ledger.ts';
import type { LedgerOptions } from './in-process.ts';
import { LEDGER_THREAD } from './ledger-thread-module.ts';
import type { LedgerPlace } from './open.ts';
import { type SentCalls, sendingRules, sentKinds } from './sent-rules.ts';

export interface ThreadOptions extends LedgerOptions {
  /** Called if the ledger’s thread ends by itself: nothing can be stored any more, so the process should end. */
  readonly onEnded: (problem: Problem) => void;
  /** The ledger's thread, if it was started already. */
  readonly early?: Thread | undefined;
  /** How its threads are started; by default with the module beside this file. */
  readonly start?: () => Thread;
}

/**
 * Opens the ledger on a thread of its own, so that this one never waits for the disk; creates it if there is none.
 * Rejects with a Problem (see `openLedgerFile`).
 */
export async function openLedgerThread(file: string, options: ThreadOptions): Promise<Ledger> {
  const { clock, onClockNews = () => {}, onEnded, patienceMs = LOCKED_PATIENCE_MS } = options;
  const writer: LedgerPlace = { file, mode: 'create' };
  const reader: LedgerPlace = { file, mode: 'read' };
  const { calls, facts } = await threaded<SentCalls>(sentKinds, {
    ...{ clock, patienceMs, writer, reader, onEnded, early: options.early ?? null },
    start: options.start ?? (() => startThread(LEDGER_THREAD, null)),
    onNews: (news) => onClockNews(news as ClockNews),
  });
  return { ...sendingRules(calls), close: calls.close, replacesLost: facts as boolean };
}
