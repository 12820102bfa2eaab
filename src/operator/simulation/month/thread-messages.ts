import type { PlayerTotal, VoteCast } from '../../../ledger/ledger.ts';
import type { MonthCalendar } from './calendar.ts';
import type { ComingOrder, Progress } from './coming.ts';

/** What the thread of a month is started with. */
export interface MonthTask {
  readonly order: ComingOrder;
  /** How many players are made up; null: the votes of the last weeks follow. */
  readonly voters: number | null;
  /** Shared, because the thread reads no message while it simulates. */
  readonly stop: SharedArrayBuffer;
}

/** To the thread. After `start`, nothing more is sent. */
export type MonthMessage =
  | { readonly kind: 'votes'; readonly votes: readonly VoteCast[] }
  | { readonly kind: 'totals'; readonly totals: readonly PlayerTotal[] }
  | { readonly kind: 'start' };

/** From the thread, which ends after the calendar. */
export type MonthAnswer =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'calendar'; readonly calendar: MonthCalendar };

export const newStop = (): SharedArrayBuffer => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

export const stopIt = (stop: SharedArrayBuffer): void => {
  Atomics.store(new Int32Array(stop), 0, 1);
};

export const isStopped = (stop: SharedArrayBuffer): boolean => Atomics.load(new Int32Array(stop), 0) === 1;
