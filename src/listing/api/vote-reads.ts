import type { z } from '@hono/zod-openapi';
import { VOTES_DEFAULT, VoteRecords, VoteStats, VotesQuery } from '../../../protocol/listing-api.ts';
import { DAY_MS } from '../../core/duration.ts';
import { isoTime, isoTimeOrNull } from '../../core/instant.ts';
import type { VoteEntry, VoteFigures, VoteSpan } from '../store/vote-reports.ts';
import type { Api, ApiParts } from './api-env.ts';
import { charged } from './charged.ts';
import { ApiFault } from './fault.ts';
import { operation } from './operation.ts';

const access = { scopes: ['votes:read'] } as const;
/** Both operations share a budget. */
const COST = { budget: 'vote-reads', cost: 1 } as const;

/** GET /webhooks/votes and GET /webhooks/stats: votes and their totals. */
export function voteReads(api: Api, parts: ApiParts): void {
  const listVotes = operation(parts, {
    method: 'get',
    path: '/webhooks/votes',
    operationId: 'listVotes',
    summary: 'The listing’s votes, newest first.',
    access,
    request: { query: VotesQuery },
    answer: VoteRecords,
  });
  const sumVotes = operation(parts, {
    method: 'get',
    path: '/webhooks/stats',
    operationId: 'sumVotes',
    summary: 'Votes by day, totals and the top voters.',
    access,
    request: {},
    answer: VoteStats,
  });

  api.openapi(listVotes, async (c) => {
    const { limit = VOTES_DEFAULT, ...dates } = c.req.valid('query');
    const span = spanOf(dates);
    const listingId = c.var.caller.listing.id;
    const votes = await charged(c, parts, COST, () => parts.store.reads.voteList(listingId, span, limit));
    return c.json(votes.map(recordOf), 200);
  });

  api.openapi(sumVotes, async (c) => {
    const listingId = c.var.caller.listing.id;
    const now = parts.clock.now();
    const figures = await charged(c, parts, COST, () => parts.store.reads.voteFigures(listingId, now));
    return c.json(statsOf(figures), 200);
  });
}

/** [API-8] Both ends are included: a date with its whole day, a time with its millisecond. */
function spanOf({ startDate, endDate }: Omit<z.infer<typeof VotesQuery>, 'limit'>): VoteSpan {
  const from = startDate === undefined ? null : Date.parse(startDate);
  const until = endDate === undefined ? null : Date.parse(endDate) + (endDate.includes('T') ? 1 : DAY_MS);
  if (from !== null && until !== null && from >= until) {
    throw new ApiFault('VALIDATION_FAILED', 'startDate is after endDate. Swap them, or change one.');
  }
  return { from, until };
}

const recordOf = ({ id, userId, castAt, player }: VoteEntry): z.infer<typeof VoteRecords>[number] => ({
  id,
  userId,
  votedAt: isoTime(castAt),
  metadata: player === null ? {} : { playerName: player },
});

const statsOf = (figures: VoteFigures): z.infer<typeof VoteStats> => ({
  dailyVotes: figures.days.map(({ day, votes }) => ({ date: isoTime(day).slice(0, 10), votes })),
  totalVotes: figures.votes,
  totalUniqueVoters: figures.voters,
  lastVote: isoTimeOrNull(figures.lastAt),
  topVoters: figures.top.map(({ userId, votes }) => ({ user_id: userId, vote_count: votes })),
});
