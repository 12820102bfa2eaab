import { HOUR_MS } from '../../core/duration.ts';
import { playerKey } from '../../core/player-name.ts';
import { atMost } from '../../platform/sqlite/at-most.ts';
import type { GrantFilter, VoteFilter } from '../ledger.ts';
import { type Clause, type Conditions, whereOf } from './conditions.ts';

// A `+` before a column keeps SQLite from using its index: it has no statistics to choose by, and would read every vote
// or grant of a site or state to find the few of a recipient. A `+` before a value that is compared with a state keeps SQLite
// from planning by the value, as in a limit (see `atMost`): indexes of some states make it compile the statement each time.

/**
 * Matches the players who have or had a name, in any case, or exactly this user ID. Naming both kinds lets SQLite use the index on (kind, key).
 */
export const RECIPIENT = `
  SELECT ifnull(r.joined_to, r.id) AS id FROM json_each(?) k CROSS JOIN recipients r ON r.kind = k.value ->> 0 AND r.key = k.value ->> 1`;

/** The lowest ID of the votes since a given hour. */
const FIRST_VOTE_SINCE = 'SELECT min(first_vote) FROM vote_hours WHERE hour >= ?';
/** The same for an hour after which there may be no vote. */
const FIRST_VOTE_LATER = `SELECT ifnull(min(first_vote), ${Number.MAX_SAFE_INTEGER}) FROM vote_hours WHERE hour >= ?`;
/** If the clock was set back by more, votes that were received afterwards are not found by the time of their receipt. */
const SET_BACK_HOURS = 6;
/**
 * Grants are created with their vote, so both IDs grow together, except for the few that the operator creates later.
 */
const FIRST_GRANT_SINCE = `
  WITH since (hour) AS (SELECT ?),
    early (vote_id) AS (SELECT min(cause_id) FROM grants
      WHERE cause = 'vote' AND cause_id >= (SELECT min(first_vote) FROM vote_hours WHERE hour >= (SELECT hour FROM since))
      UNION ALL SELECT vote_id FROM rewarded_by_operator WHERE rewarded_at / ${HOUR_MS} >= (SELECT hour FROM since))
  SELECT min(id) FROM (
    SELECT min(id) AS id FROM grants WHERE cause = 'vote' AND cause_id IN early
    UNION ALL SELECT min(o.id) FROM given_rewards p CROSS JOIN grants o ON o.cause = 'operator' AND o.cause_id = p.id
      WHERE p.given_at / ${HOUR_MS} >= (SELECT hour FROM since)
    UNION ALL SELECT min(o.id) FROM reached_parties t CROSS JOIN party_members m ON m.party_id = t.id
      CROSS JOIN grants o ON o.cause = 'party' AND o.cause_id = m.id
      WHERE ifnull(t.fixed_at / ${HOUR_MS}, 9e18) >= (SELECT hour FROM since) AND o.created_at / ${HOUR_MS} >= (SELECT hour FROM since)
    UNION ALL SELECT min(o.id) FROM settled_tops t CROSS JOIN top_places m ON m.top_id = t.id
      CROSS JOIN grants o ON o.cause = 'top' AND o.cause_id = m.id
      WHERE t.settled_at / ${HOUR_MS} >= (SELECT hour FROM since))`;

/** The IDs of votes `o` of recipients. Those that took a window are in one index, the others, which are few, in another. */
export function votesOf(of: Conditions, decision?: VoteFilter['decision']): Clause {
  const rewarded = { index: 'votes_rewarded', ...whereOf([["o.decision = 'rewarded'", []], ...of]) };
  const others = {
    index: 'votes_unrewarded',
    ...whereOf([["o.decision <> 'rewarded'", []], ['o.decision = ?', decision], ...of]),
  };
  const parts = decision === undefined ? [rewarded, others] : [decision === 'rewarded' ? rewarded : others];
  return {
    sql: parts
      .map(({ index, sql }) => `SELECT o.id FROM votes o INDEXED BY ${index} ${sql}`)
      .join(' UNION ALL '),
    values: parts.flatMap(({ values }) => values),
  };
}

type IdRange = Pick<VoteFilter, 'since' | 'until' | 'after'>;

/** The IDs of the votes `v` or `o` that may have been received in a time. */
export const idsBetween = (table: 'v' | 'o', { since, until, after }: IdRange): Conditions => [
  [`${table}.id >= (${FIRST_VOTE_SINCE})`, hourOf(since)],
  [
    `${table}.id < (${FIRST_VOTE_LATER})`,
    until === undefined ? undefined : Math.ceil(until / HOUR_MS) + SET_BACK_HOURS,
  ],
  [`${table}.id < ?`, after],
];

/** A WHERE clause for the grants `g` that match a filter. With a recipient, it finds no more than the latest `limit` do. */
export function grantsWhere(filter: GrantFilter): Clause {
  const { recipient } = filter;
  return recipient === undefined
    ? whereOf(grantConditions('g', filter, ''))
    : whereOf([grantsOf(recipient, filter), ...grantConditions('g', filter, '+')]);
}

function grantsOf(recipient: string, filter: GrantFilter): Conditions[number] {
  const { given, together, redirected, state } = filter;
  if (together) return [`g.id IN (WITH named AS (${RECIPIENT}) ${TOGETHER_OF})`, kindsOf(recipient)];
  if (given)
    return [
      `g.id IN (WITH named AS (${RECIPIENT}) ${GIVEN_TO} UNION ALL ${PAID_INSTEAD})`,
      kindsOf(recipient),
    ];
  if (redirected) return [`g.id IN (${REDIRECTED_OF})`, kindsOf(recipient)];
  return state === undefined || state === 'pending' || state === 'delivered'
    ? latestOf(recipient, filter)
    : [UNPAID_OF, [kindsOf(recipient), state, kindsOf(recipient)]];
}

/** Whom a grant `g` was made for that was earned together with others. */
export const MEMBER = `CASE g.cause
  WHEN 'party' THEN (SELECT recipient_id FROM party_members WHERE id = g.cause_id)
  WHEN 'top' THEN (SELECT recipient_id FROM top_places WHERE id = g.cause_id) END`;

/** The causes of grants that were earned together with others, each with the table of those who earned them. */
const JOINT_CAUSES = [
  ['party', 'party_members'],
  ['top', 'top_places'],
] as const;

const ofJoint = (sql: (cause: string, table: string) => string): string =>
  JOINT_CAUSES.map(([cause, table]) => sql(cause, table)).join(' UNION ALL ');

const TOGETHER = ofJoint(
  (cause, table) => `
  SELECT o.id FROM ${table} p CROSS JOIN grants o ON o.cause = '${cause}' AND o.cause_id = p.id`,
);

const TOGETHER_OF = ofJoint(
  (cause, table) => `
  SELECT o.id FROM named CROSS JOIN ${table} p ON p.recipient_id = named.id
  CROSS JOIN grants o ON o.cause = '${cause}' AND o.cause_id = p.id`,
);

/** Grants without a vote are few. */
const GIVEN_TO = `
  SELECT o.id FROM named CROSS JOIN given_rewards p ON p.recipient_id = named.id
  CROSS JOIN grants o ON o.cause = 'operator' AND o.cause_id = p.id`;

const PAID_INSTEAD = `
  SELECT r.grant_id FROM named CROSS JOIN redirected_grants r ON r.recipient_id = named.id`;

/** Redirected grants are few: those that the recipient got, and those of the recipient's votes. */
const REDIRECTED_OF = `
  WITH named AS (${RECIPIENT})
  SELECT d.grant_id FROM redirected_grants d CROSS JOIN grants o ON o.id = d.grant_id LEFT JOIN votes w ON w.id = o.vote_id
  LEFT JOIN given_rewards p ON o.cause = 'operator' AND p.id = o.cause_id
  LEFT JOIN party_members m ON o.cause = 'party' AND m.id = o.cause_id
  LEFT JOIN top_places t ON o.cause = 'top' AND t.id = o.cause_id
  WHERE d.recipient_id IN named OR w.recipient_id IN named OR p.recipient_id IN named OR m.recipient_id IN named
    OR t.recipient_id IN named`;

/** These grants of a recipient have an index of their own, also by state. */
export const UNPAID_OF = `
  g.id IN (
    WITH named AS (${RECIPIENT})
    SELECT o.id FROM named
    CROSS JOIN grants o ON o.recipient_id = named.id AND o.state = +? AND o.state NOT IN ('pending', 'delivered')
    UNION ALL SELECT grant_id FROM (${REDIRECTED_OF}))`;

/**
 * The grants of a recipient's latest votes that have a matching one, as many votes as grants are wanted. Later votes have
 * later grants, except for the few that the operator creates later; those, and the grants of other votes that the operator
 * has redirected to the recipient, are all included.
 */
function latestOf(recipient: string, filter: GrantFilter): Conditions[number] {
  const { sql, values } = whereOf([
    ["c.cause = 'vote' AND c.cause_id IN own", []],
    ...grantConditions('c', filter, '+'),
  ]);
  const own = votesOf([
    ['o.recipient_id IN named', []],
    [`o.id >= (${FIRST_PENDING})`, filter.state === 'pending' ? [] : undefined],
    [`o.id >= (${FIRST_VOTE_SINCE})`, hourOf(filter.since)],
  ]);
  return [
    `g.id IN (
      WITH named AS (${RECIPIENT}),
        own AS (${own.sql}),
        causes AS (
          SELECT * FROM (SELECT DISTINCT c.cause_id FROM grants c ${sql} ORDER BY c.cause_id DESC ${atMost('?')})
          UNION ALL SELECT b.vote_id FROM rewarded_by_operator b CROSS JOIN votes w ON w.id = b.vote_id
            WHERE w.recipient_id IN named)
      SELECT o.id FROM causes CROSS JOIN grants o ON o.cause = 'vote' AND o.cause_id = causes.cause_id
      UNION ALL ${GIVEN_TO}
      UNION ALL ${TOGETHER_OF}
      UNION ALL ${PAID_INSTEAD})`,
    [kindsOf(recipient), ...own.values, ...values, filter.limit],
  ];
}

/** The vote of the first pending grant. Of a player with many votes, only those from this one on need be read. */
const FIRST_PENDING = `
  SELECT cause_id FROM grants WHERE state = 'pending' AND state <> 'delivered' AND cause = 'vote' ORDER BY id LIMIT 1`;

const GIVEN = `
  SELECT o.id FROM given_rewards p CROSS JOIN grants o ON o.cause = 'operator' AND o.cause_id = p.id`;

/** @param by before columns whose index is not to be used: `+`, or empty. */
function grantConditions(table: 'g' | 'c', filter: GrantFilter, by: '' | '+'): Conditions {
  const isOpen = by === '' && filter.state !== 'delivered' ? ` AND ${table}.state <> 'delivered'` : '';
  return [
    [`${by}${table}.id = ?`, filter.id],
    [
      `${by}${table}.id IN (SELECT value FROM json_each(?))`,
      filter.ids === undefined ? undefined : JSON.stringify(filter.ids),
    ],
    [`${table}.cause = 'vote' AND ${by}${table}.cause_id = ?`, filter.voteId],
    [`${by}${table}.state = +?${isOpen}`, filter.state],
    [`${table}.reward = ?`, filter.reward],
    [
      `${table}.server IN (${OF_SERVER})`,
      filter.server === undefined ? undefined : [filter.server, filter.server],
    ],
    [`? AND ${table}.id IN (SELECT grant_id FROM redirected_grants)`, filter.redirected && 1],
    [by === '' ? `? AND ${table}.id IN (${GIVEN})` : `? AND ${table}.cause = 'operator'`, filter.given && 1],
    [
      by === '' ? `? AND ${table}.id IN (${TOGETHER})` : `? AND ${table}.cause IN ('party', 'top')`,
      filter.together && 1,
    ],
    [`${by}${table}.id >= (${FIRST_GRANT_SINCE})`, hourOf(filter.since)],
    [`${table}.created_at >= ?`, filter.since],
    [`${by}${table}.id < ?`, filter.after],
  ];
}

/** A game server, and the pools that it is in. */
export const OF_SERVER = 'SELECT ? UNION ALL SELECT pool FROM pools WHERE server = ?';

export const kindsOf = (name: string): string =>
  JSON.stringify([
    ['player', playerKey(name)],
    ['user', name],
  ]);

const hourOf = (time: number | undefined): number | undefined =>
  time === undefined ? undefined : Math.floor(time / HOUR_MS);
