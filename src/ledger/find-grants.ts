/**
 * Grants are found by what an operator asks for, and read with their commands and what was done to them: the newest first, or those that
 * need the operator by their latest change.
 */
import type { Choice } from '../core/choice.ts';
import type { FilledIn } from '../core/decide.ts';
import { HOUR_MS } from '../core/duration.ts';
import type { GrantCode, GrantReason } from '../core/grant-reason.ts';
import { type ReasonColumns, reasonOf } from '../core/reason-columns.ts';
import type { GrantState } from '../core/settlement.ts';
import { closeCommand } from '../core/template.ts';
import { listOf, type Tx, valueFrom } from '../db/db.ts';
import { lastId } from './facts.ts';
import { type Act, actsOn, Clause, playersNamed } from './find-votes.ts';
import type { GrantActionKind, GrantActionRow, GrantCounts, GrantRow } from './grant.ts';
import { firstVoteOfHour } from './history-counts.ts';
import type { Row } from './queue.ts';
import { readOutcomes } from './rows.ts';

export interface GrantFilter {
  readonly id?: number;
  readonly ids?: readonly number[];
  readonly voteId?: number;
  /** A player’s name in any case, or a user ID. */
  readonly recipient?: string;
  readonly state?: GrantState;
  readonly reward?: string;
  readonly server?: string;
  /** Only those that the operator gave without a vote. */
  readonly given?: true;
  /** Only those that were earned together with others. */
  readonly together?: true;
  /** Only those that the operator has redirected to another player. */
  readonly redirected?: true;
  readonly since?: number;
  readonly after?: number;
  readonly limit: number;
}

/** The states of grants that need the operator. */
export type StuckState = Extract<GrantState, 'held' | 'refused'>;

/** Which grants that need the operator. */
export interface StuckFilter extends Pick<GrantFilter, 'server' | 'reward' | 'recipient' | 'since'> {
  readonly state?: StuckState;
  /** Exactly this game server or pool. */
  readonly place?: string;
  /** null: those without a reason. */
  readonly reason?: GrantCode | null;
}

/** A place in the order of the latest changes. */
type StuckPlace = Pick<GrantRow, 'changedAt' | 'id'>;

export interface StuckWanted {
  readonly limit: number;
  /** How many grants that need the operator are looked at. */
  readonly lookAt: number;
  /** The page begins after this place; absent: at the first one. */
  readonly after?: StuckPlace;
  /** By default, the latest change is first. */
  readonly isOldestFirst?: boolean;
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

/** What an operator did to which grant. Its state is that of now. */
export interface ActedGrant extends GrantActionRow, Pick<GrantRow, 'player' | 'reward' | 'server' | 'state'> {
  readonly id: number;
  readonly grantId: number;
}

export async function grants(tx: Tx, filter: GrantFilter): Promise<readonly GrantRow[]> {
  const { reward, server, recipient, limit } = filter;
  if ((reward !== undefined || server !== undefined) && !(await wasGranted(tx, reward, server))) return [];
  const by = new Clause();
  addConditions(tx, by, 'g', filter);
  if (recipient !== undefined) by.and(`g.id IN (${ofRecipient(tx, by, recipient, filter)})`);
  return await grantsWhere(tx, by, limit);
}

/** Delivered grants have no index by reward or server, so a search for a name without grants would read them all. */
async function wasGranted(tx: Tx, reward: string | undefined, server: string | undefined): Promise<boolean> {
  const by = new Clause()
    .if(reward, (name) => `reward = ${name}`)
    .if(server, (name) => `server IN (${placesOf(name)})`);
  return (await tx.get(`SELECT 1 FROM granted WHERE ${by.all} LIMIT 1`, by.values)) !== null;
}

/** A game server, and the pools that it is in. */
const placesOf = (server: string): string =>
  `SELECT CAST(${server} AS TEXT) UNION ALL SELECT pool FROM pools WHERE server = ${server}`;

/** Grants for what players earned together. In this order: SQLite would go through all grants. */
const TOGETHER = `
  SELECT o.id FROM parties t CROSS JOIN grants o WHERE o.cause = 'party' AND o.cause_id = t.id
  UNION ALL SELECT o.id FROM tops t CROSS JOIN grants o WHERE o.cause = 'top' AND o.cause_id = t.id`;

/** All conditions of the filter but the recipient. @param g how the statement calls the grants. */
function addConditions(tx: Tx, by: Clause, g: 'g' | 'c', filter: GrantFilter): Clause {
  const { id, ids, voteId, state, reward, server, redirected, given, together, since, after } = filter;
  return by
    .if(id, (value) => `${g}.id = ${value}`)
    .if(ids && listOf(ids), (list) => `${g}.id IN ${tx.each(list, 'number')}`)
    .if(voteId, (value) => `${g}.cause = 'vote' AND ${g}.cause_id = ${value}`)
    .if(
      state,
      (value) => `${g}.state = ${value}${state === 'delivered' ? '' : ` AND ${g}.state <> 'delivered'`}`,
    )
    .if(reward, (name) => `${g}.reward = ${name}`)
    .if(server, (name) => `${g}.server IN (${placesOf(name)})`)
    .and(redirected === true && `${g}.id IN (SELECT id FROM grants WHERE instead_of IS NOT NULL)`)
    .and(
      given === true &&
        `${g}.cause = 'operator' AND ${g}.cause_id IN (SELECT id FROM actions WHERE kind = 'give')`,
    )
    .and(together === true && `${g}.id IN (${TOGETHER})`)
    .if(since, (time) => `${g}.created_at >= ${time} AND ${g}.id >= ${firstGrantSince(by, since ?? 0, time)}`)
    .if(after, (value) => `${g}.id < ${value}`);
}

/** Grants are created with their vote, so both IDs grow together, except for the few that are made later. */
const firstGrantSince = (by: Clause, since: number, at: string): string => {
  const vote = firstVoteOfHour(by.with(Math.floor(since / HOUR_MS)));
  return `coalesce((SELECT min(id) FROM (
      SELECT min(id) AS id FROM grants WHERE cause = 'vote' AND cause_id >= ${vote}
      UNION ALL SELECT min(o.id) FROM actions a JOIN grants o ON o.cause = 'vote' AND o.cause_id = a.vote_id
        WHERE a.kind = 'reward' AND a.at >= ${at}
      UNION ALL SELECT min(o.id) FROM actions a JOIN grants o ON o.cause = 'operator' AND o.cause_id = a.id
        WHERE a.kind = 'give' AND a.at >= ${at}
      UNION ALL SELECT min(o.id) FROM parties t JOIN grants o ON o.cause = 'party' AND o.cause_id = t.id
        WHERE coalesce(t.fixed_at, ${at}) >= ${at}
      UNION ALL SELECT min(o.id) FROM tops t JOIN grants o ON o.cause = 'top' AND o.cause_id = t.id
        WHERE t.reached_at >= ${at} OR t.place > 0) f), 0)`;
};

/** A player's grants that are not paid, and those redirected to them or away from them. There are few of each, and each has an index. */
const unpaidOf = (named: string): string =>
  `SELECT id FROM grants WHERE player_id IN ${named} AND state NOT IN ('pending', 'delivered')
    UNION ALL SELECT id FROM grants WHERE player_id IN ${named} AND instead_of IS NOT NULL
    UNION ALL SELECT id FROM grants WHERE instead_of IN ${named} AND instead_of IS NOT NULL`;

/**
 * The grants of a player's latest votes that have a matching one, as many votes as grants are wanted, and all that have another
 * cause. Those that are not paid have indexes of their own.
 */
function ofRecipient(tx: Tx, by: Clause, name: string, filter: GrantFilter): string {
  const named = `(${playersNamed(by, name)})`;
  const unpaid = unpaidOf(named);
  if (filter.state === 'pending')
    return `SELECT id FROM grants WHERE state = 'pending' AND player_id IN ${named} UNION ALL ${unpaid}`;
  if (filter.state !== undefined && filter.state !== 'delivered') return unpaid;
  const ofOthers = `SELECT o.id FROM actions a JOIN grants o ON o.cause = 'operator' AND o.cause_id = a.id
      WHERE a.kind = 'give' AND a.player_id IN ${named}
    UNION ALL SELECT id FROM grants WHERE player_id IN ${named} AND cause = 'party'
    UNION ALL SELECT o.id FROM tops t JOIN grants o ON o.cause = 'top' AND o.cause_id = t.id WHERE t.player_id IN ${named}
    UNION ALL ${unpaid}`;
  if (filter.given === true || filter.together === true) return ofOthers;
  const matching = addConditions(tx, new Clause(by.values), 'c', filter).all;
  return `SELECT o.id FROM grants o WHERE o.cause = 'vote' AND o.cause_id IN (
      SELECT cause_id FROM (
        SELECT DISTINCT c.cause_id FROM grants c
        WHERE c.cause = 'vote' AND c.cause_id IN (SELECT id FROM votes WHERE player_id IN ${named}) AND ${matching}
        ORDER BY c.cause_id DESC LIMIT ${by.with(filter.limit)} + 0) l
      UNION SELECT vote_id FROM actions WHERE kind = 'reward' AND player_id IN ${named})
    UNION ALL ${ofOthers}`;
}

interface StoredGrant
  extends Omit<
      GrantRow,
      'practice' | 'reason' | 'redirected' | 'commands' | 'choice' | 'filled' | 'given' | 'actions'
    >,
    ReasonColumns,
    Pick<Row, 'practice' | 'uuid' | 'texts' | 'outcomes' | 'sending' | 'position'> {
  readonly choice: string | null;
  readonly filled: string | null;
  readonly insteadOf: string | null;
  readonly redirectedAt: number | null;
  readonly givenAt: number | null;
  readonly givenBy: string | null;
}

/** The grants `g` for which a clause is true; by default, the newest first. */
async function grantsWhere(tx: Tx, by: Clause, limit: number, order = 'g.id DESC') {
  const rows = await tx.all<StoredGrant>(
    `SELECT g.id, g.cause, CASE g.cause WHEN 'vote' THEN g.cause_id END AS "voteId", n.key AS recipient, g.player, g.uuid,
            g.reward, g.occasion, g.choice, g.filled, g.server, g.pool, g.practice, g.state, g.reason, g.facts,
            g.commands AS texts, g.outcomes, g.sending, g.position, g.due_from AS "dueFrom", g.expires_at AS "expiresAt",
            g.created_at AS "createdAt", g.changed_at AS "changedAt", g.redirected_at AS "redirectedAt",
            coalesce(v.player, a.facts, i.key) AS "insteadOf", a.at AS "givenAt", a.by AS "givenBy"
     FROM grants g JOIN players p ON p.id = g.player_id JOIN names n ON n.id = p.name_id
     LEFT JOIN votes v ON g.instead_of IS NOT NULL AND g.cause = 'vote' AND v.id = g.cause_id
     LEFT JOIN actions a ON g.cause = 'operator' AND a.id = g.cause_id
     LEFT JOIN players q ON q.id = g.instead_of LEFT JOIN names i ON i.id = q.name_id
     WHERE ${by.all} ORDER BY ${order} LIMIT ${by.with(limit)} + 0`,
    by.values,
  );
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const acts = await actsOn(tx, 'grant_id', ids);
  return rows.map((row) => grantRow(row, acts.get(row.id) ?? []));
}

function grantRow(stored: StoredGrant, acts: readonly Act[]): GrantRow {
  const { uuid, reason, facts, choice, filled, texts, outcomes, sending, position, ...more } = stored;
  const { insteadOf, redirectedAt, givenAt, givenBy, ...row } = more;
  return {
    ...row,
    choice: choice === null ? null : (JSON.parse(choice) as Choice),
    filled: filled === null ? {} : (JSON.parse(filled) as FilledIn),
    reason: reasonOf<GrantReason>({ reason, facts }),
    practice: row.practice === 1,
    given: givenAt === null ? null : { by: givenBy ?? '', at: givenAt },
    redirected: redirectedAt === null ? null : { insteadOf: insteadOf ?? '', at: redirectedAt },
    commands: commandRows(stored, sending === null ? null : position),
    actions: acts.map(({ kind, at, by }) => ({ action: kind as GrantActionKind, at, by })),
  };
}

/** Filled in as they were sent. @param sending the position of the command that is being sent: it has no outcome yet. */
function commandRows({ texts, outcomes, player, uuid }: StoredGrant, sending: number | null) {
  const tried = readOutcomes(outcomes);
  return (JSON.parse(texts) as readonly string[]).map((text, at) => {
    const attempted = tried[at] ?? UNTRIED;
    const command = closeCommand(text, { player, uuid, now: attempted.startedAt });
    return { text, command, ...attempted, ...(at === sending ? { outcome: null } : {}) };
  });
}

const UNTRIED = { outcome: null, attempts: 0, reply: null, reason: null, startedAt: null, endedAt: null };

/** How many grants in each state these votes were given; votes without any are left out. */
export async function grantsOfVotes(
  tx: Tx,
  ids: readonly number[],
): Promise<ReadonlyMap<number, GrantCounts>> {
  const rows = await tx.all<{ voteId: number; state: GrantState; grants: number }>(
    `SELECT cause_id AS "voteId", state, count(*) AS grants FROM grants
     WHERE cause = 'vote' AND cause_id IN ${tx.each('$1', 'number')} GROUP BY cause_id, state`,
    [listOf(ids)],
  );
  const found = new Map<number, GrantCounts>();
  for (const { voteId, state, grants: count } of rows)
    found.set(voteId, { ...found.get(voteId), [state]: count });
  return found;
}

/** Grants by state. No grant is ever deleted, so those that are not open are delivered: to count them takes a second per ten million. */
export async function grantStates(tx: Tx): Promise<GrantCounts> {
  const rows = await tx.all<{ state: GrantState; grants: number }>(
    `SELECT state, count(*) AS grants FROM grants WHERE state <> 'delivered' GROUP BY state`,
  );
  const open = rows.reduce((sum, each) => sum + each.grants, 0);
  const delivered = (await lastId(tx, 'grants')) - open;
  return {
    ...Object.fromEntries(rows.map(({ state, grants: count }) => [state, count])),
    ...(delivered > 0 ? { delivered } : {}),
  };
}

/**
 * The grants that are stuck on one game server for one reason, the group with the latest change first. However much is stuck, so many
 * rows of one index are looked at, and only the grants that are shown are read in full.
 *
 * The first grants of each group are found by a search of their own. Numbering all that were looked at by window functions, or reading
 * them to group them here, took three to four times as long as the groups themselves: some 20 ms for 10,000.
 *
 * @returns also whether there are more grants than were looked at.
 */
export async function stuckGroups(
  tx: Tx,
  filter: StuckFilter,
  wanted: Pick<StuckWanted, 'limit' | 'lookAt'>,
): Promise<{ readonly groups: readonly StuckGroup[]; readonly hasMore: boolean }> {
  const by = new Clause();
  const found = await tx.all<Omit<StuckGroup, 'grants'>>(
    `SELECT server, state, reason, count(*) AS count, max(changed_at) AS "changedAt" FROM (${matching(by, filter, wanted)}) m
     GROUP BY server, state, reason ORDER BY max(changed_at) DESC, server, state, reason`,
    by.values,
  );
  const groups: StuckGroup[] = [];
  for (const group of found) {
    const { server: place, state, reason } = group;
    groups.push({ ...group, grants: await firstStuck(tx, { ...filter, place, state, reason }, wanted) });
  }
  return { groups, hasMore: (await lastLookedAt(tx, filter, wanted)) !== null };
}

/**
 * A page of them. It goes on after the last grant that it shows, or, if it found too few, after the last one that was looked at.
 *
 * @returns where the next page begins; null: there is none.
 */
export async function stuckGrants(
  tx: Tx,
  filter: StuckFilter,
  wanted: StuckWanted,
): Promise<{ readonly grants: readonly GrantRow[]; readonly next: StuckPlace | null }> {
  const { limit } = wanted;
  const found = await firstStuck(tx, filter, { ...wanted, limit: limit + 1 });
  const last = found.length > limit ? found[limit - 1] : undefined;
  const next = last && { changedAt: last.changedAt, id: last.id };
  return { grants: found.slice(0, limit), next: next ?? (await lastLookedAt(tx, filter, wanted)) };
}

/** How many grants need the operator, at most `most`. */
export async function stuckCount(tx: Tx, most: number): Promise<number> {
  const sql = `SELECT count(*) AS value FROM (SELECT g.id FROM grants g WHERE ${IS_STUCK} LIMIT $1 + 0) s`;
  return (await valueFrom<number>(tx, sql, [most])) ?? 0;
}

/** Their index has these words. */
const IS_STUCK = "g.state IN ('held', 'refused')";

const orderOf = ({ isOldestFirst = false }: StuckWanted): 'ASC' | 'DESC' => (isOldestFirst ? 'ASC' : 'DESC');

/** What is looked at, in order, with all that is in its index. The caller adds how many. */
function inOrder(by: Clause, { recipient, since }: StuckFilter, wanted: StuckWanted): string {
  const order = orderOf(wanted);
  const { after } = wanted;
  const where = new Clause(by.values)
    .and(
      after !== undefined &&
        `(g.changed_at, g.id) ${order === 'ASC' ? '>' : '<'} (${by.with(after.changedAt)}, ${by.with(after.id)})`,
    )
    // What was created since has also changed since.
    .if(since, (time) => `g.changed_at >= ${time}`)
    .and(recipient !== undefined && `g.id IN (${unpaidOf(`(${playersNamed(by, recipient)})`)})`);
  return `SELECT g.id, g.changed_at, g.server, g.state, g.reason, g.reward FROM grants g WHERE ${IS_STUCK} AND ${where.all}
    ORDER BY g.changed_at ${order}, g.id ${order}`;
}

/** Of what is looked at, that which matches. */
function matching(by: Clause, filter: StuckFilter, wanted: StuckWanted): string {
  const { state, server, place, reward, reason, since } = filter;
  const looked = `${inOrder(by, filter, wanted)} LIMIT ${by.with(wanted.lookAt)} + 0`;
  const where = new Clause(by.values)
    .if(state, (value) => `l.state = ${value}`)
    .if(place, (name) => `l.server = ${name}`)
    .if(server, (name) => `l.server IN (${placesOf(name)})`)
    .if(reason, (code) => `l.reason IS NOT DISTINCT FROM ${code}`)
    .if(reward, (name) => `l.reward = ${name}`)
    .if(since, (time) => `EXISTS (SELECT 1 FROM grants c WHERE c.id = l.id AND c.created_at >= ${time})`);
  return `SELECT * FROM (${looked}) l WHERE ${where.all}`;
}

/** The first ones that match. */
async function firstStuck(tx: Tx, filter: StuckFilter, wanted: StuckWanted): Promise<readonly GrantRow[]> {
  const order = orderOf(wanted);
  const by = new Clause();
  const first = `SELECT id FROM (${matching(by, filter, wanted)}) m
    ORDER BY changed_at ${order}, id ${order} LIMIT ${by.with(wanted.limit)} + 0`;
  by.and(`g.id IN (${first})`);
  return await grantsWhere(tx, by, wanted.limit, `g.changed_at ${order}, g.id ${order}`);
}

/** null if all were looked at. */
async function lastLookedAt(tx: Tx, filter: StuckFilter, wanted: StuckWanted): Promise<StuckPlace | null> {
  const by = new Clause();
  const looked = inOrder(by, filter, wanted);
  return await tx.get<StuckPlace>(
    `SELECT id, changed_at AS "changedAt" FROM (${looked} LIMIT 1 OFFSET ${by.with(wanted.lookAt - 1)} + 0) l`,
    by.values,
  );
}

/** What operators did last to grants, the latest first. */
export const grantActions = (tx: Tx, limit: number): Promise<readonly ActedGrant[]> =>
  tx.all<ActedGrant>(
    `SELECT a.id, a.grant_id AS "grantId", a.kind AS action, a.at, a.by, g.player, g.reward, g.server, g.state
     FROM (SELECT id, grant_id, kind, at, by FROM actions WHERE grant_id IS NOT NULL ORDER BY id DESC LIMIT $1 + 0) a
     JOIN grants g ON g.id = a.grant_id ORDER BY a.id DESC`,
    [limit],
  );
