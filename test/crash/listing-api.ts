import { createServer, type Server } from 'node:http';
import { SITES, type Site } from './sites.ts';
import type { SentVote } from './votes.ts';

/** The most votes in one answer, newest first, as at the listing services. */
const PAGE = 100;

/** Serves the one operation of the developer API that Teller uses. It has no rate limit, which would take minutes here. */
export async function serveVotes(votes: readonly SentVote[]): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://api');
    const site = SITES.find(({ reports }) => reports !== null && pathname.startsWith(`${reports.path}/`));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(site === undefined ? [] : found(votes, site, searchParams)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function found(votes: readonly SentVote[], site: Site, query: URLSearchParams): object[] {
  const from = Date.parse(query.get('startDate') ?? '1970-01-01');
  const until = Date.parse(query.get('endDate') ?? '9999-01-01');
  return votes
    .filter((vote) => vote.site === site && vote.channels.includes('api'))
    .filter(({ votedAt }) => votedAt >= from && votedAt <= until)
    .toSorted((a, b) => b.votedAt - a.votedAt || (a.id < b.id ? 1 : -1))
    .slice(0, Math.min(PAGE, Number(query.get('limit') ?? 50)))
    .map(({ id, votedAt, voter }) => {
      const isPlayer = site.game === 'minecraft';
      return {
        ...{ id, userId: isPlayer ? 'crash-voter' : voter, votedAt: new Date(votedAt).toISOString() },
        metadata: isPlayer ? { playerName: voter } : {},
      };
    });
}
