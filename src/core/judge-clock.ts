import { EARLIEST_MS, isClockSet } from './clock.ts';
import { CLOCK_TOLERANCE_MS, type ClockDoubt, type DoubtReason, type StoredClock } from './clock-doubt.ts';
import { type Anchor, anchorAt, type ClockReading, wasAsleep } from './clock-reading.ts';
import { HOUR_MS } from './duration.ts';
import {
  disagreementMs,
  isConfirmed,
  NO_SITE_TIMES,
  type SignedTime,
  type SiteTimes,
  startOver,
  withVote,
} from './site-times.ts';

/** What one process remembers of the clock. */
export interface ClockMemory {
  readonly era: number;
  /** null before the first batch. */
  readonly anchor: Anchor | null;
  /** False if the anchor is the newest receipt of an earlier run: the true time is then that receipt's or later. */
  readonly isExact: boolean;
  readonly times: SiteTimes;
}

export const NO_MEMORY: ClockMemory = { era: -1, anchor: null, isExact: false, times: NO_SITE_TIMES };

export type ClockChange =
  | { readonly kind: 'began'; readonly doubt: ClockDoubt }
  /** `shiftMs`: add this to the times that were believed during the doubt. */
  | {
      readonly kind: 'ended';
      readonly by: 'corrected' | 'confirmed';
      readonly shiftMs: number;
      /** Two sites show that the clock was right all along, so the held grants can be released. */
      readonly wasRight: boolean;
    };

export interface ClockVerdict {
  readonly memory: ClockMemory;
  readonly stored: StoredClock;
  readonly change: ClockChange | null;
  /** Add this to wall time to get the believed time; 0 while the clock is not doubted. */
  readonly shiftMs: number;
}

/** The newest receipt is stored again when it is this much newer, so that most batches store nothing. */
const STORED_EACH_MS = 60_000;
/** An anchor is renewed at this age. In that time a clock may drift by the tolerance, but a jump still shows. */
const ANCHOR_MS = HOUR_MS;

/**
 * Rule 4: judges wall time before a batch of votes is dated by it. Wall time is compared with the newest receipt on
 * record, with monotonic time while this process runs, and with the claimed times of signed votes. Pure; the caller
 * stores and remembers the result.
 *
 * @param signed the signed votes of the batch.
 * @param usualOf see `withVote`.
 */
export function judgeClock(
  memory: ClockMemory,
  stored: StoredClock,
  reading: ClockReading,
  signed: readonly SignedTime[],
  usualOf: (service: string) => readonly number[],
): ClockVerdict {
  const known = memory.era === stored.era ? memory : { ...NO_MEMORY, era: stored.era };
  const times = signed.reduce((sum, vote) => withVote(sum, vote, reading.monotonic, usualOf), known.times);
  const seen = { ...known, times };
  return stored.doubt === null
    ? judgeTrusted(wasAsleep(seen.anchor, reading) ? { ...seen, anchor: null } : seen, stored, reading)
    : judgeDoubted(seen, stored, stored.doubt, reading);
}

function judgeTrusted(memory: ClockMemory, stored: StoredClock, reading: ClockReading): ClockVerdict {
  const believed = believedTime(memory, stored, reading);
  const reason = whyDoubted(memory, believed, reading.wall);
  if (reason === null) return trusted(memory, stored, reading);
  const aheadMs = reason === 'sites-disagree' ? (disagreementMs(memory.times) ?? 0) : reading.wall - believed;
  return began(memory, stored, reading, { reason, shownAt: reading.wall, aheadMs });
}

/** The time computed without the wall clock. */
function believedTime(
  { anchor }: ClockMemory,
  { newestAt }: StoredClock,
  { wall, monotonic }: ClockReading,
): number {
  if (anchor === null) return newestAt ?? Math.max(wall, EARLIEST_MS);
  return Math.max(Math.round(anchor.at + (monotonic - anchor.monotonic)), newestAt ?? 0);
}

function whyDoubted({ anchor, times }: ClockMemory, believed: number, wall: number): DoubtReason | null {
  if (!isClockSet(wall)) return 'not-set';
  if (wall < believed - CLOCK_TOLERANCE_MS) return anchor === null ? 'behind' : 'jumped-back';
  if (anchor !== null && wall > believed + CLOCK_TOLERANCE_MS) return 'jumped-ahead';
  return disagreementMs(times) === null ? null : 'sites-disagree';
}

function trusted(memory: ClockMemory, stored: StoredClock, reading: ClockReading): ClockVerdict {
  const { wall, monotonic } = reading;
  const isFresh = memory.anchor !== null && monotonic - memory.anchor.monotonic < ANCHOR_MS;
  return {
    memory: isFresh ? memory : { ...memory, anchor: anchorAt(wall, reading), isExact: true },
    stored: storedAt(stored, wall, STORED_EACH_MS),
    change: null,
    shiftMs: 0,
  };
}

const storedAt = (stored: StoredClock, at: number, eachMs: number): StoredClock =>
  stored.newestAt !== null && at < stored.newestAt + eachMs ? stored : { ...stored, newestAt: at };

function began(
  memory: ClockMemory,
  { era }: StoredClock,
  reading: ClockReading,
  doubt: ClockDoubt,
): ClockVerdict {
  const believed = reading.wall - doubt.aheadMs;
  return {
    memory: {
      era: era + 1,
      anchor: anchorAt(believed, reading),
      isExact: memory.anchor !== null || doubt.reason === 'sites-disagree',
      times: startOver(memory.times),
    },
    stored: { era: era + 1, newestAt: believed, doubt },
    change: { kind: 'began', doubt },
    shiftMs: -doubt.aheadMs,
  };
}

function judgeDoubted(
  memory: ClockMemory,
  stored: StoredClock,
  doubt: ClockDoubt,
  reading: ClockReading,
): ClockVerdict {
  const believed = believedTime(memory, stored, reading);
  const aheadMs = reading.wall - believed;
  if (isConfirmed(memory.times)) return ended(memory, stored, doubt, reading, 'confirmed', aheadMs);
  if (isCorrected(memory, doubt, reading.wall, aheadMs)) {
    return ended(memory, stored, doubt, reading, 'corrected', memory.isExact ? 0 : aheadMs);
  }
  return {
    memory: { ...memory, anchor: memory.anchor ?? anchorAt(believed, reading) },
    stored: storedAt(stored, believed, 1_000),
    change: null,
    shiftMs: -aheadMs,
  };
}

/**
 * Whether the clock shows the believed time again. If only a lower bound of the true time is known and the clock was
 * behind it, the clock is trusted again once it is past that bound, as it is after any start.
 */
function isCorrected(
  { isExact }: ClockMemory,
  { aheadMs: was }: ClockDoubt,
  wall: number,
  aheadMs: number,
): boolean {
  if (!isClockSet(wall)) return false;
  if (!isExact && was <= 0) return aheadMs >= -CLOCK_TOLERANCE_MS;
  return Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS;
}

function ended(
  memory: ClockMemory,
  { era }: StoredClock,
  { reason, aheadMs: was }: ClockDoubt,
  reading: ClockReading,
  by: 'corrected' | 'confirmed',
  shiftMs: number,
): ClockVerdict {
  const hasNotMoved = memory.isExact && Math.abs(shiftMs - was) <= CLOCK_TOLERANCE_MS;
  const wasRight = by === 'confirmed' && reason === 'sites-disagree' && hasNotMoved;
  return {
    memory: {
      era: era + 1,
      anchor: anchorAt(reading.wall, reading),
      isExact: true,
      times: startOver(memory.times),
    },
    stored: { era: era + 1, newestAt: reading.wall, doubt: null },
    change: { kind: 'ended', by, shiftMs, wasRight },
    shiftMs: 0,
  };
}
