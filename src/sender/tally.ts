import type { SendResult } from './result.ts';

export interface TallyRow {
  readonly code: SendResult['code'];
  readonly count: number;
  /** The sentence of the first result with this code; later results may have another message of the listener. */
  readonly sentence: string;
}

/** Counts results by code. Its size does not grow with the number of votes. */
export class Tally {
  private readonly byCode = new Map<SendResult['code'], TallyRow>();
  private allCount = 0;
  private failedCount = 0;

  add({ code, kind, sentence }: SendResult): void {
    const row = this.byCode.get(code) ?? { code, count: 0, sentence };
    this.byCode.set(code, { ...row, count: row.count + 1 });
    this.allCount++;
    if (kind === 'failed') this.failedCount++;
  }

  get total(): number {
    return this.allCount;
  }

  get failed(): number {
    return this.failedCount;
  }

  /** The most frequent first. */
  rows(): TallyRow[] {
    return [...this.byCode.values()].sort((a, b) => b.count - a.count);
  }
}
