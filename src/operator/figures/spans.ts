import { HOUR_MS } from '../../core/duration.ts';
import { instantOf, localDay, localTime } from '../../core/local-time.ts';
import { periodName } from '../../core/period.ts';
import type { IdRange } from '../../ledger/ledger.ts';

const MINUTE_MS = 60_000;

/** A local hour or day. */
export interface Span {
  readonly start: number;
  /** Not part of it. */
  readonly end: number;
}

export interface DaySpan extends Span {
  /** `2026-11-21` */
  readonly day: string;
}

/** The last local hours, the present one included, oldest first. */
export function lastHours(count: number, now: number, zone: string): readonly Span[] {
  const minutes = localTime(now, zone).minute % 60;
  const present = (Math.floor(now / MINUTE_MS) - minutes) * MINUTE_MS;
  return Array.from({ length: count }, (_, at) => {
    const start = present - (count - 1 - at) * HOUR_MS;
    return { start, end: start + HOUR_MS };
  });
}

const known = new Map<string, readonly DaySpan[]>();
/** Three figures ask for the same days again and again; a test asks for others. */
const KNOWN_MAX = 16;

/** The last local days, today included, oldest first. Found once: to find 90 midnights takes some ms. */
export function lastDays(count: number, now: number, zone: string): readonly DaySpan[] {
  const first = localDay(now, zone) - count + 1;
  const key = `${zone} ${first} ${count}`;
  const spans = known.get(key) ?? daysFrom(first, count, zone);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(key, spans);
  return spans;
}

function daysFrom(first: number, count: number, zone: string): readonly DaySpan[] {
  const midnights = Array.from({ length: count + 1 }, (_, at) =>
    instantOf({ day: first + at, minute: 0 }, zone),
  );
  return midnights.slice(1).map((end, at) => {
    return { start: midnights[at] ?? end, end, day: periodName('day', first + at) };
  });
}

/** A span with the rows that belong to it. */
export interface SpanOfRows extends Span {
  readonly ids: IdRange;
}

/** Where spans begin among the rows of the ledger. What is long past is asked for once. */
export class Edges {
  private readonly known = new Map<number, number>();

  /** @param ask the first rows of some times. */
  constructor(private readonly ask: (times: readonly number[]) => Promise<readonly number[]>) {}

  /** @param spans without gaps, oldest first. */
  async rowsOf<Of extends Span>(spans: readonly Of[], now: number): Promise<readonly (Of & SpanOfRows)[]> {
    const times = [...spans.map(({ start }) => start), ...spans.slice(-1).map(({ end }) => end)];
    const missing = times.filter((time) => !this.known.has(time));
    const found = await this.ask(missing);
    const asked = new Map(missing.map((time, at) => [time, found[at] ?? 1]));
    let least = 1;
    const firsts = times.map((time) => {
      least = Math.max(least, this.known.get(time) ?? asked.get(time) ?? least);
      return least;
    });
    const rows = spans.map((span, at) => {
      const [from = 1, next = from] = firsts.slice(at, at + 2);
      return { ...span, ids: { from, to: next - 1 } };
    });
    this.keep(asked, times[0] ?? now, now - HOUR_MS);
    return rows;
  }

  /** Rows may still be written with the times of the last hour, if the clock is set back a little. */
  private keep(asked: ReadonlyMap<number, number>, from: number, to: number): void {
    for (const time of this.known.keys()) if (time < from) this.known.delete(time);
    for (const [time, id] of asked) if (time < to) this.known.set(time, id);
  }
}
