import { ageOf, type Clock, type Moment, momentOf } from '../core/clock.ts';
import { playerKey } from '../core/player-name.ts';
import type { SeenPlayer } from '../ledger/ledger.ts';
import type { GameServer, Presence } from './game-server.ts';
import { shownIn } from './seen-players.ts';
import type { LastPresence } from './served-game-server.ts';

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
  private readonly here = new Map<string, Attendee>();
  /** When the server was last asked for its list, and when it was asked about single players since then. */
  private listedAt: Moment | null = null;
  private readonly askedAt = new Map<string, Moment>();
  private listed: Presence = { kind: 'known', names: [] };
  /** Whether an answer has changed who is owed what since `takeNews` was called. */
  private hasNews = false;
  /** Who has come since this was last asked for. */
  private seen: string[] = [];

  constructor(
    private readonly server: GameServer,
    private readonly clock: Clock,
    private readonly joinDelayMs: number,
    /** Stores who was shown with which UUID, before the answer is used. @returns whether grants have to be read again. */
    private readonly onShown: (players: readonly SeenPlayer[]) => Promise<boolean> = async () => false,
  ) {}

  /**
   * What the server answered about these players less than `maxAgeMs` ago. If there is no such answer, asks
   * the server. A failure to reach the server is not kept: the next read asks again. Rejects with the Problem of `onShown`.
   */
  async read(wanted: readonly string[], maxAgeMs: number): Promise<Presence> {
    if (this.ageOf(this.listedAt) < maxAgeMs) return this.listed;
    const stale = wanted.filter((name) => this.ageOf(this.askedAt.get(playerKey(name))) >= maxAgeMs);
    if (wanted.length > 0 && stale.length === 0) return { kind: 'asked', names: [] };
    // The time of the question, not of the answer: asking about a hundred players takes a while, and the first may
    // leave.
    const at = momentOf(this.clock);
    const presence = await this.server.presence(stale);
    if (await this.onShown(shownIn(presence))) this.hasNews = true;
    this.update(presence, stale, at);
    return presence;
  }

  /** The last list; null if the server was not asked for one lately, or does not list its players. */
  get last(): LastPresence | null {
    return this.listedAt === null ? null : { presence: this.listed, ageMs: this.ageOf(this.listedAt) };
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

  /** Makes the next `read` ask the game server, even if its last answer is fresh. */
  expire(): void {
    this.listedAt = null;
    this.askedAt.clear();
  }

  /** How the server spells a player who was online in the last answer, or null. */
  spelling(key: string): string | null {
    return this.here.get(key)?.name ?? null;
  }

  /** The UUID of a player who was online in the last answer; null if the game server does not show it. */
  uuid(key: string): string | null {
    return this.here.get(key)?.uuid ?? null;
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

  /** The players, by name in lower case, who have come since the last call. */
  takeSeen(): readonly string[] {
    const { seen } = this;
    this.seen = [];
    return seen;
  }

  /** Call this after making the player join. */
  addJoined(name: string): void {
    this.addPresent([name], new Map());
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

  private update(presence: Presence, asked: readonly string[], at: Moment): void {
    switch (presence.kind) {
      case 'unreachable':
        return;
      case 'asked':
        this.removeAbsent(asked.map(playerKey), presence.names);
        for (const name of asked) this.askedAt.set(playerKey(name), at);
        break;
      case 'known':
      case 'cannot-tell':
        this.removeAbsent([...this.here.keys()], presence.kind === 'known' ? presence.names : []);
        this.listed = presence;
        this.listedAt = at;
        this.askedAt.clear();
        break;
    }
    if (presence.kind === 'asked') this.addPresent(presence.names, new Map());
    if (presence.kind === 'known') this.addPresent(presence.names, presence.uuids ?? new Map());
  }

  private removeAbsent(keys: readonly string[], present: readonly string[]): void {
    const stay = new Set(present.map(playerKey));
    for (const key of keys) if (!stay.has(key)) this.here.delete(key);
  }

  private addPresent(names: readonly string[], uuids: ReadonlyMap<string, string>): void {
    for (const name of names) {
      const key = playerKey(name);
      const before = this.here.get(key);
      if (before === undefined) this.seen.push(key);
      const uuid = uuids.get(key) ?? before?.uuid ?? null;
      this.here.set(key, { name, uuid, since: before?.since ?? this.clock.monotonic() });
    }
  }
}
