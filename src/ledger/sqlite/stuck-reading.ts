import type { GrantCode } from '../../core/grant-reason.ts';
import type { Database } from '../../sqlite/open.ts';
import type {
  ActedGrant,
  GrantRow,
  StuckFilter,
  StuckGroup,
  StuckGroups,
  StuckPage,
  StuckPlace,
  StuckState,
  StuckWanted,
} from '../ledger.ts';
import { allOf, type Clause, whereOf } from './conditions.ts';
import { grantRows } from './grant-rows.ts';
import { kindsOf, OF_SERVER, UNPAID_OF } from './searches.ts';

interface GroupedId {
  readonly id: number;
  readonly server: string;
  readonly state: StuckState;
  readonly reason: GrantCode | null;
  readonly count: number;
  readonly changedAt: number;
}

/** What needs the operator. However much that is, only so many rows of an index are read, and so many grants in full. */
export class StuckReading {
  constructor(private readonly db: Database) {}

  groups(filter: StuckFilter, { limit, lookAt }: Pick<StuckWanted, 'limit' | 'lookAt'>): StuckGroups {
    const { sql, values } = matching(filter, { limit, lookAt });
    const found = this.db
      .prepare(
        `SELECT * FROM (
           SELECT id, server, state, reason, count(*) OVER whole AS count, max(changed_at) OVER whole AS changedAt,
             row_number() OVER (PARTITION BY server, state, reason ORDER BY changed_at DESC, id DESC) AS place
           FROM (${sql}) WINDOW whole AS (PARTITION BY server, state, reason))
         WHERE place <= ? ORDER BY changedAt DESC, server, state, reason, place`,
      )
      .all(...values, limit) as GroupedId[];
    const rows = new Map(this.rows(found.map(({ id }) => id)).map((row) => [row.id, row]));
    const groups = new Map<string, StuckGroup & { grants: GrantRow[] }>();
    for (const { id, ...group } of found) {
      const { server, state, reason, count, changedAt } = group;
      const key = JSON.stringify([server, state, reason]);
      const known = groups.get(key) ?? { server, state, reason, count, changedAt, grants: [] };
      groups.set(key, known);
      const row = rows.get(id);
      if (row !== undefined) known.grants.push(row);
    }
    return { groups: [...groups.values()], hasMore: this.lastLookedAt(filter, { limit, lookAt }) !== null };
  }

  grants(filter: StuckFilter, wanted: StuckWanted): StuckPage {
    const { sql, values } = matching(filter, wanted);
    const direction = wanted.isOldestFirst === true ? 'ASC' : 'DESC';
    const found = this.db
      .prepare(
        `SELECT id, changed_at AS changedAt FROM (${sql}) ORDER BY changed_at ${direction}, id ${direction} LIMIT ?`,
      )
      .all(...values, wanted.limit + 1) as StuckPlace[];
    const shown = found.slice(0, wanted.limit);
    const next = found.length > wanted.limit ? (shown.at(-1) ?? null) : this.lastLookedAt(filter, wanted);
    const rows = new Map(this.rows(shown.map(({ id }) => id)).map((row) => [row.id, row]));
    return { grants: shown.flatMap(({ id }) => rows.get(id) ?? []), next };
  }

  /** null if all were looked at. */
  private lastLookedAt(filter: StuckFilter, wanted: StuckWanted): StuckPlace | null {
    const { sql, values } = lookedAt(filter, wanted);
    const last = this.db
      .prepare(`SELECT id, changed_at AS changedAt FROM (${sql}) LIMIT 1 OFFSET ?`)
      .all(...values, wanted.lookAt - 1) as StuckPlace[];
    return last[0] ?? null;
  }

  private rows(ids: readonly number[]): readonly GrantRow[] {
    const chosen = whereOf([['g.id IN (SELECT value FROM json_each(?))', JSON.stringify(ids)]]);
    return grantRows(this.db, chosen, ids.length);
  }

  actions(limit: number): ActedGrant[] {
    return this.db
      .prepare(
        `SELECT a.id, a.grant_id AS grantId, a.action, a.acted_at AS at, a.acted_by AS by, g.player, g.reward, g.server, g.state
         FROM grant_actions a CROSS JOIN grants g ON g.id = a.grant_id ORDER BY a.id DESC LIMIT ?`,
      )
      .all(limit) as ActedGrant[];
  }
}

/** The places that are looked at, in order, with all that is in their index. */
function lookedAt({ recipient, since }: StuckFilter, { after, lookAt, isOldestFirst }: StuckWanted): Clause {
  const [direction, beyond] = isOldestFirst === true ? ['ASC', '>'] : ['DESC', '<'];
  const { sql, values } = allOf([
    ["g.state IN ('held', 'refused')", []],
    [`(g.changed_at, g.id) ${beyond} (?, ?)`, after === undefined ? undefined : [after.changedAt, after.id]],
    ['g.changed_at >= ?', since],
    [`(${UNPAID_OF} OR ${UNPAID_OF})`, recipient === undefined ? undefined : stuckOf(recipient)],
  ]);
  // A recipient has few, which another index finds.
  const by = recipient === undefined ? 'INDEXED BY grants_stuck' : '';
  return {
    sql: `SELECT g.id, g.changed_at, g.server, g.state, g.reason FROM grants g ${by} WHERE ${sql}
          ORDER BY g.changed_at ${direction}, g.id ${direction} LIMIT ?`,
    values: [...values, lookAt],
  };
}

const stuckOf = (recipient: string): readonly string[] => {
  const kinds = kindsOf(recipient);
  return [kinds, 'held', kinds, kinds, 'refused', kinds];
};

/** Of the places that are looked at, those that match. */
function matching(filter: StuckFilter, wanted: StuckWanted): Clause {
  const { state, server, reward, reason, since } = filter;
  const looked = lookedAt(filter, wanted);
  const where = whereOf([
    ['l.state = ?', state],
    [`l.server IN (${OF_SERVER})`, server === undefined ? undefined : [server, server]],
    ['l.reason IS NULL', reason === null ? [] : undefined],
    ['l.reason = ?', reason ?? undefined],
    ['EXISTS (SELECT 1 FROM grants g WHERE g.id = l.id AND g.reward = ?)', reward],
    ['EXISTS (SELECT 1 FROM grants g WHERE g.id = l.id AND g.created_at >= ?)', since],
  ]);
  return { sql: `SELECT * FROM (${looked.sql}) l ${where.sql}`, values: [...looked.values, ...where.values] };
}
