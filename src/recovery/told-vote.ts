import type { ReportedVote } from '../../protocol/listing-api/reported-votes.ts';
import type { SiteConfig } from '../config/config.ts';
import { isoTime } from '../core/instant.ts';
import type { ListedVote } from '../intake/listed-vote.ts';

/** A vote of the API as the intake takes it. */
export function listedVote(
  vote: ReportedVote,
  site: string,
  { game }: SiteConfig,
  ruling: ListedVote['ruling'],
  now: number,
): ListedVote {
  const { id, userId, votedAt, metadata } = vote;
  return {
    channel: 'api',
    site,
    eventId: id,
    userId,
    player: metadata.playerName ?? null,
    game,
    votedAt,
    receivedAt: now,
    address: null,
    ruling,
    text: JSON.stringify({ id, userId, votedAt: isoTime(votedAt), metadata }),
  };
}
