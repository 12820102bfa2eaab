import type { Database } from '../../platform/sqlite/open.ts';
import { VoteReports, type VoteSpan } from '../store/vote-reports.ts';

/** Lists and figures of votes. */
export const voteReads = (database: Database) => {
  const reports = new VoteReports(database);
  return {
    directory: () => reports.directory(),

    voteFigures: (listingId: string, now: number) => reports.figures(listingId, now),

    voteList: (listingId: string, span: VoteSpan, limit: number) => reports.list(listingId, span, limit),
  };
};
