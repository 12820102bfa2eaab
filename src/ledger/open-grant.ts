import type { AnnouncementTerms } from '../core/announcement.ts';
import type { When } from '../core/reward.ts';

export interface OpenCommand {
  readonly position: number;
  /** With `{player}` not replaced yet. */
  readonly text: string;
  readonly attempts: number;
}

/** A grant that may be tried. */
export interface OpenGrant {
  readonly id: number;
  /** The name that it is paid to, in lower case, or a user ID. */
  readonly recipientKey: string;
  /** The spelling that the vote or, after a rename, the game server used; null for a recipient without a player name. */
  readonly player: string | null;
  /** Its player's name belongs to another player now, so it must be held. */
  readonly isNameTaken: boolean;
  readonly reward: string;
  /** The game server that pays it, or a pool (`core/pool.ts`) of which none has taken it. */
  readonly server: string;
  /** When it was granted. */
  readonly createdAt: number;
  readonly when: When;
  readonly safeToRunTwice: boolean;
  /** null: none of its commands is an announcement. */
  readonly announcement: AnnouncementTerms | null;
  /** The commands not yet delivered, in order. */
  readonly commands: readonly OpenCommand[];
}

/**
 * Selects the grants that one queue pays: those of a game server, created either while it was a practice server or
 * while it was a real one (rule 9). What is read also has those of its pools that no game server has taken.
 */
export interface QueueKey {
  readonly server: string;
  readonly practice: boolean;
}
