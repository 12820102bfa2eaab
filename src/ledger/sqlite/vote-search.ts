import type { DecisionKind } from '../../core/decide.ts';
import type { Channel } from '../../core/vote.ts';
import type { Database } from '../../sqlite/open.ts';
import type { VoteFilter, VotePage } from '../ledger.ts';
import { type Clause, type Conditions, whereOf } from './conditions.ts';
import { idsBetween, kindsOf, RECIPIENT, votesOf } from './searches.ts';

/** So many votes are read by their IDs in some milliseconds. */
export const VOTES_LOOKED_AT = 20_000;

/** A vote that an index found. What no index says is undefined unless the filter asks for it. */
interface Candidate {
  readonly id: number;
  readonly service?: string;
  readonly site?: string;
  readonly decision?: DecisionKind;
  readonly channel?: Channel;
  readonly receivedAt?: number;
}

export interface FoundVotes extends Pick<VotePage, 'lookedAt' | 'searchedTo'> {
  readonly ids: readonly number[];
}

/** Finds votes, newest first. An index leads to candidates, and what it does not say is compared one by one. */
export class VoteSearch {
  constructor(private readonly db: Database) {}

  /** @param lookAt ends the search after so many candidates. */
  find(filter: VoteFilter, lookAt: number): FoundVotes {
    const { sql, values } = candidates(filter);
    const ids: number[] = [];
    let lookedAt = 0;
    for (const each of this.db.prepare(sql).iterate(...values) as Iterable<Candidate>) {
      lookedAt++;
      if (matches(each, filter)) ids.push(each.id);
      if (ids.length === filter.limit || lookedAt === lookAt) return { ids, lookedAt, searchedTo: each.id };
    }
    return { ids, lookedAt, searchedTo: null };
  }
}

/** Whatever the indexes have compared already, so that the answer does not depend on which of them is used. */
function matches({ service, site, decision, channel, receivedAt }: Candidate, filter: VoteFilter): boolean {
  if (receivedAt === undefined) return true;
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = filter;
  return (
    (filter.site === undefined || service === filter.site || site === filter.site) &&
    (filter.decision === undefined || decision === filter.decision) &&
    (filter.channel === undefined || channel === filter.channel) &&
    receivedAt >= since &&
    receivedAt < until
  );
}

/** A statement for the votes that may match, newest first. */
export function candidates(filter: VoteFilter): Clause {
  const parts = (
    filter.recipient === undefined ? searches(filter) : searchesOf(filter.recipient, filter)
  ).map(whereOf);
  const columns = isInIndexes(filter)
    ? 'v.id'
    : 'v.id, v.service, v.site, v.decision, v.channel, v.received_at AS receivedAt';
  return {
    sql: `${parts.map(({ sql }) => `SELECT ${columns} FROM votes v ${sql}`).join(' UNION ALL ')} ORDER BY id DESC`,
    values: parts.flatMap(({ values }) => values),
  };
}

/** Whether the indexes say everything that is asked for, so that no other vote has to be read. */
const isInIndexes = ({ recipient, site, decision, channel, since, until }: VoteFilter): boolean =>
  channel === undefined &&
  since === undefined &&
  until === undefined &&
  (recipient !== undefined || site === undefined || decision === undefined);

/**
 * A site's votes are those of the service with this name, and those of other services under this entry. These are two
 * searches that are merged, since `? IN (site, service)` would read every vote. Nearly every vote of a site is rewarded,
 * so any other decision is the shorter search.
 */
function searches(filter: VoteFilter): readonly Conditions[] {
  const { site, decision } = filter;
  const ids: Conditions = [['v.id = ?', filter.id], ...idsBetween('v', filter)];
  if (site === undefined || (decision !== undefined && decision !== 'rewarded'))
    return [[['v.decision = ?', decision], ...ids]];
  const ofSite = ['v.service = ?', 'v.site = ? AND v.site <> v.service'];
  return ofSite.map((isOfSite): Conditions => [[isOfSite, site], ...ids]);
}

/**
 * Finds the IDs of a recipient's votes in indexes. Those under an entry are then looked up from the newest on, until there
 * are enough, in the index of the entry: reading each of 20,000 votes takes ten times as long.
 */
function searchesOf(recipient: string, filter: VoteFilter): readonly Conditions[] {
  const { site, decision } = filter;
  const id: Conditions[number] = ['v.id = ?', filter.id];
  const own = (ofSite: Conditions): Conditions[number] => {
    const isOwn = [`o.recipient_id IN (${RECIPIENT})`, kindsOf(recipient)] as const;
    const { sql, values } = votesOf([isOwn, ...ofSite, ...idsBetween('o', filter)], decision);
    return [`v.id IN (${sql})`, values];
  };
  return site === undefined
    ? [[own([]), id]]
    : [
        [own([['o.service = ?', site]]), id],
        [own([]), ['v.site = ? AND v.site <> v.service', site], id],
      ];
}
