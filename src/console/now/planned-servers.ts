import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { Random } from '../../core/random.ts';
import { uuid4 } from '../../core/uuid.ts';
import type { GameServerAddition } from '../../operator/game-servers/add.ts';
import type { Entered } from '../../web/fields.ts';

/** A change that was shown, with what was entered for it. */
export interface PlannedServer {
  readonly plan: GameServerAddition;
  readonly entered: Entered;
}

export type Taken = ({ readonly kind: 'kept' } & PlannedServer) | Missing;

type Missing =
  | { readonly kind: 'written'; readonly name: string }
  | { readonly kind: 'too-old' }
  /** It is of another session, or of before a restart, or many others were shown since. */
  | { readonly kind: 'gone' };

interface Kept {
  readonly session: string;
  /** In monotonic milliseconds. */
  readonly at: number;
  readonly planned: PlannedServer;
  isTaken: boolean;
}

const KEPT_MS = 15 * MINUTE_MS;
/** Of all tabs of all sessions. */
const KEPT_MAX = 50;

/** Changes that were shown and not written yet: they have a password, which must not be in a page (rule 10). */
export class PlannedServers {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly parts: { readonly clock: Pick<Clock, 'monotonic'>; readonly random: Random },
  ) {}

  /** @returns by which the session takes it. */
  keep(session: string, planned: PlannedServer): string {
    const { clock, random } = this.parts;
    // Not a number, because that would stand for another change after a restart.
    const id = uuid4(random);
    this.kept.set(id, { session, at: clock.monotonic(), planned, isTaken: false });
    for (const oldest of [...this.kept.keys()].slice(0, -KEPT_MAX)) this.kept.delete(oldest);
    return id;
  }

  /** To show it again; null: it cannot be written any more. */
  look(session: string, id: string): PlannedServer | null {
    const found = this.find(session, id);
    return found.kind === 'kept' ? found.kept.planned : null;
  }

  /** To write it: only once. */
  take(session: string, id: string): Taken {
    const found = this.find(session, id);
    if (found.kind !== 'kept') return found;
    found.kept.isTaken = true;
    return { kind: 'kept', ...found.kept.planned };
  }

  /** Call this if it was not written. */
  giveBack(id: string): void {
    const found = this.kept.get(id);
    if (found !== undefined) found.isTaken = false;
  }

  private find(session: string, id: string): Missing | { readonly kind: 'kept'; readonly kept: Kept } {
    const kept = this.kept.get(id);
    if (kept === undefined || kept.session !== session) return { kind: 'gone' };
    if (kept.isTaken) return { kind: 'written', name: kept.planned.plan.name };
    if (this.parts.clock.monotonic() - kept.at > KEPT_MS) return { kind: 'too-old' };
    return { kind: 'kept', kept };
  }
}
