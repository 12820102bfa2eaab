import type { Clock } from '../core/clock.ts';
import { pause } from '../core/clock.ts';
import type { Dice } from '../core/dice.ts';
import type { Log } from '../core/log.ts';
import type { Outcome } from '../core/outcome.ts';
import { Problem } from '../core/problem.ts';
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
  readonly dice: Dice;
  readonly log: Log;
}

/** After the server said that a player is not there although its list had him. */
const OFFLINE: RetrySchedule = { firstMs: 10_000, longestMs: 600_000 };
/** Between attempts of a reward that is safe to run twice. */
const UNKNOWN: RetrySchedule = { firstMs: 5_000, longestMs: 300_000 };
/** While an outcome cannot be stored. */
const LEDGER_PAUSE_MS = 1_000;
const LEDGER_TRIES = 10;

/** Pays grants on one game server: claim, run, settle, for each command in order. */
export class Payment {
  private readonly parts: PaymentParts;

  constructor(parts: PaymentParts) {
    this.parts = parts;
  }

  /**
   * Runs what is left of a grant, until it is delivered or one of its commands stops it.
   *
   * @param player the spelling to use, or null for a recipient without a player name.
   * @returns the outcome of the last command tried; null where the grant had moved on.
   */
  async pay(grant: OpenGrant, player: string | null): Promise<Outcome | null> {
    let last: Outcome | null = null;
    for (const command of grant.commands) {
      last = await this.run(grant, command, player);
      if (last?.kind !== 'delivered') break;
    }
    return last;
  }

  private async run(grant: OpenGrant, open: OpenCommand, player: string | null): Promise<Outcome | null> {
    const { ledger, server, clock, log, name } = this.parts;
    const command = player === null ? open.text : closeCommand(open.text, player);
    // Committed before the write: after a kill here the command is unknown, never silently run again (rule 6).
    if (!(await ledger.claim(grant.id, open.position, player, clock.now()))) return null;
    const outcome = await server.run(command);
    await this.settle(this.settlementOf(grant, open, outcome));
    logOutcome(log, name, grant, command, outcome);
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
      note: noteOf(outcome),
      dueAt: now + this.delayMs(outcome, attempts + 1),
      endedAt: now,
    };
  }

  private delayMs({ kind }: Outcome, attempts: number): number {
    if (kind === 'player-offline') return retryDelayMs(OFFLINE, attempts, this.parts.dice);
    if (kind === 'unknown') return retryDelayMs(UNKNOWN, attempts, this.parts.dice);
    return 0;
  }

  /**
   * What has happened must be written down, so this is tried for a while. Where it stays impossible the command
   * remains `sending`, and the next Teller to start holds it as unknown.
   */
  private async settle(settlement: Settlement): Promise<void> {
    const { ledger, clock, log } = this.parts;
    for (let failures = 1; ; failures++) {
      try {
        return await ledger.settle(settlement);
      } catch (error) {
        if (!(error instanceof Problem) || failures === LEDGER_TRIES) throw error;
        log.error(
          { code: error.code, grant: settlement.grantId },
          `an outcome waits to be stored: ${error.message}`,
        );
        await pause(clock, LEDGER_PAUSE_MS);
      }
    }
  }
}

const noteOf = (outcome: Outcome): string | null => {
  if (outcome.kind === 'delivered') return null;
  return 'reply' in outcome ? outcome.reply : outcome.reason;
};
