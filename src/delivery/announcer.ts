import type { Clock } from '../core/clock.ts';
import type { PauseCode } from '../core/game-server-codes.ts';
import type { GrantLedger, OpenGrant } from '../ledger/ledger.ts';
import type { Attendance } from './attendance.ts';
import type { GameServer } from './game-server.ts';
import { FRESH_MS } from './grant-players.ts';

/** Whom an announcement names; or that it is not sent, now or ever. */
export type Judged =
  | { readonly kind: 'send'; readonly voters: readonly string[] }
  | { readonly kind: 'over' }
  | { readonly kind: 'unreachable'; readonly reason: PauseCode };

export interface AnnouncerParts {
  readonly ledger: GrantLedger;
  readonly clock: Clock;
  readonly server: GameServer;
}

/** Decides at payment whether an announcement is sent. Methods reject with the ledger's Problem. */
export class Announcer {
  constructor(
    private readonly parts: AnnouncerParts,
    private readonly attendance: Attendance,
  ) {}

  async judge(grant: OpenGrant): Promise<Judged> {
    const { ledger, clock } = this.parts;
    const first = await ledger.announce(grant.id, clock.now(), null);
    if (first.kind !== 'unseen') return first;
    const here = await this.isHere(grant);
    if (typeof here !== 'boolean') return here;
    const second = await ledger.announce(grant.id, clock.now(), here);
    return second.kind === 'unseen' ? { kind: 'over' } : second;
  }

  /** A user ID is never on a game server. */
  private async isHere({
    player,
    recipientKey,
  }: OpenGrant): Promise<boolean | Extract<Judged, { kind: 'unreachable' }>> {
    if (player === null) return false;
    if (this.parts.server.join?.(player)) this.attendance.addJoined(player);
    const presence = await this.attendance.read([player], FRESH_MS);
    if (presence.kind === 'unreachable') return { kind: 'unreachable', reason: presence.reason };
    return this.attendance.spelling(recipientKey) !== null;
  }
}
