import type { OutcomeKind } from './outcome.ts';
import type { GrantState } from './settlement.ts';

/** An announcement is not sent later than this after its grant was made, or after the end of its delay. */
export const ANNOUNCED_FOR_MS = 2 * 60 * 1000;

/** How many announcements of a reward a game server gets in any span of this length. */
export interface AtMost {
  readonly count: number;
  readonly withinMs: number;
}

/** What a reward says about its announcements. */
export interface AnnouncementRules {
  /** Whether all of its commands are announcements; otherwise only its `broadcast` is, which comes last. */
  readonly isWhole: boolean;
  /** null: each is sent. */
  readonly atMost: AtMost | null;
}

/** The announcements among the commands of a grant. Plain JSON. */
export interface AnnouncementTerms {
  /** Its position; all commands after it are announcements too. */
  readonly first: number;
  readonly atMost: AtMost | null;
}

/** Why an announcement was not sent, and never will be. */
export type AnnouncementCode = 'expired' | 'stranger' | 'too-often';

export const isAnnouncement = (
  { announcement }: { readonly announcement: AnnouncementTerms | null },
  position: number,
): boolean => announcement !== null && position >= announcement.first;

/** An announcement is never sent again, so whatever came of it, the grant goes on; only one that certainly did not run is tried again. */
export function stateAfterAnnouncement(
  outcome: OutcomeKind,
  { isLast, isOnly }: { readonly isLast: boolean; readonly isOnly: boolean },
): GrantState {
  if (outcome === 'not-sent' || !isLast) return 'pending';
  return isOnly && (outcome === 'refused' || outcome === 'player-offline') ? 'cancelled' : 'delivered';
}
