/** The counts beside the votes are compared with the votes, and rebuilt from them. */
import type { Days } from '../core/period.ts';
import { DEFAULT_SITE, OTHER_SERVICES } from '../core/service-name.ts';
import { insertRows, listOf, type Tx, valueFrom, valuesFrom } from '../db/db.ts';
import { joinedRuns, manyVotes, recountPlayer } from './history-counts.ts';
import { added, type StatedCounts } from './imports.ts';
import { EVER } from './schema.ts';

/** A part of the ledger, and how much of the whole is before it, from 0 to 1. */
export interface DeepPart {
  /** The name of a table; empty for the structure of the file. */
  readonly table: string;
  readonly share: number;
}

/** Whose counts are wrong. */
export interface RecountOrder {
  readonly recipients: readonly number[];
  readonly network: boolean;
  readonly parties: readonly number[];
}

/** Whose counts are wrong of some recipients, in the order of their IDs; the last page has those of all recipients together too. */
export interface CountsPage extends RecountOrder {
  /** The last one that was compared; null: there are no more. */
  readonly upTo: number | null;
  /** How much of the whole is done, from 0 to 1. */
  readonly share: number;
}

/** Comparing so many players takes some milliseconds for each thousand of their votes. */
const PLAYERS_AT_ONCE = 500;

/**
 * The players after an ID whose days, totals or runs are not those of their votes and of what was imported. The last page compares the
 * network's total too, which takes seconds for ten million votes.
 */
export async function wrongCounts(tx: Tx, after: number): Promise<CountsPage> {
  const page = await tx.get<{ upTo: number; last: number }>(
    `SELECT coalesce((SELECT max(id) FROM (SELECT id FROM players WHERE id > $1 ORDER BY id LIMIT ${PLAYERS_AT_ONCE}) n), $1) AS "upTo",
            coalesce((SELECT max(id) FROM players), 0) AS last`,
    [after],
  );
  const { upTo: end = after, last = after } = page ?? {};
  const isLast = end >= last;
  // Votes may be left with a player who is gone, as after a disk has lost a write.
  const range = [after, isLast ? Number.MAX_SAFE_INTEGER : end];
  const wrong = new Set<number>();
  for (const sql of [WRONG_DAYS, WRONG_TOTALS, LEFT_BEHIND, WRONG_BALANCES])
    for (const id of await valuesFrom<number>(tx, sql, range)) wrong.add(id);
  for (const id of await wrongRuns(tx, range)) wrong.add(id);
  const recipients = [...wrong].sort((one, other) => one - other);
  if (!isLast) return { recipients, network: false, parties: [], upTo: end, share: end / last };
  const wrongRounds = `SELECT reward_id AS value FROM parties WHERE reached_by IS NULL AND counted <> ${COUNTED_FOR}`;
  const parties = await valuesFrom<number>(tx, wrongRounds);
  return { recipients, network: await isNetworkWrong(tx), parties, upTo: null, share: 1 };
}

const STORED_DAYS = `
  SELECT player_id, day, service, votes, counted FROM vote_days WHERE player_id > $1 AND player_id <= $2 AND votes <> 0`;
const WRONG_DAYS = `
  WITH days AS MATERIALIZED (
    SELECT player_id, day, service, count(*) AS votes, count(*) FILTER (WHERE weight = 2) AS counted FROM votes
    WHERE player_id > $1 AND player_id <= $2 AND weight > 0 GROUP BY player_id, day, service),
  computed AS MATERIALIZED (
    SELECT * FROM days UNION ALL
    SELECT player_id, ${EVER}, service, CAST(sum(votes) AS BIGINT), CAST(sum(counted) AS BIGINT) FROM days
    GROUP BY player_id, service)
  SELECT player_id AS value FROM (SELECT * FROM computed EXCEPT ${STORED_DAYS}) a
  UNION SELECT player_id FROM (${STORED_DAYS} EXCEPT SELECT * FROM computed) b`;

const WRONG_TOTALS = `
  SELECT p.id AS value FROM players p WHERE p.id > $1 AND p.id <= $2 AND (p.many <> ${manyVotes('p.counted')} OR p.counted <>
    (SELECT count(*) FROM votes v WHERE v.player_id = p.id AND v.weight = 2)
    + (SELECT coalesce(sum(b.counted), 0) FROM names n JOIN balances b ON b.name_id = n.id WHERE n.player_id = p.id))`;

/** Votes of a name that belongs to another player. */
const LEFT_BEHIND = `
  SELECT DISTINCT v.player_id AS value FROM votes v JOIN names n ON n.id = v.name_id
  WHERE v.player_id > $1 AND v.player_id <= $2 AND n.player_id <> v.player_id`;

/** What no import can store: that it adds more than the plugin stated. */
const IS_WRONG = '(b.counted > coalesce(b.stated, 0) OR b.month_counted > coalesce(b.month_stated, 0))';
const BALANCES = 'FROM names n JOIN balances b ON b.name_id = n.id';
const WRONG_BALANCES = `
  SELECT n.player_id AS value ${BALANCES} WHERE n.player_id > $1 AND n.player_id <= $2 AND ${IS_WRONG}`;

interface Row extends Days {
  readonly id: number;
}

async function wrongRuns(tx: Tx, range: readonly number[]): Promise<readonly number[]> {
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
  // Two runs that follow one another are one, however they are stored.
  return [...computed.keys(), ...found.keys()].filter((id) => computed.get(id) !== found.get(id));
}

/**
 * Whether the network's total is not that of all votes, or those of services are not those of players' days, which are compared with
 * the votes too.
 */
async function isNetworkWrong(tx: Tx): Promise<boolean> {
  const wrong = await tx.get(`SELECT 1 WHERE (${COMPUTED_NETWORK}) <> (${STORED_NETWORK})`);
  return wrong !== null || (await tx.get(`${WRONG_SERVICES} LIMIT 1`)) !== null;
}

const COMPUTED_NETWORK = 'SELECT count(*) FROM votes WHERE weight = 2';
const STORED_NETWORK = `SELECT coalesce(sum(counted), 0) FROM service_days WHERE service = '' AND site = ''`;

/** Once services without an entry were evicted, their counts are in one sum, so those of services without an entry cannot be compared. */
const WRONG_SERVICES = `
  SELECT service, site, counted FROM (
    SELECT c.service, c.counted, coalesce((
      SELECT v.site FROM votes v WHERE v.service = c.service ORDER BY v.identified_at / 1000 DESC LIMIT 1), '${DEFAULT_SITE}') AS site
    FROM (SELECT service, CAST(sum(counted) AS BIGINT) AS counted FROM (
            SELECT service, counted FROM vote_days WHERE day = ${EVER}
            UNION ALL SELECT service, 0 FROM service_days WHERE site <> '' AND service <> '${OTHER_SERVICES}') a
          GROUP BY service) c
    WHERE c.counted <> coalesce((SELECT sum(d.counted) FROM service_days d WHERE d.service = c.service AND d.site <> ''), 0)) w
  WHERE site <> '${DEFAULT_SITE}' OR NOT EXISTS (SELECT 1 FROM service_days WHERE service = '${OTHER_SERVICES}')`;

/** The votes of a party's round. */
const COUNTED_FOR = `
  (SELECT count(*) FROM party_votes m JOIN votes v ON v.id = m.vote_id WHERE m.party_id = parties.id AND v.weight = 2)`;

/** Counts again from the votes. */
export async function recount(tx: Tx, { recipients, network, parties }: RecountOrder): Promise<void> {
  await tx.run(
    `UPDATE votes SET player_id = (SELECT n.player_id FROM names n WHERE n.id = votes.name_id)
     WHERE player_id IN ${tx.each('$1', 'number')}`,
    [listOf(recipients)],
  );
  for (const playerId of recipients) {
    await recountBalances(tx, playerId);
    await recountPlayer(tx, playerId);
  }
  if (network) await recountNetwork(tx);
  await tx.run(
    `UPDATE parties SET counted = ${COUNTED_FOR}
     WHERE reached_by IS NULL AND reward_id IN ${tx.each('$1', 'number')}`,
    [listOf(parties)],
  );
}

async function recountBalances(tx: Tx, playerId: number): Promise<void> {
  const wrong = await tx.all<StatedCounts & { nameId: number; source: string }>(
    `SELECT b.name_id AS "nameId", b.source, b.as_of AS "asOf", b.stated, b.month, b.month_stated AS "monthStated"
     ${BALANCES} WHERE n.player_id = $1 AND ${IS_WRONG}`,
    [playerId],
  );
  for (const { nameId, source, ...stated } of wrong) {
    const { counted, monthCounted } = await added(tx, playerId, stated);
    await tx.run(
      `UPDATE balances SET counted = CASE WHEN counted > coalesce(stated, 0) THEN $1 ELSE counted END,
         month_counted = CASE WHEN month_counted > coalesce(month_stated, 0) THEN $2 ELSE month_counted END
       WHERE name_id = $3 AND source = $4`,
      [counted, monthCounted, nameId, source],
    );
  }
}

/** After the players' days. Of a service, only the sum of its rows is asked for. */
async function recountNetwork(tx: Tx): Promise<void> {
  const wrong = await tx.all<{ service: string; site: string; counted: number }>(WRONG_SERVICES);
  await tx.run(
    `UPDATE service_days SET counted = 0 WHERE site <> '' AND service IN ${tx.each('$1', 'text')}`,
    [listOf(wrong.map(({ service }) => service))],
  );
  const network = await valueFrom<number>(tx, `SELECT (${COMPUTED_NETWORK}) AS value`);
  await insertRows(
    tx,
    'service_days (service, site, day, decision, votes, counted, last_at)',
    [
      ...wrong.map(({ service, site, counted }) => [service, site, 0, 'rewarded', 0, counted, 0]),
      ['', '', 0, '', 0, network ?? 0, 0],
    ],
    'ON CONFLICT (service, site, day, decision) DO UPDATE SET counted = excluded.counted',
  );
}
