/** Somebody who is, or was, on the server. What he owns stays when he leaves. */
export interface Player {
  /** In the spelling he joined with. */
  readonly name: string;
  readonly items: Map<string, number>;
  readonly effects: Set<string>;
  points: number;
  levels: number;
  isOperator: boolean;
}

export const MAX_PLAYERS = 20;

const PLAYER_NAME = /^[^\s@"'\\/#;\p{Cc}]{1,16}$/u;

export const isPlayerName = (text: string): boolean => PLAYER_NAME.test(text);

/** The game as far as rewards touch it. Names are found without regard to case. */
export class World {
  private readonly everybody = new Map<string, Player>();
  private readonly present = new Set<string>();
  /** Scores by objective, then by name. */
  readonly objectives = new Map<string, Map<string, number>>();

  /** @returns whether he was away until now. */
  join(name: string): boolean {
    const key = name.toLowerCase();
    if (this.present.has(key)) return false;
    const before = this.everybody.get(key);
    this.everybody.set(key, before === undefined ? newcomer(name) : { ...before, name });
    this.present.add(key);
    return true;
  }

  /** @returns whether he was there until now. */
  leave(name: string): boolean {
    return this.present.delete(name.toLowerCase());
  }

  online(): Player[] {
    return [...this.present].flatMap((key) => this.everybody.get(key) ?? []);
  }

  findOnline(name: string): Player | null {
    return this.present.has(name.toLowerCase()) ? this.findKnown(name) : null;
  }

  findKnown(name: string): Player | null {
    return this.everybody.get(name.toLowerCase()) ?? null;
  }

  /** By item; the prefix `minecraft:` is left out. */
  inventory(name: string): Record<string, number> {
    return Object.fromEntries(this.findKnown(name)?.items ?? []);
  }
}

const newcomer = (name: string): Player => ({
  name,
  items: new Map(),
  effects: new Set(),
  points: 0,
  levels: 0,
  isOperator: false,
});
