import { ageOf, type Clock, type Moment, momentOf } from '../core/clock.ts';
import { playerKey } from '../core/player-name.ts';
import type { GameServer, Presence } from './game-server.ts';

interface Attendee {
  /** In the spelling that the game server shows. */
  readonly name: string;
  /** null where the game server does not tell. */
  readonly uuid: string | null;
  /** When they were first seen, in monotonic milliseconds. */
  readonly since: number;
}

/**
 * Who is on one game server and since when, as far as its answers have told. A list tells of everybody; where a
 * server has to be asked for each player, an answer tells of that player only.
 */
export class Attendance {
  private readonly here = new Map<string, Attendee>();
  /** When the server was last asked for everybody, and for single players since. */
  private listedAt: Moment | null = null;
  private readonly askedAt = new Map<string, Moment>();
  private listed: Presence = { kind: 'known', names: [] };

  constructor(
    private readonly server: GameServer,
    private readonly clock: Clock,
    private readonly joinDelayMs: number,
  ) {}

  /**
   * What is known of these players from answers to questions younger than `maxAgeMs`; asks where there is none. An
   * unreachable server is never taken for an answer: the next read asks again.
   */
  async read(wanted: readonly string[], maxAgeMs: number): Promise<Presence> {
    if (this.ageOf(this.listedAt) < maxAgeMs) return this.listed;
    const stale = wanted.filter((name) => this.ageOf(this.askedAt.get(playerKey(name))) >= maxAgeMs);
    if (wanted.length > 0 && stale.length === 0) return { kind: 'asked', names: [] };
    // Not when the answer came: a hundred players are asked for one by one, and the first may have left by then.
    const at = momentOf(this.clock);
    const presence = await this.server.presence(stale);
    this.note(presence, stale, at);
    return presence;
  }

  /** The next `read` asks the game server, however fresh its last answer is. */
  expire(): void {
    this.listedAt = null;
    this.askedAt.clear();
  }

  /** The spelling of a player who was here by the last answer, or null. */
  spelling(key: string): string | null {
    return this.here.get(key)?.name ?? null;
  }

  /** Of a player who was here by the last answer; null where the game server does not tell. */
  uuid(key: string): string | null {
    return this.here.get(key)?.uuid ?? null;
  }

  /** Whether the player has been here for the join delay. */
  isReady(key: string): boolean {
    const attendee = this.here.get(key);
    return attendee !== undefined && this.restOf(attendee) <= 0;
  }

  /** Everybody who has been here for the join delay. */
  readyKeys(): string[] {
    return [...this.here.keys()].filter((key) => this.isReady(key));
  }

  /** Milliseconds until the next of those present has been here for the join delay; Infinity for none. */
  nextReadyMs(): number {
    const rests = [...this.here.values()].map((attendee) => this.restOf(attendee)).filter((rest) => rest > 0);
    return Math.min(...rests, Number.POSITIVE_INFINITY);
  }

  /** The player has joined this moment, as the one who made them join knows. */
  noteJoined(name: string): void {
    this.notePresence([name], new Map());
  }

  /** The game server just said that the player is not there, whatever its list says: they have to be seen again. */
  forget(key: string): void {
    this.here.delete(key);
  }

  private restOf({ since }: Attendee): number {
    return since + this.joinDelayMs - this.clock.monotonic();
  }

  private ageOf(at: Moment | null | undefined): number {
    return at == null ? Number.POSITIVE_INFINITY : ageOf(this.clock, at);
  }

  private note(presence: Presence, asked: readonly string[], at: Moment): void {
    switch (presence.kind) {
      case 'unreachable':
        return;
      case 'asked':
        this.noteAbsence(asked.map(playerKey), presence.names);
        for (const name of asked) this.askedAt.set(playerKey(name), at);
        break;
      case 'known':
      case 'cannot-tell':
        this.noteAbsence([...this.here.keys()], presence.kind === 'known' ? presence.names : []);
        this.listed = presence;
        this.listedAt = at;
        this.askedAt.clear();
        break;
    }
    if (presence.kind === 'asked') this.notePresence(presence.names, new Map());
    if (presence.kind === 'known') this.notePresence(presence.names, presence.uuids ?? new Map());
  }

  private noteAbsence(keys: readonly string[], present: readonly string[]): void {
    const stay = new Set(present.map(playerKey));
    for (const key of keys) if (!stay.has(key)) this.here.delete(key);
  }

  private notePresence(names: readonly string[], uuids: ReadonlyMap<string, string>): void {
    for (const name of names) {
      const key = playerKey(name);
      const before = this.here.get(key);
      const uuid = uuids.get(key) ?? before?.uuid ?? null;
      this.here.set(key, { name, uuid, since: before?.since ?? this.clock.monotonic() });
    }
  }
}
