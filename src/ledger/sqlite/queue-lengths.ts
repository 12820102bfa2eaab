import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { QueueLength } from '../queue-state.ts';

interface LengthRow {
  readonly server: string;
  readonly state: keyof Omit<QueueLength, 'server'>;
  readonly grants: number;
}

/** Grants that are not done, by game server, each counted up to a limit. */
export class QueueLengths {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  all(limit: number): readonly QueueLength[] {
    const lengths = new Map<string, QueueLength>();
    for (const { server, state, grants } of this.rows(limit)) {
      const before = lengths.get(server) ?? { server, pending: 0, waiting: 0, held: 0, refused: 0 };
      lengths.set(server, { ...before, [state]: Math.min(limit, before[state] + grants) });
    }
    return [...lengths.values()];
  }

  private rows(limit: number): readonly LengthRow[] {
    return this.statements.flatMap((statement) => statement.all({ limit }) as LengthRow[]);
  }
}

/** Each condition is that of an index whose first column is the game server. */
const QUEUED = [
  { state: 'pending', where: "state = 'pending'" },
  { state: 'waiting', where: "state = 'waiting' AND reason IS NOT 'delayed'" },
  { state: 'waiting', where: "state = 'waiting' AND reason = 'delayed'" },
] as const;

/** Steps from one game server to the next in the index, and so reads no more than the limit of each. */
const queuedSql = ({ state, where }: (typeof QUEUED)[number]): string => `
  WITH RECURSIVE found (server) AS (
    SELECT min(server) FROM grants WHERE ${where}
    UNION ALL
    SELECT (SELECT min(server) FROM grants WHERE ${where} AND server > found.server)
    FROM found WHERE found.server IS NOT NULL)
  SELECT server, '${state}' AS state,
         (SELECT count(*) FROM (SELECT 1 FROM grants WHERE ${where} AND server = found.server ${atMost('@limit')})) AS grants
  FROM found WHERE server IS NOT NULL`;

/** From the index alone: to read each of 10,000 grants for its game server takes twenty times as long. */
const stuckSql = (state: 'held' | 'refused'): string => `
  SELECT server, '${state}' AS state, count(*) AS grants
  FROM (SELECT server FROM grants INDEXED BY grants_stuck
        WHERE state IN ('held', 'refused') AND state = '${state}' ORDER BY changed_at DESC ${atMost('@limit')})
  GROUP BY server`;

const queueLengthSql: readonly string[] = [...QUEUED.map(queuedSql), stuckSql('held'), stuckSql('refused')];

const prepareStatements = (db: Database) => queueLengthSql.map((sql) => db.prepare(sql));
