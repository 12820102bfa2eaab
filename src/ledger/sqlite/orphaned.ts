import { grantCode } from './stored-reason.ts';

/**
 * The IDs of open grants whose game server is gone from the config or of another kind now.
 *
 * Includes grants held for the clock: releasing it would make them pending and pay them on the new game server. They
 * are searched for only if the clock was ever doubted, because that reads all held grants. `state <> 'delivered'` is
 * redundant, but lets SQLite use the partial index with that condition.
 */
export const ORPHANED = `
  WITH present (server, practice) AS (
      SELECT s.value ->> 'name', s.value ->> 'kind' = 'practice'
      FROM json_each(@servers) s LEFT JOIN game_servers k ON k.name = s.value ->> 'name'
      WHERE ifnull(k.kind, s.value ->> 'kind') = s.value ->> 'kind'),
    gone (server, practice) AS (
      SELECT server, practice FROM (SELECT DISTINCT server FROM granted)
      CROSS JOIN (SELECT 0 AS practice UNION ALL SELECT 1)
      WHERE (server, practice) NOT IN present)
  SELECT g.id FROM gone CROSS JOIN grants g USING (server, practice) WHERE g.state = 'pending' AND g.id <= @upTo
  UNION ALL
  SELECT g.id FROM gone CROSS JOIN grants g USING (server, practice) WHERE g.state = 'waiting' AND g.id <= @upTo
  UNION ALL
  SELECT g.id FROM (SELECT 1 FROM clock_doubts LIMIT 1) CROSS JOIN grants g
  WHERE g.state = 'held' AND g.state <> 'delivered' AND g.reason = ${grantCode('clock-doubt')} AND g.id <= @upTo
    AND (g.server, g.practice) IN gone`;
