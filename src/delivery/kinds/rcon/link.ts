import { ageOf, type Moment, momentOf } from '../../../core/clock.ts';
import type { Random } from '../../../core/random.ts';
import { RetryPause } from '../../retry-pause.ts';
import type { NotSentReason } from './codes.ts';
import type { RconConnection, RconTarget } from './connection.ts';
import { type Opened, openRconConnection } from './login.ts';

/** Some proxies drop connections that were idle for 30 s. */
const PROVEN_FOR_MS = 10_000;
/** After this many consecutive connections that closed after one answer, we assume that the server always does so. */
const CLOSES_EXPECTED_AFTER = 2;

/**
 * Keeps one connection to a game server and opens it on demand. A connection that ends between two commands is opened
 * again at once. After a failure (no login, or a command without reply) there is a pause first, longer with each
 * failure in a row, until a complete reply comes. A server that closes after each reply gets a connection for each
 * command: a command sent on a connection that is being closed would be lost, or held.
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

  /** Whether `open` would return a proven connection at once. */
  get isProvenOpen(): boolean {
    const { connection } = this;
    return !this.signal.aborted && connection !== null && connection.isOpen && this.isProven(connection);
  }

  /** Makes the next command use a new connection. */
  renew(): void {
    this.connection?.close();
  }

  /** How long until the next attempt to connect. */
  get restMs(): number {
    return this.retryPause.leftMs;
  }

  get retryAt(): number | null {
    return this.retryPause.retryAt;
  }

  /**
   * Whether a command may be sent because the connection answered a moment ago. An idle connection may be dead without
   * a sign, and a new one may lead to a server that is still starting.
   */
  isProven({ answeredAt }: RconConnection): boolean {
    const { clock, provenForMs = PROVEN_FOR_MS } = this.target;
    if (provenForMs === Number.POSITIVE_INFINITY) return true;
    const provenAt = answeredAt ?? (this.closesAfterReply ? this.lastAnswerAt : null);
    return provenAt !== null && ageOf(clock, provenAt) < provenForMs;
  }

  /** Call this when a complete reply has come. */
  succeeded(connection: RconConnection): void {
    this.retryPause.succeeded();
    this.lastAnswerAt = momentOf(this.target.clock);
    if (this.closesAfterReply) connection.close();
  }

  /** After a connection's first answer: finds out whether this server closes after each answer. */
  async countClose(connection: RconConnection): Promise<void> {
    if (!this.closesAfterReply) this.closesInARow = (await connection.endsSoon()) ? this.closesInARow + 1 : 0;
  }

  private get closesAfterReply(): boolean {
    return this.closesInARow >= CLOSES_EXPECTED_AFTER;
  }

  failed(why: NotSentReason): void {
    if (why !== 'shut-down') this.retryPause.failed(why);
  }
}
