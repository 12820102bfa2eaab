import type { Choice } from '../../core/choice.ts';
import type { FilledIn } from '../../core/decide.ts';
import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { ReasonColumns } from '../../platform/sqlite/reason-columns.ts';
import type { GrantActionRow, GrantRow } from '../ledger.ts';
import type { Clause } from './conditions.ts';
import { GrantCommands } from './grant-commands.ts';
import { MEMBER } from './searches.ts';
import { grantReasonOf } from './stored-reason.ts';

interface StoredGrant
  extends Omit<
      GrantRow,
      'practice' | 'reason' | 'redirected' | 'commands' | 'choice' | 'filled' | 'given' | 'actions'
    >,
    ReasonColumns {
  readonly practice: number;
  readonly choice: string | null;
  readonly filled: string | null;
  readonly votedFor: string | null;
  readonly uuid: string | null;
  readonly redirectedAt: number | null;
  readonly givenAt: number | null;
  readonly givenBy: string | null;
  /** As JSON. */
  readonly actions: string;
}

/** What operators did to the grant `g`, as JSON. */
const ACTIONS = `
  (SELECT json_group_array(json_object('action', action, 'at', acted_at, 'by', acted_by)) FROM (
    SELECT action, acted_at, acted_by FROM grant_actions WHERE grant_id = g.id ORDER BY id))`;

const GRANTS = `
  SELECT g.id, g.cause, g.vote_id AS voteId, r.key AS recipient, g.player, g.uuid, g.reward, g.occasion, g.choice, g.filled, g.server, g.pool, g.practice, g.state,
         g.reason, g.facts,
         g.likely_player AS likelyPlayer, coalesce(v.player, p.player, m.key) AS votedFor, p.given_at AS givenAt, p.given_by AS givenBy, d.redirected_at AS redirectedAt,
         g.due_from AS dueFrom, g.expires_at AS expiresAt, g.created_at AS createdAt, g.changed_at AS changedAt,
         ${ACTIONS} AS actions
  FROM grants g JOIN recipients r ON r.id = g.recipient_id LEFT JOIN votes v ON v.id = g.vote_id
  LEFT JOIN given_rewards p ON g.cause = 'operator' AND p.id = g.cause_id
  LEFT JOIN recipients m ON m.id = ${MEMBER}
  LEFT JOIN redirected_grants d
    ON d.grant_id = g.id AND d.recipient_id <> coalesce(v.recipient_id, p.recipient_id, m.id)`;

/** Reads grants with their commands. */
export class GrantRows {
  private readonly commands: GrantCommands;

  constructor(private readonly database: Database) {
    this.commands = new GrantCommands(database);
  }

  /** The grants `g` for which a clause is true, the newest first. */
  read(where: Clause, limit: number): GrantRow[] {
    const statement = this.database.prepare(`${GRANTS} ${where.sql} ORDER BY g.id DESC ${atMost('?')}`);
    const rows = statement.all(...where.values, limit) as StoredGrant[];
    return rows.map((row) => rowOf(row, this.commands));
  }
}

function rowOf(
  {
    votedFor,
    redirectedAt,
    givenAt,
    givenBy,
    uuid,
    reason,
    facts,
    choice,
    filled,
    actions,
    ...row
  }: StoredGrant,
  commands: GrantCommands,
): GrantRow {
  return {
    ...row,
    choice: choice === null ? null : (JSON.parse(choice) as Choice),
    filled: filled === null ? {} : (JSON.parse(filled) as FilledIn),
    reason: grantReasonOf({ reason, facts }),
    practice: row.practice === 1,
    given: givenAt === null ? null : { by: givenBy ?? '', at: givenAt },
    redirected: redirectedAt === null ? null : { insteadOf: votedFor ?? '', at: redirectedAt },
    commands: commands.of({ ...row, uuid }),
    actions: JSON.parse(actions) as GrantActionRow[],
  };
}
