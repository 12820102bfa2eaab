/** A player who is or was on the server. They keep their items when they leave. */
export interface Player {
  /** null: they joined without one, so the server gives them the one that a server in offline mode computes from the name. */
  readonly uuid: string | null;
  /** In the spelling they joined with. */
  name: string;
  readonly items: Map<string, number>;
  readonly effects: Set<string>;
  readonly tags: Set<string>;
  dimension: string;
  points: number;
  levels: number;
  isOperator: boolean;
}

export const MAX_PLAYERS = 20;
export const OVERWORLD = 'minecraft:overworld';

const PLAYER_NAME = /^[^\s@"'\\/#;\p{Cc}]{1,16}$/u;

export const isPlayerName = (text: string): boolean => PLAYER_NAME.test(text);

/** Whether a player came to the server, and why not. */
export type Joined = 'joined' | 'already-here' | 'name-in-use';

/** The part of the game that rewards can change. Names are not case-sensitive. */
export class World {
  private readonly withUuid = new Map<string, Player>();
  /** Who had each name last. A player has one name at a time. */
  private readonly named = new Map<string, Player>();
  /** In the order of joining. */
  private readonly here = new Set<Player>();
  /** Scores by objective, then by name. */
  readonly objectives = new Map<string, Map<string, number>>();
  /** Members by team, under the names that they have as score holders. */
  readonly teams = new Map<string, Set<string>>();

  /**
   * A player with a known UUID and another name has been renamed: they keep their items. If they are on the server under
   * the old name, that session ends.
   *
   * @param uuid null: whoever had the name last, or someone new without a UUID.
   */
  join(name: string, uuid: string | null = null): Joined {
    const holder = this.findKnown(name);
    const player = (uuid === null ? holder : this.withUuid.get(uuid)) ?? newPlayer(name, uuid);
    if (holder !== null && this.here.has(holder)) return holder === player ? 'already-here' : 'name-in-use';
    this.rename(player, name);
    // Behind those who were here before.
    this.here.delete(player);
    this.here.add(player);
    return 'joined';
  }

  /** @returns false if they were not on the server. */
  leave(name: string): boolean {
    const player = this.findKnown(name);
    return player !== null && this.here.delete(player);
  }

  online(): Player[] {
    return [...this.here];
  }

  findOnline(name: string): Player | null {
    const player = this.findKnown(name);
    return player !== null && this.here.has(player) ? player : null;
  }

  findKnown(name: string): Player | null {
    return this.named.get(name.toLowerCase()) ?? null;
  }

  teamOf(name: string): string | null {
    return [...this.teams].find(([, members]) => members.has(name))?.[0] ?? null;
  }

  leaveTeams(name: string): void {
    for (const members of this.teams.values()) members.delete(name);
  }

  /** By item, without the prefix `minecraft:`. */
  inventory(name: string): Record<string, number> {
    return Object.fromEntries(this.findKnown(name)?.items ?? []);
  }

  private rename(player: Player, name: string): void {
    if (this.findKnown(player.name) === player) this.named.delete(player.name.toLowerCase());
    player.name = name;
    this.named.set(name.toLowerCase(), player);
    if (player.uuid !== null) this.withUuid.set(player.uuid, player);
  }
}

const newPlayer = (name: string, uuid: string | null): Player => ({
  uuid,
  name,
  items: new Map(),
  effects: new Set(),
  tags: new Set(),
  dimension: OVERWORLD,
  points: 0,
  levels: 0,
  isOperator: false,
});
