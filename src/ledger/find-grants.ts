/** Grants are found, newest first, by what an operator asks for, and read with their commands and what was done to them. */
import type { Choice } from '../core/choice.ts';
import type { FilledIn } from '../core/decide.ts';
import { HOUR_MS } from '../core/duration.ts';
import type { GrantReason } from '../core/grant-reason.ts';
import { type ReasonColumns, reasonOf } from '../core/reason-columns.ts';
import type { GrantState } from '../core/settlement.ts';
import { closeCommand } from '../core/template.ts';
import { listOf, type Tx } from '../db/db.ts';
import { Clause, playersNamed } from './find-votes.ts';
import type { CommandRow, GrantActionRow, GrantCounts, GrantRow } from './grant.ts';
import { firstVoteOfHour } from './history-counts.ts';
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

export async function grants(tx: Tx, filter: GrantFilter): Promise<readonly GrantRow[]> {
  if (!(await wasGranted(tx, filter))) return [];
  const by = new Clause();
  const { recipient } = filter;
  const where = conditions(tx, by, 'g', filter).if(
    recipient,
    (name) => `g.id IN (${ofRecipient(tx, by, name, filter)})`,
  ).all;
  return await grantsWhere(tx, where, by, filter.limit);
}

/** Delivered grants have no index by reward or server, so a search for a name without grants would read them all. */
async function wasGranted(tx: Tx, { reward, server }: GrantFilter): Promise<boolean> {
  if (reward === undefined && server === undefined) return true;
  const by = new Clause();
  const where = by
    .if(reward, (name) => `reward = ${by.with(name)}`)
    .if(server, (name) => `server IN (${placesOf(by, name)})`).all;
  return (await tx.get(`SELECT 1 FROM granted WHERE ${where} LIMIT 1`, by.values)) !== null;
}

/** A game server, and the pools that it is in. */
export const placesOf = (by: Clause, server: string): string => {
  const name = by.with(server);
  return `SELECT CAST(${name} AS TEXT) UNION ALL SELECT pool FROM pools WHERE server = ${name}`;
};

/** Grants for what players earned together. */
const TOGETHER = ['party', 'top']
  .map((cause) => {
    const table = cause === 'party' ? 'parties' : 'tops';
    // In this order: SQLite would go through all grants.
    return `SELECT o.id FROM ${table} t CROSS JOIN grants o WHERE o.cause = '${cause}' AND o.cause_id = t.id`;
  })
  .join(' UNION ALL ');

function conditions(
  tx: Tx,
  by: Clause,
  g: 'g' | 'c',
  filter: Omit<GrantFilter, 'recipient' | 'limit'>,
): Clause {
  const { id, ids, voteId, state, reward, server, redirected, given, together, since, after } = filter;
  return by
    .if(id, (value) => `${g}.id = ${by.with(value)}`)
    .if(ids, (value) => `${g}.id IN ${tx.each(by.with(listOf(value)), 'number')}`)
    .if(voteId, (value) => `${g}.cause = 'vote' AND ${g}.cause_id = ${by.with(value)}`)
    .if(state, (value) => {
      const isOpen = value === 'delivered' ? '' : ` AND ${g}.state <> 'delivered'`;
      return `${g}.state = ${by.with(value)}${isOpen}`;
    })
    .if(reward, (value) => `${g}.reward = ${by.with(value)}`)
    .if(server, (value) => `${g}.server IN (${placesOf(by, value)})`)
    .if(redirected, () => `${g}.id IN (SELECT id FROM grants WHERE instead_of IS NOT NULL)`)
    .if(
      given,
      () => `${g}.cause = 'operator' AND ${g}.cause_id IN (SELECT id FROM actions WHERE kind = 'give')`,
    )
    .if(together, () => `${g}.id IN (${TOGETHER})`)
    .if(since, (value) => `${g}.created_at >= ${by.with(value)} AND ${g}.id >= ${firstGrantSince(by, value)}`)
    .if(after, (value) => `${g}.id < ${by.with(value)}`);
}

/** Grants are created with their vote, so both IDs grow together, except for the few that are made later. */
const firstGrantSince = (by: Clause, since: number): string => {
  const vote = firstVoteOfHour(by.with(Math.floor(since / HOUR_MS)));
  const at = by.with(since);
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

/**
 * The grants of a player's latest votes that have a matching one, as many votes as grants are wanted, and all that have another
 * cause. Those that are not paid have an index of their own.
 */
function ofRecipient(tx: Tx, by: Clause, name: string, filter: GrantFilter): string {
  const named = `(${playersNamed(by, name)})`;
  const { recipient: _, limit, ...others } = filter;
  const isUnpaid = filter.state !== undefined && filter.state !== 'pending' && filter.state !== 'delivered';
  const unpaid = `SELECT id FROM grants WHERE player_id IN ${named} AND state NOT IN ('pending', 'delivered')`;
  const redirected = `SELECT id FROM grants WHERE player_id IN ${named} AND instead_of IS NOT NULL
    UNION ALL SELECT id FROM grants WHERE instead_of IN ${named} AND instead_of IS NOT NULL`;
  if (isUnpaid) return `${unpaid} UNION ALL ${redirected}`;
  const matching = conditionsWith(tx, by, others);
  return `SELECT o.id FROM grants o WHERE o.cause = 'vote' AND o.cause_id IN (
      SELECT cause_id FROM (
        SELECT DISTINCT c.cause_id FROM grants c
        WHERE c.cause = 'vote' AND c.cause_id IN (SELECT id FROM votes WHERE player_id IN ${named}) AND ${matching}
        ORDER BY c.cause_id DESC LIMIT ${by.with(limit)} + 0) l
      UNION SELECT vote_id FROM actions WHERE kind = 'reward' AND player_id IN ${named})
    UNION ALL SELECT o.id FROM actions a JOIN grants o ON o.cause = 'operator' AND o.cause_id = a.id
      WHERE a.kind = 'give' AND a.player_id IN ${named}
    UNION ALL SELECT id FROM grants WHERE player_id IN ${named} AND cause = 'party'
    UNION ALL SELECT o.id FROM tops t JOIN grants o ON o.cause = 'top' AND o.cause_id = t.id WHERE t.player_id IN ${named}
    UNION ALL ${unpaid} UNION ALL ${redirected}`;
}

/** The same conditions once more, for the grants `c`. */
function conditionsWith(tx: Tx, by: Clause, filter: Omit<GrantFilter, 'recipient' | 'limit'>): string {
  const more = new Clause();
  more.with = (value) => by.with(value);
  return conditions(tx, more, 'c', filter).all;
}

interface StoredGrant
  extends Omit<
      GrantRow,
      'practice' | 'reason' | 'redirected' | 'commands' | 'choice' | 'filled' | 'given' | 'actions'
    >,
    ReasonColumns {
  readonly practice: number;
  readonly choice: string | null;
  readonly filled: string | null;
  readonly uuid: string | null;
  readonly texts: string;
  readonly outcomes: string;
  readonly sending: number | null;
  readonly position: number;
  readonly insteadOf: string | null;
  readonly redirectedAt: number | null;
  readonly givenAt: number | null;
  readonly givenBy: string | null;
}

/** The grants `g` for which a clause is true, the newest first. */
export async function grantsWhere(
  tx: Tx,
  where: string,
  by: Clause,
  limit: number,
): Promise<readonly GrantRow[]> {
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
     WHERE ${where} ORDER BY g.id DESC LIMIT ${by.with(limit)} + 0`,
    by.values,
  );
  const acts = await actionsOf(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => grantRow(row, acts.get(row.id) ?? []));
}

async function actionsOf(
  tx: Tx,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly GrantActionRow[]>> {
  const found = new Map<number, GrantActionRow[]>();
  if (ids.length === 0) return found;
  const rows = await tx.all<GrantActionRow & { readonly grantId: number }>(
    `SELECT grant_id AS "grantId", kind AS action, at, by FROM actions
     WHERE grant_id IN ${tx.each('$1', 'number')} AND grant_id IS NOT NULL ORDER BY id`,
    [listOf(ids)],
  );
  for (const { grantId, ...row } of rows) found.set(grantId, [...(found.get(grantId) ?? []), row]);
  return found;
}

function grantRow(stored: StoredGrant, actions: readonly GrantActionRow[]): GrantRow {
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
    actions,
  };
}

/** Filled in as they were sent. @param sending the position of the command that is being sent: it has no outcome yet. */
function commandRows(
  { texts, outcomes, player, uuid }: StoredGrant,
  sending: number | null,
): readonly CommandRow[] {
  const tried = readOutcomes(outcomes);
  return (JSON.parse(texts) as readonly string[]).map((text, at) => {
    const {
      outcome = null,
      attempts = 0,
      reply = null,
      reason = null,
      startedAt = null,
      endedAt = null,
    } = tried[at] ?? {};
    const command = closeCommand(text, { player, uuid, now: startedAt });
    return {
      text,
      command,
      outcome: at === sending ? null : outcome,
      attempts,
      reply,
      reason,
      startedAt,
      endedAt,
    };
  });
}

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
  const last = await tx.get<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM grants');
  const open = rows.reduce((sum, each) => sum + each.grants, 0);
  const all = [...rows, { state: 'delivered' as const, grants: (last?.id ?? 0) - open }];
  return Object.fromEntries(
    all.filter(({ grants: count }) => count > 0).map(({ state, grants: count }) => [state, count]),
  );
}
