/** An answer came; a command came; a command came and is left to wait. */
export type Moment = 'answer' | 'command' | 'hang';

/** Tells of what has just been heard of Teller, so that a kill can strike in that moment. */
export class Moments {
  private readonly awaited: Readonly<Record<Moment, Set<() => void>>> = {
    answer: new Set(),
    command: new Set(),
    hang: new Set(),
  };

  /** Resolves when it happens the next time. */
  next(moment: Moment): Promise<void> {
    return new Promise((resolve) => this.awaited[moment].add(resolve));
  }

  isAwaited(moment: Moment): boolean {
    return this.awaited[moment].size > 0;
  }

  happened(moment: Moment): void {
    for (const tell of this.awaited[moment]) tell();
    this.awaited[moment].clear();
  }
}
