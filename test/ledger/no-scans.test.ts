import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { askedAll } from '../kit/asked.ts';

/** Tables with a row for each vote, grant, player or event, and their names in statements. */
const LARGE = /^SCAN (?:votes|v|o|grants|g|commands|recipients|r|players|events|granted_votes|occasions)\b/;
/** Indexes that have only what is open. */
const OPEN =
  /USING (?:COVERING )?INDEX (?:grants_(?:stuck|open|pending|delayed|sending|redirected|of_parties)|commands_sending)\b/;
/** Statements that may, by how they begin. */
const MAY: readonly string[] = [
  // Once, when a reward gets a limit.
  'INSERT INTO granted_votes (reward_id, recipient_id, reward, cast_at, day, vote_id) SELECT',
  "UPDATE occasions SET takes = 1 WHERE reward_id = $1 AND how = 'granted' AND vote_id IN (SELECT",
  'INSERT INTO occasions (reward_id, player_id, name_id, occasion, how, vote_id, cast_at, day, takes) SELECT',
  // The plan has the tables that refer to votes, which are only read if one of them lacks its vote.
  'INSERT INTO votes (',
  // What is scanned are the pending grants of one game server, which are selected before.
  "UPDATE grants SET state = 'waiting'",
  // When a name is split, and when a player is forgotten; events are kept for a week.
  'UPDATE redirected_grants SET recipient_id',
  'SELECT id, facts AS value FROM events',
];

/** What SQLite would read for a statement. */
function planOf(database: Sqlite.Database, sql: string): readonly string[] {
  const explained = database.prepare(`EXPLAIN QUERY PLAN ${sql}`);
  const names = new Set([...sql.matchAll(/[@:$](\w+)/g)].map(([, name = '']) => name));
  const given = Object.fromEntries([...names].map((name) => [name, 0]));
  const count = [...sql.matchAll(/\?/g)].length;
  const rows = names.size > 0 ? explained.all(given) : explained.all(...Array(count).fill(0));
  return (rows as { detail: string }[]).map(({ detail }) => detail);
}

test('nothing that votes, delivery, lists or the operator ask reads a whole table of votes, grants, players or events', async () => {
  const { asked, file } = await askedAll();
  const database = new Sqlite(file);
  onTestFinished(() => void database.close());
  const shown = (sql: string) => sql.replaceAll(/\s+/g, ' ').trim();
  const scans = asked
    .filter((sql) => !MAY.some((start) => shown(sql).startsWith(start)))
    .flatMap((sql) => planOf(database, sql).map((step) => `${step}: ${shown(sql).slice(0, 200)}`))
    .filter((step) => LARGE.test(step) && !OPEN.test(step));
  expect(scans).toEqual([]);
});
