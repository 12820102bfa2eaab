/** A player who is or was on the server. They keep their items when they leave. */
export interface Player {
  /** In the spelling they joined with. */
  readonly name: string;
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

/** The part of the game that rewards can change. Names are not case-sensitive. */
export class World {
  private readonly knownPlayers = new Map<string, Player>();
  private readonly onlineKeys = new Set<string>();
  /** Scores by objective, then by name. */
  readonly objectives = new Map<string, Map<string, number>>();
  /** Members by team, under the names that they have as score holders. */
  readonly teams = new Map<string, Set<string>>();

  /** @returns false if they were already on the server. */
  join(name: string): boolean {
    const key = name.toLowerCase();
    if (this.onlineKeys.has(key)) return false;
    const before = this.knownPlayers.get(key);
    this.knownPlayers.set(key, before === undefined ? newPlayer(name) : { ...before, name });
    this.onlineKeys.add(key);
    return true;
  }

  /** @returns false if they were not on the server. */
  leave(name: string): boolean {
    return this.onlineKeys.delete(name.toLowerCase());
  }

  online(): Player[] {
    return [...this.onlineKeys].flatMap((key) => this.knownPlayers.get(key) ?? []);
  }

  findOnline(name: string): Player | null {
    return this.onlineKeys.has(name.toLowerCase()) ? this.findKnown(name) : null;
  }

  findKnown(name: string): Player | null {
    return this.knownPlayers.get(name.toLowerCase()) ?? null;
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
}

const newPlayer = (name: string): Player => ({
  name,
  items: new Map(),
  effects: new Set(),
  tags: new Set(),
  dimension: OVERWORLD,
  points: 0,
  levels: 0,
  isOperator: false,
});
