/**
 * What explains a vote that is not in the ledger. Refusals are counted by hour and cause, not stored one by one, so that a flood of them
 * needs little room, and each hour is summed up for receivers of events. Kept too: when processes ran that record votes, because a vote
 * that was cast while none ran may be missing.
 */
import { DAY_MS, HOUR_MS } from '../core/duration.ts';
import { insertRows, listOf, type Tx, valuesFrom } from '../db/db.ts';
import { idOf } from './facts.ts';
import { receiversOf, storeEvents } from './outbox.ts';

/** A process that recorded votes. Its times are those of this machine, which practice does not move. */
export interface Run {
  readonly startedAt: number;
  /** Its last heartbeat, or its end. */
  readonly seenAt: number;
  /** null: it runs, or it was killed up to a heartbeat after `seenAt`. */
  readonly endedAt: number | null;
}

/** A refusal as it is counted, not stored one by one. */
export interface RefusalCount {
  readonly code: string;
  /** The service name as received, without surrounding white space; null if none was read. */
  readonly service: string | null;
  readonly sender: string;
  readonly count: number;
  readonly lastAt: number;
}

const KEPT_MS = 30 * DAY_MS;

/** Names have no surrounding white space, so a space stands for the empty name. The empty string means that none was read. */
const EMPTY_NAME = ' ';

const storedService = (service: string | null): string => (service === '' ? EMPTY_NAME : (service ?? ''));

const refusedService = (stored: string): string | null => (stored === EMPTY_NAME ? '' : stored || null);

const hourOf = (time: number): number => Math.floor(time / HOUR_MS);

export const REFUSALS = 'refusals (hour, code, service, sender, count, last_at)';
/** What happens to refusals of the same cause and hour. */
export const MERGED = `ON CONFLICT (hour, code, service, sender) DO UPDATE SET count = refusals.count + excluded.count,
  last_at = CASE WHEN excluded.last_at > refusals.last_at THEN excluded.last_at ELSE refusals.last_at END`;

export async function countRefusals(tx: Tx, counts: readonly RefusalCount[]): Promise<void> {
  if (counts.length === 0) return;
  for (const { code, service, sender, count, lastAt } of counts) {
    const row = [hourOf(lastAt), code, storedService(service), sender, count, lastAt];
    await insertRows(tx, REFUSALS, [row], MERGED);
  }
  const newestAt = Math.max(...counts.map(({ lastAt }) => lastAt));
  await tx.run('DELETE FROM refusals WHERE hour < $1', [hourOf(newestAt - KEPT_MS)]);
}

/** Those of the hour of that time and of all later ones, the latest cause first. */
export async function refusals(tx: Tx, since: number): Promise<readonly RefusalCount[]> {
  const rows = await tx.all<RefusalCount & { readonly service: string }>(
    `SELECT code, service, sender, CAST(sum(count) AS BIGINT) AS count, max(last_at) AS "lastAt" FROM refusals
     WHERE hour >= $1 GROUP BY code, service, sender ORDER BY max(last_at) DESC, code, service, sender`,
    [hourOf(since)],
  );
  return rows.map((row) => ({ ...row, service: refusedService(row.service) }));
}

/** An hour is summed up so long after its end: refusals are counted in memory and stored at intervals. */
const SUMMED_LATE_MS = 2 * 60_000;
/** Hours when no Teller ran are summed up later, up to this many. */
const HOURS_BACK = 24;

/** Stores an event about the refusals of each hour that is over, once, if a receiver wants to know. */
export async function summariseRefusals(tx: Tx, now: number): Promise<void> {
  const receivers = await receiversOf(tx, 'vote.refused');
  if (receivers.length === 0) return;
  const since = Math.min(...receivers.map((each) => each.since));
  const end = hourOf(now - SUMMED_LATE_MS);
  const first = Math.max(hourOf(since), end - HOURS_BACK);
  const keys = Array.from({ length: Math.max(0, end - first) }, (_, at) => keyOf(first + at));
  const stored = `SELECT unique_key AS value FROM events WHERE unique_key IN ${tx.each('$1', 'text')}`;
  const done = new Set(await valuesFrom<string>(tx, stored, [listOf(keys)]));
  for (let hour = first; hour < end; hour++) if (!done.has(keyOf(hour))) await summarise(tx, hour);
}

const keyOf = (hour: number): string => `refusals ${hour}`;

/** Causes that a summary names, the most frequent ones first, so that a flood makes no long message. */
const CAUSES_MAX = 50;

async function summarise(tx: Tx, hour: number): Promise<void> {
  const causes = await tx.all<{ code: string; service: string; count: number }>(
    `SELECT code, service, CAST(sum(count) AS BIGINT) AS count FROM refusals WHERE hour = $1
     GROUP BY code, service ORDER BY sum(count) DESC, code, service`,
    [hour],
  );
  if (causes.length === 0) return;
  const named = causes.slice(0, CAUSES_MAX);
  const countOf = (some: typeof causes): number => some.reduce((sum, { count }) => sum + count, 0);
  const until = (hour + 1) * HOUR_MS;
  const facts = {
    from: hour * HOUR_MS,
    until,
    total: countOf(causes),
    refusals: named.map(({ code, service, count }) => ({ code, site: refusedService(service), count })),
    others: countOf(causes) - countOf(named),
  };
  await storeEvents(tx, [{ kind: 'vote.refused', at: until, facts, key: keyOf(hour) }]);
}

/** If the clock was set back, the run began no later than the clock says now. */
const SEEN = 'started_at = CASE WHEN started_at > $1 THEN $1 ELSE started_at END, seen_at = $1';

/**
 * Stores that this process runs.
 *
 * @param id null at its start.
 * @returns the ID for the next call. It is another one if the row is gone.
 */
export async function keepRun(tx: Tx, id: number | null, now: number): Promise<number> {
  if (id !== null && (await tx.run(`UPDATE runs SET ${SEEN} WHERE id = $2`, [now, id])) > 0) return id;
  // The last run before is kept: it says since when none ran.
  const old = 'DELETE FROM runs WHERE seen_at < (SELECT max(seen_at) FROM runs WHERE seen_at < $1)';
  await tx.run(old, [now - KEPT_MS]);
  return await idOf(tx, 'INSERT INTO runs (started_at, seen_at) VALUES ($1, $1)', [now]);
}

export async function endRun(tx: Tx, id: number, now: number): Promise<void> {
  await tx.run(`UPDATE runs SET ${SEEN}, ended_at = $1 WHERE id = $2`, [now, id]);
}

/** Those of the last 30 days and the one before them, by their start. */
export const runs = (tx: Tx): Promise<readonly Run[]> =>
  tx.all<Run>(
    'SELECT started_at AS "startedAt", seen_at AS "seenAt", ended_at AS "endedAt" FROM runs ORDER BY started_at, id',
  );
