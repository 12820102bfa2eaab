/**
 * Pays grants on one game server, one command at a time: claim, run, settle. A command is claimed in the ledger before it is sent, so that
 * one that was being sent when the process died is not sent again (rule 6), and nothing else runs before its outcome is stored. It is
 * claimed only if nothing is in its way (`Obstacle`), because a claim is an attempt. Methods reject with the ledger's Problem.
 */
import { isAnnouncement, stateAfterAnnouncement } from '../core/announcement.ts';
import { type Clock, nextTurn } from '../core/clock.ts';
import type { NotSentCode, PauseCode } from '../core/game-server-codes.ts';
import { type GrantReason, reasonAfter } from '../core/grant-reason.ts';
import type { Log } from '../core/log.ts';
import type { Observer } from '../core/observer.ts';
import type { Outcome } from '../core/outcome.ts';
import { needs } from '../core/placeholders.ts';
import { isPool } from '../core/pool.ts';
import type { Random } from '../core/random.ts';
import { type RetrySchedule, retryDelayMs } from '../core/retry.ts';
import { stateAfter } from '../core/settlement.ts';
import { closeCommand, showsNextVote } from '../core/template.ts';
import type { CommandClaim, Ledger, OpenCommand, OpenGrant, Settlement } from '../ledger/ledger.ts';
import type { CommandAbout, GameServer, Opening, Presence } from './game-server.ts';
import { logOutcome } from './outcomes.ts';
import type { Attendance } from './presence.ts';

export interface PaymentParts {
  /** The game server's name. */
  readonly name: string;
  /** Whether this is a practice server. If so, it pays only grants owed on a practice server (rule 9). */
  readonly practice: boolean;
  readonly server: GameServer;
  /** Whether it cannot report who is online, so that nobody can be seen there. */
  readonly isSilent: boolean;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly observer: Pick<Observer, 'ended' | 'paid'>;
}

/** What payment tells the queue that it pays for. */
export interface PayingQueue {
  /** Whether it is known that the game server accepts what is sent. */
  readonly isReached: boolean;
  /** The game server has answered. */
  reached(): Promise<void>;
  /** It cannot be used now. Without `restMs`, its next answer says when it is tried again. */
  away(reason: PauseCode, restMs?: number): Promise<Rest>;
  /** A grant waits for a player. */
  lookSoon(): void;
  /** A grant of a pool waits, which the queue of another of its game servers may be able to pay. */
  readonly poolWaits: (pool: string) => void;
}

/** The queue pauses, because the game server cannot be reached. */
export interface Rest {
  readonly restMs: number;
}

/** What to do after a step: go on with the next one, read the grants again because many of them changed, or pause. */
export type Step = 'next' | 'read-again' | Rest;

export const isRest = (step: Step): step is Rest => typeof step === 'object';

/**
 * What is in the way of a command, as far as it is known without asking. Two more are known to the ledger alone, which then refuses the
 * claim: the operator has paused the payment, or the grant has changed.
 */
type Obstacle =
  /** Teller stops, or the game server was changed or removed by a reload. */
  | 'stopping'
  /** The player's name belongs to another player now. */
  | 'held'
  /** The player is not online, or it is too long ago that they were. */
  | 'player-away'
  /** The player is online, but their UUID is not known, which the command needs. */
  | 'uuid-unknown'
  /** Whether an announcement is sent is decided when it is its turn: it expires, and it is about players who were seen. */
  | 'undecided'
  /** It would not be written at once: there is a pause, or no connection that answered lately. */
  | 'server-away';

/** A command and the player that it is for. */
interface ReadyCommand {
  readonly grant: OpenGrant;
  readonly command: OpenCommand;
  /** The spelling to use, or null for a recipient without a player name. */
  readonly player: string | null;
  /** Their UUID in the game server's list; null if it is not known. */
  readonly uuid: string | null;
}

/** A reward with `"when": "online"` is paid only on an answer about its player that is no older than this. */
export const FRESH_MS = 1_000;
/** After a question that may have taken longer than that. */
const JUST_ASKED = Number.MAX_VALUE;
/** How many grants are read at once. */
const BATCH = 64;
/** How many grants are set to waiting at once. It takes the ledger a few milliseconds, and votes wait meanwhile. */
const WAIT_AT_ONCE = 500;
/** The pause before the next try if the list does not show the UUID that a command needs. */
const UUID_RETRY_MS = 60_000;
/** The pause after a reply said that the player is offline although the list had them. */
const OFFLINE: RetrySchedule = { firstMs: 10_000, longestMs: 600_000 };
/** The pause between attempts of a reward that is safe to run twice. */
const UNKNOWN: RetrySchedule = { firstMs: 5_000, longestMs: 300_000 };

export class Payment {
  /** Claimed in the commit that stored the last outcome, and not written yet. */
  private claimed: { readonly ready: ReadyCommand; readonly claim: number } | null = null;
  /** An outcome that could not be stored yet, and its grant. No other command runs before it is. */
  private unsettled: { readonly settlement: Settlement; readonly grant: OpenGrant } | null = null;
  private isRunning = false;
  private isStopped = false;
  /**
   * When announcements with `atMost` were sent, by reward and grant. Only in memory: it keeps a chat readable, and after a
   * restart it may count anew.
   */
  private readonly announcedAt = new Map<string, Map<number, number>>();

  constructor(
    private readonly parts: PaymentParts,
    private readonly attendance: Attendance,
    private readonly queue: PayingQueue,
  ) {}

  /** No other command is started from now on. @returns whether one is in flight. */
  stop(): boolean {
    this.isStopped = true;
    return this.isRunning;
  }

  /** Whether an outcome could not be stored yet. */
  get hasUnsettled(): boolean {
    return this.unsettled !== null;
  }

  /** Pays the grants that `read` finds, a batch at a time. */
  async payAll(read: (limit: number) => Promise<readonly OpenGrant[]>): Promise<Step> {
    for (;;) {
      const grants = await read(BATCH);
      let step: Step = 'next';
      for (const [index, grant] of grants.entries()) {
        await nextTurn(this.parts.clock);
        if (this.isStopped) return 'next';
        step = await this.pay(grant, grants[index + 1]);
        if (step !== 'next') break;
      }
      if (isRest(step) || this.isStopped || (step === 'next' && grants.length < BATCH)) return step;
    }
  }

  /**
   * Stores the outcome that could not be stored before. A command that was claimed with the last outcome and is not
   * written after all is not sent, for the reason `unwritten`.
   */
  async settleLast(unwritten: NotSentCode = 'between-connections'): Promise<void> {
    if (this.claimed !== null)
      this.unsettled = this.endedBy(this.claimed, { kind: 'not-sent', reason: unwritten });
    this.claimed = null;
    if (this.unsettled !== null) await this.settle(this.unsettled, null);
  }

  /** Runs the commands of a grant until something stops it. */
  private async pay(grant: OpenGrant, after: OpenGrant | undefined): Promise<Step> {
    if (grant.isNameTaken) return this.hold(grant);
    for (const [index, command] of grant.commands.entries()) {
      const ready = await this.clear(grant, command);
      if (typeof ready === 'string' || 'restMs' in ready) return ready;
      if (this.isStopped) return 'next';
      const isSaid = isAnnouncement(grant, command.position);
      const outcome = await this.run(ready, ({ kind }) => {
        const later = kind === 'delivered' || isSaid ? grant.commands[index + 1] : undefined;
        return later === undefined ? this.following(after) : this.following(grant, later);
      });
      if (outcome?.kind === 'not-sent') return this.queue.away(outcome.reason);
      await this.queue.reached();
      // Whatever came of an announcement, it is over.
      if (isSaid && outcome !== null) this.countAnnounced(grant);
      else if (outcome?.kind !== 'delivered') return 'next';
    }
    return 'next';
  }

  /** Its player is paid when a game server shows them under another name. */
  private async hold({ id }: OpenGrant): Promise<Step> {
    await this.settleLast();
    await this.parts.ledger.holdNameTaken(id, this.parts.clock.now());
    return 'next';
  }

  /** This command, if it was claimed together with the last outcome. */
  private claimedFor(grant: OpenGrant, command: OpenCommand): ReadyCommand | null {
    const ready = this.claimed?.ready ?? null;
    return ready?.grant.id === grant.id && ready.command.position === command.position ? ready : null;
  }

  /** The next command, if there is one and nothing is in its way: it is claimed in the commit that stores this outcome. */
  private following(grant: OpenGrant | undefined, command = grant?.commands[0]): ReadyCommand | null {
    if (grant === undefined || command === undefined) return null;
    return this.obstacle(grant, command, FRESH_MS) === null ? this.ready(grant, command) : null;
  }

  private ready(grant: OpenGrant, command: OpenCommand): ReadyCommand {
    const here = this.attendance.find(grant.recipientKey);
    const player = grant.player === null ? null : (here?.name ?? grant.player);
    return { grant, command, player, uuid: here?.uuid ?? null };
  }

  /**
   * The first thing that is in the way of a command; null: it would be written as soon as it is claimed.
   *
   * @param maxAgeMs how old an answer about its player may be.
   */
  private obstacle(grant: OpenGrant, command: OpenCommand, maxAgeMs: number): Obstacle | null {
    if (this.isStopped) return 'stopping';
    if (grant.isNameTaken) return 'held';
    const { attendance } = this;
    const key = grant.recipientKey;
    if (needsPlayer(grant, command)) {
      if (!attendance.isFresh(key, maxAgeMs) || !attendance.isReady(key)) return 'player-away';
      if (needs(command.text, 'uuid') && attendance.find(key)?.uuid == null) return 'uuid-unknown';
    }
    const firstSaid = grant.commands.find(({ position }) => isAnnouncement(grant, position));
    if (firstSaid?.position === command.position) return 'undecided';
    return this.queue.isReached && this.parts.server.sendsAtOnce() ? null : 'server-away';
  }

  /**
   * Asks what has to be asked before a command is claimed, and deals with what is in its way then. It is called before each command,
   * because players leave and connections break.
   *
   * @returns what is sent now, or why nothing is.
   */
  private async clear(grant: OpenGrant, command: OpenCommand): Promise<ReadyCommand | Step> {
    const { server } = this.parts;
    // Nothing was in the way of a command that was claimed with the last outcome, but the connection may have broken since.
    const claimed = this.claimedFor(grant, command);
    if (claimed !== null && server.sendsAtOnce()) return claimed;
    await this.settleLast();
    const opening = await this.restUnlessOpen(await server.open());
    if (opening !== null) return opening;
    const presence = needsPlayer(grant, command) ? await this.askAbout(grant, command) : null;
    if (presence?.kind === 'unreachable') return this.queue.away(presence.reason);
    if (presence !== null && this.attendance.takeNews()) {
      this.queue.lookSoon();
      return 'read-again';
    }
    const obstacle = this.obstacle(grant, command, JUST_ASKED);
    if (obstacle === 'stopping') return 'next';
    if (obstacle === 'player-away' && presence !== null) return this.wait(grant, presence);
    if (obstacle === 'uuid-unknown') return this.waitForUuid(grant);
    const decided = obstacle === 'undecided' ? await this.decide(grant, command) : null;
    // Last, so that a dead connection costs no attempt, and a command is not claimed long before it is sent.
    const end = decided ?? (await this.restUnlessOpen(await server.ready()));
    if (end !== null) return end;
    const ready = this.ready(grant, command);
    // Meanwhile a page may have been told that the player has left.
    return lacksUuid(ready) ? this.clear(grant, command) : ready;
  }

  private async restUnlessOpen(opening: Opening): Promise<Rest | null> {
    return opening.kind === 'open' ? null : this.queue.away(opening.reason, opening.restMs);
  }

  /** Asks the game server about the player of a grant, unless it has answered a moment ago. */
  private askAbout(grant: OpenGrant, command: OpenCommand): Promise<Presence> {
    const player = grant.player ?? grant.recipientKey;
    if (this.mayJoin(grant) && this.parts.server.join?.(player)) {
      // Only the list shows UUIDs, so it is read again if one is needed.
      if (needs(command.text, 'uuid')) this.attendance.expire();
      else this.attendance.add(player);
    }
    return this.attendance.read([player], FRESH_MS);
  }

  /** Where the game server can make the player join. A pool is paid where the player is, so it makes nobody join. */
  private mayJoin({ server }: OpenGrant): boolean {
    return this.parts.server.join !== undefined && !isPool(server);
  }

  /**
   * An answer about all players sets many grants to waiting at once. Others do not: with one about single players, or
   * while players join when their grants are tried, no more is known than about this one.
   */
  private async wait(grant: OpenGrant, presence: Presence): Promise<Step> {
    const { ledger, clock, practice } = this.parts;
    const reason: GrantReason = {
      code: presence.kind === 'cannot-tell' ? presence.reason : 'player-offline',
    };
    const isForMany = grant.when === 'online' && presence.kind !== 'asked' && !this.mayJoin(grant);
    if (isForMany) {
      const page = { from: grant.id, limit: WAIT_AT_ONCE };
      const ready = this.attendance.readyKeys();
      await ledger.waitForAbsent({ server: grant.server, practice }, page, ready, reason, clock.now());
    } else await ledger.wait(grant, reason, clock.now());
    if (isPool(grant.server)) this.queue.poolWaits(grant.server);
    this.queue.lookSoon();
    return isForMany ? 'read-again' : 'next';
  }

  private async waitForUuid(grant: OpenGrant): Promise<Step> {
    const now = this.parts.clock.now();
    await this.parts.ledger.wait(grant, { code: 'uuid-unknown' }, now, now + UUID_RETRY_MS);
    this.queue.lookSoon();
    return 'next';
  }

  /**
   * Decides whether the announcements of a grant are sent: not after two minutes, not about a player whom no game server has shown,
   * and not too often. What is not sent now is never sent.
   */
  private async decide(grant: OpenGrant, command: OpenCommand): Promise<Step | null> {
    const { ledger, clock, isSilent } = this.parts;
    const isTooOften = this.isTooOften(grant);
    const first = await ledger.announce(grant.id, {
      now: clock.now(),
      isHere: isSilent ? true : null,
      isTooOften,
    });
    if (first !== 'unseen') return first === 'send' ? null : 'next';
    // A user ID is never on a game server.
    const presence = grant.player === null ? null : await this.askAbout(grant, command);
    if (presence?.kind === 'unreachable') return this.queue.away(presence.reason);
    const isHere = presence !== null && this.attendance.find(grant.recipientKey) !== null;
    const second = await ledger.announce(grant.id, { now: clock.now(), isHere, isTooOften });
    return second === 'send' ? null : 'next';
  }

  /** A time after now is from before the clock was set back. */
  private isTooOften({ id, reward, announcement }: OpenGrant): boolean {
    const atMost = announcement?.atMost ?? null;
    if (atMost === null) return false;
    const now = this.parts.clock.now();
    const times = [...(this.announcedAt.get(reward) ?? [])];
    const lately = times.filter(([grant, at]) => grant !== id && at <= now && now - at < atMost.withinMs);
    return lately.length >= atMost.count;
  }

  /** An announcement of the grant may have been sent. */
  private countAnnounced({ id, reward, announcement }: OpenGrant): void {
    const atMost = announcement?.atMost ?? null;
    if (atMost === null) return;
    const now = this.parts.clock.now();
    const times = this.announcedAt.get(reward) ?? new Map<number, number>();
    for (const [grant, at] of times) if (now - at >= atMost.withinMs) times.delete(grant);
    this.announcedAt.set(reward, times.set(id, times.get(id) ?? now));
  }

  /**
   * Runs one command: claim, run, settle. An outcome that cannot be stored is kept for `settleLast`.
   *
   * @param following called when the command has ended: the command that is written next and at once, or null. It is
   * claimed in the commit that stores the outcome, which saves the wait for a commit of its own.
   * @returns null if the grant has changed or is paused meanwhile.
   */
  private async run(
    ready: ReadyCommand,
    following: (outcome: Outcome) => ReadyCommand | null,
  ): Promise<Outcome | null> {
    const { server, ledger, log, name, clock } = this.parts;
    const { grant, command, player, uuid } = ready;
    this.isRunning = true;
    try {
      const about = server.tellsAbout === true ? await this.about(ready) : undefined;
      // Committed before the command is sent: if the process dies here, the command is unknown and not run again (rule
      // 6).
      const claim = this.claimed?.claim ?? (await ledger.claim(this.claimOf(ready)));
      this.claimed = null;
      if (claim === null) return null;
      const line = closeCommand(command.text, { player, uuid, now: clock.now() });
      const outcome = forRecipient(await server.run(line, command.text, about), player);
      logOutcome(log, name, grant, line, outcome);
      this.unsettled = this.endedBy({ ready, claim }, outcome);
      if (outcome.kind === 'player-offline') {
        this.attendance.forget(grant.recipientKey);
        this.queue.lookSoon();
      }
      await this.settle(this.unsettled, outcome.kind === 'not-sent' ? null : following(outcome));
      return outcome;
    } finally {
      this.isRunning = false;
    }
  }

  private async about({ grant, command, player, uuid }: ReadyCommand): Promise<CommandAbout> {
    const cause = await this.parts.ledger.causeOf(grant.id);
    const { vote, site, occasion } = cause ?? { vote: null, site: null, occasion: '' };
    return {
      ...{ grant: grant.id, position: command.position, reward: grant.reward, player, uuid },
      ...{ vote, site, occasion, attempt: command.attempts + 1 },
    };
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

  private endedBy({ ready, claim }: NonNullable<typeof this.claimed>, outcome: Outcome) {
    const { grant, command } = ready;
    const { position } = command;
    const { kind } = outcome;
    const now = this.parts.clock.now();
    const isLast = grant.commands.at(-1)?.position === position;
    const state = isAnnouncement(grant, position)
      ? stateAfterAnnouncement(kind, { isLast, isOnly: position === 0 })
      : stateAfter(kind, { isLast, safeToRunTwice: grant.safeToRunTwice });
    const schedule = kind === 'player-offline' ? OFFLINE : kind === 'unknown' ? UNKNOWN : null;
    const delayMs = schedule === null ? 0 : retryDelayMs(schedule, command.attempts + 1, this.parts.random);
    // Another game server of the pool may take the grant: it was taken for its first command, which has certainly not run.
    const isFirst = position === grant.commands[0]?.position;
    const startsOver = isPool(grant.server) && isFirst && (kind === 'not-sent' || kind === 'player-offline');
    const settlement: Settlement = {
      ...{ grantId: grant.id, claim, outcome, state, dueAt: now + delayMs, endedAt: now },
      reason: state === 'delivered' ? null : reasonAfter(outcome),
      ...(startsOver ? { startsOver } : {}),
    };
    return { settlement, grant };
  }

  private async settle(
    { settlement, grant }: NonNullable<typeof this.unsettled>,
    next: ReadyCommand | null,
  ): Promise<void> {
    const { ledger, name, observer } = this.parts;
    const claim = await ledger.settle(settlement, next === null ? undefined : this.claimOf(next));
    if (next !== null && claim !== null) this.claimed = { ready: next, claim };
    this.unsettled = null;
    observer.ended(name, settlement.outcome.kind);
    if (settlement.state === 'delivered') observer.paid(settlement.endedAt - grant.createdAt);
    if (settlement.startsOver) this.queue.poolWaits(grant.server);
  }
}

/** What is announced about a payment does not wait for the player: they were paid a moment ago. */
const needsPlayer = (grant: OpenGrant, { position, text }: OpenCommand): boolean =>
  needs(text, 'uuid') || (grant.when !== 'always' && (position === 0 || !isAnnouncement(grant, position)));

const lacksUuid = ({ command, uuid }: ReadyCommand): boolean => uuid === null && needs(command.text, 'uuid');

/** A user ID never joins a game server, so a grant for a user ID must not wait for its player. */
const forRecipient = (outcome: Outcome, player: string | null): Outcome =>
  outcome.kind === 'player-offline' && player === null ? { ...outcome, kind: 'refused' } : outcome;
