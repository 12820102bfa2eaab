import { statSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts';
import { Seeded } from '../support/seeded.ts';
import { SERVICES, zipf } from './votes.ts';

export interface LedgerOrder {
  /** A ledger without votes, as Teller or a test has made it. */
  readonly file: string;
  readonly votes: number;
  /** The last vote is two days older than this, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** What is not as on a large server after three years. */
  readonly shape?: Partial<LedgerShape>;
}

export interface LedgerShape {
  readonly days: number;
  /** The names of the players, most votes first. Default: `P0` and so on, one for each 20 votes. */
  readonly players: readonly string[];
  readonly services: readonly string[];
  /** Later votes of the last day are left out. In milliseconds since the Unix epoch. */
  readonly until: number;
  /** Every such grant is held. */
  readonly heldEach: number;
}

export interface FilledLedger {
  readonly seconds: number;
  readonly bytes: number;
}

const DAYS = 3 * 365;
const VOTES_PER_PLAYER = 20;
/** The player with the most votes. */
const HEAVY_VOTES = 20_000;
const DAYS_PER_TRANSACTION = 15;

/** How many players the votes of such a ledger are from. */
export const playersOf = (votes: number): number => Math.max(2, Math.floor(votes / VOTES_PER_PLAYER));

/**
 * The votes of these last days are written with the indexes, one by one. An index that is built at once has full pages, and
 * nearly every vote then splits one: measured with a million votes, it wrote 2.6 pages of each of the two indexes that begin
 * with the player. In a ledger that has grown, pages have room.
 */
const GROWN_DAYS = 44;

/**
 * Fills an empty ledger as a large server would in three years. It writes the tables directly, in order, and most indexes
 * are built at once: ten million votes then take seven minutes. Through `record` they would take a quarter of an hour,
 * and their grants would still have to be claimed and settled one by one.
 *
 * @param onProgress called with what is being done.
 */
export function fillLedger(
  { file, votes, now, shape = {} }: LedgerOrder,
  onProgress: (line: string) => void,
): FilledLedger {
  const { days = DAYS } = shape;
  const startedAt = performance.now();
  const database = new Sqlite(file);
  try {
    // Nothing is lost if this process dies: it starts over with a new file.
    for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'foreign_keys = OFF', 'threads = 2'])
      database.pragma(pragma);
    database.pragma(`cache_size = -${512 * 1024}`);
    const players = shape.players ?? Array.from({ length: playersOf(votes) }, (_, number) => `P${number}`);
    const insert = database.prepare("INSERT INTO recipients (kind, key) VALUES ('player', ?)");
    for (const player of players) insert.run(player.toLowerCase());
    const insertDays = insertingVotes(database, { votes, now, shape: { ...shape, players } }, onProgress);
    withoutIndexes(database, onProgress, 'IN', () => insertDays(0, days - GROWN_DAYS));
    insertDays(days - GROWN_DAYS, days);
    withoutIndexes(database, onProgress, 'NOT IN', () => {
      createGrants(database, votes, onProgress, shape.heldEach);
      summarize(database);
    });
    database.pragma('journal_mode = WAL');
  } finally {
    database.close();
  }
  return { seconds: (performance.now() - startedAt) / 1_000, bytes: statSync(file).size };
}

/**
 * An index that is sorted once is built many times faster than row by row, and triggers need the indexes.
 *
 * @param ofVotes `IN`: without those of votes; `NOT IN`: without all others.
 */
function withoutIndexes(
  database: Database,
  onProgress: (line: string) => void,
  ofVotes: 'IN' | 'NOT IN',
  fill: () => void,
): void {
  const dropped = database
    .prepare(`
      SELECT type, name, sql FROM sqlite_schema
      WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND tbl_name ${ofVotes} ('votes')`)
    .all() as { type: string; name: string; sql: string }[];
  for (const { type, name } of dropped) database.exec(`DROP ${type} ${name}`);
  fill();
  for (const { name, sql } of dropped) {
    onProgress(`creating ${name}`);
    database.exec(sql);
  }
}

/** @returns what inserts the votes from one day (included) to another (excluded), in order. */
function insertingVotes(
  database: Database,
  { votes, now, shape = {} }: Omit<LedgerOrder, 'file'>,
  onProgress: (line: string) => void,
): (from: number, to: number) => void {
  const { days = DAYS, until = Number.POSITIVE_INFINITY, services = SERVICES, players = [] } = shape;
  const seeded = new Seeded(votes);
  const random = () => seeded.next();
  const others = zipf(players.length - 1, random);
  const heavy = Math.min(HEAVY_VOTES, votes / 10);
  const firstDay = Math.floor(now / DAY_MS) - days - 2;
  const insert = insertion(database);
  let id = 0;
  const insertDay = (day: number): void => {
    const share = (of: number): number => Math.floor((of * (day + 1)) / days) - Math.floor((of * day) / days);
    const own = { day, services: services.length, votes: share(votes), heavyVotes: share(heavy) };
    const midnight = (firstDay + day) * DAY_MS;
    const rewarded = new Map<string, number>();
    for (const { player, service, atMs, isRepeat } of dayOfVotes({ ...own, others, random })) {
      const castAt = midnight + atMs;
      if (castAt > until) continue;
      id++;
      const key = `${player} ${service}`;
      const takenBy = isRepeat ? (rewarded.get(key) ?? null) : null;
      if (takenBy === null) rewarded.set(key, id);
      const names = { player: players[player], service: services[service] };
      insert.run({ id, ...names, recipient: player + 1, number: service + 1, castAt, takenBy });
    }
  };
  const insertSome = database.transaction((from: number, to: number) => {
    for (let day = from; day < to; day++) insertDay(day);
  });
  return (from, to) => {
    for (let day = from; day < to; day += DAYS_PER_TRANSACTION) {
      onProgress(`votes: ${id.toLocaleString('en-US')} of ${votes.toLocaleString('en-US')}`);
      insertSome(day, Math.min(to, day + DAYS_PER_TRANSACTION));
    }
  };
}

/** Every fourth listing sends v1 votes. SQL composes what it can, because few parameters are bound faster than many. */
const insertion = (database: Database) =>
  database.prepare(`
    INSERT INTO votes (id, service, site, recipient_id, player, cast_at, claimed_at, received_at, local_day, channel,
                       address, block_digest, decision, window_start, window_end, taken_by, reasons, wire)
    SELECT @id, @service, @service, @recipient, @player, cast_at, cast_at, cast_at + 150, cast_at / ${DAY_MS},
           CASE WHEN @number % 4 = 0 THEN 'listener-v1' ELSE 'listener-v2' END,
           '203.0.113.' || CAST(@number AS INTEGER),
           CASE WHEN @number % 4 = 0 THEN randomblob(32) END,
           CASE WHEN @takenBy IS NULL THEN 'rewarded' ELSE 'cooldown' END, cast_at, cast_at + ${DAY_MS}, @takenBy,
           CASE WHEN @takenBy IS NULL THEN '[[1],[2]]' END,
           CASE WHEN @number % 4 = 0
             THEN 'VOTE' || char(10) || @service || char(10) || @player || char(10) || '192.0.2.1' || char(10) || cast_at || char(10)
             ELSE '{"serviceName":"' || @service || '","username":"' || @player || '","address":"192.0.2.1","timestamp":'
               || cast_at || ',"challenge":"' || lower(hex(randomblob(13))) || '"}' END
    FROM (SELECT CAST(@castAt AS INTEGER) AS cast_at)`);

/** Counts the votes that there are. Also for ledgers whose votes were not recorded one by one. */
const FILL_COUNTS = `
    UPDATE recipients SET counted = n.counted
      FROM (SELECT recipient_id, count(*) AS counted FROM votes WHERE decision = 'rewarded' GROUP BY recipient_id) n
      WHERE n.recipient_id = recipients.id;
    INSERT INTO voted_runs SELECT recipient_id, min(day), max(day) FROM (
        SELECT recipient_id, day, day - row_number() OVER (PARTITION BY recipient_id ORDER BY day) AS run
        FROM (SELECT DISTINCT recipient_id, local_day AS day FROM votes 
          WHERE decision IN ('rewarded', 'cooldown', 'too-old')))
      GROUP BY recipient_id, run;
    UPDATE recipients SET run_from = l.first_day, run_to = l.last_day
      FROM (SELECT recipient_id, max(first_day) AS first_day, last_day FROM voted_runs GROUP BY recipient_id) l
      WHERE l.recipient_id = recipients.id;
    DELETE FROM voted_runs WHERE first_day = (SELECT run_from FROM recipients WHERE id = recipient_id);
    INSERT INTO network_counts SELECT 'site ' || service, count(*) FROM votes WHERE decision = 'rewarded' GROUP BY service;
    INSERT INTO network_counts SELECT 'total', sum(counted) FROM network_counts HAVING count(*) > 0;`;

/** What the ledger keeps beside votes and grants. */
function summarize(database: Database): void {
  database.exec(`
    INSERT INTO reason_forms VALUES (1, '["thanks","granted"]'), (2, '["daily","granted"]');
    INSERT INTO tallies (service, site, day, decision, votes, last_at)
      SELECT service, site, iif(received_at / ${DAY_MS} < latest, 0, latest) AS day, decision, count(*), max(received_at)
      FROM votes CROSS JOIN (SELECT received_at / ${DAY_MS} AS latest FROM votes ORDER BY id DESC LIMIT 1)
      GROUP BY 1, 2, 3, 4;
    INSERT OR IGNORE INTO vote_hours SELECT received_at / 3600000, min(id) FROM votes GROUP BY 1;
    INSERT INTO granted SELECT DISTINCT reward, server FROM grants;
    ${FILL_COUNTS}
    INSERT OR IGNORE INTO game_servers VALUES ('main', 'rcon');
    UPDATE claim_count SET claims = (SELECT count(*) FROM commands WHERE attempts > 0);
    UPDATE clock SET newest_at = (SELECT received_at FROM votes ORDER BY id DESC LIMIT 1);
  `);
}

interface PlannedVote {
  /** 0 is the player with the most votes. */
  readonly player: number;
  readonly service: number;
  /** Since midnight. */
  readonly atMs: number;
  /** It comes less than a day after another vote of this player for this service. */
  readonly isRepeat: boolean;
}

interface DayPlan {
  readonly day: number;
  readonly votes: number;
  /** How many there are. */
  readonly services: number;
  /** Of these, the votes of player 0. */
  readonly heavyVotes: number;
  /** Draws one of the other players, from 0. */
  readonly others: () => number;
  readonly random: () => number;
}

/** Most players vote on some of the listings only. */
const LISTINGS_EACH = 12;
const REPEATS_SHARE = 0.03;

/**
 * The votes of one day in order of time. A player votes for a service at the same time each day, so that every vote
 * that is not a repeat takes its window.
 */
function dayOfVotes({ day, votes, services, heavyVotes, others, random }: DayPlan): PlannedVote[] {
  const planned: PlannedVote[] = [];
  const seen = new Set<number>();
  const add = (player: number, service: number, repeatMs: number): void => {
    const atMs = timeOfDay(player * services + service) + repeatMs;
    planned.push({ player, service, atMs, isRepeat: repeatMs > 0 });
  };
  for (let vote = 0; vote < Math.min(heavyVotes, votes, services); vote++) add(0, (day + vote) % services, 0);
  let repeats = 0;
  while (planned.length < votes) {
    const player = 1 + others();
    const service = (mixed(player) + Math.floor(random() * LISTINGS_EACH)) % services;
    const key = player * services + service;
    if (!seen.has(key)) {
      seen.add(key);
      add(player, service, 0);
    } else if (repeats < votes * REPEATS_SHARE) {
      repeats++;
      add(player, service, 1 + Math.floor(random() * HOUR_MS));
    }
  }
  return planned.sort((a, b) => a.atMs - b.atMs);
}

/** Of a player and a service. Leaves an hour before midnight for repeats. */
const timeOfDay = (key: number): number => mixed(key) % (DAY_MS - HOUR_MS);

/** The same number for the same number, spread over all 32 bits. */
function mixed(number: number): number {
  const once = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  const twice = Math.imul(once ^ (once >>> 16), 0x45d9f3b);
  return (twice ^ (twice >>> 16)) >>> 0;
}

/** By default, one of so many grants is held. */
const HELD_EACH = 100;
/** One vote in a hundred has a grant that waits; all of these are among the latest votes. */
const WAITING_PERCENT = 1;
const LATEST_SHARE = 0.2;
const VOTES_AT_ONCE = 500_000;

/**
 * Two grants for each rewarded vote, each with a command: nearly all delivered, some held, and of the latest ones some
 * that wait for their players.
 */
function createGrants(
  database: Database,
  votes: number,
  onProgress: (line: string) => void,
  heldEach = HELD_EACH,
): void {
  const insertGrants = database.prepare(GRANTS);
  const insertCommands = database.prepare(GRANT_COMMANDS);
  const latest = Math.floor(votes * (1 - LATEST_SHARE));
  const waitingEach = Math.floor((LATEST_SHARE * 100) / WAITING_PERCENT);
  for (let first = 1; first <= votes; first += VOTES_AT_ONCE) {
    onProgress(`grants: of vote ${first.toLocaleString('en-US')} and later`);
    const lastGrant = Number(database.prepare('SELECT ifnull(max(id), 0) FROM grants').pluck().get());
    database.transaction(() => {
      insertGrants.run({ first, last: first + VOTES_AT_ONCE - 1, latest, waitingEach, heldEach });
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

const GRANT_COMMANDS = `
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
