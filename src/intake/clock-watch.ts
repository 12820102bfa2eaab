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

/** A ledger whose votes are dated only after the clock has been judged, once for each batch. */
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

/** Remembers the clock for this process, and reports when it begins and ends to be doubted. */
class ClockWatch {
  private memory: ClockMemory = NO_MEMORY;
  /** As it was before the reference was last set anew: where that could not be stored, it still holds. */
  private before: ClockMemory = NO_MEMORY;
  /** The doubt that the log has told of. */
  private reported: ClockDoubt | null = null;
  private latest: ClockVerdict | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Runs inside the ledger's transaction. Where that fails, the next batch finds the same again. */
  readonly judge = (
    stored: StoredClock,
    arrivals: readonly Arrival[],
    usualOf: (service: string) => readonly number[],
  ): ClockVerdict => {
    const { clock } = this;
    const wall = baseTime(clock);
    // Under a clock that practice has moved, claimed times and wall time are not of one kind.
    const signed = wall === clock.now() ? signedTimes(arrivals) : [];
    const reading = { wall, monotonic: clock.monotonic(), sleptMs: clock.slept?.() ?? 0 };
    const memory = this.before.era === stored.era ? this.before : this.memory;
    const verdict = judgeClock(memory, stored, reading, signed, usualOf);
    if (verdict.memory.era !== memory.era) this.before = memory;
    this.memory = verdict.memory;
    this.latest = verdict;
    return verdict;
  };

  /** Once what was judged is on disk. */
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

/** Votes whose sender proved who it is, and that came as they were cast: those of the API and the webhook may come late. */
const signedTimes = (arrivals: readonly Arrival[]): readonly SignedTime[] =>
  arrivals.flatMap(({ vote: { channel, service, claim, receivedAt } }) =>
    channel === 'listener-v2' && claim !== null ? { service, offsetMs: receivedAt - claim.at } : [],
  );

function endSentence({ by, wasRight }: Extract<ClockChange, { kind: 'ended' }>): string {
  if (wasRight) return 'two sites show that this machine’s clock was right all along; what was held is paid';
  const why =
    by === 'corrected' ? 'it shows what was expected again' : 'the signed votes of two sites agree with it';
  return `this machine’s clock is believed again: ${why}. What was held stays held until \`teller clock release\``;
}
