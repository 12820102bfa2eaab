import { durationText } from './duration.ts';
import { isoTime } from './instant.ts';

/** Why this machine's clock is doubted, and what the operator is told. A closed table. */
export const doubtReasons = {
  'not-set': 'it shows a time before Teller existed, so it has not been set since the machine started',
  behind: 'it shows an earlier time than the newest vote on record',
  'jumped-back': 'it was set back while Teller ran',
  'jumped-ahead':
    'it was set forward while Teller ran; a machine that was asleep or paused looks the same, since a clock has to be set then',
  'sites-disagree': 'the signed votes of two sites say that it is off by the same time',
} as const satisfies Record<string, string>;

export type DoubtReason = keyof typeof doubtReasons;

/** Judged with this much tolerance: a step by NTP, or two machines that do not quite agree, are no doubt. */
export const CLOCK_TOLERANCE_MS = 10 * 60 * 1000;

export interface ClockDoubt {
  readonly reason: DoubtReason;
  /** What the clock showed when the doubt began, in milliseconds since the Unix epoch. */
  readonly shownAt: number;
  /** How far that was ahead of the time that is believed instead; negative: behind. */
  readonly aheadMs: number;
}

/** What the ledger keeps of the clock, so that a restart is judged too. */
export interface StoredClock {
  /** Grows whenever the reference is set anew: what a process remembers from before does not hold then. */
  readonly era: number;
  /** The newest receipt, by the time that is believed; null before the first. */
  readonly newestAt: number | null;
  readonly doubt: ClockDoubt | null;
}

/** Which clock, why, and by how much. */
export function doubtSentence({ reason, shownAt, aheadMs }: ClockDoubt): string {
  const apart = `${durationText(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} what was expected`;
  return `this machine’s clock is doubtful: ${doubtReasons[reason]}. It showed ${isoTime(shownAt)}, ${apart}`;
}
