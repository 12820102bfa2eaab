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
  /** Whether they are also sent for players who were never seen on a game server. */
  readonly strangers: boolean;
  /** null: each is sent. */
  readonly atMost: AtMost | null;
}

/** The announcements among the commands of a grant. Plain JSON. */
export interface AnnouncementTerms {
  /** Its position; all commands after it are announcements too. */
  readonly first: number;
  readonly strangers: boolean;
  readonly atMost: AtMost | null;
}

/** Why an announcement was not sent, and never will be. `joined`: the next one names its player. */
export type AnnouncementCode = 'expired' | 'stranger' | 'joined';

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

const VOTERS = '{voters}';
/** So many are named; the others are counted. */
const NAMED_MAX = 2;

/** `Alex, Steve and 3 others` */
export function votersText(names: readonly string[]): string {
  const others = names.length - NAMED_MAX;
  if (others <= 0) return names.join(' and ');
  return `${names.slice(0, NAMED_MAX).join(', ')} and ${others === 1 ? '1 other' : `${others} others`}`;
}

/** The command with who voted; their names were checked when they voted. */
export const withVoters = (open: string, names: readonly string[]): string =>
  open.replaceAll(VOTERS, () => votersText(names));
