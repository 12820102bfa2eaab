import { isAnnouncement } from '../core/announcement.ts';
import { nextTurn } from '../core/clock.ts';
import type { PauseCode } from '../core/game-server-codes.ts';
import type { Outcome } from '../core/outcome.ts';
import { needs } from '../core/placeholders.ts';
import type { OpenCommand, OpenGrant } from '../ledger/ledger.ts';
import type { Announcer } from './announcer.ts';
import type { Attendance } from './attendance.ts';
import type { Opening } from './game-server.ts';
import type { GrantPlayers } from './grant-players.ts';
import type { NextLook } from './next-look.ts';
import { Payment, type PaymentParts, type ReadyCommand } from './payment.ts';
import type { QueueTrouble } from './queue-trouble.ts';

export interface GrantRunnerParts extends PaymentParts {
  readonly attendance: Attendance;
  readonly players: GrantPlayers;
  readonly trouble: QueueTrouble;
  readonly look: NextLook;
  readonly announcer: Announcer;
}

/** The pause after a connection broke. The next answer of the `GameServer` says when it reconnects. */
const BROKEN_REST_MS = 1_000;
const BATCH = 64;

/**
 * What to do after a step: go on with the next one, read the grants again because many of them changed, or pause
 * because the server cannot be reached.
 */
export type Step = 'next' | 'read-again' | { readonly restMs: number };

export const isRest = (step: Step): step is { readonly restMs: number } => typeof step === 'object';

/** Runs the commands of grants one after another. Methods reject with the ledger's Problem. */
export class GrantRunner {
  readonly payment: Payment;
  private isPaying = false;
  private isStopped = false;

  constructor(private readonly parts: GrantRunnerParts) {
    this.payment = new Payment(parts);
  }

  /** No other command is started from now on. @returns whether one is in flight. */
  stop(): boolean {
    this.isStopped = true;
    return this.isPaying;
  }

  /** Tries the grants that `read` finds, a batch at a time. */
  async tryAll(read: (limit: number) => Promise<readonly OpenGrant[]>): Promise<Step> {
    for (;;) {
      const grants = await read(BATCH);
      const step = await this.tryEach(grants);
      const isLast = step === 'next' && grants.length < BATCH;
      if (isRest(step) || isLast || this.isStopped) return step;
    }
  }

  async stepOf(opening: Opening): Promise<Step> {
    return opening.kind === 'open' ? 'next' : this.unreachable(opening.reason, opening.restMs);
  }

  async unreachable(reason: PauseCode, restMs = BROKEN_REST_MS): Promise<Step> {
    if (!this.isStopped) await this.parts.trouble.unreachable(reason);
    return { restMs };
  }

  private async tryEach(grants: readonly OpenGrant[]): Promise<Step> {
    for (const [index, grant] of grants.entries()) {
      await nextTurn(this.parts.clock);
      if (this.isStopped) return 'next';
      const step = grant.isNameTaken ? await this.hold(grant) : await this.tryGrant(grant, grants[index + 1]);
      if (step !== 'next') return step;
    }
    return 'next';
  }

  /** Its player is paid when a game server shows them under another name. */
  private async hold({ id }: OpenGrant): Promise<Step> {
    await this.payment.settleLast();
    await this.parts.ledger.holdNameTaken(id, this.parts.clock.now());
    return 'next';
  }

  private async tryGrant(grant: OpenGrant, nextGrant: OpenGrant | undefined): Promise<Step> {
    if (grant.announcement !== null) return this.tryAnnounced(grant);
    const step = await this.runCommands(grant, grant.commands, nextGrant);
    return step === 'all-ran' ? 'next' : step;
  }

  /** First what is paid, and then what is announced about it. */
  private async tryAnnounced(grant: OpenGrant): Promise<Step> {
    const paid = grant.commands.filter(({ position }) => !isAnnouncement(grant, position));
    const said = grant.commands.filter(({ position }) => isAnnouncement(grant, position));
    const step = await this.runCommands(grant, paid, undefined);
    const [first] = said;
    if (step !== 'all-ran' || first === undefined) return step === 'all-ran' ? 'next' : step;
    const obstacle = await this.obstacle(grant, first);
    if (obstacle !== null || this.isStopped) return obstacle ?? 'next';
    const judged = await this.parts.announcer.judge(grant);
    if (typeof judged === 'object') return this.unreachable(judged.unreachable);
    if (judged === 'over') return 'next';
    const ran = await this.runCommands(grant, said, undefined);
    return ran === 'all-ran' ? 'next' : ran;
  }

  /** Runs commands of a grant until something stops it. */
  private async runCommands(
    grant: OpenGrant,
    commands: readonly OpenCommand[],
    nextGrant: OpenGrant | undefined,
  ): Promise<Step | 'all-ran'> {
    for (const [index, command] of commands.entries()) {
      const obstacle = this.isClaimed(grant, command) ? null : await this.obstacle(grant, command);
      if (obstacle !== null) return obstacle;
      if (this.isStopped) return 'next';
      const outcome = await this.run(this.ready(grant, command), ({ kind }) =>
        kind === 'delivered' && index + 1 < commands.length
          ? this.following(grant, commands[index + 1])
          : this.following(nextGrant, nextGrant?.commands[0]),
      );
      if (outcome?.kind === 'not-sent') return this.unreachable(outcome.reason);
      await this.parts.trouble.reached();
      // Whatever came of an announcement, it is over.
      const isSaid = outcome !== null && isAnnouncement(grant, command.position);
      if (isSaid) this.parts.announcer.sent(grant);
      if (!isSaid && outcome?.kind !== 'delivered') return 'next';
    }
    return 'all-ran';
  }

  /** Whether this command was claimed with the last outcome and can be written at once, as expected. */
  private isClaimed(grant: OpenGrant, command: OpenCommand): boolean {
    return this.payment.isClaimed(grant, command) && this.parts.server.sendsAtOnce();
  }

  /**
   * Why the next command of a grant cannot be sent now; null if it can. The command is not claimed yet, so this costs
   * no attempt. It is called before each command, because players leave and connections break.
   */
  private async obstacle(grant: OpenGrant, command: OpenCommand): Promise<Step | null> {
    await this.payment.settleLast();
    const reach = await this.stepOf(await this.parts.server.open());
    if (reach !== 'next') return reach;
    const usesUuid = needs(command.text, 'uuid');
    const absence = needsPlayer(grant, command.position, usesUuid)
      ? await this.absence(grant, usesUuid)
      : null;
    if (absence !== null) return absence;
    const ready = await this.stepOf(await this.parts.server.ready());
    return ready === 'next' ? null : ready;
  }

  /** Sets the grant to waiting if its player cannot be paid now; null if they can. */
  private async absence(grant: OpenGrant, usesUuid: boolean): Promise<Step | null> {
    const found = await this.parts.players.lookFor(grant, usesUuid);
    if (found === 'online') return null;
    if (typeof found === 'object') return this.unreachable(found.unreachable);
    this.parts.look.soon();
    return found === 'waits' ? 'next' : 'read-again';
  }

  private async run(
    ready: ReadyCommand,
    following: (outcome: Outcome) => ReadyCommand | null,
  ): Promise<Outcome | null> {
    this.isPaying = true;
    try {
      return await this.payment.run(ready, (outcome) => {
        if (outcome.kind === 'player-offline') this.left(ready.grant);
        return outcome.kind === 'not-sent' ? null : following(outcome);
      });
    } finally {
      this.isPaying = false;
    }
  }

  private left({ recipientKey }: OpenGrant): void {
    this.parts.attendance.forget(recipientKey);
    this.parts.look.soon();
  }

  private ready(grant: OpenGrant, command: OpenCommand): ReadyCommand {
    const { attendance } = this.parts;
    const player = grant.player === null ? null : (attendance.spelling(grant.recipientKey) ?? grant.player);
    return { grant, command, player, uuid: attendance.uuid(grant.recipientKey) };
  }

  /** The next command, if there is one and nothing is in its way: it would be written as soon as it is claimed. */
  private following(grant: OpenGrant | undefined, command: OpenCommand | undefined): ReadyCommand | null {
    const { server, players, trouble } = this.parts;
    if (grant === undefined || command === undefined || this.isStopped) return null;
    // Whether an announcement is sent is decided when it is its turn.
    if (isAnnouncement(grant, command.position)) return null;
    const usesUuid = needs(command.text, 'uuid');
    const isOnline = !needsPlayer(grant, command.position, usesUuid) || players.isOnline(grant, usesUuid);
    return isOnline && trouble.isOver && server.sendsAtOnce() ? this.ready(grant, command) : null;
  }
}

/** What is announced about a payment does not wait for the player: they were paid a moment ago. */
const needsPlayer = (grant: OpenGrant, position: number, usesUuid: boolean): boolean =>
  usesUuid || (grant.when !== 'always' && (position === 0 || !isAnnouncement(grant, position)));
