import { HOUR_MS } from '../../core/duration.ts';
import type { LedgerReader } from '../../ledger/ledger.ts';
import { type DaySpan, lastDays } from './spans.ts';

/** The refusals of a local day. */
export interface RefusalsOfDay extends DaySpan {
  /** By code, the most frequent first. Noise that reaches any open port is among them. */
  readonly refusals: readonly { readonly code: string; readonly count: number }[];
}

/** The ledger keeps refusals for 30 days. */
const DAYS = 30;

/** Refusals are counted by hour, so an hour in which a day begins belongs to the day before. */
export class RefusalsByDay {
  /** Of days that are over, by their start. */
  private readonly known = new Map<number, RefusalsOfDay['refusals']>();

  constructor(private readonly ledger: Pick<LedgerReader, 'refusalSums' | 'timeZone'>) {}

  /** Oldest first; the last one is not over. */
  async at(now: number): Promise<readonly RefusalsOfDay[]> {
    const spans = lastDays(DAYS, now, await this.ledger.timeZone());
    for (const start of this.known.keys()) if (start < (spans[0]?.start ?? now)) this.known.delete(start);
    return Promise.all(
      spans.map(async (span) => {
        const refusals = this.known.get(span.start) ?? (await this.read(span));
        // What was refused is stored some seconds later.
        if (span.end < now - HOUR_MS) this.known.set(span.start, refusals);
        return { ...span, refusals };
      }),
    );
  }

  private async read({ start, end }: DaySpan): Promise<RefusalsOfDay['refusals']> {
    const hours = { from: Math.ceil(start / HOUR_MS), to: Math.ceil(end / HOUR_MS) - 1 };
    const counts = new Map<string, number>();
    for (const { code, count } of await this.ledger.refusalSums(hours))
      counts.set(code, (counts.get(code) ?? 0) + count);
    return [...counts]
      .map(([code, count]) => ({ code, count }))
      .sort((one, other) => other.count - one.count);
  }
}
