/**
 * The ledger on threads of its own, so that the main one never waits for the disk. The rules of a config are sent to its thread once,
 * and each vote names them by their number.
 */
import type { ClockReading } from '../core/clock-reading.ts';
import type { Problem } from '../core/problem.ts';
import type { CallsOf } from '../db/db.ts';
import { type Closing, onThreads } from '../db/worker.ts';
import { startThread, type Thread } from '../platform/thread.ts';
import type { Rules } from '../rewards/reward.ts';
import type { ClockNews } from './clock.ts';
import type { Ledger, LedgerModule, LedgerOptions, LedgerPlace, OfProcess, SentArrival } from './ledger.ts';
import { LEDGER_THREAD } from './ledger-thread-module.ts';

export interface ThreadOptions extends LedgerOptions {
  /** Called if the ledger’s thread ends by itself: nothing can be stored any more, so the process should end. */
  readonly onEnded: (problem: Problem) => void;
  /** The ledger's thread, if it was started already. */
  readonly early?: Thread | undefined;
  /** How its threads are started; by default with the module beside this file. */
  readonly start?: () => Thread;
}

/** Creates the ledger if there is none. Rejects with a Problem (see `openLedgerFile`). */
export async function openLedgerThread(
  file: string,
  {
    clock,
    onClockNews = () => {},
    patienceMs,
    onEnded,
    early,
    start = () => startThread(LEDGER_THREAD, null),
  }: ThreadOptions,
): Promise<Ledger> {
  const { calls, facts } = await onThreads<LedgerModule>({
    ...{ clock, patienceMs, onEnded, early, start },
    writer: { file, mode: 'create' } satisfies LedgerPlace,
    reader: { file, mode: 'read' } satisfies LedgerPlace,
    onNews: (news) => onClockNews(news as ClockNews),
  });
  return { ...sendingRules(calls as unknown as SentCalls), replacesLost: facts as boolean };
}

/** The calls of the ledger as they are sent to its thread. */
type SentCalls = Omit<Closing<CallsOf<LedgerModule>>, 'record'> &
  OfProcess & {
    record(arrival: SentArrival, reading: ClockReading | null): ReturnType<Ledger['record']>;
    useRules(number: number, rules: Rules): Promise<void>;
    forgetRules(number: number): Promise<void>;
  };

/**
 * On the main thread. The ledger's thread keeps rules for as long as the config or a vote that is not stored yet refers to
 * them. After a reload only such votes do; without `waiting`, nothing here would refer to the rules of a vote that waits for
 * the disk.
 */
function sendingRules({ record, useRules, forgetRules, ...rest }: SentCalls): Omit<Ledger, 'replacesLost'> {
  const numbers = new WeakMap<Rules, number>();
  const unused = new FinalizationRegistry(
    (number: number) => void forgetRules(number).catch(() => undefined),
  );
  let last = 0;
  const numberOf = (rules: Rules): number => {
    const known = numbers.get(rules);
    if (known !== undefined) return known;
    last += 1;
    numbers.set(rules, last);
    unused.register(rules, last);
    // Calls are run in order, so the rules are known when the arrival needs them. If this fails, `record` fails too.
    void useRules(last, rules).catch(() => undefined);
    return last;
  };
  const waiting = new Map<Rules, number>();
  const wait = (rules: Rules, more: 1 | -1): void => {
    const votes = (waiting.get(rules) ?? 0) + more;
    if (votes === 0) waiting.delete(rules);
    else waiting.set(rules, votes);
  };
  return {
    ...rest,
    record: async (arrival, reading) => {
      const { rules } = arrival;
      wait(rules, 1);
      try {
        return await record({ ...arrival, rules: numberOf(rules) }, reading);
      } finally {
        wait(rules, -1);
      }
    },
  };
}
