/**
 * What figures are computed from: sums of votes and of grants, where a time begins among them, who has the most votes, when votes came
 * in, and how much there is. Callers ask for some thousand rows at once, so that each call takes some milliseconds.
 */
import type { DecisionKind } from '../core/decide.ts';
import { HOUR_MS } from '../core/duration.ts';
import type { Recipient } from '../core/vote.ts';
import { type Tx, valueFrom } from '../db/db.ts';
import { lastId } from './facts.ts';
import { nextPart } from './history-counts.ts';

/** Rows with these IDs, both included; none if `to` is below `from`. */
export interface IdRange {
  readonly from: number;
  readonly to: number;
}

/** Votes of one site with the same decision. */
export interface VoteSum {
  /** The entry of `sites`. */
  readonly site: string;
  readonly decision: DecisionKind;
  readonly votes: number;
}

/** Grants of one reward. */
export interface RewardSum {
  readonly reward: string;
  readonly grants: number;
  /** Those that are delivered now. */
  readonly delivered: number;
}

/** A recipient with their votes since the beginning. */
export interface TotalOf {
  readonly recipientId: number;
  readonly kind: Recipient['kind'];
  /** As their latest vote spells it; of a user ID, the ID. */
  readonly name: string;
  readonly votes: number;
}

/** For each time, the ID of the first vote that was received then or later, or the next ID if there is none. @param times ascending. */
export const firstVotes = (tx: Tx, times: readonly number[]): Promise<readonly number[]> =>
  firstAt(tx, 'votes', 'received_at', times);

/** The same for grants and when they were made. */
export const firstGrants = (tx: Tx, times: readonly number[]): Promise<readonly number[]> =>
  firstAt(tx, 'grants', 'created_at', times);

/**
 * Rows are written in the order of their times, except while the clock is wrong, so each is found by halving, without an index.
 *
 * `vote_hours` would lead there at once, but counts a vote by its own time: one that came while the clock was a week ahead would have
 * all votes of that week after it. Here, the rows around it decide.
 */
async function firstAt(
  tx: Tx,
  table: 'votes' | 'grants',
  time: 'received_at' | 'created_at',
  times: readonly number[],
): Promise<readonly number[]> {
  const end = (await lastId(tx, table)) + 1;
  const next = `SELECT ${time} AS value FROM ${table} WHERE id >= $1 ORDER BY id LIMIT 1`;
  const firsts: number[] = [];
  // The IDs ascend with the times, whatever the clock did: each row is between two of them.
  let low = 1;
  for (const wanted of times) {
    for (let high = end; low < high; ) {
      const middle = Math.floor((low + high) / 2);
      const at = await valueFrom<number>(tx, next, [middle]);
      if (at === null || at >= wanted) high = middle;
      else low = middle + 1;
    }
    firsts.push(low);
  }
  return firsts;
}

export const voteSums = (tx: Tx, { from, to }: IdRange): Promise<readonly VoteSum[]> =>
  tx.all<VoteSum>(
    `SELECT site, decision, count(*) AS votes FROM votes WHERE id BETWEEN $1 AND $2 GROUP BY site, decision`,
    [from, to],
  );

/** Changes when votes were decided again, or voided by the operator: their sums are others now. */
export async function decisionChanges(tx: Tx): Promise<number> {
  const sql = `SELECT id AS value FROM actions WHERE kind IN ('list', 'void') ORDER BY id DESC LIMIT 1`;
  return (await valueFrom<number>(tx, sql)) ?? 0;
}

export const rewardSums = (tx: Tx, { from, to }: IdRange): Promise<readonly RewardSum[]> =>
  tx.all<RewardSum>(
    `SELECT reward, count(*) AS grants, count(*) FILTER (WHERE state = 'delivered') AS delivered
     FROM grants WHERE id BETWEEN $1 AND $2 GROUP BY reward`,
    [from, to],
  );

/** The players with the most votes, the most first, each with the name as their latest vote spells it. Only those who may be among them are read. */
export async function totals(tx: Tx, limit: number): Promise<readonly TotalOf[]> {
  const nth = 'SELECT many AS value FROM players WHERE many > 0 ORDER BY many DESC LIMIT 1 OFFSET $1 + 0';
  const edge = await valueFrom<number>(tx, nth, [limit - 1]);
  return await tx.all<TotalOf>(
    `SELECT p.id AS "recipientId", n.kind, p.counted AS votes,
            coalesce((SELECT v.player FROM votes v WHERE v.player_id = p.id ORDER BY v.cast_at DESC, v.id DESC LIMIT 1), n.key) AS name
     FROM (SELECT id, name_id, counted FROM players WHERE many > 0 AND many >= $1
           ORDER BY counted DESC, id LIMIT $2 + 0) p
     JOIN names n ON n.id = p.name_id ORDER BY p.counted DESC, p.id`,
    [edge ?? 0, limit],
  );
}

/** When votes of some services came in: of a part of the votes. */
interface PageOfReceipts {
  /** In the order in which the votes were recorded; services without a vote are left out. */
  readonly byService: Readonly<Record<string, readonly number[]>>;
  /** The last vote that was looked at. */
  readonly upTo: number;
  readonly isLast: boolean;
}

/**
 * @param after the last vote of the page before; null for the first page. @param since the first page begins with the first vote of this
 * hour.
 */
export async function receipts(
  tx: Tx,
  services: readonly string[],
  after: number | null,
  since: number,
): Promise<PageOfReceipts> {
  const part = await nextPart(tx, after, Math.floor(since / HOUR_MS));
  // Votes that the operator added or imported did not come in. With the services as a condition, all votes of a service would be read.
  const rows = await tx.all<{ service: string; receivedAt: number }>(
    `SELECT service, received_at AS "receivedAt" FROM votes
     WHERE id > $1 AND id <= $2 AND channel NOT IN ('operator', 'import') ORDER BY id`,
    [part.after, part.upTo],
  );
  const wanted = new Map(services.map((service): [string, number[]] => [service, []]));
  for (const { service, receivedAt } of rows) wanted.get(service)?.push(receivedAt);
  const byService = Object.fromEntries([...wanted].filter(([, times]) => times.length > 0));
  return { byService, upTo: part.upTo, isLast: part.isLast };
}

// What each engine says of itself in its own words. These are SQLite's, the only ones here that PostgreSQL does not share.

/** How many bytes the file has with all that is committed, even if part of it is only in the -wal yet. */
export async function size(tx: Tx): Promise<number> {
  const sql = 'SELECT page_count * page_size AS value FROM pragma_page_count, pragma_page_size';
  return (await valueFrom<number>(tx, sql)) ?? 0;
}

/** A number that changes when any process has changed the ledger. */
export async function revision(tx: Tx): Promise<number> {
  // The first part counts the commits of other connections, the second the rows that this connection has changed.
  const sql = 'SELECT data_version + total_changes() AS value FROM pragma_data_version';
  return (await valueFrom<number>(tx, sql)) ?? 0;
}
