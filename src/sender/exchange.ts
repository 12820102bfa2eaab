import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../core/clock.ts';
import { connectEnding } from './connection.ts';
import type { Conversation, Step } from './conversation.ts';
import type { Ending } from './result.ts';

export interface SendLimits {
  /** From the start until the connection stands, name lookup included. */
  readonly connectMs: number;
  /** From the connection until a v1 block is sent without a greeting. */
  readonly v1GreetingMs: number;
  /** From the start until the sending ends, whatever is still missing. */
  readonly wholeMs: number;
}

export const SEND_LIMITS: SendLimits = { connectMs: 5_000, v1GreetingMs: 3_000, wholeMs: 10_000 };

/** Plays one conversation on one socket: the only place where a vote meets the network and the time. */
export class Exchange {
  private readonly alarms: Cancel[] = [];
  private connected = false;
  private fault: Error | null = null;
  private settle: (ending: Ending) => void = () => {};

  constructor(
    private readonly socket: Socket,
    private readonly conversation: Conversation,
    private readonly clock: Clock,
    private readonly limits: SendLimits,
  ) {}

  /** Never rejects. The socket is destroyed and no alarm is left when it resolves. */
  run(): Promise<Ending> {
    this.alarm(this.limits.connectMs, () => this.connectOverdue());
    this.alarm(this.limits.wholeMs, () => this.wholeOverdue());
    this.socket
      .on('connect', () => this.onConnect())
      .on('data', (chunk: Buffer) => this.take(this.conversation.push(chunk)))
      .on('error', (error) => {
        this.fault = error;
      })
      .on('end', () => this.onClose())
      .on('close', () => this.onClose());
    return new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  private onConnect(): void {
    this.connected = true;
    this.alarm(this.limits.v1GreetingMs, () => this.take(this.conversation.greetingOverdue()));
  }

  /** A reset counts as a close: what it means depends on how far the conversation had come. */
  private onClose(): void {
    this.finish(this.connected ? this.conversation.closed() : connectEnding(this.fault));
  }

  private connectOverdue(): void {
    if (!this.connected) this.finish({ code: 'connect-timeout' });
  }

  private wholeOverdue(): void {
    this.finish(this.connected ? this.conversation.late() : { code: 'connect-timeout' });
  }

  private take(step: Step): void {
    if (step.kind === 'end') this.finish(step.ending);
    if (step.kind === 'write') this.write(step.bytes);
  }

  /** One write, so one of which nothing has left when it fails. */
  private write(bytes: Buffer): void {
    this.socket.write(bytes, (error) => {
      if (error) this.finish({ code: 'closed-before-vote' });
    });
  }

  private alarm(delayMs: number, ring: () => void): void {
    this.alarms.push(this.clock.after(delayMs, ring));
  }

  /** Only the first ending counts; destroying the socket brings a last `close`. */
  private finish(ending: Ending): void {
    for (const cancel of this.alarms.splice(0)) cancel();
    this.socket.destroy();
    this.settle(ending);
  }
}
