/** A vote was answered; a command was received; a command was received and its answer is delayed. */
export type KillTrigger = 'answer' | 'command' | 'hang';

/** Reports events of Teller, so that a kill can happen right after one. */
export class KillTriggers {
  private readonly awaited: Readonly<Record<KillTrigger, Set<() => void>>> = {
    answer: new Set(),
    command: new Set(),
    hang: new Set(),
  };

  /** Resolves when the event next happens. */
  next(trigger: KillTrigger): Promise<void> {
    return new Promise((resolve) => this.awaited[trigger].add(resolve));
  }

  isAwaited(trigger: KillTrigger): boolean {
    return this.awaited[trigger].size > 0;
  }

  fire(trigger: KillTrigger): void {
    for (const resolve of this.awaited[trigger]) resolve();
    this.awaited[trigger].clear();
  }
}
