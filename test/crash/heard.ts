/** What a game server knows itself of one command text. */
export interface Heard {
  /** How often it came and may have run. */
  readonly came: number;
  /** Of these, how often a whole answer said yes. */
  readonly confirmed: number;
  /** Of these, how often a whole answer said no. */
  readonly refused: number;
}

export type Answered = 'confirmed' | 'refused' | 'neither';

/** Counts by text. Case is left out, because the same player is spelt in several ways. */
export class HeardCommands {
  private readonly counts = new Map<string, Heard>();

  add(command: string, answered: Answered): void {
    const { came, confirmed, refused } = this.of(command);
    this.counts.set(command.toLowerCase(), {
      came: came + 1,
      confirmed: confirmed + Number(answered === 'confirmed'),
      refused: refused + Number(answered === 'refused'),
    });
  }

  of(command: string): Heard {
    return this.counts.get(command.toLowerCase()) ?? { came: 0, confirmed: 0, refused: 0 };
  }

  /** In lower case. */
  texts(): string[] {
    return [...this.counts.keys()];
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, { came }) => sum + came, 0);
  }
}
