import type { ClockReading } from '../../core/clock-reading.ts';
import type { Kinds } from '../../platform/sqlite/calls.ts';
import type { DatabaseWork } from '../../platform/sqlite/work.ts';
import type { Arrival, Rules } from '../../rewards/reward.ts';
import type { LedgerCalls, Recorded } from '../ledger.ts';
import { ledgerKinds } from './kinds.ts';
import type { LedgerWork } from './work.ts';

/** A vote on its way to the ledger's thread. Its rules are sent once and are then named by their number. */
interface SentArrival extends Omit<Arrival, 'rules'> {
  readonly rules: number;
}

/** The calls of the ledger as they are sent to its thread. */
export interface SentCalls extends Omit<LedgerCalls, 'record'> {
  record(arrival: SentArrival, reading: ClockReading | null): Promise<Recorded>;
  useRules(number: number, rules: Rules): Promise<void>;
  forgetRules(number: number): Promise<void>;
}

export const sentKinds: Kinds<SentCalls> = {
  ...ledgerKinds,
  useRules: 'outside',
  forgetRules: 'outside',
};

/**
 * On the main thread. The ledger's thread keeps rules for as long as the config or a vote that is not stored yet refers to
 * them. After a reload only such votes do; without `waiting`, nothing here would refer to the rules of a vote that waits for
 * the disk.
 */
export function sendingRules(calls: SentCalls): LedgerCalls {
  const { record, useRules, forgetRules, ...rest } = calls;
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
    record: async ({ rules, ...arrival }, reading) => {
      wait(rules, 1);
      try {
        return await record({ ...arrival, rules: numberOf(rules) }, reading);
      } finally {
        wait(rules, -1);
      }
    },
  };
}

/** On the ledger's thread. */
export function receivingRules({ calls, ...work }: LedgerWork): DatabaseWork<SentCalls> {
  const known = new Map<number, Rules>();
  return {
    ...work,
    kinds: sentKinds,
    calls: {
      ...calls,
      useRules: (number, rules) => void known.set(number, rules),
      forgetRules: (number) => void known.delete(number),
      record: (sent, reading) => {
        const rules = known.get(sent.rules);
        if (rules === undefined) throw new Error(`the rules ${sent.rules} were not sent`);
        return calls.record({ ...sent, rules }, reading);
      },
    },
  };
}
