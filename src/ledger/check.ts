/** The counts beside the votes are compared with the votes, and rebuilt from them. */
import { listOf, type Tx } from '../db/db.ts';
import type { CountsPage } from './ledger-reader.ts';
import type { RecountOrder } from './operator-ledger.ts';
import { joinedRuns, recountPlayer } from './history-counts.ts';
import { EVER } from './schema.ts';

/** Comparing so many players takes some milliseconds for each thousand of their votes. */
const PLAYERS_AT_ONCE = 500;

/** The players after an ID whose days, totals or runs are not those of their votes and of what was imported. */
export async function wrongCounts(tx: Tx, after: number): Promise<CountsPage> {
  const page = await tx.get<{ upTo: number; last: number }>(
    `SELECT coalesce((SELECT max(id) FROM (SELECT id FROM players WHERE id > $1 ORDER BY id LIMIT ${PLAYERS_AT_ONCE}) n), $1) AS "upTo",
            coalesce((SELECT max(id) FROM players), 0) AS last`,
    [after],
  );
  const { upTo = after, last = after } = page ?? {};
  const range = [after, upTo];
  const wrong = new Set<number>();
  for (const sql of [WRONG_DAYS, WRONG_TOTALS, LEFT_BEHIND])
    for (const { id } of await tx.all<{ id: number }>(sql, range)) wrong.add(id);
  for (const id of await wrongRuns(tx, after, upTo)) wrong.add(id);
  const recipients = [...wrong].sort((one, other) => one - other);
  return { recipients, upTo, share: last === 0 ? 1 : upTo / last, isLast: upTo >= last };
}

const COMPUTED_DAYS = [EVER, 'day'].map(
  (day) => `
  SELECT player_id, ${day} AS of_day, service, count(*) AS votes, count(*) FILTER (WHERE weight = 2) AS counted FROM votes
  WHERE player_id > $1 AND player_id <= $2 AND weight > 0 GROUP BY player_id, of_day, service`,
);
const STORED_DAYS = `
  SELECT player_id, day, service, votes, counted FROM vote_days WHERE player_id > $1 AND player_id <= $2 AND votes <> 0`;
const COMPUTED = COMPUTED_DAYS.join(' UNION ALL ');
const WRONG_DAYS = `
  SELECT player_id AS id FROM (SELECT * FROM (${COMPUTED}) c EXCEPT ${STORED_DAYS}) a
  UNION SELECT player_id FROM (${STORED_DAYS} EXCEPT SELECT * FROM (${COMPUTED}) c) b`;

const WRONG_TOTALS = `
  SELECT p.id FROM players p WHERE p.id > $1 AND p.id <= $2 AND p.counted <>
    (SELECT count(*) FROM votes v WHERE v.player_id = p.id AND v.weight = 2)
    + (SELECT coalesce(sum(b.counted), 0) FROM names n JOIN balances b ON b.name_id = n.id WHERE n.player_id = p.id)`;

/** Votes of a name that belongs to another player. */
const LEFT_BEHIND = `
  SELECT DISTINCT v.player_id AS id FROM votes v JOIN names n ON n.id = v.name_id
  WHERE v.player_id > $1 AND v.player_id <= $2 AND n.player_id <> v.player_id`;

interface Row {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

async function wrongRuns(tx: Tx, after: number, upTo: number): Promise<readonly number[]> {
  const range = [after, upTo];
  const voted = await tx.all<Row>(
    `SELECT player_id AS id, min(day) AS "from", max(day) AS "to" FROM (
       SELECT player_id, day, day - row_number() OVER (PARTITION BY player_id ORDER BY day) AS run
       FROM (SELECT DISTINCT player_id, day FROM votes WHERE player_id > $1 AND player_id <= $2 AND weight > 0) d) r
     GROUP BY player_id, run`,
    range,
  );
  const imported = await tx.all<Row>(
    `SELECT n.player_id AS id, b.run_from AS "from", b.run_to AS "to" FROM balances b JOIN names n ON n.id = b.name_id
     WHERE n.player_id > $1 AND n.player_id <= $2 AND b.run_from IS NOT NULL`,
    range,
  );
  const stored = await tx.all<Row>(
    `SELECT player_id AS id, first_day AS "from", last_day AS "to" FROM voted_runs WHERE player_id > $1 AND player_id <= $2
     UNION ALL SELECT id, run_from, run_to FROM players WHERE id > $1 AND id <= $2 AND run_from IS NOT NULL`,
    range,
  );
  const written = (rows: readonly Row[]): ReadonlyMap<number, string> => {
    const byPlayer = new Map<number, Row[]>();
    for (const row of rows) byPlayer.set(row.id, [...(byPlayer.get(row.id) ?? []), row]);
    return new Map([...byPlayer].map(([id, runs]) => [id, JSON.stringify(joinedRuns(runs))]));
  };
  const [computed, found] = [written([...voted, ...imported]), written(stored)];
  const differing = [...computed.keys(), ...found.keys()].filter((id) => computed.get(id) !== found.get(id));
  // Two runs that follow one another are one, however they are stored.
  return [...new Set(differing)];
}

/** The network's total, and the totals of services, are those of all votes. It takes a second for some million votes. */
export async function isNetworkCountWrong(tx: Tx): Promise<boolean> {
  const wrong = await tx.get(
    `SELECT 1 FROM (
       SELECT * FROM (${COMPUTED_NETWORK}) c EXCEPT ${STORED_NETWORK}
       UNION ALL SELECT * FROM (${STORED_NETWORK} EXCEPT SELECT * FROM (${COMPUTED_NETWORK}) c) d) w LIMIT 1`,
  );
  return wrong !== null;
}

const COMPUTED_NETWORK = `SELECT count(*) AS counted FROM votes WHERE weight = 2`;
const STORED_NETWORK = `
  SELECT coalesce((SELECT counted FROM service_days WHERE service = '' AND site = ''), 0) AS counted`;

/** The parties of which the round in progress has another count than votes. */
export async function wrongParties(tx: Tx): Promise<readonly number[]> {
  const rows = await tx.all<{ id: number }>(
    `SELECT p.reward_id AS id FROM parties p WHERE p.reached_by IS NULL AND p.counted <> ${COUNTED_FOR}`,
  );
  return rows.map(({ id }) => id);
}

const COUNTED_FOR = `
  (SELECT count(*) FROM party_votes m JOIN votes v ON v.id = m.vote_id WHERE m.party_id = p.id AND v.weight = 2)`;

/** Counts again from the votes. */
export async function recount(tx: Tx, { recipients, network, parties }: RecountOrder): Promise<void> {
  for (const playerId of recipients) {
    await tx.run(
      'UPDATE votes SET player_id = (SELECT n.player_id FROM names n WHERE n.id = votes.name_id) WHERE player_id = $1',
      [playerId],
    );
    await recountPlayer(tx, playerId);
  }
  if (network)
    await tx.run(`UPDATE service_days SET counted = (${COMPUTED_NETWORK}) WHERE service = '' AND site = ''`);
  await tx.run(
    `UPDATE parties SET counted = (
       SELECT count(*) FROM party_votes m JOIN votes v ON v.id = m.vote_id WHERE m.party_id = parties.id AND v.weight = 2)
     WHERE reached_by IS NULL AND reward_id IN ${tx.each('$1', 'number')}`,
    [listOf(parties)],
  );
}
