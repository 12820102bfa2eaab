import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { GameServerAddition } from '../../operator/game-servers/add.ts';

interface Kept {
  readonly id: string;
  readonly plan: GameServerAddition;
  /** In monotonic milliseconds. */
  readonly at: number;
}

const KEPT_MS = 15 * MINUTE_MS;
const SESSIONS_MAX = 20;

/**
 * Changes that were shown and not written yet, one for each session: they have a password, which must not be in a page
 * (rule 10).
 */
export class PlannedServers {
  private readonly kept = new Map<string, Kept>();
  private last = 0;

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** @returns by which the session takes it. */
  keep(session: string, plan: GameServerAddition): string {
    this.last += 1;
    const id = String(this.last);
    this.kept.delete(session);
    this.kept.set(session, { id, plan, at: this.clock.monotonic() });
    for (const oldest of [...this.kept.keys()].slice(0, -SESSIONS_MAX)) this.kept.delete(oldest);
    return id;
  }

  /** Only once; null: there is none, it is too old, or another was planned since. */
  take(session: string, id: string): GameServerAddition | null {
    const found = this.kept.get(session);
    if (found === undefined || found.id !== id) return null;
    this.kept.delete(session);
    return this.clock.monotonic() - found.at > KEPT_MS ? null : found.plan;
  }
}
