import { baseTime, type Clock, isClockSet, pause } from '../core/clock.ts';
import type { ClockHistory, ClockRelease, ReleaseProgress } from '../ledger/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';

export interface ClockReport extends ClockHistory {
  /** What this machine's clock shows; the practice clock does not move it. */
  readonly shows: number;
}

export async function clockReport(ledger: Pick<Ledger, 'clock'>, clock: Clock): Promise<ClockReport> {
  return { shows: baseTime(clock), ...(await ledger.clock()) };
}

/** After each portion: another process that records waits for the ledger, and could miss a shorter gap. */
const PORTION_PAUSE_MS = 20;

export type Release =
  | (Omit<ClockRelease, 'next'> & { readonly kind: 'released' })
  /** The clock is not doubted, and nothing is held because of it. */
  | { readonly kind: 'nothing-to-release' }
  /** It shows a time before Teller existed, so it was never set. */
  | { readonly kind: 'clock-not-set'; readonly shows: number };

/**
 * Trusts the clock from now on and pays what was held while it was doubted, portion by portion, so that votes that arrive
 * meanwhile do not wait for all of it.
 *
 * @param agree called only if there is something to release; throws if the operator does not agree.
 */
export async function releaseClock(
  ledger: Pick<Ledger, 'clock' | 'releaseClock'>,
  clock: Clock,
  agree: (report: ClockReport) => Promise<void>,
): Promise<Release> {
  const report = await clockReport(ledger, clock);
  if (!isClockSet(report.shows)) return { kind: 'clock-not-set', shows: report.shows };
  if (report.doubt === null && report.held === 0) return { kind: 'nothing-to-release' };
  await agree(report);
  const { doubt, released, next } = await ledger.releaseClock(baseTime(clock), null, clock.now());
  let sum = released;
  for (let progress: ReleaseProgress | null = next; progress !== null; ) {
    await pause(clock, PORTION_PAUSE_MS);
    const portion: ClockRelease = await ledger.releaseClock(baseTime(clock), progress, clock.now());
    sum += portion.released;
    progress = portion.next;
  }
  return { kind: 'released', doubt, released: sum };
}
