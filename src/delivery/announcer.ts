import type { Clock } from '../core/clock.ts';
import type { PauseCode } from '../core/game-server-codes.ts';
import type { Ledger, OpenGrant } from '../ledger/ledger.ts';
import type { Attendance } from './attendance.ts';
import type { GameServer } from './game-server.ts';
import { FRESH_MS } from './grant-players.ts';

/** Whether an announcement is sent; `over`: neither now nor ever. */
export type Judged = 'send' | 'over' | { readonly unreachable: PauseCode };

export interface AnnouncerParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly server: GameServer;
  /** Whether the game server cannot report who is online, so that nobody can be seen there; absent: it can. */
  readonly isSilent?: boolean;
}

/** Decides at payment whether an announcement is sent. Methods reject with the ledger's Problem. */
export class Announcer {
  /**
   * When announcements with `atMost` were sent, by reward and grant. Only in memory: it keeps a chat readable, and after a
   * restart it may count anew.
   */
  private readonly sentAt = new Map<string, Map<number, number>>();

  constructor(
    private readonly parts: AnnouncerParts,
    private readonly attendance: Attendance,
  ) {}

  async judge(grant: OpenGrant): Promise<Judged> {
    const { ledger, clock, isSilent = false } = this.parts;
    const isTooOften = this.isTooOften(grant);
    const first = await ledger.announce(grant.id, {
      now: clock.now(),
      isHere: isSilent ? true : null,
      isTooOften,
    });
    if (first !== 'unseen') return first;
    const isHere = await this.isHere(grant);
    if (typeof isHere !== 'boolean') return isHere;
    const second = await ledger.announce(grant.id, { now: clock.now(), isHere, isTooOften });
    return second === 'unseen' ? 'over' : second;
  }

  /** Call this when an announcement of the grant may have been sent. */
  sent({ id, reward, announcement }: OpenGrant): void {
    const atMost = announcement?.atMost ?? null;
    if (atMost === null) return;
    const now = this.parts.clock.now();
    const times = this.sentAt.get(reward) ?? new Map<number, number>();
    for (const [grant, at] of times) if (now - at >= atMost.withinMs) times.delete(grant);
    this.sentAt.set(reward, times.set(id, times.get(id) ?? now));
  }

  /** A time after now is from before the clock was set back. */
  private isTooOften({ id, reward, announcement }: OpenGrant): boolean {
    const atMost = announcement?.atMost ?? null;
    if (atMost === null) return false;
    const now = this.parts.clock.now();
    const times = [...(this.sentAt.get(reward) ?? [])];
    const lately = times.filter(([grant, at]) => grant !== id && at <= now && now - at < atMost.withinMs);
    return lately.length >= atMost.count;
  }

  /** A user ID is never on a game server. */
  private async isHere({ player, recipientKey }: OpenGrant): Promise<boolean | Exclude<Judged, string>> {
    if (player === null) return false;
    if (this.parts.server.join?.(player)) this.attendance.addJoined(player);
    const presence = await this.attendance.read([player], FRESH_MS);
    if (presence.kind === 'unreachable') return { unreachable: presence.reason };
    return this.attendance.spelling(recipientKey) !== null;
  }
}
