/**
 * What a decision is based on, read for one player: who a name is, and the facts that the rewards of a config need. Each kind of fact is
 * one statement, and most configs need none.
 */
import { type Days, daysOf } from '../core/period.ts';
import type { PlayerName } from '../core/player-name.ts';
import type { Recipient } from '../core/vote.ts';
import { listOf, type Tx, type Value } from '../db/db.ts';
import { type CountedDay, type Known, type KnownRuns, NETWORK, type Needs } from '../rewards/history.ts';
import { EVER } from './schema.ts';

/** A name, whose history it belongs to, and what nearly every condition needs of that. */
export interface Player {
  readonly nameId: number;
  readonly playerId: number;
  readonly counted: number;
  readonly runFrom: number | null;
  readonly runTo: number | null;
  readonly changedOn: number;
  readonly voided: number;
}

const PLAYER = `
  SELECT n.id AS "nameId", p.id AS "playerId", p.counted, p.run_from AS "runFrom", p.run_to AS "runTo",
         p.changed_on AS "changedOn", p.voided
  FROM names n JOIN players p ON p.id = n.player_id`;

/** Who has a name now; null for someone who was never named. */
export const playerNamed = (tx: Tx, { kind, key }: Pick<Recipient, 'kind' | 'key'>): Promise<Player | null> =>
  tx.get<Player>(`${PLAYER} WHERE n.kind = $1 AND n.key = $2 AND n.given_up_at = 0`, [kind, key]);

export const playerWithId = (tx: Tx, playerId: number): Promise<Player | null> =>
  tx.get<Player>(`${PLAYER} WHERE p.id = $1 ORDER BY n.id LIMIT 1`, [playerId]);

/** Someone without a vote. */
export const NOBODY: Player = {
  ...{ nameId: -1, playerId: -1, counted: 0, runFrom: null, runTo: null, changedOn: 0, voided: 0 },
};

/** A player who is named for the first time. */
export async function addPlayer(tx: Tx, { kind, key }: Pick<Recipient, 'kind' | 'key'>): Promise<Player> {
  const made = await tx.get<{ id: number; foreseen: number }>(
    'INSERT INTO players (name_id) SELECT coalesce(max(id), 0) + 1 FROM names RETURNING id, name_id AS foreseen',
  );
  const { id: playerId = 0, foreseen = 0 } = made ?? {};
  const named = 'INSERT INTO names (player_id, kind, key) VALUES ($1, $2, $3)';
  const nameId = await idOf(tx, named, [playerId, kind, key]);
  // SQLite gives a new row the ID after the highest; another engine may not.
  if (nameId !== foreseen) await tx.run('UPDATE players SET name_id = $1 WHERE id = $2', [nameId, playerId]);
  return { ...NOBODY, nameId, playerId };
}

/** The ID of the row that a statement inserts. */
export async function idOf(tx: Tx, insert: string, values: readonly Value[]): Promise<number> {
  return (await tx.get<{ id: number }>(`${insert} RETURNING id`, values))?.id ?? 0;
}

/** Who cast a vote, and under which name. */
export interface Voter {
  readonly playerId: number;
  readonly nameId: number;
  readonly kind: Recipient['kind'];
  readonly key: string;
  /** The spelling of the vote; null: a user ID. */
  readonly player: string | null;
}

/** Of a vote `v` with its name `n`. */
export const VOTER = 'v.player_id AS "playerId", v.name_id AS "nameId", n.kind, n.key, v.player';

/** Who a stored vote is for. The name was checked before it was stored. */
export const recipientOf = ({ kind, key, player }: Pick<Voter, 'kind' | 'key' | 'player'>): Recipient =>
  kind === 'player' ? { kind, key, player: (player ?? key) as PlayerName } : { kind, key };

/** 0 if there is no row yet. */
export async function lastId(tx: Tx, table: 'votes' | 'grants'): Promise<number> {
  return (await tx.get<{ id: number }>(`SELECT coalesce(max(id), 0) AS id FROM ${table}`))?.id ?? 0;
}

/** Most votes need few of these, so only those are read. @param before a cast time, for who comes back. */
export async function knownOf(tx: Tx, player: Player, needs: Needs, before: number): Promise<Known> {
  const { playerId } = player;
  return {
    total: player.counted,
    changedOn: player.changedOn,
    totalOn: needs.totalOn.length === 0 ? new Map() : await totalsOn(tx, playerId, needs.totalOn),
    network: needs.network.length === 0 ? new Map() : await networkTotals(tx, needs.network),
    ...(await votedOn(tx, playerId, needs)),
    elsewhere: needs.spans.length === 0 ? [] : await importedIn(tx, player, needs.spans),
    counts: needs.counts.length === 0 ? [] : await counts(tx, playerId, needs.counts),
    runs: needs.runs.length === 0 ? new Map() : await runs(tx, player, needs.runs),
    lastCounted: needs.lastCounted ? await lastCounted(tx, playerId, before) : null,
    longestRun: needs.longestRun ? await longestRun(tx, player) : 0,
  };
}

async function totalsOn(tx: Tx, playerId: number, services: readonly string[]): Promise<Known['totalOn']> {
  const rows = await tx.all<{ service: string; counted: number }>(
    `SELECT service, counted FROM vote_days
     WHERE player_id = $1 AND day = ${EVER} AND service IN ${tx.each('$2', 'text')}`,
    [playerId, listOf(services)],
  );
  const found = new Map(rows.map(({ service, counted }) => [service, counted]));
  return new Map(services.map((service) => [service, found.get(service) ?? 0]));
}

async function networkTotals(tx: Tx, services: readonly string[]): Promise<Known['network']> {
  const totals = new Map<string, number>();
  for (const service of services) {
    const of = service === NETWORK ? `service = '' AND site = ''` : `service = $1 AND site <> ''`;
    const row = await tx.get<{ counted: number }>(
      `SELECT CAST(coalesce(sum(counted), 0) AS BIGINT) AS counted FROM service_days WHERE ${of}`,
      service === NETWORK ? [] : [service],
    );
    totals.set(service, row?.counted ?? 0);
  }
  return totals;
}

const COUNTED = `SELECT day, CAST(NULL AS TEXT) AS service, CAST(sum(counted) AS BIGINT) AS counted FROM vote_days
   WHERE player_id = $1 AND day BETWEEN $2 AND $3 AND votes > 0 GROUP BY day`;
const servicesFrom = (first: `$${number}`, last: `$${number}`): string =>
  `SELECT day, service, counted FROM vote_days WHERE player_id = $1 AND day BETWEEN ${first} AND ${last} AND votes > 0`;
const SERVICES = servicesFrom('$2', '$3');
const COUNTED_AND_SERVICES = `${COUNTED} UNION ALL ${servicesFrom('$4', '$5')}`;

/** The days with a vote, oldest first, and the services of some days: with one statement. */
async function votedOn(
  tx: Tx,
  playerId: number,
  { days, servicesOn }: Pick<Needs, 'days' | 'servicesOn'>,
): Promise<Pick<Known, 'days' | 'servicesOn'>> {
  if (days === null && servicesOn === null) return { days: [], servicesOn: new Map() };
  const spans = [days, servicesOn].flatMap((span) => (span === null ? [] : [span.from, span.to]));
  const sql = days === null ? SERVICES : servicesOn === null ? COUNTED : COUNTED_AND_SERVICES;
  const rows = await tx.all<CountedDay & { readonly service: string | null }>(sql, [playerId, ...spans]);
  const byDay = new Map<number, string[]>();
  for (const { day, service } of rows)
    if (service !== null) byDay.set(day, [...(byDay.get(day) ?? []), service]);
  const counted = rows.filter(({ service }) => service === null);
  return { days: counted.sort((one, other) => one.day - other.day), servicesOn: byDay };
}

/** What other plugins had counted in their last month. An import is a change of the player, so nearly nobody is looked up. */
async function importedIn(
  tx: Tx,
  { playerId, changedOn }: Player,
  spans: readonly Days[],
): Promise<Known['elsewhere']> {
  if (changedOn === 0) return [];
  const last = await tx.get<{ month: number; counted: number }>(
    `SELECT b.month, CAST(sum(b.month_counted) AS BIGINT) AS counted FROM names n JOIN balances b ON b.name_id = n.id
     WHERE n.player_id = $1 GROUP BY b.month ORDER BY b.month DESC LIMIT 1`,
    [playerId],
  );
  if (last === null || last.counted === 0) return [];
  const { from, to } = daysOf('month', last.month);
  return spans.flatMap((days) =>
    days.from === from && days.to === to ? [{ days, counted: last.counted }] : [],
  );
}

async function counts(tx: Tx, playerId: number, scopes: Needs['counts']): Promise<readonly number[]> {
  const found: number[] = [];
  for (const { days, services } of scopes) {
    const row = await tx.get<{ counted: number }>(
      `SELECT CAST(coalesce(sum(counted), 0) AS BIGINT) AS counted FROM vote_days
       WHERE player_id = $1 AND day BETWEEN $2 AND $3 AND service IN ${tx.each('$4', 'text')}`,
      [playerId, days.from, days.to, listOf(services)],
    );
    found.push(row?.counted ?? 0);
  }
  return found;
}

async function runs(tx: Tx, player: Player, needs: Needs['runs']): Promise<Known['runs']> {
  const found = new Map<Needs['runs'][number]['per'], KnownRuns>();
  for (const need of needs) {
    const days = await runsAround(tx, player, need);
    const [first, last] = [days[0], days.at(-1)];
    const votes =
      need.withVotes && first !== undefined && last !== undefined
        ? (await votedOn(tx, player.playerId, { days: { from: first.from, to: last.to }, servicesOn: null }))
            .days
        : [];
    found.set(need.per, { days, votes });
  }
  return found;
}

const RUN = 'SELECT first_day AS "from", last_day AS "to" FROM voted_runs WHERE player_id = $1';

/** The runs that a gap of so many days connects with a day, and perhaps some more, oldest first. */
async function runsAround(
  tx: Tx,
  { playerId, runFrom, runTo }: Player,
  { day, gap }: { readonly day: number; readonly gap: number },
): Promise<readonly Days[]> {
  if (runFrom === null || runTo === null) return [];
  const latest: Days = { from: runFrom, to: runTo };
  // Between two runs there is a day without a vote at least.
  if (gap === 0 && runFrom <= day) return [latest];
  const earlier: Days[] = [];
  for (let edge = runFrom <= day ? runFrom : day; ; ) {
    // The last run can begin on the day itself.
    const before = earlier.length === 0 && runFrom > day ? day + 1 : edge;
    const more = await tx.all<Days>(
      `${RUN} AND first_day < $2 ORDER BY first_day DESC LIMIT ${RUNS_AT_ONCE}`,
      [playerId, before],
    );
    earlier.push(...more);
    const apart = more.findIndex((run, at) => (more[at - 1]?.from ?? edge) - run.to - 1 > gap);
    if (more.length < RUNS_AT_ONCE || apart >= 0) break;
    edge = more.at(-1)?.from ?? edge;
  }
  const later =
    runFrom <= day ? [] : await tx.all<Days>(`${RUN} AND first_day > $2 ORDER BY first_day`, [playerId, day]);
  return [...earlier.reverse(), ...later, latest];
}

/** A long run has few others around it, and a player who votes every other day many. */
const RUNS_AT_ONCE = 20;

async function lastCounted(tx: Tx, playerId: number, before: number): Promise<number | null> {
  const row = await tx.get<{ at: number }>(
    `SELECT cast_at AS at FROM votes WHERE player_id = $1 AND cast_at < $2 AND weight = 2
     ORDER BY cast_at DESC LIMIT 1`,
    [playerId, before],
  );
  return row?.at ?? null;
}

export async function longestRun(tx: Tx, { playerId, runFrom, runTo }: Player): Promise<number> {
  const row = await tx.get<{ days: number | null; best: number | null }>(
    `SELECT (SELECT max(last_day - first_day + 1) FROM voted_runs WHERE player_id = $1) AS days,
            (SELECT max(b.best) FROM names n JOIN balances b ON b.name_id = n.id WHERE n.player_id = $1) AS best`,
    [playerId],
  );
  const latest = runFrom === null || runTo === null ? 0 : runTo - runFrom + 1;
  return Math.max(latest, row?.days ?? 0, row?.best ?? 0);
}
