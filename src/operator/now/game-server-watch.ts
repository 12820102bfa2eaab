import type { Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { Problem } from '../../core/problem.ts';
import type { Presence } from '../../delivery/game-server.ts';
import { kindOf } from '../../delivery/kinds.ts';
import type { ServedGameServer } from '../../delivery/queue.ts';

/** What is known of a game server from its last answer. */
export interface Seen {
  readonly presence: Presence;
  /** In monotonic milliseconds. */
  readonly at: number;
  /** Whether its list of players shows UUIDs; null: it was always empty. */
  readonly hasUuids: boolean | null;
  /** Whether it answers about one player at a time; it is asked only if it cannot list its players. */
  readonly isAskedOneByOne: boolean;
}

/** The next question connects again, and its answer shows whether the game server is there. */
const isPassing = (presence: Presence): boolean =>
  presence.kind === 'unreachable' && presence.reason === 'between-connections';

export interface GameServerWatchParts {
  /** Its present config, and the game servers that are served now. */
  readonly teller: { readonly config: Config; readonly gameServers: readonly ServedGameServer[] };
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** How often a game server is asked while somebody looks. */
const ASK_EVERY_MS = 5_000;
/** The same for one whose list is not understood, because it is asked in every known way. */
const ASK_UNCLEAR_EVERY_MS = 60_000;
/** How much later than this an answer may be. Nothing is known from an older one, because nobody looked since. */
const LATE_MS = 10_000;

const everyMs = ({ presence }: Seen): number =>
  presence.kind === 'cannot-tell' ? ASK_UNCLEAR_EVERY_MS : ASK_EVERY_MS;

/** Who is on the game servers, for pages that do not wait for them: the last answers, which are renewed while somebody looks. */
export class GameServerWatch {
  private readonly seen = new WeakMap<ServedGameServer, Seen>();
  private readonly asking = new WeakSet<ServedGameServer>();
  /** When they were last asked, in monotonic milliseconds. */
  private readonly askedAt = new WeakMap<ServedGameServer, number>();

  constructor(private readonly parts: GameServerWatchParts) {}

  /** Asks the game servers whose last answer is old. Does not wait for them. */
  look(): void {
    for (const server of this.parts.teller.gameServers) {
      if (this.isDue(server)) void this.ask(server);
    }
  }

  /** The last answer of a game server; null: none lately. */
  of(server: ServedGameServer): Seen | null {
    const last = this.seen.get(server);
    return last === undefined || this.ageOf(last) > everyMs(last) + LATE_MS ? null : last;
  }

  private isDue(server: ServedGameServer): boolean {
    const entry = this.parts.teller.config.gameServers.get(server.name);
    if (this.asking.has(server) || entry === undefined || !kindOf(entry).reportsPresence({ ...entry }))
      return false;
    const askedAt = this.askedAt.get(server);
    const last = this.seen.get(server);
    const every = last === undefined ? ASK_EVERY_MS : everyMs(last);
    return askedAt === undefined || this.parts.clock.monotonic() - askedAt >= every;
  }

  private ageOf({ at }: Seen): number {
    return this.parts.clock.monotonic() - at;
  }

  /** Asks one now, for what its operator waits for. Never rejects with a Problem. */
  async ask(server: ServedGameServer): Promise<void> {
    this.asking.add(server);
    this.askedAt.set(server, this.parts.clock.monotonic());
    try {
      const presence = await server.askPresence(ASK_EVERY_MS);
      if (isPassing(presence)) return;
      const isAskedOneByOne = presence.kind === 'cannot-tell' && (await server.asksOneByOne());
      this.keep(server, { presence, isAskedOneByOne });
    } catch (error) {
      // The ledger could not store who was seen, which is told elsewhere.
      if (!(error instanceof Problem)) throw error;
    } finally {
      this.asking.delete(server);
    }
  }

  private keep(server: ServedGameServer, answer: Omit<Seen, 'at' | 'hasUuids'>): void {
    const { presence } = answer;
    const hasUuids =
      presence.kind === 'known' && presence.names.length > 0
        ? presence.uuids !== undefined
        : (this.seen.get(server)?.hasUuids ?? null);
    this.seen.set(server, { ...answer, at: this.parts.clock.monotonic(), hasUuids });
  }
}
