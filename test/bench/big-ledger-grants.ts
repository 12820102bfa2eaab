import type { Database } from '../../src/platform/sqlite/open.ts';

/** By default, one of so many grants is held. */
const HELD_EACH = 100;
/** One vote in a hundred has a grant that waits; all of these are among the latest votes. */
const WAITING_PERCENT = 1;
const LATEST_SHARE = 0.2;
const STEP = 500_000;

/**
 * Two grants for each rewarded vote, each with a command: nearly all delivered, some held, and of the latest ones some
 * that wait for their players.
 */
export function createGrants(
  database: Database,
  votes: number,
  onProgress: (line: string) => void,
  heldEach = HELD_EACH,
): void {
  const insertGrants = database.prepare(GRANTS);
  const insertCommands = database.prepare(COMMANDS);
  const latest = Math.floor(votes * (1 - LATEST_SHARE));
  const waitingEach = Math.floor((LATEST_SHARE * 100) / WAITING_PERCENT);
  for (let first = 1; first <= votes; first += STEP) {
    onProgress(`grants: of vote ${first.toLocaleString('en-US')} and later`);
    const lastGrant = Number(database.prepare('SELECT ifnull(max(id), 0) FROM grants').pluck().get());
    database.transaction(() => {
      insertGrants.run({ first, last: first + STEP - 1, latest, waitingEach, heldEach });
      insertCommands.run(lastGrant);
    })();
  }
}

const GRANTS = `
  INSERT INTO grants (cause, cause_id, recipient_id, player, reward, server, practice, run_when, safe_to_run_twice,
                      state, reason, due_at, created_at, changed_at)
  SELECT 'vote', id, recipient_id, player, reward, 'main', 0, run_when, 0, state,
         CASE state WHEN 'held' THEN 'timeout' WHEN 'waiting' THEN 'player-offline' END,
         0, received_at, received_at + 250
  FROM (
    SELECT v.id, v.recipient_id, v.player, v.received_at, w.reward, w.run_when,
           CASE WHEN w.run_when = 'online' AND v.id > @latest AND v.id % @waitingEach = 0 THEN 'waiting'
                WHEN (v.id + w.held) % @heldEach = 0 THEN 'held'
                ELSE 'delivered' END AS state
    FROM votes v
    CROSS JOIN (SELECT 'daily' AS reward, 'online' AS run_when, 50 AS held UNION ALL SELECT 'thanks', 'always', 1) w
    WHERE v.id BETWEEN @first AND @last AND v.decision = 'rewarded')`;

const COMMANDS = `
  INSERT INTO commands (grant_id, position, text, outcome, attempts, reply, started_at, ended_at, reason)
  SELECT g.id, 0,
         CASE g.reward WHEN 'daily' THEN 'give {player} diamond 1'
           ELSE 'say {player} voted on ' || (SELECT site FROM votes v WHERE v.id = g.cause_id) END,
         CASE g.state WHEN 'delivered' THEN 'delivered' WHEN 'held' THEN 'unknown' END,
         g.state <> 'waiting',
         CASE WHEN g.state = 'delivered' AND g.reward = 'daily' THEN 'Gave 1 [Diamond] to ' || g.player END,
         CASE WHEN g.state <> 'waiting' THEN g.created_at + 200 END,
         CASE WHEN g.state <> 'waiting' THEN g.created_at + 250 END,
         CASE g.state WHEN 'held' THEN 'timeout' END
  FROM grants g WHERE g.id > ? ORDER BY g.id`;
