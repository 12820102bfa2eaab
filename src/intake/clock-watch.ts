import { baseTime, type Clock } from '../core/clock.ts';
import { type ClockDoubt, doubtSentence, type StoredClock } from '../core/clock-doubt.ts';
import type { Arrival } from '../core/decide.ts';
import {
  type ClockChange,
  type ClockMemory,
  type ClockVerdict,
  judgeClock,
  NO_MEMORY,
} from '../core/judge-clock.ts';
import type { Log } from '../core/log.ts';
import type { SignedTime } from '../core/site-times.ts';
import type { VoteLedger } from '../ledger/ledger.ts';

/** A ledger that judges the clock before it dates the votes, once for each batch. */
export function withClockWatch<Of extends VoteLedger>(ledger: Of, clock: Clock, log: Log): Of {
  const watch = new ClockWatch(clock, log);
  return {
    ...ledger,
    record: async (arrivals, decide) => {
      const recorded = await ledger.record(arrivals, decide, watch.judge);
      watch.report();
      return recorded;
    },
  };
}

/** Remembers the clock for this process, and logs when Teller starts to doubt it and when it trusts it again. */
class ClockWatch {
  private memory: ClockMemory = NO_MEMORY;
  /** The memory before the reference was last replaced. It still applies if the new reference could not be stored. */
  private before: ClockMemory = NO_MEMORY;
  /** The doubt that was logged last. */
  private reported: ClockDoubt | null = null;
  private latest: ClockVerdict | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Runs inside the ledger's transaction. If that fails, the next batch comes to the same verdict. */
  readonly judge = (
    stored: StoredClock,
    arrivals: readonly Arrival[],
    usualOf: (service: string) => readonly number[],
  ): ClockVerdict => {
    const { clock } = this;
    const wall = baseTime(clock);
    // Claimed times cannot be compared with a clock that practice has moved.
    const signed = wall === clock.now() ? signedTimes(arrivals) : [];
    const reading = { wall, monotonic: clock.monotonic(), sleptMs: clock.slept?.() ?? 0 };
    const memory = this.before.era === stored.era ? this.before : this.memory;
    const verdict = judgeClock(memory, stored, reading, signed, usualOf);
    if (verdict.memory.era !== memory.era) this.before = memory;
    this.memory = verdict.memory;
    this.latest = verdict;
    return verdict;
  };

  /** Call this when the verdict is on disk. */
  report(): void {
    const { latest, log } = this;
    const doubt = latest?.stored.doubt ?? null;
    if (doubt !== null && doubt.shownAt !== this.reported?.shownAt) {
      log.warn(
        { code: 'clock-doubtful', reason: doubt.reason, aheadMs: doubt.aheadMs },
        doubtSentence(doubt),
      );
    }
    if (latest?.change?.kind === 'ended') {
      log.info({ code: 'clock-believed', by: latest.change.by }, endSentence(latest.change));
    }
    this.reported = doubt;
    this.latest = null;
  }
}

/** The times of signed votes, which are sent as soon as they are cast; votes of the API and the webhook may be late. */
const signedTimes = (arrivals: readonly Arrival[]): readonly SignedTime[] =>
  arrivals.flatMap(({ vote: { channel, service, claim, receivedAt } }) =>
    channel === 'listener-v2' && claim !== null ? { service, offsetMs: receivedAt - claim.at } : [],
  );

function endSentence({ by, wasRight }: Extract<ClockChange, { kind: 'ended' }>): string {
  if (wasRight) return 'two sites confirm that this machine’s clock was right; held rewards are paid';
  const why =
    by === 'corrected' ? 'it shows the expected time' : 'the signed votes of two sites agree with it';
  return `this machine’s clock is trusted again: ${why}. Held rewards stay held until \`teller clock release\``;
}
