import { ageOf, type Moment, momentOf } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { RetryPause } from '../retry-pause.ts';
import type { NotSentReason } from './codes.ts';
import type { RconConnection, RconTarget } from './connection.ts';
import { type Opened, openRconConnection } from './login.ts';

/** Proxies in between have been seen to drop connections that were idle for 30 s. */
const PROVEN_FOR_MS = 10_000;
/** So many connections in a row that ended with their first answer: this server closes after each. One may be chance. */
const CLOSES_ARE_A_HABIT = 2;

/**
 * Keeps one connection to a game server and opens it on demand. A connection that ends between two commands is
 * opened again at once; after a failure (no login, or a command without reply) it rests first, longer with each
 * failure in a row. A complete reply ends the row. A server that closes after each reply gets a connection for each
 * command: a command written on one that is being closed would be lost, or held.
 */
export class RconLink {
  private connection: RconConnection | null = null;
  private lastAnswerAt: Moment | null = null;
  private closesInARow = 0;
  private readonly retryPause: RetryPause<NotSentReason>;

  constructor(
    private readonly target: RconTarget,
    private readonly signal: AbortSignal,
    random: Random,
  ) {
    this.retryPause = new RetryPause(target.clock, random);
  }

  async open(): Promise<Opened> {
    if (this.signal.aborted) return { kind: 'failed', reason: 'shut-down' };
    if (this.connection?.isOpen) return { kind: 'open', connection: this.connection };
    if (this.restMs > 0) return { kind: 'failed', reason: this.retryPause.reason };
    const opened = await openRconConnection(this.target, this.signal);
    if (opened.kind === 'failed') this.failed(opened.reason);
    else this.connection = opened.connection;
    return opened;
  }

  /** The next command goes out on a new connection. */
  renew(): void {
    this.connection?.close();
  }

  /** How long the next attempt to connect is away. */
  get restMs(): number {
    return this.retryPause.leftMs;
  }

  /**
   * Whether a command may be written: the connection answered a moment ago. An idle one may be dead without a sign, a
   * new one may lead to a server that still starts.
   */
  isProven({ answeredAt }: RconConnection): boolean {
    const { clock, provenForMs = PROVEN_FOR_MS } = this.target;
    if (provenForMs === Number.POSITIVE_INFINITY) return true;
    const provenAt = answeredAt ?? (this.closesAfterReply ? this.lastAnswerAt : null);
    return provenAt !== null && ageOf(clock, provenAt) < provenForMs;
  }

  /** A complete reply came. */
  succeeded(connection: RconConnection): void {
    this.retryPause.succeeded();
    this.lastAnswerAt = momentOf(this.target.clock);
    if (this.closesAfterReply) connection.close();
  }

  /** After a connection's first answer: whether this server closes after each. */
  async learn(connection: RconConnection): Promise<void> {
    if (!this.closesAfterReply) this.closesInARow = (await connection.isLeft()) ? this.closesInARow + 1 : 0;
  }

  private get closesAfterReply(): boolean {
    return this.closesInARow >= CLOSES_ARE_A_HABIT;
  }

  failed(why: NotSentReason): void {
    if (why !== 'shut-down') this.retryPause.failed(why);
  }
}
