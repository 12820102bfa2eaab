import type { Clock } from '../core/clock.ts';
import { playerKey } from '../core/player-name.ts';
import type { Ledger, SeenPlayer } from '../ledger/ledger.ts';
import type { Presence } from './game-server.ts';

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

  /** @returns whether grants have to be read again. Rejects with the ledger's Problem: nothing may be paid then. */
  async store(server: string, players: readonly SeenPlayer[]): Promise<boolean> {
    if (!this.believed.has(server)) return false;
    const news = players.filter((player) => !this.isKnown(player));
    let isChanged = false;
    for (let from = 0; from < news.length; from += STORED_AT_ONCE) {
      const some = news.slice(from, from + STORED_AT_ONCE);
      const hasChanged = await this.ledger.storeSeen({ players: some, server }, this.clock.now());
      // What is held for others may be released when they are seen again.
      if (hasChanged || this.uuidOf.size + some.length > KNOWN_MAX) this.forget();
      for (const player of some) this.remember(player);
      isChanged ||= hasChanged;
    }
    return isChanged;
  }

  private isKnown({ name, uuid }: SeenPlayer): boolean {
    const key = playerKey(name);
    return this.uuidOf.get(key) === uuid && this.nameOf.get(uuid) === key;
  }

  private remember({ name, uuid }: SeenPlayer): void {
    this.uuidOf.set(playerKey(name), uuid);
    this.nameOf.set(uuid, playerKey(name));
  }
}

/** Who an answer shows with a UUID. */
export function shownIn(presence: Presence): readonly SeenPlayer[] {
  if (presence.kind !== 'known' || presence.uuids === undefined) return [];
  const { names, uuids } = presence;
  return names.flatMap((name) => {
    const uuid = uuids.get(playerKey(name));
    return uuid === undefined ? [] : [{ name, uuid }];
  });
}
