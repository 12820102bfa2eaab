import { Problem } from '../core/problem.ts';
import type { QueueKey } from '../ledger/ledger.ts';
import { Announcer } from './announcer.ts';
import { Attendance } from './attendance.ts';
import { type GameServer, NOBODY, type Presence } from './game-server.ts';
import { FRESH_MS, GrantPlayers, type GrantPlayersParts } from './grant-players.ts';
import { GrantRunner, isRest, type Step } from './grant-runner.ts';
import { NextLook } from './next-look.ts';
import type { PaymentParts } from './payment.ts';
import { QueueTrouble } from './queue-trouble.ts';
import type { SeenPlayers } from './seen-players.ts';
import type { LastPresence, ServedGameServer } from './served-game-server.ts';
import { Sleeper } from './sleeper.ts';
import { WaitingPlayers } from './waiting-players.ts';

export interface GameServerQueueParts extends Omit<PaymentParts & GrantPlayersParts, 'onPoolWaits'> {
  /** Whether this is a practice server. If so, it pays only grants owed on a practice server (rule 9). */
  readonly practice: boolean;
  /** Whether it takes votes instead of commands; absent: it does not. */
  readonly takesVotes?: boolean;
  /** Whether it cannot report who is online; absent: it can. */
  readonly isSilent?: boolean;
  readonly joinDelayMs: number;
  readonly presenceIntervalMs: number;
  readonly seen: Pick<SeenPlayers, 'store' | 'forget'>;
}

/** The pause before the next try if the ledger cannot be read or written. */
const LEDGER_PAUSE_MS = 1_000;
/** For how many players on the server waiting grants are read at once, oldest first. */
const JOINED_AT_ONCE = 100;
const NEVER = Number.POSITIVE_INFINITY;

/**
 * Pays the grants of one game server, one command at a time, in the order of the votes. It never gives up: if the
 * server cannot be reached, it retries with the connection's backoff.
 */
export class GameServerQueue implements ServedGameServer {
  private readonly key: QueueKey;
  private readonly attendance: Attendance;
  private readonly waiting: WaitingPlayers;
  private readonly look: NextLook;
  private readonly runner: GrantRunner;
  private readonly sleeper: Sleeper;
  private readonly queueTrouble: QueueTrouble;
  private isClosed = false;
  /** Called when a grant of a pool waits, which the queue of another of its game servers may be able to pay. */
  onPoolWaits: (pool: string) => void = () => {};
  private finished: Promise<void> = Promise.resolve();

  constructor(private readonly parts: GameServerQueueParts) {
    this.key = { server: parts.name, practice: parts.practice };
    this.attendance = new Attendance(parts.server, parts.clock, parts.joinDelayMs, (players) =>
      parts.seen.store(parts.name, players),
    );
    this.waiting = new WaitingPlayers(parts.ledger, this.key);
    this.sleeper = new Sleeper(parts.clock);
    this.queueTrouble = new QueueTrouble(parts);
    this.look = new NextLook(parts.presenceIntervalMs, this.attendance, parts.clock);
    const all = { ...parts, onPoolWaits: (pool: string) => this.onPoolWaits(pool) };
    const players = new GrantPlayers(all, this.key, this.attendance);
    const { attendance, queueTrouble: trouble, look } = this;
    const announcer = new Announcer(parts, attendance);
    this.runner = new GrantRunner({ ...all, attendance, players, trouble, look, announcer });
  }

  /** Whether to keep in the ledger who was seen here: announcements are sent for such players. */
  keepsSeen = false;

  /** The game server's name. */
  get name(): string {
    return this.key.server;
  }

  /** The game server, which the queue closes. */
  get server(): GameServer {
    return this.parts.server;
  }

  get trouble(): string | null | undefined {
    return this.queueTrouble.state;
  }

  get retryAt(): number | null {
    return this.parts.server.retryAt ?? null;
  }

  get lastPresence(): LastPresence | null {
    return this.attendance.last;
  }

  readonly askPresence = (maxAgeMs: number): Promise<Presence> => this.attendance.read([], maxAgeMs);
  readonly asksOneByOne = async (): Promise<boolean> =>
    (await this.parts.server.presence([NOBODY])).kind === 'asked';

  start(): void {
    this.finished = this.work();
  }

  /** Call this if there may be something to do. A pause because of trouble with the server or the ledger goes on. */
  nudge(): void {
    if (!this.queueTrouble.exists) this.sleeper.wake();
  }

  /** Call this if players may be on this game server who are paid now: because a grant of a pool waits, or after a pause. */
  lookNow(): void {
    this.look.now();
    this.nudge();
  }

  /** Call this when wall time was moved: who is online is read again, however fresh the last answer is. */
  lookAfresh(): void {
    this.attendance.expire();
    this.lookNow();
  }

  /** Call this when another process has changed the ledger, possibly who a player is. */
  forgetSeen(): void {
    this.parts.seen.forget();
  }

  /** Stops after the command in flight, if there is one, without waiting for anything else. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.sleeper.wake();
    if (!this.runner.stop()) await this.parts.server.close();
    await this.finished;
    await this.parts.server.close();
  }

  /** After `close`: stores an outcome that could not be stored then. @returns whether it is stored now. */
  async settleLast(): Promise<boolean> {
    await this.settleOrPause();
    return !this.runner.payment.hasUnsettled;
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
      await this.runner.payment.settleLast();
      const step = await this.turn();
      await this.storePresent();
      if (isRest(step)) return step.restMs;
      await this.queueTrouble.over();
      return await this.restMs();
    } catch (error) {
      return this.pauseFor(error);
    }
  }

  private async storePresent(): Promise<void> {
    const seen = this.attendance.takeSeen();
    if (seen.length === 0 || !this.keepsSeen) return;
    await this.parts.ledger.storePresent(seen, this.key.practice);
  }

  private async settleOrPause(): Promise<void> {
    try {
      await this.runner.payment.settleLast('shut-down');
    } catch (error) {
      this.pauseFor(error);
    }
  }

  private pauseFor(error: unknown): number {
    if (!(error instanceof Problem)) throw error;
    this.queueTrouble.ledgerFailed(error);
    return LEDGER_PAUSE_MS;
  }

  private async turn(): Promise<Step> {
    const { ledger, clock } = this.parts;
    const step = await this.runner.tryAll((limit) => ledger.pending(this.key, clock.now(), limit));
    if (isRest(step) || this.look.restMs > 0 || this.isClosed) return step;
    return this.lookForWaiting();
  }

  /** Pays the players who have joined since the last check and have been online for the join delay. */
  private async lookForWaiting(): Promise<Step> {
    const { ledger, clock } = this.parts;
    const wanted = await this.waiting.nextPage();
    if (wanted.length === 0) {
      this.look.none();
      return 'next';
    }
    const reach = await this.runner.stepOf(await this.parts.server.open());
    if (reach !== 'next') return reach;
    const presence = await this.attendance.read(wanted, FRESH_MS);
    if (presence.kind === 'unreachable') return this.runner.unreachable(presence.reason);
    await this.queueTrouble.reached();
    this.look.none();
    this.look.soon();
    const ready = this.attendance.readyKeys();
    for (let from = 0; from < ready.length && !this.isClosed; from += JOINED_AT_ONCE) {
      const some = ready.slice(from, from + JOINED_AT_ONCE);
      const stillReady = () => some.filter((key) => this.attendance.isReady(key));
      const step = await this.runner.tryAll((limit) =>
        ledger.waiting(this.key, stillReady(), clock.now(), limit),
      );
      if (isRest(step)) return step;
    }
    return 'next';
  }

  private async restMs(): Promise<number> {
    const { ledger, clock } = this.parts;
    const dueAt = await ledger.nextDueAt(this.key, clock.now());
    const dueMs = dueAt === null ? NEVER : dueAt - clock.now();
    return Math.max(0, Math.min(dueMs, this.look.restMs));
  }
}
