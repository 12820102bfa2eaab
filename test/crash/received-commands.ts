/** What a game server itself counted for one command. */
export interface ReceivedCounts {
  /** How often it was received and may have run. */
  readonly times: number;
  /** How many of these were completely answered with success. */
  readonly confirmed: number;
  /** How many of these were completely answered with a refusal. */
  readonly refused: number;
}

export type Reply = 'confirmed' | 'refused' | 'neither';

/** Counts commands by their text. Case is ignored, because the same player is spelt in several ways. */
export class ReceivedCommands {
  private readonly counts = new Map<string, ReceivedCounts>();

  add(command: string, reply: Reply): void {
    const { times, confirmed, refused } = this.of(command);
    this.counts.set(command.toLowerCase(), {
      times: times + 1,
      confirmed: confirmed + Number(reply === 'confirmed'),
      refused: refused + Number(reply === 'refused'),
    });
  }

  of(command: string): ReceivedCounts {
    return this.counts.get(command.toLowerCase()) ?? { times: 0, confirmed: 0, refused: 0 };
  }

  /** In lower case. */
  texts(): string[] {
    return [...this.counts.keys()];
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, { times }) => sum + times, 0);
  }
}
