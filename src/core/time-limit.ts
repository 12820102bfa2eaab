import type { Cancel, Clock } from './clock.ts';

/**
 * Limits how long a peer may take, and is fair to it (rule 13). When the limit is reached, the peer first gets the time
 * back in which this process did not run, at most `limitMs` in all. Then what has arrived is read. Only if the limit is
 * not cancelled by that, `onReached` is called.
 *
 * For a wait that is not about a peer, use `Clock.after`: nothing is owed to anyone there.
 */
export function timeLimit(clock: Clock, limitMs: number, onReached: () => void): Cancel {
  const dueAt = clock.monotonic() + limitMs;
  const stalledBefore = clock.stalled();
  let creditLeftMs = limitMs;
  let isCancelled = false;

  const judge = (): void => {
    const owedMs = Math.floor(clock.stalled() - stalledBefore - (clock.monotonic() - dueAt));
    const creditMs = Math.min(owedMs, creditLeftMs);
    if (creditMs <= 0) {
      afterOneMoreRead(clock, () => isCancelled || onReached());
      return;
    }
    creditLeftMs -= creditMs;
    cancelTimer = clock.after(creditMs, judge);
  };

  let cancelTimer = clock.after(limitMs, judge);
  return () => {
    isCancelled = true;
    cancelTimer();
  };
}

/**
 * Calls back after what has arrived was read. The event loop runs timers before it reads sockets, so bytes that came in
 * time may still be unread. The second turn is for a caller that is itself in the middle of a read: the rest of that
 * read belongs to its own turn.
 */
export const afterOneMoreRead = (clock: Clock, callback: () => void): void =>
  clock.nextTurn(() => clock.nextTurn(callback));
