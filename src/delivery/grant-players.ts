import type { PauseCode } from '../core/game-server-codes.ts';
import type { GrantReason } from '../core/grant-reason.ts';
import { isPool } from '../core/pool.ts';
import type { OpenGrant, QueueKey } from '../ledger/ledger.ts';
import type { Attendance } from './attendance.ts';
import type { Presence } from './game-server.ts';
import type { PaymentParts } from './payment.ts';

export type GrantPlayersParts = Pick<PaymentParts, 'ledger' | 'clock' | 'server' | 'onPoolWaits'>;

/** A reward with `"when": "online"` is paid only on an answer about its player that is no older than this. */
export const FRESH_MS = 1_000;
/** The pause before the next try if the list does not show the UUID that a command needs. */
const UUID_RETRY_MS = 60_000;

const NO_UUID: GrantReason = { code: 'uuid-unknown' };

/** How many grants are set to waiting at once. It takes the ledger a few milliseconds, and votes wait meanwhile. */
const WAIT_AT_ONCE = 500;

/**
 * `waits`: the reason is stored in the ledger. `others-wait`: also with grants that follow it in the queue, or the grants
 * may have changed hands, so that they have to be read again.
 */
export type Found = 'online' | 'waits' | 'others-wait' | { readonly unreachable: PauseCode };

/** Whether the players of grants can be paid now. Methods reject with the ledger's Problem. */
export class GrantPlayers {
  constructor(
    private readonly parts: GrantPlayersParts,
    private readonly queue: QueueKey,
    private readonly attendance: Attendance,
  ) {}

  /** Whether `lookFor` would find the player online at once. */
  isOnline({ recipientKey }: OpenGrant, usesUuid: boolean): boolean {
    const { attendance } = this;
    if (!attendance.isFresh(recipientKey, FRESH_MS) || !attendance.isReady(recipientKey)) return false;
    return !usesUuid || attendance.uuid(recipientKey) !== null;
  }

  /** Uses an answer that is younger than a second. With `usesUuid` the player's UUID has to be known as well. */
  async lookFor(grant: OpenGrant, usesUuid: boolean): Promise<Found> {
    const player = grant.player ?? grant.recipientKey;
    if (this.joins(grant)) this.addJoined(player, usesUuid);
    const presence = await this.attendance.read([player], FRESH_MS);
    if (presence.kind === 'unreachable') return { unreachable: presence.reason };
    if (this.attendance.takeNews()) return 'others-wait';
    const isReady = this.attendance.isReady(grant.recipientKey);
    if (isReady && usesUuid && this.attendance.uuid(grant.recipientKey) === null) return this.postpone(grant);
    if (isReady) return 'online';
    return this.wait(grant, presence);
  }

  /**
   * An answer about all players sets many grants to waiting at once. Others do not: with one about single players, or
   * while players join when their grants are tried, no more is known than about this one.
   */
  private async wait(grant: OpenGrant, presence: Presence): Promise<Found> {
    const { ledger, clock } = this.parts;
    const reason = whyWaiting(presence);
    if (grant.when === 'online' && presence.kind !== 'asked' && !this.mayJoin(grant)) {
      const page = { from: grant.id, limit: WAIT_AT_ONCE };
      const ready = this.attendance.readyKeys();
      const queue = { ...this.queue, server: grant.server };
      await ledger.waitForAbsent(queue, page, ready, reason, clock.now());
      this.tellOthers(grant);
      return 'others-wait';
    }
    await ledger.wait(grant, reason, clock.now());
    this.tellOthers(grant);
    return 'waits';
  }

  /** Where the game server can make the player join. A pool is paid where the player is, so it makes nobody join. */
  private mayJoin({ server }: OpenGrant): boolean {
    return this.parts.server.join !== undefined && !isPool(server);
  }

  /** @returns whether the player was offline until now. */
  private joins(grant: OpenGrant): boolean {
    return this.mayJoin(grant) && this.parts.server.join?.(grant.player ?? grant.recipientKey) === true;
  }

  private tellOthers({ server }: OpenGrant): void {
    if (isPool(server)) this.parts.onPoolWaits(server);
  }

  /** Only the list shows UUIDs, so it is read again if one is needed. */
  private addJoined(player: string, usesUuid: boolean): void {
    if (usesUuid) this.attendance.expire();
    else this.attendance.addJoined(player);
  }

  private async postpone(grant: OpenGrant): Promise<Found> {
    const now = this.parts.clock.now();
    await this.parts.ledger.wait(grant, NO_UUID, now, now + UUID_RETRY_MS);
    return 'waits';
  }
}

const whyWaiting = (presence: Presence): GrantReason =>
  presence.kind === 'cannot-tell' ? { code: presence.reason } : { code: 'player-offline' };
