import type { Clock } from '../core/clock.ts';
import { playerKey } from '../core/player-name.ts';
import type { GameServer, Presence } from './game-server.ts';

interface Attendee {
  /** In the spelling that the game server shows. */
  readonly name: string;
  /** When he was first seen, in monotonic milliseconds. */
  readonly since: number;
}

/** Who is on one game server and since when, as far as its lists have told. */
export class Attendance {
  private readonly server: GameServer;
  private readonly clock: Clock;
  private readonly joinDelayMs: number;
  private here = new Map<string, Attendee>();
  private readAt = Number.NEGATIVE_INFINITY;
  private last: Presence = { kind: 'unreachable', reason: 'the list has not been read yet' };

  constructor(server: GameServer, clock: Clock, joinDelayMs: number) {
    this.server = server;
    this.clock = clock;
    this.joinDelayMs = joinDelayMs;
  }

  /** Milliseconds since the list was last read. */
  get age(): number {
    return this.clock.monotonic() - this.readAt;
  }

  /** Reads the list, unless that was done less than `maxAgeMs` ago. */
  async read(wanted: readonly string[], maxAgeMs: number): Promise<Presence> {
    if (this.age < maxAgeMs) return this.last;
    this.last = await this.server.presence(wanted);
    this.readAt = this.clock.monotonic();
    this.note(this.last.kind === 'known' ? this.last.names : []);
    return this.last;
  }

  /** The next `read` asks the game server, however fresh the list is. */
  expire(): void {
    this.readAt = Number.NEGATIVE_INFINITY;
  }

  /** The spelling of a player who is here, or null. */
  spelling(key: string): string | null {
    return this.here.get(key)?.name ?? null;
  }

  /** Whether the player has been here for the join delay. */
  hasSettled(key: string): boolean {
    const attendee = this.here.get(key);
    return attendee !== undefined && this.restOf(attendee) <= 0;
  }

  /** Everybody who has been here for the join delay. */
  settledKeys(): string[] {
    return [...this.here.keys()].filter((key) => this.hasSettled(key));
  }

  /** Milliseconds until the next of those present has been here for the join delay; Infinity for none. */
  nextSettlingMs(): number {
    const rests = [...this.here.values()].map((attendee) => this.restOf(attendee)).filter((rest) => rest > 0);
    return Math.min(...rests, Number.POSITIVE_INFINITY);
  }

  /** The game server just said that he is not there, whatever its list says: he has to be seen anew. */
  forget(key: string): void {
    this.here.delete(key);
  }

  private restOf({ since }: Attendee): number {
    return since + this.joinDelayMs - this.clock.monotonic();
  }

  private note(names: readonly string[]): void {
    const before = this.here;
    this.here = new Map(
      names.map((name) => {
        const key = playerKey(name);
        return [key, { name, since: before.get(key)?.since ?? this.readAt }];
      }),
    );
  }
}
