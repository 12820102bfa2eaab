import type { Log } from '../core/log.ts';
import type { Problem } from '../core/problem.ts';
import { reasonSentence } from './reasons.ts';

/**
 * Why the queue of a game server pauses. The log says so once for each change: a server that is down for the night is
 * one line, not a thousand.
 */
export class QueueTrouble {
  private readonly log: Log;
  private readonly server: string;
  /** A reason's or a problem's code; null while the queue does not pause. */
  private code: string | null = null;

  constructor(log: Log, server: string) {
    this.log = log;
    this.server = server;
  }

  get exists(): boolean {
    return this.code !== null;
  }

  /** The ledger cannot be read or written. */
  ledgerFailed({ code, message }: Problem): void {
    if (this.code !== code) {
      this.log.error({ code, server: this.server }, `rewards on ${this.server} pause: ${message}`);
    }
    this.code = code;
  }

  unreachable(reason: string): void {
    // No trouble of its own: what broke the connection was logged, and the next try shows whether the server is there.
    if (reason === 'between-connections') return;
    if (this.code !== reason) {
      const sentence = `${this.server} takes no commands, its rewards wait: ${reasonSentence(reason)}`;
      this.log.warn({ code: 'server-unreachable', reason, server: this.server }, sentence);
    }
    this.code = reason;
  }

  /** A turn without trouble, or a command that was answered. */
  over(): void {
    if (this.code !== null)
      this.log.info({ code: 'server-reached', server: this.server }, `${this.server} is paid again`);
    this.code = null;
  }
}
