import type { Clock } from '../core/clock.ts';
import type { PauseCode } from '../core/game-server-codes.ts';
import type { GrantReason } from '../core/grant-reason.ts';
import type { GrantLedger, OpenGrant } from '../ledger/ledger.ts';
import type { Attendance } from './attendance.ts';
import type { GameServer, Presence } from './game-server.ts';
import type { LikelyPlayers } from './likely-players.ts';

export interface GrantPlayersParts {
  readonly ledger: GrantLedger;
  readonly clock: Clock;
  readonly server: GameServer;
}

/** A reward with `"when": "online"` is paid only on an answer about its player that is no older than this. */
export const FRESH_MS = 1_000;
/** The pause before the next try if the list does not show the UUID that a command needs. */
const UUID_RETRY_MS = 60_000;

const NO_UUID: GrantReason = { code: 'uuid-unknown' };

/** `waits`: the reason is stored in the ledger. */
export type Found = 'online' | 'waits' | { readonly unreachable: PauseCode };

/** Whether the players of grants can be paid now. Methods reject with the ledger's Problem. */
export class GrantPlayers {
  constructor(
    private readonly parts: GrantPlayersParts,
    private readonly attendance: Attendance,
    private readonly likely: LikelyPlayers,
  ) {}

  /** Uses an answer that is younger than a second. With `usesUuid` the player's UUID has to be known as well. */
  async lookFor(grant: OpenGrant, usesUuid: boolean): Promise<Found> {
    const player = grant.player ?? grant.recipientKey;
    if (this.parts.server.join?.(player)) this.addJoined(player, usesUuid);
    const presence = await this.attendance.read([player], FRESH_MS);
    if (presence.kind === 'unreachable') return { unreachable: presence.reason };
    const isReady = this.attendance.isReady(grant.recipientKey);
    if (isReady && usesUuid && this.attendance.uuid(grant.recipientKey) === null) return this.postpone(grant);
    if (isReady) return 'online';
    await this.parts.ledger.wait(grant.id, whyWaiting(presence), this.parts.clock.now());
    await this.likely.store(player);
    return 'waits';
  }

  /** Only the list shows UUIDs, so it is read again if one is needed. */
  private addJoined(player: string, usesUuid: boolean): void {
    if (usesUuid) this.attendance.expire();
    else this.attendance.addJoined(player);
  }

  private async postpone({ id }: OpenGrant): Promise<Found> {
    const now = this.parts.clock.now();
    await this.parts.ledger.wait(id, NO_UUID, now, now + UUID_RETRY_MS);
    return 'waits';
  }
}

const whyWaiting = (presence: Presence): GrantReason =>
  presence.kind === 'cannot-tell' ? { code: presence.reason } : { code: 'player-offline' };
