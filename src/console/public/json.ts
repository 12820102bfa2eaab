import { isoTime } from '../../core/instant.ts';
import type { VoteSite } from '../../operator/public/vote-sites.ts';
import type { Board } from './board.ts';
import type { Answer } from './question.ts';

/** What `/top.json` answers. */
export const topJson = ({ tops, parties }: Board, sites: readonly VoteSite[]) => ({
  tops: tops.map(({ top, per, period, places }) => ({ top, per, period, places })),
  parties: parties.map(({ party, votes, every, left }) => ({ party, votes, every, left })),
  sites: sites.map(({ site, url }) => ({ site, url })),
});

export const answerJson = ({ name, sites }: Extract<Answer, { kind: 'times' }>) => ({
  name,
  sites: sites.map(({ site, url, from }) => ({ site, url, from: from === null ? null : isoTime(from) })),
});
