import type { Database } from '../../sqlite/open.ts';
import type { VoteFilter, VotePage } from '../ledger.ts';
import { allOf, type Clause, type Conditions, whereOf } from './conditions.ts';
import { idsBetween, kindsOf, RECIPIENT, votesOf } from './searches.ts';

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
    const found = this.db
      .prepare(sql)
      .raw()
      .iterate(...values) as Iterable<readonly [number, 0 | 1]>;
    for (const [id, isMatch] of found) {
      lookedAt++;
      if (isMatch === 1) ids.push(id);
      if (ids.length === filter.limit || lookedAt === lookAt) return { ids, lookedAt, searchedTo: id };
    }
    return { ids, lookedAt, searchedTo: null };
  }
}

/** A statement for the votes that may match, newest first, each with whether it does. */
function candidates(filter: VoteFilter): Clause {
  const { recipient } = filter;
  const isMatch = comparisons(filter);
  const parts = (recipient === undefined ? searches(filter) : searchesOf(recipient, filter)).map(whereOf);
  return {
    sql: `${parts.map(({ sql }) => `SELECT v.id AS id, ${isMatch.sql} FROM votes v ${sql}`).join(' UNION ALL ')} ORDER BY id DESC`,
    values: parts.flatMap(({ values }) => [...isMatch.values, ...values]),
  };
}

/** What the indexes do not say. It is in no WHERE clause, so that votes that do not match are counted as looked at. */
function comparisons(filter: VoteFilter): Clause {
  const { recipient, site, decision, channel, since, until } = filter;
  const isByIndex = recipient !== undefined;
  return allOf([
    ['? IN (v.service, v.site)', !isByIndex && isByDecision(filter) ? site : undefined],
    ['v.decision = ?', isByIndex || isByDecision(filter) ? undefined : decision],
    ['v.channel = ?', channel],
    ['v.received_at >= ?', since],
    ['v.received_at < ?', until],
  ]);
}

/** Nearly every vote of a site is rewarded, so any other decision is the shorter search. */
const isByDecision = ({ site, decision }: VoteFilter): boolean =>
  site === undefined || (decision !== undefined && decision !== 'rewarded');

/**
 * A site's votes are those of the service with this name, and those of other services under this entry. These are two
 * searches that are merged, since `? IN (site, service)` would read every vote.
 */
function searches(filter: VoteFilter): readonly Conditions[] {
  const { site, decision } = filter;
  const ids: Conditions = [['v.id = ?', filter.id], ...idsBetween('v', filter)];
  if (isByDecision(filter)) return [[['v.decision = ?', decision], ...ids]];
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
