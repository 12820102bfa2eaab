import { pause } from '../../../core/clock.ts';
import { interruptible } from '../../../core/interruptible.ts';
import type { Log } from '../../../core/log.ts';
import type { Random } from '../../../core/random.ts';
import { shownPlayers } from '../../../core/shown-players.ts';
import type { JoinReports, PlayerNews, Presence } from '../../game-server.ts';
import { RetryPause } from '../../retry-pause.ts';
import { type Listed, ManagementConnection } from './connection.ts';
import { type ManagementFault, unreported } from './faults.ts';
import { type ManagementTarget, openSocket } from './socket.ts';

export interface ManagementParts extends ManagementTarget {
  /** The game server's name in the config. */
  readonly name: string;
  readonly random: Random;
  readonly log: Log;
}

/** How often the list is read on an idle connection, which shows whether the game server is still there. */
const LOOK_EVERY_MS = 30_000;

/**
 * Keeps one connection to the management protocol of a game server from `watch` to `close`. A connection counts once it has listed the
 * players. After a failure there is a pause, longer with each failure in a row, until a connection has lasted.
 */
export class ManagementLink {
  private connection: ManagementConnection | null = null;
  private readonly closed = new AbortController();
  private readonly retryPause: RetryPause<never>;
  /** Why joins are not reported; null: they are; undefined: not known yet. */
  private fault: ManagementFault | null | undefined;
  private working: Promise<void> = Promise.resolve();
  private onNews: (news: PlayerNews) => void = () => {};

  constructor(private readonly parts: ManagementParts) {
    this.retryPause = new RetryPause(parts.clock, parts.random);
  }

  get joinReports(): JoinReports | null {
    if (this.fault === undefined) return null;
    return this.fault === null
      ? { kind: 'reported' }
      : { kind: 'unreported', code: this.fault, sentence: unreported(this.parts.name, this.fault) };
  }

  /** Connects, and reconnects until `close`. Call it once. */
  watch(onNews: (news: PlayerNews) => void): void {
    this.onNews = onNews;
    this.working = this.work();
  }

  /** Who is online now; null: it cannot be asked, or its list cannot be relied on. Never rejects. */
  async presence(): Promise<Presence | null> {
    const listed = await this.connection?.players();
    const shown = listed?.kind === 'listed' ? shownPlayers(listed.players) : null;
    return shown === null ? null : { kind: 'known', isBeside: true, ...shown };
  }

  async close(): Promise<void> {
    this.closed.abort();
    await this.working;
  }

  private async work(): Promise<void> {
    const { signal } = this.closed;
    while (!signal.aborted) {
      const fault = await this.connectAndKeep();
      if (signal.aborted) return;
      this.note(fault);
      this.retryPause.failed('between-connections');
      await pause(this.parts.clock, this.retryPause.leftMs, signal);
    }
  }

  /** @returns why the connection ended, or why there is none. */
  private async connectAndKeep(): Promise<ManagementFault> {
    const opened = await openSocket(this.parts, this.closed.signal);
    if (opened.kind === 'failed') return opened.fault;
    const connection = new ManagementConnection(opened.socket, this.parts, ({ kind, player }) =>
      this.onNews({ kind, player: player.name }),
    );
    const close = () => connection.close();
    this.closed.signal.addEventListener('abort', close);
    if (this.closed.signal.aborted) close();
    try {
      return await this.keep(connection);
    } finally {
      this.closed.signal.removeEventListener('abort', close);
      this.connection = null;
      close();
    }
  }

  private async keep(connection: ManagementConnection): Promise<ManagementFault> {
    let listed: Listed = await connection.players();
    while (listed.kind === 'listed') {
      if (this.connection === null) {
        this.connection = connection;
        this.note(null);
        // Anybody may have joined or left while there was no connection.
        this.onNews({ kind: 'reports-again' });
      } else this.retryPause.succeeded();
      await this.idle(connection);
      listed = await connection.players();
    }
    return listed.fault;
  }

  /** Resolves when it is time for the next look, or when the connection has ended. */
  private idle({ over }: ManagementConnection): Promise<void> {
    return interruptible<void>(
      { clock: this.parts.clock, limitMs: LOOK_EVERY_MS, signal: over, interrupted: () => {} },
      () => {},
    );
  }

  /** Logs each change once. */
  private note(fault: ManagementFault | null): void {
    if (this.fault === fault) return;
    const { name, log } = this.parts;
    if (fault === null) log.info({ code: 'joins', server: name }, `${name} reports joins as they happen`);
    else log.warn({ code: 'joins-unreported', reason: fault, server: name }, unreported(name, fault));
    this.fault = fault;
  }
}
