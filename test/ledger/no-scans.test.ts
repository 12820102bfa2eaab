import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { askedAll } from '../kit/asked.ts';

/** Tables with a row for each vote, grant, player or event. */
const LARGE =
  /^(?:votes|vote_days|players|names|voted_runs|balances|occasions|party_votes|grants|actions|events|event_posts)$/;
/** Indexes that have only what is open. */
const OPEN =
  /USING (?:COVERING )?INDEX grants_(?:stuck|open|pending|delayed|sending|redirected|of_parties)\b/;
/** Statements that may, by how they begin. */
const MAY: readonly string[] = [
  // Once, when a reward gets a limit.
  "UPDATE occasions SET takes = 1 WHERE reward_id = $1 AND how = 'granted' AND vote_id IN (SELECT",
  'INSERT INTO occasions (reward_id, player_id, name_id, occasion, how, vote_id, cast_at, day, takes) SELECT',
  // Once, when a reward carries on another one.
  'UPDATE occasions SET reward_id = $1 WHERE reward_id = $2',
  // When a player is forgotten; events are kept for a week.
  'SELECT id, facts AS value FROM actions',
  'SELECT id, facts AS value FROM events',
];

const shown = (sql: string): string => sql.replaceAll(/\s+/g, ' ').trim();

/** What SQLite would scan for a statement: the name that the statement has for it, and by which index. */
function scansOf(database: Sqlite.Database, sql: string): readonly string[] {
  const given = Object.fromEntries([...sql.matchAll(/\$(\d+)/g)].map(([, number]) => [number, 0]));
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(given) as { detail: string }[];
  // The votes of one player may be as many as a small ledger has: windows are found among those of a site.
  const scan = /decision = 'rewarded'/.test(sql)
    ? /^(?:SCAN|SEARCH(?=.* votes_by_player\b)) (\w.*)/
    : /^SCAN (\w.*)/;
  return steps.flatMap(({ detail }) => scan.exec(detail)?.[1] ?? []);
}

/** Whether a name stands for a large table somewhere in the statement. */
const isLarge = (name: string, sql: string): boolean =>
  [...shown(sql).matchAll(/\b(?:FROM|JOIN|UPDATE|INTO) (\w+)(?: (?:AS )?(\w+))?/g)].some(
    ([, table = '', alias]) => LARGE.test(table) && (table === name || alias === name),
  );

test('nothing that votes, delivery, lists or the operator ask reads a whole table of votes, grants, players or events', async () => {
  const { asked, file } = await askedAll();
  const database = new Sqlite(file);
  onTestFinished(() => void database.close());
  const scans = asked
    .filter((sql) => !MAY.some((start) => shown(sql).startsWith(start)))
    .flatMap((sql) =>
      scansOf(database, sql)
        .filter((scan) => !OPEN.test(scan) && isLarge(scan.split(' ')[0] ?? '', sql))
        .map((scan) => `${scan}: ${shown(sql).slice(0, 200)}`),
    );
  expect(scans).toEqual([]);
});
