/** The counts beside the votes: of a player by day and in all, runs of days, and of services. Written with each vote, and rebuilt from them. */
import { DAY_MS, HOUR_MS } from '../core/duration.ts';
import type { Days } from '../core/period.ts';
import { DEFAULT_SITE, OTHER_SERVICES } from '../core/service-name.ts';
import type { Vote } from '../core/vote.ts';
import { insertRows, type Tx, valueFrom } from '../db/db.ts';
import { joinedRows } from '../rewards/history.ts';
import { lastId, type Player } from './facts.ts';
import { EVER } from './schema.ts';

/** What a vote is to its player's history: 2 if it is counted in totals, 1 if it only marks its day, 0 if it is neither. */
export type Weight = 0 | 1 | 2;

/** Adds a vote to its player's days and total, which may join two runs of days. */
export async function addToPlayer(tx: Tx, player: Player, service: string, day: number, weight: Weight) {
  if (weight === 0) return;
  const { playerId, runFrom, runTo } = player;
  const counted = weight === 2 ? 1 : 0;
  await insertRows(
    tx,
    'vote_days (player_id, day, service, votes, counted)',
    [day, EVER].map((of) => [playerId, of, service, 1, counted]),
    `ON CONFLICT (player_id, day, service) DO UPDATE SET
       votes = vote_days.votes + excluded.votes, counted = vote_days.counted + excluded.counted`,
  );
  const [from, to] = await runWith(tx, playerId, runFrom, runTo, day);
  const total = player.counted + counted;
  const isMoved = counted === 1 && (total === 1 || total === 4 || total % 16 === 0);
  await tx.run(isMoved ? ADD_AND_MOVE : ADD, [counted, from, to, playerId]);
}

/** The step that so many votes reach: 1, 4, 16, and every further 16. */
export const manyVotes = (counted: string): string =>
  `CASE WHEN ${counted} < 1 THEN 0 WHEN ${counted} < 4 THEN 1 WHEN ${counted} < 16 THEN 2 ELSE 2 + ${counted} / 16 END`;
const ADD = 'UPDATE players SET counted = counted + $1, run_from = $2, run_to = $3 WHERE id = $4';
/** SQLite writes an index entry again whenever its column is set, even to the same value. */
const MOVE = `many = ${manyVotes('CAST(counted + $1 AS BIGINT)')}`;
const ADD_AND_MOVE = ADD.replace(',', `, ${MOVE},`);

export const addToTotal = (tx: Tx, playerId: number, votes: 1 | -1): Promise<number> =>
  tx.run(`UPDATE players SET counted = counted + $1, ${MOVE} WHERE id = $2`, [votes, playerId]);

/** The latest run with one more day. Nearly every vote lengthens it or leaves it alone; the others are in `voted_runs`. */
async function runWith(
  tx: Tx,
  playerId: number,
  from: number | null,
  to: number | null,
  day: number,
): Promise<readonly [from: number, to: number]> {
  if (from === null || to === null) return [day, day];
  if (day >= from) {
    if (day <= to + 1) return [from, Math.max(to, day)];
    await storeRun(tx, playerId, from, to);
    return [day, day];
  }
  const before = await tx.get<{ from: number; to: number }>(
    `SELECT first_day AS "from", last_day AS "to" FROM voted_runs WHERE player_id = $1 AND first_day <= $2
     ORDER BY first_day DESC LIMIT 1`,
    [playerId, day],
  );
  if (before !== null && before.to >= day) return [from, to];
  const first = before?.to === day - 1 ? before.from : day;
  if (from === day + 1) {
    await tx.run('DELETE FROM voted_runs WHERE player_id = $1 AND first_day = $2', [playerId, first]);
    return [first, to];
  }
  const joined = 'DELETE FROM voted_runs WHERE player_id = $1 AND first_day = $2 RETURNING last_day AS value';
  const last = await valueFrom<number>(tx, joined, [playerId, day + 1]);
  await storeRun(tx, playerId, first, last ?? day);
  return [from, to];
}

const storeRun = (tx: Tx, playerId: number, from: number, to: number): Promise<void> =>
  insertRows(
    tx,
    'voted_runs (player_id, first_day, last_day)',
    [[playerId, from, to]],
    'ON CONFLICT (player_id, first_day) DO UPDATE SET last_day = excluded.last_day',
  );

const IMPORTED = 'balances b JOIN names n ON n.id = b.name_id WHERE n.player_id = $1';

/** Reads everything about a player again from their votes and what was imported. */
export async function recountPlayer(tx: Tx, playerId: number): Promise<void> {
  await tx.run('DELETE FROM vote_days WHERE player_id = $1', [playerId]);
  await tx.run('DELETE FROM voted_runs WHERE player_id = $1', [playerId]);
  for (const day of ['day', `${EVER}`])
    await tx.run(
      `INSERT INTO vote_days (player_id, day, service, votes, counted)
       SELECT player_id, ${day} AS of_day, service, count(*), count(*) FILTER (WHERE weight = 2) FROM votes
       WHERE player_id = $1 AND weight > 0 GROUP BY player_id, of_day, service`,
      [playerId],
    );
  const stretches = await tx.all<Days>(
    `SELECT DISTINCT day AS "from", day AS "to" FROM vote_days WHERE player_id = $1 AND day <> ${EVER}
     UNION ALL SELECT b.run_from, b.run_to FROM ${IMPORTED} AND b.run_from IS NOT NULL`,
    [playerId],
  );
  const runs = joinedRuns(stretches);
  const latest = runs.at(-1);
  const earlier = runs.slice(0, -1).map(({ from, to }) => [playerId, from, to]);
  await insertRows(tx, 'voted_runs (player_id, first_day, last_day)', earlier);
  await tx.run(
    `UPDATE players SET run_from = $2, run_to = $3,
       counted = (SELECT coalesce(sum(counted), 0) FROM vote_days WHERE player_id = $1 AND day = ${EVER})
         + (SELECT coalesce(sum(b.counted), 0) FROM ${IMPORTED}),
       voided = (SELECT count(*) FROM actions WHERE kind = 'void' AND player_id = $1)
     WHERE id = $1`,
    [playerId, latest?.from ?? null, latest?.to ?? null],
  );
  await tx.run(`UPDATE players SET many = ${manyVotes('counted')} WHERE id = $1`, [playerId]);
}

/** Days and runs in any order, as runs of consecutive days. */
export const joinedRuns = (stretches: readonly Days[]): readonly Days[] =>
  joinedRows(stretches.toSorted((one, other) => one.from - other.from));

/** How many unlisted names have their own statistics. Others are counted together, because anyone can invent names. */
const UNLISTED_KEPT = 1_000;

/**
 * Counts a vote for `teller sites`, by service, day and decision. The number of unlisted names is bounded: a new name replaces the one
 * that has been silent longest, if that has been silent for a day or the new one is proven by a token. Otherwise the new name is
 * counted under `OTHER_SERVICES`, so a flood of forged names evicts no service that votes daily.
 */
export async function addToService(tx: Tx, vote: Vote, decision: string, weight: Weight): Promise<void> {
  const { site, receivedAt } = vote;
  const day = Math.floor(receivedAt / DAY_MS);
  await tx.memo(`days before ${day}`, () => foldDaysBefore(tx, day));
  const service = site === DEFAULT_SITE ? await unlistedName(tx, vote) : vote.service;
  const counted = weight === 2 ? 1 : 0;
  await addServiceDays(tx, [
    [service, site, day, decision, 1, counted, receivedAt],
    ['', '', 0, '', 1, counted, receivedAt],
  ]);
}

/** Adds counts of votes and of counted ones to those of a service, an entry, a day and a decision. */
export const addServiceDays = (
  tx: Tx,
  rows: readonly (readonly [
    service: string,
    site: string,
    day: number,
    decision: string,
    votes: number,
    counted: number,
    lastAt: number,
  ])[],
): Promise<void> => insertRows(tx, SERVICE_DAYS, rows, ADDED);

const SERVICE_DAYS = 'service_days (service, site, day, decision, votes, counted, last_at)';
const ADDED = `ON CONFLICT (service, site, day, decision) DO UPDATE SET
  votes = service_days.votes + excluded.votes, counted = service_days.counted + excluded.counted,
  last_at = CASE WHEN excluded.last_at > service_days.last_at THEN excluded.last_at ELSE service_days.last_at END`;

/** Earlier days are only ever summed. Summing three years of thirty services takes 30 to 50 ms, which each `teller sites` would wait for. */
async function foldDaysBefore(tx: Tx, day: number): Promise<void> {
  await tx.run(
    `INSERT INTO ${SERVICE_DAYS}
     SELECT service, site, 0, decision, sum(votes), sum(counted), max(last_at) FROM service_days
     WHERE day > 0 AND day < $1 GROUP BY service, site, decision ${ADDED}`,
    [day],
  );
  await tx.run('DELETE FROM service_days WHERE day > 0 AND day < $1', [day]);
}

/** The name that the vote is counted under. */
async function unlistedName(tx: Tx, { service, receivedAt, channel }: Vote): Promise<string> {
  const isKept =
    (await tx.get('SELECT 1 FROM sites WHERE service = $1 AND unlisted_at IS NOT NULL', [service])) !== null;
  if (!isKept && !(await makeRoom(tx, receivedAt, channel === 'listener-v2'))) return OTHER_SERVICES;
  await tx.run(
    `INSERT INTO sites (service, unlisted_at) VALUES ($1, $2)
     ON CONFLICT (service) DO UPDATE SET unlisted_at = CASE
       WHEN excluded.unlisted_at > coalesce(sites.unlisted_at, 0) THEN excluded.unlisted_at ELSE sites.unlisted_at END`,
    [service, receivedAt],
  );
  return service;
}

async function makeRoom(tx: Tx, now: number, isProven: boolean): Promise<boolean> {
  const counted = 'SELECT count(*) AS value FROM sites WHERE unlisted_at IS NOT NULL';
  if (((await valueFrom<number>(tx, counted)) ?? 0) < UNLISTED_KEPT) return true;
  const oldest = await tx.get<{ service: string; at: number }>(
    'SELECT service, unlisted_at AS at FROM sites WHERE unlisted_at IS NOT NULL ORDER BY unlisted_at LIMIT 1',
  );
  if (oldest === null || (!isProven && now - oldest.at < DAY_MS)) return false;
  await tx.run(
    `INSERT INTO ${SERVICE_DAYS}
     SELECT $1, site, day, decision, votes, counted, last_at FROM service_days WHERE service = $2 AND site = '${DEFAULT_SITE}'
     ${ADDED}`,
    [OTHER_SERVICES, oldest.service],
  );
  await tx.run(`DELETE FROM service_days WHERE service = $1 AND site = '${DEFAULT_SITE}'`, [oldest.service]);
  await tx.run('UPDATE sites SET unlisted_at = NULL WHERE service = $1', [oldest.service]);
  await tx.run(
    `DELETE FROM sites WHERE service = $1 AND met_at IS NULL AND recovered_until IS NULL AND listed_at IS NULL`,
    [oldest.service],
  );
  return true;
}

/** The first vote of an hour and all later ones: it bounds the IDs, and holds when the clock was set back, too. */
export const firstVoteOfHour = (hour: string): string =>
  `(SELECT coalesce(min(first_vote), ${Number.MAX_SAFE_INTEGER}) FROM vote_hours WHERE hour >= ${hour})`;

/** So many votes are read at once, which takes a few milliseconds: pages and checks wait for the same reader meanwhile. */
const VOTES_AT_ONCE = 2_000;

/**
 * A part of the votes, by their IDs: those after one and up to another.
 *
 * @param after the last vote of the part before; null for the first one, which begins with the first vote of `hour`.
 */
export async function nextPart(tx: Tx, after: number | null, hour: number) {
  const last = await lastId(tx, 'votes');
  const sql = `SELECT ${firstVoteOfHour('$1')} - 1 AS value`;
  const start = after ?? Math.min(last, (await valueFrom<number>(tx, sql, [hour])) ?? 0);
  const upTo = Math.max(start, Math.min(start + VOTES_AT_ONCE, last));
  return { after: start, upTo, isLast: upTo >= last };
}

/** More or fewer votes of a service are counted in totals. */
export async function addToNetwork(tx: Tx, service: string, counted: number): Promise<void> {
  await tx.run(`UPDATE service_days SET counted = counted + $1 WHERE service = '' AND site = ''`, [counted]);
  // On whichever day of it: only their sum is asked for.
  await tx.run(
    `UPDATE service_days SET counted = counted + $1 WHERE service = $2 AND site <> '' AND (site, day, decision) = (
       SELECT site, day, decision FROM service_days WHERE service = $2 AND site <> '' AND counted + $1 >= 0 LIMIT 1)`,
    [counted, service],
  );
}

/** Where the votes of an hour begin, so that those since a time are found by their IDs. */
export async function noteHour(tx: Tx, receivedAt: number, voteId: number): Promise<void> {
  const hour = Math.floor(receivedAt / HOUR_MS);
  await tx.memo(`votes of hour ${hour}`, () =>
    insertRows(tx, 'vote_hours (hour, first_vote)', [[hour, voteId]], 'ON CONFLICT DO NOTHING'),
  );
}
