import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../core/clock.ts';
import { timeLimit } from '../core/time-limit.ts';
import { connectEnding } from './connection.ts';
import type { Conversation, Step } from './conversation.ts';
import type { Ending } from './result.ts';

export interface SendLimits {
  /** From the start until the connection is open, name lookup included. */
  readonly connectMs: number;
  /** From the connection until a v1 block is sent without a greeting. */
  readonly v1GreetingMs: number;
  /** From the start until the exchange ends. */
  readonly wholeMs: number;
}

export const SEND_LIMITS: SendLimits = { connectMs: 5_000, v1GreetingMs: 3_000, wholeMs: 10_000 };

/** Connecting includes the lookup of the name, which can take longer than any way to the listener and back. */
const RESET_WAIT_MAX_MS = 1_000;

/** Runs one conversation on one socket. Only this class and `link.ts` use the network and timers. */
export class Exchange {
  private readonly timers: Cancel[] = [];
  private readonly startedAt: number;
  /** How long connecting took, which is at least the way to the listener and back. */
  private connectedMs = 0;
  private writtenAt: number | null = null;
  private connected = false;
  private ended = false;
  private fault: Error | null = null;
  private settle: (ending: Ending) => void = () => {};

  constructor(
    private readonly socket: Socket,
    private readonly conversation: Conversation,
    private readonly clock: Clock,
    private readonly limits: SendLimits,
  ) {
    this.startedAt = clock.monotonic();
  }

  /** Never rejects. When it resolves, the socket is destroyed and no timer is left. */
  run(): Promise<Ending> {
    this.startTimer(this.limits.connectMs, () => this.connectOverdue());
    this.startTimer(this.limits.wholeMs, () => this.wholeOverdue());
    // After the listener's close, the socket can still say whether it was reset.
    this.socket.allowHalfOpen = true;
    this.socket
      .on('connect', () => this.onConnect())
      .on('data', (chunk: Buffer) => this.take(this.conversation.push(chunk)))
      .on('error', (error) => {
        this.fault = error;
      })
      .on('end', () => this.onEnd())
      .on('close', () => this.onClose());
    return new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  /** For a conversation that waited for something else than the listener. It gets the time for the whole exchange again. */
  proceed(step: Step): void {
    if (this.ended) return;
    this.cancelTimers();
    this.startTimer(this.limits.wholeMs, () => this.wholeOverdue());
    this.take(step);
  }

  /** Ends the exchange at once, as its time limit would. */
  stop(): void {
    if (!this.ended) this.finish({ ...this.conversation.timedOut(), over: 'stopped' });
  }

  private onConnect(): void {
    this.connected = true;
    this.connectedMs = this.clock.monotonic() - this.startedAt;
    this.startTimer(this.limits.v1GreetingMs, () => this.take(this.conversation.greetingOverdue()));
  }

  /**
   * A listener that closed before our bytes reached it never reads them, and its system answers them with a reset. Until that
   * has had the time to arrive, its close looks like that of a listener that has read them.
   */
  private onEnd(): void {
    if (this.writtenAt === null) {
      this.onClose();
      return;
    }
    const resetBy = this.writtenAt + Math.min(2 * this.connectedMs, RESET_WAIT_MAX_MS);
    const leftMs = resetBy - this.clock.monotonic();
    if (leftMs <= 0) this.closeUnlessReset();
    else this.timers.push(this.clock.after(leftMs, () => this.closeUnlessReset()));
  }

  /** Writing nothing fails after a reset, and sends nothing otherwise. */
  private closeUnlessReset(): void {
    this.socket.write('', (error) => {
      this.fault ??= error ?? null;
      this.onClose();
    });
  }

  /** What it means depends on the state of the conversation. */
  private onClose(): void {
    if (this.ended) return;
    const over = this.fault === null ? 'closed' : 'reset';
    this.finish(this.connected ? { ...this.conversation.closed(), over } : connectEnding(this.fault));
  }

  private connectOverdue(): void {
    if (!this.connected) this.finish({ code: 'connect-timeout' });
  }

  private wholeOverdue(): void {
    const overdue = (): Ending => ({ ...this.conversation.timedOut(), over: 'time-limit' });
    this.finish(this.connected ? overdue() : { code: 'connect-timeout' });
  }

  private take(step: Step): void {
    if (step.kind === 'end') this.finish(step.ending);
    if (step.kind === 'write') this.write(step.bytes);
  }

  /** There is one write, so nothing has been sent if it fails. */
  private write(bytes: Buffer): void {
    this.writtenAt = this.clock.monotonic();
    this.socket.write(bytes, (error) => {
      if (error) this.finish({ code: 'closed-before-vote' });
    });
  }

  private startTimer(delayMs: number, onTimeout: () => void): void {
    this.timers.push(timeLimit(this.clock, delayMs, onTimeout));
  }

  private cancelTimers(): void {
    for (const cancel of this.timers.splice(0)) cancel();
  }

  /** Only the first ending counts; destroying the socket causes another `close` event. */
  private finish(ending: Ending): void {
    this.ended = true;
    this.cancelTimers();
    this.socket.destroy();
    this.settle(ending);
  }
}
