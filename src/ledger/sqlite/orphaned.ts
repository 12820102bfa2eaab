import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { HeldPortion } from '../ledger.ts';
import { grantCode } from './stored-reason.ts';

/**
 * The IDs of open grants whose game server is gone from the config or of another kind now; of a pool, all of them.
 *
 * Includes grants held for the clock: releasing it would make them pending and pay them on the new game server. They
 * are searched for only if the clock was ever doubted, because that reads all held grants. `state <> 'delivered'` is
 * redundant, but lets SQLite use the partial index with that condition.
 */
const ORPHANED = `
  WITH present (server, practice) AS (
      SELECT s.value ->> 'name', s.value ->> 'kind' = 'practice'
      FROM json_each(@servers) s LEFT JOIN game_servers k ON k.name = s.value ->> 'name'
      WHERE ifnull(k.kind, s.value ->> 'kind') = s.value ->> 'kind'),
    gone (server, practice) AS (
      SELECT server, practice FROM (SELECT DISTINCT server FROM granted) d
      CROSS JOIN (SELECT 0 AS practice UNION ALL SELECT 1)
      WHERE (server, practice) NOT IN present AND NOT EXISTS (
        SELECT 1 FROM pools p WHERE p.pool = d.server AND (p.server, practice) IN present))
  SELECT g.id FROM gone CROSS JOIN grants g USING (server, practice) WHERE g.state = 'pending' AND g.id <= @upTo
  UNION ALL
  SELECT g.id FROM gone CROSS JOIN grants g USING (server, practice) WHERE g.state = 'waiting' AND g.reason IS NOT ${grantCode('delayed')} AND g.id <= @upTo
  UNION ALL
  SELECT g.id FROM gone CROSS JOIN grants g USING (server, practice)
  WHERE g.state = 'waiting' AND g.reason = ${grantCode('delayed')} AND g.id <= @upTo
  UNION ALL
  SELECT g.id FROM (SELECT 1 FROM clock_doubts LIMIT 1) CROSS JOIN grants g
  WHERE g.state = 'held' AND g.state <> 'delivered' AND g.reason = ${grantCode('clock-doubt')} AND g.id <= @upTo
    AND (g.server, g.practice) IN gone`;

/** Holding this many grants takes 5 to 20 ms. */
const HELD_AT_ONCE = 500;

/** The config's game servers as parameters of the statements. */
export const serversJson = (kindByServer: ReadonlyMap<string, string>): string =>
  JSON.stringify([...kindByServer].map(([name, kind]) => ({ name, kind })));

/** Rule 9: holds grants whose game server has changed. The caller holds the transaction. */
export class Orphaned {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  hold(
    kindByServer: ReadonlyMap<string, string>,
    now: number,
    upTo = this.statements.lastGrant.get() as number,
  ): HeldPortion {
    const servers = serversJson(kindByServer);
    const { changes: held } = this.statements.hold.run({ servers, upTo, limit: HELD_AT_ONCE, now });
    if (held === HELD_AT_ONCE) return { held, upTo };
    // Not earlier: by the stored kinds the next call finds the rest, also in the next process if this one ends.
    this.statements.storeKinds.run(servers);
    return { held, upTo: null };
  }
}

const prepareStatements = (db: Database) => ({
  lastGrant: db.prepare('SELECT ifnull(max(id), 0) FROM grants').pluck(),
  hold: db.prepare(`
    UPDATE grants SET state = 'held', changed_at = @now,
                      reason = ${grantCode('other-game-server')}, facts = NULL
    WHERE id IN (${ORPHANED} ${atMost('@limit')})`),
  storeKinds: db.prepare(`
    INSERT INTO game_servers (name, kind) SELECT value ->> 'name', value ->> 'kind' FROM json_each(?) WHERE true
    ON CONFLICT DO UPDATE SET kind = excluded.kind`),
});
