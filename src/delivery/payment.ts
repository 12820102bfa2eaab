import { isAnnouncement, stateAfterAnnouncement } from '../core/announcement.ts';
import type { Clock } from '../core/clock.ts';
import type { NotSentCode } from '../core/game-server-codes.ts';
import { reasonAfter } from '../core/grant-reason.ts';
import type { Log } from '../core/log.ts';
import { NO_OBSERVER, type Observer } from '../core/observer.ts';
import type { Outcome } from '../core/outcome.ts';
import { isPool } from '../core/pool.ts';
import type { Random } from '../core/random.ts';
import { type RetrySchedule, retryDelayMs } from '../core/retry.ts';
import { stateAfter } from '../core/settlement.ts';
import { closeCommand, showsNextVote } from '../core/template.ts';
import type { CommandClaim, Ledger, OpenCommand, OpenGrant, Settlement } from '../ledger/ledger.ts';
import { logOutcome } from './delivery-log.ts';
import type { CommandAbout, GameServer } from './game-server.ts';

export interface PaymentParts {
  readonly name: string;
  readonly server: GameServer;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly observer?: Pick<Observer, 'ended' | 'paid'>;
  /** Called when a grant of a pool waits: its player may be on another game server. */
  readonly onPoolWaits: (pool: string) => void;
}

/** The pause after a reply said that the player is offline although the list had them. */
const OFFLINE: RetrySchedule = { firstMs: 10_000, longestMs: 600_000 };
/** The pause between attempts of a reward that is safe to run twice. */
const UNKNOWN: RetrySchedule = { firstMs: 5_000, longestMs: 300_000 };

/** A command and the player that it is for. */
export interface ReadyCommand {
  readonly grant: OpenGrant;
  readonly command: OpenCommand;
  /** The spelling to use, or null for a recipient without a player name. */
  readonly player: string | null;
  /** Their UUID in the game server's list; null if it is not known. */
  readonly uuid: string | null;
}

interface Claimed {
  readonly ready: ReadyCommand;
  /** Of its claim. */
  readonly claim: number;
}

interface Ended {
  readonly settlement: Settlement;
  readonly grant: OpenGrant;
}

/** Runs the commands of grants on one game server. */
export class Payment {
  /** Claimed in the commit that stored the last outcome, and not written yet. */
  private claimed: Claimed | null = null;
  /** An outcome that could not be stored yet, and its grant. No other command runs before it is. */
  private unsettled: Ended | null = null;

  constructor(private readonly parts: PaymentParts) {}

  /** Whether an outcome could not be stored yet. */
  get hasUnsettled(): boolean {
    return this.unsettled !== null;
  }

  /** Whether this command was claimed together with the last outcome. */
  isClaimed(grant: OpenGrant, command: OpenCommand): boolean {
    return (
      this.claimed?.ready.grant.id === grant.id && this.claimed.ready.command.position === command.position
    );
  }

  /**
   * Stores the outcome that could not be stored before. A command that was claimed with the last outcome and is not
   * written after all is not sent, for the reason `unwritten`. Rejects with the ledger's Problem.
   */
  async settleLast(unwritten: NotSentCode = 'between-connections'): Promise<void> {
    if (this.claimed !== null)
      this.unsettled = this.endedBy(this.claimed, { kind: 'not-sent', reason: unwritten });
    this.claimed = null;
    if (this.unsettled !== null) await this.settle(this.unsettled, null);
  }

  /**
   * Runs one command of a grant: claim, run, settle.
   *
   * @param following called when the command has ended: the command that is written next and at once, or null. It is
   * claimed in the commit that stores the outcome, which saves the wait for a commit of its own.
   * @returns null if the grant has changed meanwhile. Rejects with the ledger's Problem; an outcome is then kept for
   * `settleLast`.
   */
  async run(
    ready: ReadyCommand,
    following: (outcome: Outcome) => ReadyCommand | null,
  ): Promise<Outcome | null> {
    const { server, log, name } = this.parts;
    const { grant, command, player, uuid } = ready;
    const about = server.tellsAbout === true ? await this.about(ready) : undefined;
    // Committed before the command is sent: if the process dies here, the command is unknown and not run again (rule
    // 6).
    const claim = await this.claim(ready);
    if (claim === null) return null;
    const line = closeCommand(command.text, { player, uuid, now: this.parts.clock.now() });
    const outcome = forRecipient(await server.run(line, command.text, about), player);
    logOutcome(log, name, grant, line, outcome);
    this.unsettled = this.endedBy({ ready, claim }, outcome);
    await this.settle(this.unsettled, following(outcome));
    return outcome;
  }

  private async about({ grant, command, player, uuid }: ReadyCommand): Promise<CommandAbout> {
    const cause = await this.parts.ledger.causeOf(grant.id);
    const { vote, site, occasion } = cause ?? { vote: null, site: null, occasion: '' };
    return {
      ...{ grant: grant.id, position: command.position, reward: grant.reward, player, uuid },
      ...{ vote, site, occasion, attempt: command.attempts + 1 },
    };
  }

  private async claim(ready: ReadyCommand): Promise<number | null> {
    const { claimed } = this;
    if (claimed === null || !this.isClaimed(ready.grant, ready.command))
      return this.parts.ledger.claim(this.claimOf(ready));
    this.claimed = null;
    return claimed.claim;
  }

  private async settle({ settlement, grant }: Ended, next: ReadyCommand | null): Promise<void> {
    const { ledger, onPoolWaits } = this.parts;
    const claim = await ledger.settle(settlement, next === null ? undefined : this.claimOf(next));
    if (next !== null && claim !== null) this.claimed = { ready: next, claim };
    this.unsettled = null;
    this.observe(settlement, grant);
    if (settlement.startsOver && isPool(grant.server)) onPoolWaits(grant.server);
  }

  private observe({ outcome, state, endedAt }: Settlement, { createdAt }: OpenGrant): void {
    const { name, observer = NO_OBSERVER } = this.parts;
    observer.ended(name, outcome.kind);
    if (state === 'delivered') observer.paid(endedAt - createdAt);
  }

  private claimOf({ grant, command, player, uuid }: ReadyCommand): CommandClaim {
    const { text, position } = command;
    const { server: pool } = grant;
    return {
      ...{ grantId: grant.id, position, player, uuid, now: this.parts.clock.now() },
      ...(showsNextVote(text) ? { text } : {}),
      ...(isPool(pool) ? { take: { pool, server: this.parts.name } } : {}),
    };
  }

  private endedBy({ ready, claim }: Claimed, outcome: Outcome): Ended {
    const { grant, command } = ready;
    const { position, attempts } = command;
    const now = this.parts.clock.now();
    const isLast = grant.commands.at(-1)?.position === position;
    const state = isAnnouncement(grant, position)
      ? stateAfterAnnouncement(outcome.kind, { isLast, isOnly: position === 0 })
      : stateAfter(outcome.kind, { isLast, safeToRunTwice: grant.safeToRunTwice });
    const settlement: Settlement = {
      grantId: grant.id,
      claim,
      outcome,
      state,
      reason: state === 'delivered' ? null : reasonAfter(outcome),
      dueAt: now + this.delayMs(outcome, attempts + 1),
      endedAt: now,
      ...(startsOver(grant, command, outcome) ? { startsOver: true } : {}),
    };
    return { settlement, grant };
  }

  private delayMs({ kind }: Outcome, attempts: number): number {
    if (kind === 'player-offline') return retryDelayMs(OFFLINE, attempts, this.parts.random);
    if (kind === 'unknown') return retryDelayMs(UNKNOWN, attempts, this.parts.random);
    return 0;
  }
}

/** Whether another game server of the pool may take the grant: it was taken for its first command, which has certainly not run. */
const startsOver = (grant: OpenGrant, command: OpenCommand, { kind }: Outcome): boolean =>
  isPool(grant.server) &&
  command.position === grant.commands[0]?.position &&
  (kind === 'not-sent' || kind === 'player-offline');

/** A user ID never joins a game server, so a grant for a user ID must not wait for its player. */
const forRecipient = (outcome: Outcome, player: string | null): Outcome =>
  outcome.kind === 'player-offline' && player === null ? { ...outcome, kind: 'refused' } : outcome;
