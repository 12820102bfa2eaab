import type { Clock } from '../../core/clock.ts';
import { HOUR_MS } from '../../core/duration.ts';
import type { Log } from '../../core/log.ts';
import type { Random } from '../../core/random.ts';
import { uuid7 } from '../../core/uuid.ts';
import type { CastVote, Listing, VoteObserver } from '../contracts.ts';
import type { ListingStore } from '../store/listing-store.ts';
import { isPlayer } from './player.ts';

export type CastResult =
  | { readonly kind: 'cast'; readonly vote: CastVote }
  /** The user has an active vote; the next is possible at `nextAt`. */
  | { readonly kind: 'too-early'; readonly nextAt: number }
  /** Nothing is stored, so the voter can enter the name again. */
  | { readonly kind: 'player-not-allowed' }
  /** The listing was removed meanwhile. */
  | { readonly kind: 'listing-gone' };

export interface CastParts {
  readonly store: ListingStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The observers, in the order in which they are called. */
  readonly observers: readonly VoteObserver[];
}

/** How long until a user may vote again. The database enforces it. */
export const votingWindowMs = ({ type }: Pick<Listing, 'type'>): number =>
  (type === 'bot' ? 12 : 24) * HOUR_MS;

/**
 * Casts a signed-in voter's vote. `entered` is the player to reward, from the form; blank for none. Listings of other
 * games ignore it: their form has no such field, so a vote should not fail because of it.
 */
export async function castVote(
  parts: CastParts,
  listing: Listing,
  userId: string,
  entered: string | null,
): Promise<CastResult> {
  const player = listing.game === 'minecraft' ? (entered?.trim() ?? '') : '';
  if (player !== '' && !isPlayer(player)) return { kind: 'player-not-allowed' };
  const vote = voteOf(parts, listing, userId, player === '' ? null : player);
  const recorded = await parts.store.changes.recordVote(vote);
  if (recorded.kind !== 'recorded') return recorded;
  notifyObservers(parts, listing, vote);
  return { kind: 'cast', vote };
}

function voteOf(
  { clock, random }: CastParts,
  listing: Listing,
  userId: string,
  player: string | null,
): CastVote {
  const castAt = clock.now();
  return {
    id: uuid7(castAt, random),
    listingId: listing.id,
    userId,
    player,
    castAt,
    nextAt: castAt + votingWindowMs(listing),
    weight: listing.weight,
  };
}

/** The vote is stored already, so an observer that throws affects neither it nor the other observers. */
function notifyObservers({ observers, log }: CastParts, listing: Listing, vote: CastVote): void {
  for (const observer of observers) {
    try {
      observer.voteCast(listing, vote);
    } catch (err) {
      log.error(
        { code: 'vote-observer-failed', vote: vote.id, err },
        'a vote is stored, but a webhook or listener could not be notified of it',
      );
    }
  }
}
