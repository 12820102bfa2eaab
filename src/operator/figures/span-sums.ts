import type { IdRange } from '../../ledger/ledger.ts';
import type { SpanOfRows } from './spans.ts';

/** So many rows are summed with one call, which takes some ms. */
const ROWS_AT_ONCE = 5_000;

export interface SumsOfSpan<Sum> {
  readonly sums: readonly Sum[];
  /** Whether every row of the span is in the sums. */
  readonly isWhole: boolean;
}

interface Counted<Sum> {
  readonly from: number;
  /** The next row to read. */
  readonly next: number;
  readonly sums: readonly Sum[];
}

/** How to sum rows. */
export interface Summing<Sum> {
  readonly read: (rows: IdRange) => Promise<readonly Sum[]>;
  /** Sums with the same key are added. */
  readonly keyOf: (sum: Sum) => string;
  readonly add: (one: Sum, other: Sum) => Sum;
}

/** Sums of the rows of spans. The rows of a span that is over stay as they are, so each row is read once. */
export class SpanSums<Sum> {
  private counted = new Map<number, Counted<Sum>>();

  constructor(private readonly summing: Summing<Sum>) {}

  forget(): void {
    this.counted = new Map();
  }

  /** Forgets all other spans. */
  keepOnly(spans: readonly SpanOfRows[]): void {
    const starts = new Set(spans.map(({ start }) => start));
    for (const start of this.counted.keys()) if (!starts.has(start)) this.counted.delete(start);
  }

  /**
   * Reads what is missing, the latest spans first.
   *
   * @param most ends the reading after so many rows.
   * @returns how many were read.
   */
  async fill(spans: readonly SpanOfRows[], most: number): Promise<number> {
    let read = 0;
    for (const span of spans.toReversed()) {
      while (read < most && !this.of(span).isWhole) read += await this.readMore(span, most - read);
    }
    return read;
  }

  of(span: SpanOfRows): SumsOfSpan<Sum> {
    const { next, sums } = this.countedIn(span);
    return { sums, isWhole: next > span.ids.to };
  }

  private async readMore(span: SpanOfRows, most: number): Promise<number> {
    const { counted } = this;
    const before = this.countedIn(span);
    const rows = {
      from: before.next,
      to: Math.min(span.ids.to, before.next + Math.min(ROWS_AT_ONCE, most) - 1),
    };
    const sums = await this.summing.read(rows);
    const { from } = before;
    // Another page may have read the same rows meanwhile, or the sums were forgotten.
    if (this.counted === counted && this.countedIn(span).next === before.next)
      counted.set(span.start, { from, next: rows.to + 1, sums: together([before.sums, sums], this.summing) });
    return rows.to - rows.from + 1;
  }

  private countedIn({ start, ids }: SpanOfRows): Counted<Sum> {
    const counted = this.counted.get(start);
    return counted?.from === ids.from ? counted : { from: ids.from, next: ids.from, sums: [] };
  }
}

/** The sums of several parts together. */
export function together<Sum>(
  parts: readonly (readonly Sum[])[],
  { keyOf, add }: Pick<Summing<Sum>, 'keyOf' | 'add'>,
): readonly Sum[] {
  const sums = new Map<string, Sum>();
  for (const sum of parts.flat()) {
    const known = sums.get(keyOf(sum));
    sums.set(keyOf(sum), known === undefined ? sum : add(known, sum));
  }
  return [...sums.values()];
}
