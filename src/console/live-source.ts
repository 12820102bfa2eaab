import type { Cancel, Clock } from '../core/clock.ts';
import type { ChangeSource } from '../web/live.ts';

/** How often it is looked whether something changed, while a page is open. */
const LOOK_EVERY_MS = 500;

/**
 * Notices changes by looking again and again, because other processes change the ledger too. Nothing is looked at while
 * nobody watches.
 */
export class LookedAt implements ChangeSource {
  /** @param look a text that differs if anything that pages show has changed; null: nothing can be said now. */
  constructor(
    private readonly look: () => Promise<string | null>,
    private readonly clock: Pick<Clock, 'after'>,
  ) {}

  whenChanged(callback: () => void): Cancel {
    let cancelLook: Cancel = () => {};
    let isOver = false;
    let seen: string | null = null;
    const lookAgain = async (): Promise<void> => {
      const found = await this.look();
      if (isOver) return;
      if (seen !== null && found !== null && found !== seen) callback();
      seen = found ?? seen;
      cancelLook = this.clock.after(LOOK_EVERY_MS, () => void lookAgain());
    };
    void lookAgain();
    return () => {
      isOver = true;
      cancelLook();
    };
  }
}
