import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import { reasonAfter } from '../core/grant-reason.ts';
import type { Log } from '../core/log.ts';
import type { Outcome } from '../core/outcome.ts';
import { type RetrySchedule, retryDelayMs } from '../core/retry.ts';
import { stateAfter } from '../core/settlement.ts';
import { closeCommand } from '../core/template.ts';
import type { GrantLedger, OpenCommand, OpenGrant, Settlement } from '../ledger/ledger.ts';
import { logOutcome } from './delivery-log.ts';
import type { GameServer } from './game-server.ts';

export interface PaymentParts {
  readonly name: string;
  readonly server: GameServer;
  readonly ledger: GrantLedger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The pause after a reply said that the player is offline although the list had them. */
const OFFLINE: RetrySchedule = { firstMs: 10_000, longestMs: 600_000 };
/** The pause between attempts of a reward that is safe to run twice. */
const UNKNOWN: RetrySchedule = { firstMs: 5_000, longestMs: 300_000 };

/** Runs the commands of grants on one game server. */
export class Payment {
  /** An outcome that could not be stored yet. No other command runs before it is. */
  private unsettled: Settlement | null = null;

  constructor(private readonly parts: PaymentParts) {}

  /** Whether an outcome could not be stored yet. */
  get hasUnsettled(): boolean {
    return this.unsettled !== null;
  }

  /** Stores the outcome that could not be stored before. Rejects with the ledger's Problem. */
  async settleLast(): Promise<void> {
    if (this.unsettled === null) return;
    await this.parts.ledger.settle(this.unsettled);
    this.unsettled = null;
  }

  /**
   * Runs one command of a grant: claim, run, settle.
   *
   * @param player the spelling to use, or null for a recipient without a player name.
   * @param uuid their UUID in the game server's list; null if it is not known.
   * @returns null if the grant has changed meanwhile. Rejects with the ledger's Problem; an outcome is then kept for
   * `settleLast`.
   */
  async run(
    grant: OpenGrant,
    open: OpenCommand,
    player: string | null,
    uuid: string | null,
  ): Promise<Outcome | null> {
    const { ledger, server, clock, log, name } = this.parts;
    const command = player === null ? open.text : closeCommand(open.text, player, uuid);
    // Committed before the command is sent: if the process dies here, the command is unknown and not run again (rule
    // 6).
    if (!(await ledger.claim(grant.id, open.position, player, clock.now(), uuid))) return null;
    const outcome = forRecipient(await server.run(command, open.text), player);
    logOutcome(log, name, grant, command, outcome);
    this.unsettled = this.settlementOf(grant, open, outcome);
    await this.settleLast();
    return outcome;
  }

  private settlementOf(grant: OpenGrant, { position, attempts }: OpenCommand, outcome: Outcome): Settlement {
    const now = this.parts.clock.now();
    const isLast = grant.commands.at(-1)?.position === position;
    return {
      grantId: grant.id,
      position,
      outcome,
      state: stateAfter(outcome.kind, { isLast, safeToRunTwice: grant.safeToRunTwice }),
      reason: reasonAfter(outcome),
      dueAt: now + this.delayMs(outcome, attempts + 1),
      endedAt: now,
    };
  }

  private delayMs({ kind }: Outcome, attempts: number): number {
    if (kind === 'player-offline') return retryDelayMs(OFFLINE, attempts, this.parts.random);
    if (kind === 'unknown') return retryDelayMs(UNKNOWN, attempts, this.parts.random);
    return 0;
  }
}

/** A user ID never joins a game server, so a grant for a user ID must not wait for its player. */
const forRecipient = (outcome: Outcome, player: string | null): Outcome =>
  outcome.kind === 'player-offline' && player === null ? { ...outcome, kind: 'refused' } : outcome;
