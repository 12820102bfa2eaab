import { baseTime, type Clock, isClockSet } from '../core/clock.ts';
import type { ClockHistory, ClockRelease } from '../ledger/clock-history.ts';
import type { Ledger, LedgerReader } from '../ledger/ledger.ts';

export interface ClockReport extends ClockHistory {
  /** What this machine's clock shows; the practice clock does not move it. */
  readonly shows: number;
}

export async function clockReport(ledger: Pick<LedgerReader, 'clock'>, clock: Clock): Promise<ClockReport> {
  return { shows: baseTime(clock), ...(await ledger.clock()) };
}

export type Release =
  | (ClockRelease & { readonly kind: 'released' })
  /** The clock is not doubted, and nothing is held because of it. */
  | { readonly kind: 'nothing-to-release' }
  /** It shows a time before Teller existed, so it was never set. */
  | { readonly kind: 'clock-not-set'; readonly shows: number };

/**
 * Trusts the clock from now on and pays what was held while it was doubted.
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
  return { kind: 'released', ...(await ledger.releaseClock(baseTime(clock), clock.now())) };
}
