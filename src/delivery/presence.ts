/**
 * Who is online, as game servers report it and never guessed: on one game server and since when (`Attendance`), under which UUIDs on
 * all of them (`SeenPlayers`), and what such a report says to the operator (`presenceFinding`).
 */
import { ageOf, type Clock, type Moment, momentOf } from '../core/clock.ts';
import { type Finding, ok, problem, warning } from '../core/finding.ts';
import type { PauseCode } from '../core/game-server-codes.ts';
import { playerKey } from '../core/player-name.ts';
import type { Ledger, SeenPlayer } from '../ledger/ledger.ts';
import type { CheckParts, GameServer, Presence } from './game-server.ts';

/** A player on a game server. */
interface Attendee {
  /** In the spelling that the game server shows. */
  readonly name: string;
  /** null if the game server does not show UUIDs. */
  readonly uuid: string | null;
  /** When they were first seen, in monotonic milliseconds. */
  readonly since: number;
}

/**
 * Who is on one game server and since when, according to its answers. A list covers all players. If the server has to
 * be asked about each player, an answer covers only that player.
 */
export class Attendance {
  /** By name in lower case, like all keys here. */
  private readonly here = new Map<string, Attendee>();
  /** When the server was last asked for its list, and when it was asked about single players since then. */
  private listedAt: Moment | null = null;
  private readonly askedAt = new Map<string, Moment>();
  private listed: Presence = { kind: 'known', names: [] };
  /** How many questions were asked, and the number of the newest one whose answer was used. */
  private questions = 0;
  private answered = 0;
  /** Whether an answer has changed who is owed what since `takeNews` was called. */
  private hasNews = false;
  /** Who has come since this was last asked for. */
  private come: string[] = [];

  /** @param seen stores who was shown with which UUID, before the answer is used. */
  constructor(
    private readonly name: string,
    private readonly server: GameServer,
    private readonly clock: Clock,
    private readonly joinDelayMs: number,
    private readonly seen: Pick<SeenPlayers, 'store'>,
  ) {}

  /**
   * What the server answered about these players less than `maxAgeMs` ago. If there is no such answer, asks the server. A failure to
   * reach the server is not kept: the next read asks again. Rejects with the Problem of a ledger that cannot store who was shown.
   */
  async read(wanted: readonly string[], maxAgeMs: number): Promise<Presence> {
    if (this.ageOf(this.listedAt) < maxAgeMs) return this.listed;
    const stale = wanted.filter((name) => this.ageOf(this.askedAt.get(playerKey(name))) >= maxAgeMs);
    if (wanted.length > 0 && stale.length === 0) return { kind: 'asked', names: [] };
    // The time of the question, not of the answer: asking about a hundred players takes a while, and the first may
    // leave.
    const at = momentOf(this.clock);
    const question = ++this.questions;
    const presence = await this.server.presence(stale);
    if (await this.seen.store(this.name, presence)) this.hasNews = true;
    // Pages ask too, and while the ledger stored this answer, a later question may have been answered.
    if (question > this.answered) this.update(presence, stale, at, question);
    return presence;
  }

  /** Whether the server answered about this player less than `maxAgeMs` ago. */
  isFresh(key: string, maxAgeMs: number): boolean {
    return Math.min(this.ageOf(this.listedAt), this.ageOf(this.askedAt.get(key))) < maxAgeMs;
  }

  /** Whether grants that were read before the last answers have to be read again. */
  takeNews(): boolean {
    const { hasNews } = this;
    this.hasNews = false;
    return hasNews;
  }

  /** The players, by name in lower case, who have come since the last call. */
  takeCome(): readonly string[] {
    const { come } = this;
    this.come = [];
    return come;
  }

  /** Makes the next `read` ask the game server, even if its last answer is fresh. */
  expire(): void {
    this.listedAt = null;
    this.askedAt.clear();
  }

  /** A player who was online in the last answer; null for any other. */
  find(key: string): Attendee | null {
    return this.here.get(key) ?? null;
  }

  /** Whether the player has been online for the join delay. */
  isReady(key: string): boolean {
    const attendee = this.here.get(key);
    return attendee !== undefined && this.restOf(attendee) <= 0;
  }

  /** All players who have been online for the join delay. */
  readyKeys(): string[] {
    return [...this.here.keys()].filter((key) => this.isReady(key));
  }

  /** Milliseconds until another player has been online for the join delay; Infinity if no player has just joined. */
  nextReadyMs(): number {
    const rests = [...this.here.values()].map((attendee) => this.restOf(attendee)).filter((rest) => rest > 0);
    return Math.min(...rests, Number.POSITIVE_INFINITY);
  }

  /** Call this after making the player join. */
  add(name: string, uuid: string | null = null): void {
    const key = playerKey(name);
    const before = this.here.get(key);
    if (before === undefined) this.come.push(key);
    const since = before?.since ?? this.clock.monotonic();
    this.here.set(key, { name, uuid: uuid ?? before?.uuid ?? null, since });
  }

  /** Call this if a reply says that the player is offline. They are online again only after a new answer. */
  forget(key: string): void {
    this.here.delete(key);
  }

  private restOf({ since }: Attendee): number {
    return since + this.joinDelayMs - this.clock.monotonic();
  }

  private ageOf(at: Moment | null | undefined): number {
    return at == null ? Number.POSITIVE_INFINITY : ageOf(this.clock, at);
  }

  private update(presence: Presence, asked: readonly string[], at: Moment, question: number): void {
    if (presence.kind === 'unreachable') return;
    this.answered = question;
    const isList = presence.kind !== 'asked';
    if (isList) {
      this.listed = presence;
      this.listedAt = at;
      this.askedAt.clear();
    } else for (const name of asked) this.askedAt.set(playerKey(name), at);
    const names = presence.kind === 'cannot-tell' ? [] : presence.names;
    const stay = new Set(names.map(playerKey));
    for (const key of isList ? this.here.keys() : asked.map(playerKey))
      if (!stay.has(key)) this.here.delete(key);
    const uuids = presence.kind === 'known' ? presence.uuids : undefined;
    for (const name of names) this.add(name, uuids?.get(playerKey(name)));
  }
}

/** How many players are stored at once. It takes the ledger some milliseconds, and votes wait meanwhile. */
const STORED_AT_ONCE = 100;
/** Beyond so many, all are forgotten and stored again, which does not change the ledger. */
const KNOWN_MAX = 20_000;

/**
 * Tells the ledger which names game servers show with which UUIDs, before anything is paid to them. What the ledger knows
 * already is remembered, so that it is nearly never called. One for all game servers of a process: what one shows may
 * take a name from a player of another.
 */
export class SeenPlayers {
  private readonly uuidOf = new Map<string, string>();
  private readonly nameOf = new Map<string, string>();

  /** @param believed the game servers whose players are real, or all of them where every one is a practice server (rule 9). */
  constructor(
    private readonly ledger: Pick<Ledger, 'storeSeen'>,
    private readonly clock: Pick<Clock, 'now'>,
    private believed: ReadonlySet<string>,
  ) {}

  apply(believed: ReadonlySet<string>): void {
    this.believed = believed;
    this.forget();
  }

  /** Call this when another process has changed the ledger. */
  forget(): void {
    this.uuidOf.clear();
    this.nameOf.clear();
  }

  /**
   * Stores whom an answer shows with a UUID.
   *
   * @returns whether grants have to be read again. Rejects with the ledger's Problem: nothing may be paid then.
   */
  async store(server: string, presence: Presence): Promise<boolean> {
    if (!this.believed.has(server)) return false;
    const news = shownIn(presence).filter(({ name, uuid }) => {
      const key = playerKey(name);
      return this.uuidOf.get(key) !== uuid || this.nameOf.get(uuid) !== key;
    });
    let isChanged = false;
    for (let from = 0; from < news.length; from += STORED_AT_ONCE) {
      const some = news.slice(from, from + STORED_AT_ONCE);
      const hasChanged = await this.ledger.storeSeen({ players: some, server }, this.clock.now());
      // What is held for others may be released when they are seen again.
      if (hasChanged || this.uuidOf.size + some.length > KNOWN_MAX) this.forget();
      for (const { name, uuid } of some) {
        this.uuidOf.set(playerKey(name), uuid);
        this.nameOf.set(uuid, playerKey(name));
      }
      isChanged ||= hasChanged;
    }
    return isChanged;
  }
}

function shownIn(presence: Presence): readonly SeenPlayer[] {
  if (presence.kind !== 'known' || presence.uuids === undefined) return [];
  const { names, uuids } = presence;
  return names.flatMap((name) => {
    const uuid = uuids.get(playerKey(name));
    return uuid === undefined ? [] : [{ name, uuid }];
  });
}

/** What was asked, and what the answer is needed for. */
export interface PresenceQuestion extends Pick<CheckParts, 'needsUuids' | 'sentenceOf'> {
  /** Its name and address. */
  readonly where: string;
}

/** What the answer of a game server about who is online says to the operator. */
export function presenceFinding(asked: PresenceQuestion, presence: Presence): Finding {
  const { where, needsUuids, sentenceOf } = asked;
  switch (presence.kind) {
    case 'known': {
      // An empty list does not show whether the server shows UUIDs.
      if (needsUuids && presence.names.length > 0 && presence.uuids === undefined)
        return warning(
          'uuid-unknown',
          `${where} accepts the login and reports who is online, but ${sentenceOf('uuid-unknown')}`,
          'commands with {uuid} wait there until then',
        );
      const online = presence.names.length === 1 ? '1 player' : `${presence.names.length} players`;
      return ok('game-server', `${where} accepts the login and reports who is online: ${online}`);
    }
    case 'asked':
      return oneByOne(where);
    case 'cannot-tell':
      return warning(
        presence.reason,
        `${where} answers, but cannot report who is online: ${sentenceOf(presence.reason)}; rewards with "when": "online" wait forever`,
        // A reason that only one kind has says itself what to do.
        presence.reason.includes('.')
          ? null
          : 'remove the plugin that changes `list` there, or give its rewards "when": "always"',
      );
    case 'unreachable':
      return unreachable(asked, presence.reason);
  }
}

/** It answers about one player, although its list of players is not understood. */
export const oneByOne = (where: string): Finding =>
  ok(
    'presence-one-by-one',
    `${where} accepts the login; Teller does not understand its player list, so it asks for each player`,
  );

export function unreachable(
  { where, sentenceOf }: Pick<PresenceQuestion, 'where' | 'sentenceOf'>,
  reason: PauseCode,
): Finding {
  const isAbsent = reason === 'unreachable' || reason === 'not-rcon' || reason === 'login-timeout';
  const toDo = isAbsent
    ? 'a proxy (Velocity, BungeeCord) has no RCON; enter the game servers behind it instead'
    : null;
  return problem(reason, `${where}: ${sentenceOf(reason)}`, toDo);
}
