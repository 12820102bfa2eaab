import type { Clock } from '../core/clock.ts';
import type { NotSentCode } from '../core/game-server-codes.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Random } from '../core/random.ts';
import type { Opening } from './game-server.ts';
import { RetryPause } from './retry-pause.ts';
import { Turns } from './turns.ts';

/** How a request ended, as far as it says when to send the next one. */
type Ended =
  | { readonly kind: 'not-sent'; readonly reason: NotSentCode }
  | { readonly kind: Exclude<Outcome['kind'], 'not-sent'> | 'ok' };

/** Says when the next request may begin, for kinds of game server that open a connection for each command. */
export class SingleRequests {
  private readonly shutDown = new AbortController();
  private readonly turns: Turns;
  private readonly retryPause: RetryPause<NotSentCode>;

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.turns = new Turns(clock, this.shutDown.signal);
    this.retryPause = new RetryPause(clock, random);
  }

  /** Aborted by `close`. */
  get signal(): AbortSignal {
    return this.shutDown.signal;
  }

  /** Waits until the pause after the last request is over. Never rejects. */
  async open(): Promise<Opening> {
    await this.turns.ready();
    return this.opening();
  }

  opening(): Opening {
    if (this.signal.aborted) return { kind: 'resting', reason: 'shut-down', restMs: 0 };
    const { leftMs: restMs, reason } = this.retryPause;
    return restMs > 0 ? { kind: 'resting', reason, restMs } : { kind: 'open' };
  }

  get retryAt(): number | null {
    return this.retryPause.retryAt;
  }

  /** One request at a time, in the order of the calls. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.turns.take(work);
  }

  /** The next request begins `ms` from now at the earliest. */
  pause(ms: number): void {
    this.turns.pause(ms);
  }

  /** Call this after each request: after a failure, the next one waits. */
  ended(outcome: Ended): void {
    if (outcome.kind === 'not-sent') this.failed(outcome.reason);
    // What happened to this command is no reason for the others.
    else if (outcome.kind === 'unknown') this.failed('between-connections');
    else this.retryPause.succeeded();
  }

  failed(reason: NotSentCode): void {
    this.retryPause.failed(reason);
  }

  succeeded(): void {
    this.retryPause.succeeded();
  }

  /** Resolves when the last request has ended. */
  async close(): Promise<void> {
    this.shutDown.abort();
    await this.turns.end();
  }
}
