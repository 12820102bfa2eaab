/**
 * The queue of one game server: it pays what is owed there, one command at a time, in the order of the votes, and never gives up. Its
 * whole state is one value (`state`), which pages show and the ledger keeps for other processes. It sleeps until the earliest of a
 * nudge, the time at which the next grant is due, the next look for players whom grants wait for, and the next try after a failure;
 * with nothing due it asks the ledger nothing until it is nudged.
 */
import type { PauseCode } from '../core/game-server-codes.ts';
import { Problem } from '../core/problem.ts';
import type { QueueKey } from '../ledger/ledger.ts';
import { type GameServer, NOBODY, type Presence } from './game-server.ts';
import { sentenceOf } from './outcomes.ts';
import { FRESH_MS, isRest, type PayingQueue, Payment, type PaymentParts, type Rest } from './payment.ts';
import { Attendance, type SeenPlayers } from './presence.ts';

/** Whether a queue can pay. */
export interface QueueState {
  /**
   * Why it waits: the code of a reason, or of a problem while the ledger cannot be used; null: the game server accepts what is sent;
   * undefined: nothing was sent to it yet.
   */
  readonly reason: string | null | undefined;
  /** When the game server is tried again after a failure, in monotonic time, which may be past; null: the last try did not fail. */
  readonly retryAt: number | null;
}

/** A game server that this Teller pays on or forwards to, as pages see it. */
export interface ServedGameServer {
  readonly name: string;
  readonly state: QueueState;
  /**
   * Who is online: the last answer if it is younger than `maxAgeMs`, else it is asked. Rejects with a Problem if the
   * ledger cannot store what it showed.
   */
  askPresence(maxAgeMs: number): Promise<Presence>;
  /** Whether it answers about one player at a time. It is asked, and does that only if it cannot list its players. */
  asksOneByOne(): Promise<boolean>;
}

interface GameServerQueueParts extends PaymentParts {
  /** Whether it takes votes instead of commands. */
  readonly takesVotes: boolean;
  readonly joinDelayMs: number;
  readonly presenceIntervalMs: number;
  readonly seen: Pick<SeenPlayers, 'store'>;
}

/** The pause before the next try if the ledger cannot be read or written. */
const LEDGER_PAUSE_MS = 1_000;
/** The pause after a connection broke. The next answer of the `GameServer` says when it reconnects. */
const BROKEN_REST_MS = 1_000;
/** How many players are asked about in one turn if the server's list cannot be relied on. */
const ASKED_AT_ONCE = 100;
/** For how many players on the server waiting grants are read at once, oldest first. */
const JOINED_AT_ONCE = 100;
/** Longer sleeps end early, and the queue sleeps again: timers take 32 bits of milliseconds. */
const LONGEST_SLEEP_MS = 60 * 60 * 1000;
const NEVER = Number.POSITIVE_INFINITY;

export class GameServerQueue implements ServedGameServer, PayingQueue {
  /** Whether to keep in the ledger who was seen here: announcements are sent for such players. */
  keepsSeen = false;
  /** Set by `start`. */
  poolWaits: (pool: string) => void = () => {};
  readonly name: string;
  /** The game server, which the queue closes. */
  readonly server: GameServer;
  private readonly key: QueueKey;
  private readonly attendance: Attendance;
  private readonly payment: Payment;
  private reason: QueueState['reason'];
  /** When to look for the players whom grants wait for, in monotonic time: at once after the start; `NEVER`: no grant waits. */
  private lookAt = 0;
  /** The last player of the page that was asked about before, by recipient. The first page follows the last. */
  private askedUpTo = 0;
  private wakeUp: () => void = () => {};
  /** Whether the next sleep ends at once. */
  private isAwake = false;
  private isClosed = false;
  private finished: Promise<void> = Promise.resolve();

  constructor(private readonly parts: GameServerQueueParts) {
    const { name, practice, server, clock, joinDelayMs, seen } = parts;
    this.name = name;
    this.server = server;
    this.key = { server: name, practice };
    this.attendance = new Attendance(name, server, clock, joinDelayMs, seen);
    this.payment = new Payment(parts, this.attendance, this);
  }

  get state(): QueueState {
    return { reason: this.reason, retryAt: this.server.retryAt ?? null };
  }

  readonly askPresence = (maxAgeMs: number): Promise<Presence> => this.attendance.read([], maxAgeMs);
  readonly asksOneByOne = async (): Promise<boolean> =>
    (await this.server.presence([NOBODY])).kind === 'asked';

  /** @param poolWaits called when a grant of a pool waits, which the queue of another of its game servers may be able to pay. */
  start(poolWaits: (pool: string) => void): void {
    this.poolWaits = poolWaits;
    this.finished = this.work();
  }

  /** Call this if there may be something to do. A pause because of trouble with the server or the ledger goes on. */
  nudge(): void {
    if (!this.isInTrouble) this.wake();
  }

  /** Call this if players may be on this game server who are paid now: because a grant of a pool waits, or after a pause. */
  lookNow(): void {
    this.lookAt = Math.min(this.lookAt, this.parts.clock.monotonic());
    this.nudge();
  }

  /** Call this when wall time was moved: who is online is read again, however fresh the last answer is. */
  lookAfresh(): void {
    this.attendance.expire();
    this.lookNow();
  }

  /** Stops after the command in flight, if there is one, without waiting for anything else. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.wake();
    if (!this.payment.stop()) await this.server.close();
    await this.finished;
    await this.server.close();
  }

  /** After `close`: stores an outcome that could not be stored then. @returns whether it is stored now. */
  async settleLast(): Promise<boolean> {
    try {
      await this.payment.settleLast('shut-down');
    } catch (error) {
      this.ledgerFailed(error);
    }
    return !this.payment.hasUnsettled;
  }

  private async work(): Promise<void> {
    while (!this.isClosed) {
      const restMs = await this.turn().catch((error) => this.ledgerFailed(error));
      if (!this.isClosed) await this.sleep(restMs);
    }
    await this.settleLast();
  }

  /** @returns how long to sleep before the next turn. */
  private async turn(): Promise<number> {
    const { ledger, clock } = this.parts;
    await this.payment.settleLast();
    const paid = await this.payment.payAll((limit) => ledger.pending(this.key, clock.now(), limit));
    const isLookDue = !isRest(paid) && this.lookAt <= clock.monotonic() && !this.isClosed;
    const rest = isLookDue ? await this.payWaiting() : isRest(paid) ? paid : null;
    const come = this.attendance.takeCome();
    if (come.length > 0 && this.keepsSeen) await ledger.storePresent(come, this.key.practice);
    if (rest !== null) return rest.restMs;
    // This only ends earlier trouble: there may have been nothing to do.
    if (this.isInTrouble) await this.reached();
    const dueAt = await ledger.nextDueAt(this.key, clock.now());
    const dueMs = dueAt === null ? NEVER : dueAt - clock.now();
    return Math.max(0, Math.min(dueMs, this.lookAt - clock.monotonic()));
  }

  /** Pays the players who have joined since the last look and have been online for the join delay. */
  private async payWaiting(): Promise<Rest | null> {
    const { ledger, clock } = this.parts;
    const wanted = await this.waitedFor();
    if (wanted.length === 0) {
      this.lookAt = NEVER;
      return null;
    }
    const opening = await this.server.open();
    if (opening.kind !== 'open') return this.away(opening.reason, opening.restMs);
    const presence = await this.attendance.read(wanted, FRESH_MS);
    if (presence.kind === 'unreachable') return this.away(presence.reason);
    await this.reached();
    this.lookAt = NEVER;
    this.lookSoon();
    const ready = this.attendance.readyKeys();
    for (let from = 0; from < ready.length && !this.isClosed; from += JOINED_AT_ONCE) {
      const some = ready.slice(from, from + JOINED_AT_ONCE);
      const stillReady = () => some.filter((key) => this.attendance.isReady(key));
      const step = await this.payment.payAll((limit) =>
        ledger.waiting(this.key, stillReady(), clock.now(), limit),
      );
      if (isRest(step)) return step;
    }
    return null;
  }

  /** The names, as voted, of the players of the next page whom grants wait for; empty if no grant waits for a player. */
  private async waitedFor(): Promise<readonly string[]> {
    const after = this.askedUpTo;
    const page = await this.parts.ledger.waitingFor(this.key, ASKED_AT_ONCE, after);
    const last = page.at(-1);
    this.askedUpTo = page.length === ASKED_AT_ONCE && last !== undefined ? last.recipientId : 0;
    if (page.length === 0 && after > 0) return this.waitedFor();
    return page.flatMap(({ player, otherNames }) => [player, ...otherNames]);
  }

  lookSoon(): void {
    const { clock, presenceIntervalMs } = this.parts;
    const restMs = Math.min(presenceIntervalMs, this.attendance.nextReadyMs());
    this.lookAt = Math.min(this.lookAt, clock.monotonic() + restMs);
  }

  get isReached(): boolean {
    return this.reason === null;
  }

  private get isInTrouble(): boolean {
    return typeof this.reason === 'string';
  }

  /** Each change is logged once, so a server that is down for a night is one line, and is stored for `teller explain`. */
  async away(reason: PauseCode, restMs = BROKEN_REST_MS): Promise<Rest> {
    const { name, ledger, clock, log, takesVotes } = this.parts;
    // Not logged: what broke the connection was logged already, and the next try shows whether the server is reachable.
    const isTold = reason === 'between-connections' || this.reason === reason;
    if (isTold || this.isClosed) return { restMs };
    await ledger.storeQueueState(name, reason, clock.now());
    this.reason = reason;
    const waits = takesVotes
      ? `${name} accepts no votes, so what is forwarded to it waits`
      : `${name} accepts no commands, so its rewards wait`;
    log.warn({ code: 'server-unreachable', reason, server: name }, `${waits}: ${sentenceOf(reason)}`);
    return { restMs };
  }

  async reached(): Promise<void> {
    if (this.isReached) return;
    const { name, ledger, clock, log, takesVotes } = this.parts;
    await ledger.storeQueueState(name, null, clock.now());
    const what = takesVotes ? 'votes' : 'commands';
    if (this.isInTrouble) log.info({ code: 'server-reached', server: name }, `${name} accepts ${what} again`);
    this.reason = null;
  }

  /** The ledger cannot be read or written, so nothing is stored there. @returns how long to pause. Throws what is not its Problem. */
  private ledgerFailed(error: unknown): number {
    if (!(error instanceof Problem)) throw error;
    const { code, message } = error;
    const { name, log } = this.parts;
    if (this.reason !== code) log.error({ code, server: name }, `rewards on ${name} wait: ${message}`);
    this.reason = code;
    return LEDGER_PAUSE_MS;
  }

  private wake(): void {
    this.isAwake = true;
    this.wakeUp();
  }

  /** @param ms may be Infinity. */
  private async sleep(ms: number): Promise<void> {
    if (!this.isAwake)
      await new Promise<void>((resolve) => {
        const cancel = this.parts.clock.after(Math.min(ms, LONGEST_SLEEP_MS), resolve);
        this.wakeUp = () => {
          cancel();
          resolve();
        };
      });
    this.wakeUp = () => {};
    this.isAwake = false;
  }
}
