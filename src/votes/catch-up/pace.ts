/**
 * The API accepts 30 requests a minute for each listing. Five are left for other programs that use the same
 * listing's token, and for requests that arrive closer together than they were sent.
 */
const REQUESTS_PER_MINUTE = 25;
const MINUTE_MS = 60_000;

/** Never more than `REQUESTS_PER_MINUTE` in any 60 s. Times are monotonic. */
export class Pace {
  private sent: number[] = [];

  /** How long the next request has to wait; 0: it may be sent. */
  waitMs(now: number): number {
    this.sent = this.sent.filter((at) => now - at < MINUTE_MS);
    const [first = now] = this.sent;
    return this.sent.length < REQUESTS_PER_MINUTE ? 0 : Math.ceil(first + MINUTE_MS - now);
  }

  send(now: number): void {
    this.sent.push(now);
  }
}
