import type { ReportedVote } from '../../../protocol/listing-api/reported-votes.ts';
import type { SiteConfig } from '../../config/config.ts';
import { isoTime } from '../../core/instant.ts';
import type { VoteReport } from '../intake/vote-report.ts';

/** A vote of the API in the form that the intake accepts. */
export function voteReport(
  vote: ReportedVote,
  site: string,
  { game }: SiteConfig,
  unrewarded: VoteReport['unrewarded'],
  now: number,
): VoteReport {
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
    unrewarded,
    text: JSON.stringify({ id, userId, votedAt: isoTime(votedAt), metadata }),
  };
}
