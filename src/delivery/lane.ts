import { Problem } from '../core/problem.ts';
import type { OpenGrant } from '../ledger/ledger.ts';
import { Attendance } from './attendance.ts';
import type { Presence } from './game-server.ts';
import { Payment, type PaymentParts } from './payment.ts';
import { reasonSentence } from './reasons.ts';
import { Sleeper } from './sleeper.ts';

export interface LaneParts extends PaymentParts {
  readonly joinDelayMs: number;
  readonly presenceIntervalMs: number;
  /** Called before a player is looked for; true when that made him join (practice). */
  readonly welcome: (player: string) => boolean;
}

/** After a connection that broke in the middle; when it may be opened again, the game server then says itself. */
const BROKEN_REST_MS = 1_000;
/** While the ledger cannot be written. */
const LEDGER_PAUSE_MS = 1_000;
/** A list this fresh will do for a player who has just voted. */
const LIST_FRESH_MS = 1_000;
const BATCH = 64;
/** For how many players at a time a server is asked one by one where its list cannot be relied on. */
const WANTED_MAX = 100;
const NEVER = Number.POSITIVE_INFINITY;

/** How a step ended for the lane: go on, or stop for a while because the server cannot be reached. */
type Step = 'next' | { readonly restMs: number };

/**
 * The grants of one game server, one command at a time, in the order of the votes. Whatever goes wrong, the lane
 * goes on: a server that cannot be reached is tried again, at the pace that its connection sets, for ever.
 */
export class Lane {
  private readonly parts: LaneParts;
  private readonly attendance: Attendance;
  private readonly payment: Payment;
  private readonly sleeper: Sleeper;
  /** Monotonic time from which those who are waited for are looked for again. */
  private lookAt = 0;
  private skipWanted = 0;
  /** Why it cannot be reached; null while it can. */
  private unreachableFor: string | null = null;
  private isClosed = false;
  private finished: Promise<void> = Promise.resolve();

  constructor(parts: LaneParts) {
    this.parts = parts;
    this.attendance = new Attendance(parts.server, parts.clock, parts.joinDelayMs);
    this.payment = new Payment(parts);
    this.sleeper = new Sleeper(parts.clock);
  }

  start(): void {
    this.finished = this.work();
  }

  /** There may be something to do. While the server cannot be reached, its rest decides when to look. */
  nudge(): void {
    if (this.unreachableFor === null) this.sleeper.wake();
  }

  /** Ends after the command in flight, if there is one. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.sleeper.wake();
    await this.finished;
    await this.parts.server.close();
  }

  private async work(): Promise<void> {
    while (!this.isClosed) {
      const restMs = await this.turnOrPause();
      if (!this.isClosed) await this.sleeper.sleep(restMs);
    }
  }

  /** @returns how long there is nothing to do. */
  private async turnOrPause(): Promise<number> {
    try {
      const step = await this.turn();
      return step === 'next' ? await this.restMs() : step.restMs;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.parts.log.error({ code: error.code, server: this.parts.name }, `rewards pause: ${error.message}`);
      return LEDGER_PAUSE_MS;
    }
  }

  private async turn(): Promise<Step> {
    const { ledger, name, clock } = this.parts;
    let grants: readonly OpenGrant[];
    do {
      grants = await ledger.pending(name, clock.now(), BATCH);
      const step = await this.tryEach(grants);
      if (step !== 'next') return step;
    } while (grants.length === BATCH && !this.isClosed);
    return clock.monotonic() < this.lookAt ? 'next' : this.lookForWaiting();
  }

  private async tryEach(grants: readonly OpenGrant[]): Promise<Step> {
    for (const grant of grants) {
      if (this.isClosed) return 'next';
      const step = await this.tryGrant(grant);
      if (step !== 'next') return step;
    }
    return 'next';
  }

  private async tryGrant(grant: OpenGrant): Promise<Step> {
    const { recipientKey, when, player } = grant;
    const step = await this.reach();
    if (step !== 'next') return step;
    if (when === 'always' || this.attendance.hasSettled(recipientKey)) return this.pay(grant);
    if (this.parts.welcome(player ?? recipientKey)) this.attendance.expire();
    const presence = await this.attendance.read([player ?? recipientKey], LIST_FRESH_MS);
    if (presence.kind === 'unreachable') return this.unreachable(presence.reason, BROKEN_REST_MS);
    if (this.attendance.hasSettled(recipientKey)) return this.pay(grant);
    await this.parts.ledger.wait(grant.id, whyWaiting(presence), this.parts.clock.now());
    this.lookAt = Math.min(this.lookAt, this.nextLook());
    return 'next';
  }

  /** Pays those who have come since, and have been here for the join delay. */
  private async lookForWaiting(): Promise<Step> {
    const { ledger, name, clock, presenceIntervalMs } = this.parts;
    const wanted = await ledger.waitingFor(name, WANTED_MAX, this.skipWanted);
    this.skipWanted = wanted.length === WANTED_MAX ? this.skipWanted + WANTED_MAX : 0;
    if (wanted.length === 0 && this.skipWanted === 0) {
      this.lookAt = NEVER;
      return 'next';
    }
    const reach = await this.reach();
    if (reach !== 'next') return reach;
    const presence = await this.attendance.read(wanted, presenceIntervalMs);
    if (presence.kind === 'unreachable') return this.unreachable(presence.reason, BROKEN_REST_MS);
    const step = await this.tryEach(await ledger.waiting(name, this.attendance.settledKeys(), clock.now()));
    this.lookAt = this.nextLook();
    return step;
  }

  private nextLook(): number {
    const listMs = Math.max(0, this.parts.presenceIntervalMs - this.attendance.age);
    return this.parts.clock.monotonic() + Math.min(listMs, this.attendance.nextSettlingMs());
  }

  private async restMs(): Promise<number> {
    const { ledger, name, clock } = this.parts;
    const dueAt = await ledger.nextDueAt(name);
    const dueMs = dueAt === null ? NEVER : dueAt - clock.now();
    return Math.max(0, Math.min(dueMs, this.lookAt - clock.monotonic()));
  }

  private async pay(grant: OpenGrant): Promise<Step> {
    const player = this.attendance.spelling(grant.recipientKey) ?? grant.player;
    const outcome = await this.payment.pay(grant, player);
    if (outcome?.kind === 'not-sent') return this.unreachable(outcome.reason, BROKEN_REST_MS);
    if (outcome?.kind === 'player-offline') this.attendance.forget(grant.recipientKey);
    return 'next';
  }

  /** Before a command is claimed: what cannot be written now is not an attempt. */
  private async reach(): Promise<Step> {
    const opening = await this.parts.server.open();
    if (opening.kind === 'resting') return this.unreachable(opening.reason, opening.restMs);
    const { log, name } = this.parts;
    if (this.unreachableFor !== null)
      log.info({ code: 'server-reached', server: name }, `${name} takes commands again`);
    this.unreachableFor = null;
    return 'next';
  }

  private unreachable(reason: string, restMs: number): Step {
    const { log, name } = this.parts;
    const sentence = `${name} takes no commands, its rewards wait: ${reasonSentence(reason)}`;
    // Once for each change: a server that is down for the night is one line, not a thousand.
    if (reason !== this.unreachableFor)
      log.warn({ code: 'server-unreachable', reason, server: name }, sentence);
    this.unreachableFor = reason;
    return { restMs };
  }
}

const whyWaiting = (presence: Presence): string =>
  presence.kind === 'cannot-tell'
    ? `cannot tell who is online: ${reasonSentence(presence.reason)}`
    : 'the player is not online';
