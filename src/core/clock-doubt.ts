import { durationText } from './duration.ts';
import { isoTime } from './instant.ts';

/** Why this machine's clock is doubted, by code, with the text that the operator reads. */
export const doubtReasons = {
  'not-set': 'it shows a time before Teller existed, so it has not been set since the machine started',
  behind: 'it shows an earlier time than the newest vote on record',
  jumped:
    'it was set while Teller ran, or the machine was asleep or paused, which looks as if it was set ahead',
} as const satisfies Record<string, string>;

export type DoubtReason = keyof typeof doubtReasons;

/** Smaller differences are ignored: an NTP step, or two machines whose clocks differ a little. */
export const CLOCK_TOLERANCE_MS = 10 * 60 * 1000;

export interface ClockDoubt {
  readonly reason: DoubtReason;
  /** The time the clock showed when the doubt began, in milliseconds since the Unix epoch. */
  readonly shownAt: number;
  /** How far the clock was ahead of the time that Teller believes instead; negative: behind. */
  readonly aheadMs: number;
}

/** What the ledger stores about the clock, so that the clock is also judged after a restart. */
export interface StoredClock {
  /** Incremented whenever the reference is reset; what a process remembers from an earlier era no longer holds. */
  readonly era: number;
  /** When the newest vote was received, by the time that Teller believes; null before the first. */
  readonly newestAt: number | null;
  readonly doubt: ClockDoubt | null;
}

export function doubtSentence({ reason, shownAt, aheadMs }: ClockDoubt): string {
  const apart = `${durationText(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} what was expected`;
  return `this machine’s clock is doubtful: ${doubtReasons[reason]}. It showed ${isoTime(shownAt)}, ${apart}`;
}
