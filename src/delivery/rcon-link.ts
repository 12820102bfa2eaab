import type { Dice } from '../core/dice.ts';
import { retryDelayMs } from '../core/retry.ts';
import { type Opened, openRconConnection, type RconConnection, type RconTarget } from './rcon-connection.ts';
import type { NotSentReason, UnknownReason } from './reasons.ts';

/** Each new connection is two lines in the game server's log, so a server that is down is left alone for longer. */
const RECONNECT = { firstMs: 1_000, longestMs: 60_000 };

/**
 * Keeps one connection to a game server and opens it on demand. A connection that ends between two commands is
 * opened again at once; after a failure (no login, or a command without reply) it rests first, longer with each
 * failure in a row. A complete reply ends the row.
 */
export class RconLink {
  private readonly target: RconTarget;
  private readonly signal: AbortSignal;
  private readonly dice: Dice;
  private connection: RconConnection | null = null;
  private failures = 0;
  private restUntil = 0;
  private lastFailure: NotSentReason | UnknownReason | null = null;

  constructor(target: RconTarget, signal: AbortSignal, dice: Dice) {
    this.target = target;
    this.signal = signal;
    this.dice = dice;
  }

  async open(): Promise<Opened> {
    if (this.signal.aborted) return { kind: 'failed', reason: 'shut-down' };
    if (this.connection?.isOpen) return { kind: 'open', connection: this.connection };
    if (this.failures > 0 && this.restMs > 0) return this.resting();
    const opened = await openRconConnection(this.target, this.signal);
    if (opened.kind === 'failed') this.failed(opened.reason);
    else this.connection = opened.connection;
    return opened;
  }

  /** How long the next attempt to connect is away. */
  get restMs(): number {
    return Math.max(0, this.restUntil - this.target.clock.monotonic());
  }

  succeeded(): void {
    this.lastFailure = null;
    this.failures = 0;
  }

  failed(reason: NotSentReason | UnknownReason): void {
    if (reason === 'shut-down') return;
    this.failures += 1;
    this.restUntil = this.target.clock.monotonic() + retryDelayMs(RECONNECT, this.failures, this.dice);
    this.lastFailure = reason;
  }

  /** A command that met its end on the last connection says nothing about the one that now waits. */
  private resting(): Opened {
    const last = this.lastFailure;
    const isOwn = last !== null && last !== 'timeout' && last !== 'closed' && last !== 'bad-reply';
    return { kind: 'failed', reason: isOwn && last !== 'login-lost' ? last : 'between-connections' };
  }
}
