import type { ClockDoubt } from '../../core/clock-doubt.ts';
import type { ClockReading } from '../../core/clock-reading.ts';
import { type ClockMemory, type ClockVerdict, judgeClock, NO_MEMORY } from '../../core/judge-clock.ts';
import type { SignedTime } from '../../core/site-times.ts';
import type { Arrival } from '../../rewards/reward.ts';
import type { ClockNews } from '../ledger.ts';
import type { ClockKeeping } from './clock-keeping.ts';

/** Judges the clock once for each transaction that records votes, before it dates them. */
export class ClockJudging {
  private memory: ClockMemory = NO_MEMORY;
  /** The memory before the reference was last replaced. It still applies if the new reference could not be stored. */
  private before: ClockMemory = NO_MEMORY;
  /** The verdict of the present transaction. */
  private verdict: ClockVerdict | null = null;
  /** The doubt that was told last. */
  private told: ClockDoubt | null = null;

  constructor(private readonly keeping: ClockKeeping) {}

  /** How much to add to receipt times while the clock is doubted; null while it is trusted. */
  get shiftMs(): number | null {
    return this.verdict === null || this.verdict.stored.doubt === null ? null : this.verdict.shiftMs;
  }

  /**
   * Call this in each transaction, before anything else. If that fails, the next one comes to the same verdict.
   *
   * @param reading null if the clock is not to be judged.
   */
  judge(arrivals: readonly Arrival[], reading: ClockReading | null): void {
    this.verdict = null;
    if (reading !== null) this.judgeBy(arrivals, reading);
    if (arrivals.length > 0) this.keeping.moveFor(arrivals.map(({ vote }) => vote.recipient));
  }

  private judgeBy(arrivals: readonly Arrival[], reading: ClockReading): void {
    const { keeping } = this;
    const stored = keeping.stored();
    const memory = this.before.era === stored.era ? this.before : this.memory;
    const signed = reading.isMoved === true ? [] : signedTimes(arrivals);
    const verdict = judgeClock(memory, stored, reading, signed, (service) => keeping.usualOffsets(service));
    if (verdict.memory.era !== memory.era) this.before = memory;
    this.memory = verdict.memory;
    this.verdict = verdict;
    keeping.keep(stored, verdict);
  }

  /** Call this when the transaction is on disk. @returns what there is to tell. */
  news(): ClockNews[] {
    const { verdict, told } = this;
    if (verdict === null) return [];
    this.verdict = null;
    const { doubt } = verdict.stored;
    this.told = doubt;
    const news: ClockNews[] = [];
    if (doubt !== null && doubt.shownAt !== told?.shownAt) news.push({ kind: 'doubted', doubt });
    if (verdict.change?.kind === 'ended') {
      const { by, wasRight } = verdict.change;
      news.push({ kind: 'believed', by, wasRight });
    }
    return news;
  }
}

/** The times of signed votes, which are sent as soon as they are cast; votes of the API and the webhook may be late. */
const signedTimes = (arrivals: readonly Arrival[]): readonly SignedTime[] =>
  arrivals.flatMap(({ vote: { channel, service, claim, receivedAt } }) =>
    channel === 'listener-v2' && claim !== null ? { service, offsetMs: receivedAt - claim.at } : [],
  );
