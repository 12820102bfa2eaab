const KEPT_MAX = 100;

/** What was tested last, by number, until Teller stops: results of tests are not part of the ledger. */
export class Kept<Result> {
  private readonly results = new Map<number, Result>();
  private last = 0;

  add(result: Result): number {
    this.last += 1;
    this.results.set(this.last, result);
    this.results.delete(this.last - KEPT_MAX);
    return this.last;
  }

  /** @param number as it is written in a path. */
  get(number: string): Result | null {
    return this.results.get(Number(number)) ?? null;
  }
}
