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

export type FilledLedger = ReturnType<typeof fillLedger>;

/** In place of a day in vote_days: all days. */
const EVER = 99_999;

const DAYS = 3 * 365;
const VOTES_PER_PLAYER = 20;
/** The player with the most votes. */
const HEAVY_VOTES = 20_000;
const DAYS_PER_TRANSACTION = 50;

/** How many players the votes of such a ledger are from. */
export const playersOf = (votes: number): number => Math.max(2, Math.floor(votes / VOTES_PER_PLAYER));

/**
 * Fills an empty ledger as a large server would in three years. It writes the tables directly, in the order of time and with their
 * indexes, so that pages have the room that they have in a ledger that has grown: an index that is built at once has full pages, and
 * nearly every later vote splits one. Through `record`, the votes would take several times as long, and their grants would still have
 * to be claimed and settled one by one.
 *
 * @param onProgress called with what is being done.
 */
export function fillLedger(
  { file, votes, now, shape = {} }: LedgerOrder,
  onProgress: (line: string) => void,
) {
  const startedAt = performance.now();
  const database = new Sqlite(file);
  try {
    // Nothing is lost if this process dies: it starts over with a new file.
    const pragmas = ['journal_mode = OFF', 'synchronous = OFF', 'locking_mode = EXCLUSIVE', 'threads = 2'];
    for (const pragma of pragmas) database.pragma(pragma);
    database.pragma(`cache_size = -${1024 * 1024}`);
    const players = shape.players ?? Array.from({ length: playersOf(votes) }, (_, number) => `P${number}`);
    const insert = database.prepare(
      `INSERT INTO names (id, player_id, kind, key) VALUES ($id, $id, 'player', $key)`,
    );
    database.transaction(() => {
      for (const [at, player] of players.entries())
        insert.run({ id: BigInt(at + 1), key: player.toLowerCase() });
      database.exec('INSERT INTO players (id, name_id) SELECT id, id FROM names');
    })();
    fillVotes(database, { votes, now, shape: { ...shape, players } }, onProgress);
    onProgress('counting');
    database.transaction(() => database.exec(COUNTS))();
    for (const pragma of ['locking_mode = NORMAL', 'journal_mode = WAL']) database.pragma(pragma);
  } finally {
    database.close();
  }
  return { seconds: (performance.now() - startedAt) / 1_000, bytes: statSync(file).size };
}

/** In the order of time. The days of their players and their grants are written with some days of votes at a time. */
function fillVotes(
  database: Database,
  { votes, now, shape = {} }: Omit<LedgerOrder, 'file'>,
  onProgress: (line: string) => void,
): void {
  const { days = DAYS, until = Number.POSITIVE_INFINITY, services = SERVICES, players = [] } = shape;
  const seeded = new Seeded(votes);
  const random = () => seeded.next();
  const others = zipf(players.length - 1, random);
  const heavy = Math.min(HEAVY_VOTES, votes / 10);
  const firstDay = Math.floor(now / DAY_MS) - days - 2;
  const insert = database.prepare(VOTE);
  const reasons = startRewards(database, firstDay);
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
      const names = { player: players[player], service: services[service], playerId: player + 1 };
      const numbers = { number: BigInt(service + 1), castAt: BigInt(castAt) };
      insert.run({ id, ...names, ...numbers, takenBy, reasons });
    }
  };
  const follow = FOLLOWING.map((sql) => database.prepare(sql));
  const order = {
    lastDay: firstDay + days - 1,
    latest: Math.floor(votes * (1 - LATEST_SHARE)),
    waitingEach: Math.floor((LATEST_SHARE * 100) / WAITING_PERCENT),
    heldEach: shape.heldEach ?? HELD_EACH,
  };
  const insertSome = database.transaction((from: number, to: number) => {
    const after = id;
    for (let day = from; day < to; day++) insertDay(day);
    for (const each of follow) each.run({ after, ...order });
  });
  for (let day = 0; day < days; day += DAYS_PER_TRANSACTION) {
    onProgress(`votes: ${id.toLocaleString('en-US')} of ${votes.toLocaleString('en-US')}`);
    insertSome(day, Math.min(days, day + DAYS_PER_TRANSACTION));
  }
}

/** A Teller may have started the rewards when it made the ledger. @returns why a vote was granted both, as votes store it. */
function startRewards(database: Database, day: number): string {
  database.exec(`
    INSERT INTO rewards (name, root_id, is_current, start_day, after_vote, after_action)
      SELECT column1, 0, 1, 0, 0, 0 FROM (VALUES ('thanks'), ('daily'))
      WHERE column1 NOT IN (SELECT name FROM rewards);
    UPDATE rewards SET root_id = id, start_day = ${day};`);
  const granted = database.prepare(`SELECT json_group_array(json_array(id, 'granted')) FROM rewards`);
  return granted.pluck().get() as string;
}

/**
 * Every fourth listing sends v1 votes. SQL composes what it can, because few parameters are bound faster than many. An INSERT with a
 * SELECT in place of VALUES would keep a journal of its own for each vote, which nearly doubles the time.
 */
const VOTE = `
  INSERT INTO votes (id, service, site, player_id, name_id, player, cast_at, claimed_at, received_at, day, channel, address,
                     block_digest, decision, weight, window_start, window_end, taken_by, paid_elsewhere, seed, reasons,
                     identified_at, wire)
  VALUES (@id, @service, @service, @playerId, @playerId, @player, @castAt, @castAt, @castAt + 150, @castAt / ${DAY_MS},
          CASE WHEN @number % 4 = 0 THEN 'listener-v1' ELSE 'listener-v2' END, '203.0.113.' || @number,
          CASE WHEN @number % 4 = 0 THEN randomblob(32) END,
          CASE WHEN @takenBy IS NULL THEN 'rewarded' ELSE 'cooldown' END, CASE WHEN @takenBy IS NULL THEN 2 ELSE 1 END,
          @castAt, @castAt + ${DAY_MS}, @takenBy, 0, abs(random()) / 9223372036854775808.0,
          CASE WHEN @takenBy IS NULL THEN @reasons END, @castAt,
          CASE WHEN @number % 4 = 0
            THEN 'VOTE' || char(10) || @service || char(10) || @player || char(10) || '192.0.2.1' || char(10) || @castAt || char(10)
            ELSE '{"serviceName":"' || @service || '","username":"' || @player || '","address":"192.0.2.1","timestamp":'
              || @castAt || ',"challenge":"' || lower(hex(randomblob(13))) || '"}' END)`;

const ADDED = 'votes = votes + excluded.votes, counted = counted + excluded.counted';

const addedDays = (day: string | number): string => `
  INSERT INTO vote_days (player_id, day, service, votes, counted)
  SELECT player_id, ${day} AS of_day, service, count(*), count(*) FILTER (WHERE weight = 2) FROM votes WHERE id > @after
  GROUP BY player_id, of_day, service
  ON CONFLICT DO UPDATE SET ${ADDED}`;

const addedServices = (columns: string): string => `
  INSERT INTO service_days (service, site, day, decision, votes, counted, last_at)
  SELECT ${columns}, count(*), count(*) FILTER (WHERE weight = 2), max(received_at) FROM votes WHERE id > @after
  GROUP BY 1, 2, 3, 4
  ON CONFLICT DO UPDATE SET ${ADDED}, last_at = excluded.last_at`;

const HOURS = `
  INSERT OR IGNORE INTO vote_hours SELECT received_at / ${HOUR_MS} AS hour, min(id) FROM votes WHERE id > @after GROUP BY hour`;

/** By default, one of so many grants is held. */
const HELD_EACH = 100;
/** One vote in a hundred has a grant that waits; all of these are among the latest votes. */
const WAITING_PERCENT = 1;
const LATEST_SHARE = 0.2;

/**
 * Two grants for each rewarded vote, each with a command: nearly all delivered, some held, and of the latest ones some
 * that wait for their players.
 */
const GRANTS = `
  INSERT INTO grants (cause, cause_id, player_id, name_id, player, reward, occasion, server, practice, run_when, safe, state, reason,
                      commands, outcomes, due_at, created_at, changed_at)
  SELECT 'vote', id, player_id, name_id, player, reward, '', 'main', 0, run_when, 0, state,
         CASE state WHEN 'held' THEN 'timeout' WHEN 'waiting' THEN 'player-offline' END,
         json_array(replace(command, '{site}', service)),
         CASE state
           WHEN 'waiting' THEN '[]'
           WHEN 'held' THEN json_array(json_array('unknown', 1, received_at + 200, received_at + 250, NULL, json_object('code', 'timeout')))
           ELSE json_array(json_array('delivered', 1, received_at + 200, received_at + 250, replace(reply, '{player}', player), NULL)) END,
         CASE state WHEN 'waiting' THEN 0 ELSE received_at + 250 END, received_at, received_at + 250
  FROM (
    SELECT v.id, v.player_id, v.name_id, v.player, v.service, v.received_at, w.*,
           CASE WHEN w.run_when = 'online' AND v.id > @latest AND v.id % @waitingEach = 0 THEN 'waiting'
                WHEN (v.id + w.held) % @heldEach = 0 THEN 'held'
                ELSE 'delivered' END AS state
    FROM votes v CROSS JOIN (
      SELECT 'thanks' AS reward, 'always' AS run_when, 1 AS held, 'say {player} voted on {site}' AS command, '' AS reply
      UNION ALL SELECT 'daily', 'online', 50, 'give {player} diamond 1', 'Gave 1 [Diamond] to {player}') w
    WHERE v.id > @after AND v.decision = 'rewarded')`;

const RECEIVED_ON = `received_at / ${DAY_MS}`;

/** What follows from the votes after an ID. */
const FOLLOWING = [
  ...[EVER, 'day'].map(addedDays),
  // Days before the last one are only summed, and so is the whole network.
  ...[`service, site, iif(${RECEIVED_ON} < @lastDay, 0, ${RECEIVED_ON}), decision`, `'', '', 0, ''`].map(
    addedServices,
  ),
  ...[HOURS, GRANTS],
];

/**
 * What the ledger keeps beside votes and grants. Earlier runs of days are stored when the next one begins, so in that order, for the
 * room in their pages.
 */
const COUNTS = `
  CREATE TEMP TABLE runs_of AS
    SELECT player_id, min(day) AS first_day, max(day) AS last_day FROM (
      SELECT player_id, day, day - row_number() OVER (PARTITION BY player_id ORDER BY day) AS run
      FROM (SELECT DISTINCT player_id, day FROM vote_days WHERE day <> ${EVER}))
    GROUP BY player_id, run;
  UPDATE players SET run_from = l.first_day, run_to = l.last_day
    FROM (SELECT player_id, max(first_day) AS first_day, last_day FROM runs_of GROUP BY player_id) l WHERE l.player_id = id;
  INSERT INTO voted_runs
    SELECT r.* FROM runs_of r JOIN players p ON p.id = r.player_id WHERE r.first_day <> p.run_from ORDER BY r.last_day;
  DROP TABLE runs_of;
  UPDATE players SET counted = d.counted, many = CASE WHEN d.counted < 4 THEN 1 WHEN d.counted < 16 THEN 2 ELSE 2 + d.counted / 16 END
    FROM (SELECT player_id, sum(counted) AS counted FROM vote_days WHERE day = ${EVER} GROUP BY player_id) d
    WHERE d.player_id = id;
  INSERT INTO granted VALUES ('thanks', 'main'), ('daily', 'main');
  INSERT OR IGNORE INTO servers (name, kind) VALUES ('main', 'rcon');
  INSERT OR REPLACE INTO meta (name, number) VALUES
    ('claims', (SELECT max(id) FROM grants)
      - (SELECT count(*) FROM grants WHERE state = 'waiting' AND reason <> 'delayed')),
    ('newest-receipt', (SELECT received_at FROM votes ORDER BY id DESC LIMIT 1)),
    ('practice-ended', 0);`;

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
