/**
 * When the next request to a game server may begin, for every kind: one at a time, a pause after each, and a longer pause after each
 * failure in a row.
 */
import { type Clock, pause } from '../core/clock.ts';
import type { NotSentCode } from '../core/game-server-codes.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Random } from '../core/random.ts';
import { type RetrySchedule, retryDelayMs } from '../core/retry.ts';
import type { Opening } from './game-server.ts';

/** Runs one piece of work at a time, in the order of the calls, with a pause between them. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private pauseUntil = Number.NEGATIVE_INFINITY;

  /** @param signal ends a pause early. */
  constructor(
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {}

  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.last.then(async () => {
      await this.pauseIsOver();
      return work();
    });
    this.last = turn.catch(() => {}); // the caller gets the error, and the next call still gets its turn
    return turn;
  }

  /** The next turn begins `ms` from now at the earliest. */
  pause(ms: number): void {
    this.pauseUntil = this.clock.monotonic() + ms;
  }

  get isPauseOver(): boolean {
    return this.pauseUntil <= this.clock.monotonic();
  }

  /** For work of several steps, each followed by a pause. */
  async pauseIsOver(): Promise<void> {
    if (this.isPauseOver || this.signal.aborted) return;
    await pause(this.clock, this.pauseUntil - this.clock.monotonic(), this.signal);
  }

  /** Resolves when all turns requested so far have ended. */
  async end(): Promise<void> {
    await this.last;
  }
}

/** Each new connection may add lines to a game server's log, so a server that is down is tried less and less often. */
const PAUSES: RetrySchedule = { firstMs: 1_000, longestMs: 60_000 };

/** How long to wait after a failure before the next connection: longer with each failure in a row. */
export class RetryPause<Reason extends NotSentCode> {
  private failures = 0;
  private until = 0;
  private why: Reason | 'between-connections' = 'between-connections';

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  get leftMs(): number {
    return this.failures === 0 ? 0 : Math.max(0, this.until - this.clock.monotonic());
  }

  /** When the next attempt may begin, in monotonic time; null: the last one did not fail. */
  get retryAt(): number | null {
    return this.failures === 0 ? null : this.until;
  }

  get reason(): Reason | 'between-connections' {
    return this.why;
  }

  succeeded(): void {
    this.failures = 0;
  }

  /**
   * @param why the reason for the commands that wait now. After a command with an unknown outcome, pass
   * `between-connections`: what happened to that command is no reason for the others.
   */
  failed(why: Reason | 'between-connections'): void {
    this.failures += 1;
    this.until = this.clock.monotonic() + retryDelayMs(PAUSES, this.failures, this.random);
    this.why = why;
  }
}

/** How a request ended, as far as it says when to send the next one. */
type Ended =
  | { readonly kind: 'not-sent'; readonly reason: NotSentCode }
  | { readonly kind: Exclude<Outcome['kind'], 'not-sent'> | 'ok' };

/** Both, as the base of a game server whose kind opens a connection for each command. */
export abstract class SingleRequests {
  private readonly shutDown = new AbortController();
  /** Aborted by `close`. */
  protected readonly signal = this.shutDown.signal;
  protected readonly turns: Turns;
  protected readonly retryPause: RetryPause<NotSentCode>;

  constructor(clock: Clock, random: Random) {
    this.turns = new Turns(clock, this.signal);
    this.retryPause = new RetryPause(clock, random);
  }

  get retryAt(): number | null {
    return this.retryPause.retryAt;
  }

  /** Waits until the pause after the last request is over. Never rejects. */
  open(): Promise<Opening> {
    return this.turns.take(async () => this.opening());
  }

  /** There is no connection to prove. */
  ready(): Promise<Opening> {
    return this.open();
  }

  /** Each command waits for a connection of its own. */
  sendsAtOnce(): boolean {
    return false;
  }

  /** Resolves when the last request has ended. */
  async close(): Promise<void> {
    this.shutDown.abort();
    await this.turns.end();
  }

  protected opening(): Opening {
    if (this.signal.aborted) return { kind: 'resting', reason: 'shut-down', restMs: 0 };
    const { leftMs: restMs, reason } = this.retryPause;
    return restMs > 0 ? { kind: 'resting', reason, restMs } : { kind: 'open' };
  }

  /** Call this after each request: after a failure, the next one waits. */
  protected ended(outcome: Ended): void {
    if (outcome.kind === 'not-sent') this.retryPause.failed(outcome.reason);
    // What happened to this command is no reason for the others.
    else if (outcome.kind === 'unknown') this.retryPause.failed('between-connections');
    else this.retryPause.succeeded();
  }
}
