import type { Clock } from '../core/clock.ts';
import type { PauseCode } from '../core/game-server-codes.ts';
import type { Log } from '../core/log.ts';
import type { Problem } from '../core/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { sentenceOf } from './reasons.ts';

export interface TroubleParts {
  /** The game server's name. */
  readonly name: string;
  readonly ledger: Pick<Ledger, 'storeQueueState'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether it takes votes instead of commands; absent: it does not. */
  readonly takesVotes?: boolean;
}

/**
 * Why the queue of a game server waits. Each change is logged once, so a server that is down for a night is one line,
 * and is stored in the ledger for `teller explain`. Methods reject with the ledger's Problem.
 */
export class QueueTrouble {
  /** Code of a reason or problem; null while the game server accepts commands; undefined before anything is known. */
  private code: string | null | undefined;

  constructor(private readonly parts: TroubleParts) {}

  /** Why the queue waits; null: it does not; undefined: nothing is known yet. */
  get state(): string | null | undefined {
    return this.code;
  }

  get exists(): boolean {
    return typeof this.code === 'string';
  }

  /** Whether it is stored already that the game server accepts commands. */
  get isOver(): boolean {
    return this.code === null;
  }

  /** The ledger cannot be read or written, so nothing is stored there. */
  ledgerFailed({ code, message }: Problem): void {
    const { log, name } = this.parts;
    if (this.code !== code) log.error({ code, server: name }, `rewards on ${name} wait: ${message}`);
    this.code = code;
  }

  async unreachable(reason: PauseCode): Promise<void> {
    // Not logged: what broke the connection was logged already, and the next try shows whether the server is reachable.
    if (reason === 'between-connections' || this.code === reason) return;
    const { log, name, ledger, clock } = this.parts;
    await ledger.storeQueueState(name, reason, clock.now());
    this.code = reason;
    const waits = this.parts.takesVotes
      ? `${name} accepts no votes, so what is forwarded to it waits`
      : `${name} accepts no commands, so its rewards wait`;
    const sentence = `${waits}: ${sentenceOf(reason)}`;
    log.warn({ code: 'server-unreachable', reason, server: name }, sentence);
  }

  /** Call this when the game server has answered. */
  async reached(): Promise<void> {
    if (this.code === null) return;
    const { log, name, ledger, clock } = this.parts;
    await ledger.storeQueueState(name, null, clock.now());
    const what = this.parts.takesVotes ? 'votes' : 'commands';
    if (this.exists) log.info({ code: 'server-reached', server: name }, `${name} accepts ${what} again`);
    this.code = null;
  }

  /** Call this after a turn without trouble. It only ends earlier trouble: there may have been nothing to do. */
  async over(): Promise<void> {
    if (this.exists) await this.reached();
  }
}
