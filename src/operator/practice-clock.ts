import path from 'node:path';
import type { Config } from '../config/config.ts';
import { realNames, requirePracticeOnly } from '../config/practice-only.ts';
import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import { PRACTICE_TOO_FAR, practiceClockIn, practiceStep } from '../platform/practice-clock.ts';
import { type ShownTime, shownTime } from '../practice/control.ts';
import { liveEntries } from './control/client.ts';
import { controlFolder } from './control/place.ts';

/**
 * Moves the stored practice clock of a Teller that is stopped, so that its next start comes that much later.
 *
 * @param step null moves nothing.
 * @returns what it shows now; null if a Teller is running, whose clock only that process may move. Throws a Problem:
 *   `practice-clock-…`, `usage`, `data-unwritable`.
 */
export async function moveStoppedClock(
  config: Config,
  step: string | null,
  clock: Clock,
): Promise<ShownTime | null> {
  requirePracticeOnly(config);
  if ((await liveEntries(controlFolder(config.ledger))).length > 0) return null;
  const stored = practiceClockIn(path.dirname(config.ledger), clock);
  const byMs = step === null ? 0 : practiceStep(step);
  if (byMs !== null && byMs > 0 && !(await stored.advance(byMs)))
    throw new Problem('usage', PRACTICE_TOO_FAR);
  return shownTime(stored);
}

/**
 * The clock by which a ledger is kept: practice time where time was moved for practice. Otherwise what a command stores
 * would be older than what it is about.
 */
export function ledgerClock(config: Config, clock: Clock): Clock {
  if (realNames(config).length > 0) return clock;
  const stored = practiceClockIn(path.dirname(config.ledger), clock);
  return stored.offsetMs === 0 ? clock : stored;
}
