import type { PauseCode } from '../core/game-server-codes.ts';
import type { Outcome } from '../core/outcome.ts';
import { Problem } from '../core/problem.ts';
import { needs } from '../core/template.ts';
import type { QueueKey, OpenCommand, OpenGrant } from '../ledger/ledger.ts';
import { Attendance } from './attendance.ts';
import { WaitingPlayers } from './waiting-players.ts';
import type { Opening } from './game-server.ts';
import { FRESH_MS, GrantPlayers, type GrantPlayersParts } from './grant-players.ts';
import { LikelyPlayers } from './likely-players.ts';
import { Payment, type PaymentParts } from './payment.ts';
import { QueueTrouble } from './queue-trouble.ts';
import { Sleeper } from './sleeper.ts';

export interface GameServerQueueParts extends PaymentParts, GrantPlayersParts {
  /** Whether this is a practice server. If so, it pays only grants owed on a practice server (rule 9). */
  readonly practice: boolean;
  readonly joinDelayMs: number;
  readonly presenceIntervalMs: number;
}

/** The pause after a connection broke. The next answer of the `GameServer` says when it reconnects. */
const BROKEN_REST_MS = 1_000;
/** The pause before the next try if the ledger cannot be read or written. */
const LEDGER_PAUSE_MS = 1_000;
const BATCH = 64;
const NEVER = Number.POSITIVE_INFINITY;

/** What to do after a step: go on with the next one, or pause because the server cannot be reached. */
type Step = 'next' | { readonly restMs: number };

/**
 * Pays the grants of one game server, one command at a time, in the order of the votes. It never gives up: if the
 * server cannot be reached, it retries with the connection's backoff.
 */
export class GameServerQueue {
  private readonly key: QueueKey;
  private readonly attendance: Attendance;
  private readonly waiting: WaitingPlayers;
  private readonly likely: LikelyPlayers;
  private readonly players: GrantPlayers;
  private readonly payment: Payment;
  private readonly sleeper: Sleeper;
  /** Monotonic time of the next check for players whom grants wait for. */
  private lookAt = 0;
  private readonly trouble: QueueTrouble;
  private isPaying = false;
  private isClosed = false;
  private finished: Promise<void> = Promise.resolve();

  constructor(private readonly parts: GameServerQueueParts) {
    this.key = { server: parts.name, practice: parts.practice };
    this.attendance = new Attendance(parts.server, parts.clock, parts.joinDelayMs);
    this.waiting = new WaitingPlayers(parts.ledger, this.key);
    this.likely = new LikelyPlayers(parts.ledger, this.key, this.attendance);
    this.players = new GrantPlayers(parts, this.attendance, this.likely);
    this.payment = new Payment(parts);
    this.sleeper = new Sleeper(parts.clock);
    this.trouble = new QueueTrouble(parts);
  }

  /** The prefixes that a cross-play bridge puts before the names of Bedrock players. */
  set bedrockPrefixes(prefixes: readonly string[]) {
    this.likely.prefixes = prefixes;
  }

  start(): void {
    this.finished = this.work();
  }

  /** Call this if there may be something to do. A pause because of trouble with the server or the ledger goes on. */
  nudge(): void {
    if (!this.trouble.exists) this.sleeper.wake();
  }

  /** Stops after the command in flight, if there is one, without waiting for anything else. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.sleeper.wake();
    if (!this.isPaying) await this.parts.server.close();
    await this.finished;
    await this.parts.server.close();
  }

  /** After `close`: stores an outcome that could not be stored then. @returns whether it is stored now. */
  async settleLast(): Promise<boolean> {
    await this.settleOrPause();
    return !this.payment.hasUnsettled;
  }

  private async work(): Promise<void> {
    while (!this.isClosed) {
      const restMs = await this.turnOrPause();
      if (!this.isClosed) await this.sleeper.sleep(restMs);
    }
    await this.settleOrPause();
  }

  /** @returns how long to sleep before the next turn. */
  private async turnOrPause(): Promise<number> {
    try {
      await this.payment.settleLast();
      const step = await this.turn();
      if (step !== 'next') return step.restMs;
      await this.trouble.over();
      return await this.restMs();
    } catch (error) {
      return this.pauseFor(error);
    }
  }

  private async settleOrPause(): Promise<void> {
    try {
      await this.payment.settleLast();
    } catch (error) {
      this.pauseFor(error);
    }
  }

  private pauseFor(error: unknown): number {
    if (!(error instanceof Problem)) throw error;
    this.trouble.ledgerFailed(error);
    return LEDGER_PAUSE_MS;
  }

  private async turn(): Promise<Step> {
    const { ledger, clock } = this.parts;
    let grants: readonly OpenGrant[];
    do {
      grants = await ledger.pending(this.key, clock.now(), BATCH);
      const step = await this.tryEach(grants);
      if (step !== 'next') return step;
    } while (grants.length === BATCH && !this.isClosed);
    return clock.monotonic() < this.lookAt || this.isClosed ? 'next' : this.lookForWaiting();
  }

  private async tryEach(grants: readonly OpenGrant[]): Promise<Step> {
    for (const grant of grants) {
      if (this.isClosed) return 'next';
      const step = await this.tryGrant(grant);
      if (step !== 'next') return step;
    }
    return 'next';
  }

  /** Runs the remaining commands of a grant until it is delivered or something stops it. */
  private async tryGrant(grant: OpenGrant): Promise<Step> {
    for (const command of grant.commands) {
      const obstacle = await this.obstacle(grant, command);
      if (obstacle !== null) return obstacle;
      if (this.isClosed) return 'next';
      const outcome = await this.run(grant, command);
      if (outcome?.kind === 'not-sent') return this.unreachable(outcome.reason, BROKEN_REST_MS);
      await this.trouble.reached();
      if (outcome?.kind !== 'delivered') break;
    }
    return 'next';
  }

  /**
   * Why the next command of a grant cannot be sent now; null if it can. The command is not claimed yet, so this costs
   * no attempt. It is called before each command, because players leave and connections break.
   */
  private async obstacle(grant: OpenGrant, { text }: OpenCommand): Promise<Step | null> {
    const reach = await this.stepOf(await this.parts.server.open());
    if (reach !== 'next') return reach;
    const usesUuid = needs(text, 'uuid');
    const absence = grant.when === 'online' || usesUuid ? await this.absence(grant, usesUuid) : null;
    if (absence !== null) return absence;
    const ready = await this.stepOf(await this.parts.server.ready());
    return ready === 'next' ? null : ready;
  }

  /** Sets the grant to waiting if its player cannot be paid now; null if they can. */
  private async absence(grant: OpenGrant, usesUuid: boolean): Promise<Step | null> {
    const found = await this.players.lookFor(grant, usesUuid);
    if (found === 'online') return null;
    if (found !== 'waits') return this.unreachable(found.unreachable, BROKEN_REST_MS);
    this.lookSoon();
    return 'next';
  }

  /** Pays the players who have joined since the last check and have been online for the join delay. */
  private async lookForWaiting(): Promise<Step> {
    const { ledger, clock } = this.parts;
    const wanted = await this.waiting.nextPage();
    if (wanted.length === 0) {
      this.lookAt = NEVER;
      return 'next';
    }
    const reach = await this.stepOf(await this.parts.server.open());
    if (reach !== 'next') return reach;
    const presence = await this.attendance.read(wanted, FRESH_MS);
    if (presence.kind === 'unreachable') return this.unreachable(presence.reason, BROKEN_REST_MS);
    await this.likely.storeFor(wanted);
    await this.trouble.reached();
    this.lookAt = NEVER;
    this.lookSoon();
    let grants: readonly OpenGrant[];
    do {
      grants = await ledger.waiting(this.key, this.attendance.readyKeys(), clock.now(), BATCH);
      const step = await this.tryEach(grants);
      if (step !== 'next') return step;
    } while (grants.length === BATCH && !this.isClosed);
    return 'next';
  }

  private lookSoon(): void {
    const restMs = Math.min(this.parts.presenceIntervalMs, this.attendance.nextReadyMs());
    this.lookAt = Math.min(this.lookAt, this.parts.clock.monotonic() + restMs);
  }

  private async restMs(): Promise<number> {
    const { ledger, clock } = this.parts;
    const dueAt = await ledger.nextDueAt(this.key);
    const dueMs = dueAt === null ? NEVER : dueAt - clock.now();
    return Math.max(0, Math.min(dueMs, this.lookAt - clock.monotonic()));
  }

  private async run(grant: OpenGrant, command: OpenCommand): Promise<Outcome | null> {
    const player = this.attendance.spelling(grant.recipientKey) ?? grant.player;
    this.isPaying = true;
    const uuid = this.attendance.uuid(grant.recipientKey);
    const outcome = await this.payment.run(grant, command, player, uuid).finally(() => {
      this.isPaying = false;
    });
    if (outcome?.kind === 'player-offline') {
      this.attendance.forget(grant.recipientKey);
      this.lookSoon();
    }
    return outcome;
  }

  private async stepOf(opening: Opening): Promise<Step> {
    return opening.kind === 'open' ? 'next' : this.unreachable(opening.reason, opening.restMs);
  }

  private async unreachable(reason: PauseCode, restMs: number): Promise<Step> {
    if (!this.isClosed) await this.trouble.unreachable(reason);
    return { restMs };
  }
}
