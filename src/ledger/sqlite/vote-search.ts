import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
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
    const { sql, values } = candidates(filter, lookAt);
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
function candidates(filter: VoteFilter, lookAt: number): Clause {
  const { recipient, limit } = filter;
  const isMatch = comparisons(filter);
  // Without a comparison, every candidate matches.
  const most = isMatch.values.length === 0 ? Math.min(limit, lookAt) : lookAt;
  const parts = (recipient === undefined ? searches(filter) : searchesOf(recipient, filter, most)).map(
    whereOf,
  );
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
 * are enough, in the index of the entry: reading each of 20,000 votes takes ten times as long. Without a site, no more than
 * the newest that are looked at are put in order: 1.4 instead of 5.3 ms for ten of 20,000.
 *
 * @param most how many of the newest are looked at; infinite if that is not known.
 */
function searchesOf(recipient: string, filter: VoteFilter, most: number): readonly Conditions[] {
  const { id, site, decision } = filter;
  const own = (of: Conditions, newest = Number.POSITIVE_INFINITY): Conditions[number] => {
    const isOwn = [`o.recipient_id IN (${RECIPIENT})`, kindsOf(recipient)] as const;
    const { sql, values } = votesOf([isOwn, ['o.id = ?', id], ...of, ...idsBetween('o', filter)], decision);
    return newest === Number.POSITIVE_INFINITY
      ? [`v.id IN (${sql})`, values]
      : [`v.id IN (SELECT id FROM (${sql}) ORDER BY id DESC ${atMost('?')})`, [...values, newest]];
  };
  return site === undefined
    ? [[own([], most)]]
    : [[own([['o.service = ?', site]])], [own([]), ['v.site = ? AND v.site <> v.service', site]]];
}
