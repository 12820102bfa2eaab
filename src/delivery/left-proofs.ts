import type { PauseCode } from '../core/game-server-codes.ts';
import type { Outcome } from '../core/outcome.ts';
import { playerKey } from '../core/player-name.ts';
import type { Proven } from '../core/proof.ts';
import { closeCommand } from '../core/template.ts';
import { isVanillaForPlayers } from '../core/vanilla-commands.ts';
import type { QueueKey, UnprovenCommand } from '../ledger/ledger.ts';
import { countOf, type Payment, type PaymentParts } from './payment.ts';
import type { ProofAnswer, ProvingServer } from './proving-server.ts';

/** How often a game server that can be reached is asked about marks without an answer that is understood. */
const TRIES = 5;
const UNCLEAR_REST_MS = 2_000;
const UNANSWERED: Proven = { kind: 'not-known', reason: 'mark-unanswered' };
const NEVER = Number.POSITIVE_INFINITY;

/** Why no more can be asked now. */
export interface Unasked {
  readonly reason: PauseCode;
  /** Absent: the next answer of the game server says when. */
  readonly restMs?: number;
}

/**
 * Finds out what became of commands without an outcome, in this process or in one that died: they stay `sending` in the
 * ledger until their game server has answered, and nothing else is done for their grants. Methods reject with the ledger's
 * Problem.
 */
export class LeftProofs {
  private nextAt: number;
  private tries = 0;
  /** The bucket that was in use when the others were last removed. */
  private cleanedFor: string | null = null;

  constructor(
    private readonly parts: PaymentParts,
    private readonly queue: QueueKey,
    private readonly payment: Payment,
  ) {
    // A process that died may have left some.
    this.nextAt = parts.server.proof === undefined ? NEVER : 0;
  }

  /** How long until the game server is asked again; Infinity if there is nothing to ask. */
  get restMs(): number {
    if (this.payment.hasUnproven) return 0;
    return Math.max(0, this.nextAt - this.parts.clock.monotonic());
  }

  /** @returns why not all could be asked about; null if all were, or nothing is due. */
  async settle(): Promise<Unasked | null> {
    const { proof } = this.parts.server;
    if (proof === undefined) return null;
    if (this.restMs > 0) return this.cleanUp(proof);
    const left = await this.parts.ledger.unproven(this.queue, this.parts.clock.now());
    const unasked = await this.settleAll(left, proof);
    if (unasked !== null) return unasked;
    this.tries = 0;
    this.payment.hasUnproven = false;
    return this.cleanUp(proof);
  }

  /** If the ledger fails, all of it is due again. */
  private async settleAll(left: readonly UnprovenCommand[], proof: ProvingServer): Promise<Unasked | null> {
    this.nextAt = 0;
    let nextAt = NEVER;
    for (const each of left) {
      const asked = await this.settleOne(each, proof);
      if (asked !== null && 'reason' in asked) return asked;
      if (asked !== null) nextAt = Math.min(nextAt, asked.at);
    }
    this.nextAt = nextAt;
    return null;
  }

  /** @returns null if it is settled, when it is asked about again, or why nothing can be asked now. */
  private async settleOne(
    left: UnprovenCommand,
    proof: ProvingServer,
  ): Promise<Unasked | { readonly at: number } | null> {
    const { server, clock } = this.parts;
    const opening = await server.open();
    if (opening.kind === 'resting') return opening;
    const answer = await proof.prove(left.proof, left.claimedAt);
    if (answer.kind === 'later') return { at: clock.monotonic() + answer.restMs };
    const again = this.worthAsking(answer);
    if (again !== null) return again;
    await this.end(left, answer.kind === 'unanswered' ? UNANSWERED : answer);
    return null;
  }

  /** A game server that is stopping or starting may not answer, or not know the question. */
  private worthAsking(answer: ProofAnswer): Unasked | null {
    const isUnclear = answer.kind === 'not-known' && answer.reason === 'mark-unclear';
    const isUnanswered = answer.kind === 'unanswered';
    this.tries = isUnanswered || isUnclear ? this.tries + 1 : 0;
    if (!isUnanswered && !isUnclear) return null;
    if (isUnanswered && answer.reason === 'shut-down') return answer;
    if (this.tries >= TRIES) return null;
    return isUnanswered ? answer : { reason: 'between-connections', restMs: UNCLEAR_REST_MS };
  }

  private async end(left: UnprovenCommand, proven: Proven): Promise<void> {
    const { grant, command, player, uuid, claimedAt } = left;
    const sending = { player, uuid, count: countOf(grant), now: claimedAt };
    const line = closeCommand(command.text, sending);
    const outcome = await this.outcomeOf(proven, left, line);
    await this.payment.settleProven({ grant, command, player, uuid }, line, outcome);
  }

  private async outcomeOf(proven: Proven, { player }: UnprovenCommand, line: string): Promise<Outcome> {
    switch (proven.kind) {
      case 'ran':
        return { kind: 'delivered', reply: '', isMarked: true };
      case 'failed':
        return player !== null && isVanillaForPlayers(line) && (await this.isAbsent(player))
          ? { kind: 'player-offline', reply: '', isMarked: true }
          : { kind: 'refused', reply: '', isMarked: true };
      case 'not-run':
        return { kind: 'not-sent', reason: 'proven-not-run' };
      case 'not-known':
        return { kind: 'unknown', reason: proven.reason };
    }
  }

  /** Whether the game server says so. */
  private async isAbsent(player: string): Promise<boolean> {
    const presence = await this.parts.server.presence([player]);
    if (presence.kind !== 'known' && presence.kind !== 'asked') return false;
    return !presence.names.some((name) => playerKey(name) === playerKey(player));
  }

  /** Removes marks that have served their purpose, many at a time: when the game server is being paid on anyway. */
  private async cleanUp(proof: ProvingServer): Promise<null> {
    const { ledger } = this.parts;
    const { bucket } = proof;
    if (bucket === null || bucket === this.cleanedFor) return null;
    const { server } = this.queue;
    for (const old of await ledger.oldBuckets(server, bucket)) {
      if (!(await proof.remove(old))) return null;
      await ledger.forgetBucket(server, old);
    }
    this.cleanedFor = bucket;
    return null;
  }
}
