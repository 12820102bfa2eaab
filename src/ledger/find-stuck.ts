/**
 * What needs the operator, and what operators did. However much is stuck, so many rows of one index are looked at, from the latest
 * change on or from the oldest, and only the grants that are shown are read in full.
 */
import type { GrantCode } from '../core/grant-reason.ts';
import type { GrantState } from '../core/settlement.ts';
import { listOf, type Tx } from '../db/db.ts';
import { grantsWhere, placesOf } from './find-grants.ts';
import { Clause, playersNamed } from './find-votes.ts';
import type { GrantActionRow, GrantRow } from './grant.ts';

/** The states of grants that need the operator. */
export type StuckState = Extract<GrantState, 'held' | 'refused'>;

/** Which grants that need the operator. */
export interface StuckFilter {
  readonly state?: StuckState;
  /** Also what is owed on a pool that it is in. */
  readonly server?: string;
  /** Exactly this game server or pool. */
  readonly place?: string;
  readonly reward?: string;
  /** A player's name in any case, or a user ID. */
  readonly recipient?: string;
  /** null: those without a reason. */
  readonly reason?: GrantCode | null;
  /** Only those that were created since. */
  readonly since?: number;
}

/** A place in the order of the latest changes. */
export interface StuckPlace {
  readonly changedAt: number;
  readonly id: number;
}

export interface StuckWanted {
  readonly limit: number;
  /** How many grants that need the operator are looked at. */
  readonly lookAt: number;
  /** The page begins after this place; absent: at the first one. */
  readonly after?: StuckPlace;
  /** By default, the latest change is first. */
  readonly isOldestFirst?: boolean;
}

export interface StuckPage {
  readonly grants: readonly GrantRow[];
  /** Where the next page begins; null: there is none. */
  readonly next: StuckPlace | null;
}

/** The grants that are stuck on one game server for one reason. */
export interface StuckGroup {
  /** Or the pool. */
  readonly server: string;
  readonly state: StuckState;
  readonly reason: GrantCode | null;
  readonly count: number;
  /** When the latest of them got stuck. */
  readonly changedAt: number;
  /** The latest ones. */
  readonly grants: readonly GrantRow[];
}

export interface StuckGroups {
  /** The one with the latest change first. */
  readonly groups: readonly StuckGroup[];
  /** Whether there are more grants than were looked at. */
  readonly hasMore: boolean;
}

/** What an operator did to which grant. */
export interface ActedGrant extends GrantActionRow {
  readonly id: number;
  readonly grantId: number;
  readonly player: string | null;
  readonly reward: string;
  readonly server: string;
  /** Its state now. */
  readonly state: GrantState;
}

/**
 * The grants that are stuck on one game server for one reason, the group with the latest change first.
 *
 * The first grants of each group are found by a search of their own. Numbering all that were looked at by window functions, or reading
 * them to group them here, took three to four times as long as the groups themselves: some 20 ms for 10,000.
 */
export async function stuckGroups(
  tx: Tx,
  filter: StuckFilter,
  { limit, lookAt }: Pick<StuckWanted, 'limit' | 'lookAt'>,
): Promise<StuckGroups> {
  const wanted = { limit, lookAt };
  const by = new Clause();
  const found = await tx.all<Omit<StuckGroup, 'grants'>>(
    `SELECT server, state, reason, count(*) AS count, max(changed_at) AS "changedAt" FROM (${matching(by, filter, wanted)}) m
     GROUP BY server, state, reason ORDER BY max(changed_at) DESC, server, state, reason`,
    by.values,
  );
  const places: (readonly StuckPlace[])[] = [];
  for (const { server: place, state, reason } of found)
    places.push(await firstPlaces(tx, { ...filter, place, state, reason }, wanted, limit));
  const rows = await rowsAt(tx, places.flat());
  const groups = found.map((group, at) => ({
    ...group,
    grants: (places[at] ?? []).flatMap(({ id }) => rows.get(id) ?? []),
  }));
  return { groups, hasMore: (await lastLookedAt(tx, filter, wanted)) !== null };
}

/** A page goes on after the last grant that it shows, or, if it found too few, after the last one that was looked at. */
export async function stuckGrants(tx: Tx, filter: StuckFilter, wanted: StuckWanted): Promise<StuckPage> {
  const found = await firstPlaces(tx, filter, wanted, wanted.limit + 1);
  const shown = found.slice(0, wanted.limit);
  const rows = await rowsAt(tx, shown);
  const isCut = found.length > wanted.limit;
  return {
    grants: shown.flatMap(({ id }) => rows.get(id) ?? []),
    next: isCut ? (shown.at(-1) ?? null) : await lastLookedAt(tx, filter, wanted),
  };
}

/** How many grants need the operator, at most `most`. */
export async function stuckCount(tx: Tx, most: number): Promise<number> {
  const row = await tx.get<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT g.id FROM grants g WHERE ${IS_STUCK} LIMIT $1 + 0) s`,
    [most],
  );
  return row?.count ?? 0;
}

/** Their index has these words. */
const IS_STUCK = "g.state IN ('held', 'refused')";

type LookedAt = Omit<StuckWanted, 'limit'>;

/** What is looked at, in order, with all that is in its index. The caller adds how many. */
function inOrder(
  by: Clause,
  { recipient, since }: StuckFilter,
  { after, isOldestFirst = false }: LookedAt,
): string {
  const [direction, beyond] = isOldestFirst ? ['ASC', '>'] : ['DESC', '<'];
  const where = new Clause()
    .if(after, (place) => {
      const values = `${by.with(place.changedAt)}, ${by.with(place.id)}`;
      return `(g.changed_at, g.id) ${beyond} (${values})`;
    })
    // What was created since has also changed since.
    .if(since, (time) => `g.changed_at >= ${by.with(time)}`)
    .if(recipient, (name) => `g.id IN (${unpaidOf(by, name)})`).all;
  return `SELECT g.id, g.changed_at, g.server, g.state, g.reason, g.reward FROM grants g WHERE ${IS_STUCK} AND ${where}
    ORDER BY g.changed_at ${direction}, g.id ${direction}`;
}

/** What a player is not paid, and what another one gets instead of them. There are few of either, each in an index. */
function unpaidOf(by: Clause, name: string): string {
  const named = playersNamed(by, name);
  return `SELECT id FROM grants WHERE player_id IN (${named}) AND state NOT IN ('pending', 'delivered')
    UNION ALL SELECT id FROM grants WHERE instead_of IN (${named}) AND instead_of IS NOT NULL`;
}

/** Of what is looked at, that which matches. */
function matching(by: Clause, filter: StuckFilter, wanted: LookedAt): string {
  const { state, server, place, reward, reason, since } = filter;
  const looked = `${inOrder(by, filter, wanted)} LIMIT ${by.with(wanted.lookAt)} + 0`;
  const where = new Clause()
    .if(state, (value) => `l.state = ${by.with(value)}`)
    .if(place, (name) => `l.server = ${by.with(name)}`)
    .if(server, (name) => `l.server IN (${placesOf(by, name)})`)
    .if(reason, (code) => `l.reason IS NOT DISTINCT FROM ${by.with(code)}`)
    .if(reward, (name) => `l.reward = ${by.with(name)}`)
    .if(
      since,
      (time) => `EXISTS (SELECT 1 FROM grants c WHERE c.id = l.id AND c.created_at >= ${by.with(time)})`,
    ).all;
  return `SELECT * FROM (${looked}) l WHERE ${where}`;
}

/** The first ones that match. */
async function firstPlaces(
  tx: Tx,
  filter: StuckFilter,
  wanted: LookedAt,
  limit: number,
): Promise<readonly StuckPlace[]> {
  const direction = wanted.isOldestFirst === true ? 'ASC' : 'DESC';
  const by = new Clause();
  return await tx.all<StuckPlace>(
    `SELECT id, changed_at AS "changedAt" FROM (${matching(by, filter, wanted)}) m
     ORDER BY changed_at ${direction}, id ${direction} LIMIT ${by.with(limit)} + 0`,
    by.values,
  );
}

/** null if all were looked at. */
async function lastLookedAt(tx: Tx, filter: StuckFilter, wanted: LookedAt): Promise<StuckPlace | null> {
  const by = new Clause();
  const looked = inOrder(by, filter, wanted);
  return await tx.get<StuckPlace>(
    `SELECT id, changed_at AS "changedAt" FROM (${looked} LIMIT 1 OFFSET ${by.with(wanted.lookAt - 1)} + 0) l`,
    by.values,
  );
}

async function rowsAt(tx: Tx, places: readonly StuckPlace[]): Promise<ReadonlyMap<number, GrantRow>> {
  if (places.length === 0) return new Map();
  const by = new Clause();
  const ids = by.with(listOf(places.map(({ id }) => id)));
  const rows = await grantsWhere(tx, `g.id IN ${tx.each(ids, 'number')}`, by, places.length);
  return new Map(rows.map((row) => [row.id, row]));
}

/** What operators did last to grants, the latest first. */
export const grantActions = (tx: Tx, limit: number): Promise<readonly ActedGrant[]> =>
  tx.all<ActedGrant>(
    `SELECT a.id, a.grant_id AS "grantId", a.kind AS action, a.at, a.by, g.player, g.reward, g.server, g.state
     FROM (SELECT id, grant_id, kind, at, by FROM actions WHERE grant_id IS NOT NULL ORDER BY id DESC LIMIT $1 + 0) a
     JOIN grants g ON g.id = a.grant_id ORDER BY a.id DESC`,
    [limit],
  );
