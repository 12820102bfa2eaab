import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type {
  ActedGrant,
  GrantRow,
  StuckFilter,
  StuckGroup,
  StuckGroups,
  StuckPage,
  StuckPlace,
  StuckWanted,
} from '../ledger.ts';
import { allOf, type Clause, whereOf } from './conditions.ts';
import { GrantRows } from './grant-rows.ts';
import { kindsOf, OF_SERVER, UNPAID_OF } from './searches.ts';

/** What needs the operator. However much that is, only so many rows of an index are read, and so many grants in full. */
export class StuckReading {
  private readonly grantRows: GrantRows;

  constructor(private readonly db: Database) {
    this.grantRows = new GrantRows(db);
  }

  groups(filter: StuckFilter, { limit, lookAt }: Pick<StuckWanted, 'limit' | 'lookAt'>): StuckGroups {
    const wanted = { limit, lookAt };
    const { sql, values } = matching(filter, wanted);
    const found = this.db
      .prepare(
        `SELECT server, state, reason, count(*) AS count, max(changed_at) AS changedAt FROM (${sql})
         GROUP BY server, state, reason ORDER BY changedAt DESC, server, state, reason`,
      )
      .all(...values) as Omit<StuckGroup, 'grants'>[];
    const groups = found.map((group) => {
      const { server: place, state, reason } = group;
      const places = this.places({ ...filter, place, state, reason }, wanted, limit);
      return { ...group, grants: this.rows(places) };
    });
    return { groups, hasMore: this.lastLookedAt(filter, wanted) !== null };
  }

  grants(filter: StuckFilter, wanted: StuckWanted): StuckPage {
    const found = this.places(filter, wanted, wanted.limit + 1);
    const shown = found.slice(0, wanted.limit);
    const next = found.length > wanted.limit ? (shown.at(-1) ?? null) : this.lastLookedAt(filter, wanted);
    return { grants: this.rows(shown), next };
  }

  count(most: number): number {
    const { sql, values } = lookedAt({}, { lookAt: most });
    return this.db
      .prepare(`SELECT count(*) FROM (${sql})`)
      .pluck()
      .get(...values) as number;
  }

  /** The first ones that match. */
  private places(filter: StuckFilter, wanted: StuckWanted, limit: number): readonly StuckPlace[] {
    const { sql, values } = matching(filter, wanted);
    const direction = wanted.isOldestFirst === true ? 'ASC' : 'DESC';
    return this.db
      .prepare(
        `SELECT id, changed_at AS changedAt FROM (${sql}) ORDER BY changed_at ${direction}, id ${direction} ${atMost('?')}`,
      )
      .all(...values, limit) as StuckPlace[];
  }

  /** null if all were looked at. */
  private lastLookedAt(filter: StuckFilter, wanted: StuckWanted): StuckPlace | null {
    const { sql, values } = lookedAt(filter, wanted);
    const last = this.db
      .prepare(`SELECT id, changed_at AS changedAt FROM (${sql}) LIMIT 1 OFFSET ?`)
      .all(...values, wanted.lookAt - 1) as StuckPlace[];
    return last[0] ?? null;
  }

  /** In the order of the places. */
  private rows(places: readonly StuckPlace[]): readonly GrantRow[] {
    const ids = JSON.stringify(places.map(({ id }) => id));
    const chosen = whereOf([['g.id IN (SELECT value FROM json_each(?))', ids]]);
    const byId = new Map(this.grantRows.read(chosen, places.length).map((row) => [row.id, row]));
    return places.flatMap(({ id }) => byId.get(id) ?? []);
  }

  actions(limit: number): ActedGrant[] {
    return this.db
      .prepare(
        `SELECT a.id, a.grant_id AS grantId, a.action, a.acted_at AS at, a.acted_by AS by, g.player, g.reward, g.server, g.state
         FROM grant_actions a CROSS JOIN grants g ON g.id = a.grant_id ORDER BY a.id DESC ${atMost('?')}`,
      )
      .all(limit) as ActedGrant[];
  }
}

/** The places that are looked at, in order, with all that is in their index. */
function lookedAt(
  { recipient, since }: StuckFilter,
  { after, lookAt, isOldestFirst }: Omit<StuckWanted, 'limit'>,
): Clause {
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
    sql: `SELECT g.id, g.changed_at, g.server, g.state, g.reason, g.reward FROM grants g ${by} WHERE ${sql}
          ORDER BY g.changed_at ${direction}, g.id ${direction} ${atMost('?')}`,
    values: [...values, lookAt],
  };
}

const stuckOf = (recipient: string): readonly string[] => {
  const kinds = kindsOf(recipient);
  return [kinds, 'held', kinds, kinds, 'refused', kinds];
};

/** Of the places that are looked at, those that match. */
function matching(filter: StuckFilter, wanted: StuckWanted): Clause {
  const { state, server, place, reward, reason, since } = filter;
  const looked = lookedAt(filter, wanted);
  const where = whereOf([
    ['l.state = ?', state],
    ['l.server = ?', place],
    [`l.server IN (${OF_SERVER})`, server === undefined ? undefined : [server, server]],
    ['l.reason IS NULL', reason === null ? [] : undefined],
    ['l.reason = ?', reason ?? undefined],
    ['l.reward = ?', reward],
    ['EXISTS (SELECT 1 FROM grants g WHERE g.id = l.id AND g.created_at >= ?)', since],
  ]);
  return { sql: `SELECT * FROM (${looked.sql}) l ${where.sql}`, values: [...looked.values, ...where.values] };
}
