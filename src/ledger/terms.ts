/**
 * What becomes of grants without an answer of a game server: delays that end, what has waited too long, game servers that are not what
 * they were, commands whose process has died, what the ledger that was lost may have paid, and announcements that are not sent.
 */
import { ANNOUNCED_FOR_MS, type AnnouncementCode } from '../core/announcement.ts';
import { isClockSet } from '../core/clock.ts';
import { HOUR_MS } from '../core/duration.ts';
import type { PauseCode } from '../core/game-server-codes.ts';
import { expiryOf, type PausedSpan } from '../core/grant-terms.ts';
import { serversIn } from '../core/pool.ts';
import type { GrantState } from '../core/settlement.ts';
import { insertRows, listOf, type Tx, valueFrom, valuesFrom } from '../db/db.ts';
import { lastId } from './facts.ts';
import { metaText } from './meta.ts';
import { announcementOf, changeGrants, FROM, grantWith, ROW, type Row } from './queue.ts';
import { type Attempted, outcomesColumn, readOutcomes } from './rows.ts';

/** The state of a game server's queue in the process that delivers. */
export interface QueueState {
  /** Why it waits; null: the game server accepts commands. */
  readonly reason: PauseCode | null;
  readonly since: number;
}

/** Grants that are not done, of one game server or of a pool of which none has taken them. */
export interface QueueLength extends Readonly<Record<'pending' | 'waiting' | 'held' | 'refused', number>> {
  readonly server: string;
}

export interface RestoreDoubts {
  /** Grants that are held now: those that were pending, waiting, held, or being sent. */
  readonly held: number;
  /** Grants that stay refused; the operator may have had them paid since the backup. */
  readonly refused: number;
  /** Commands that were being sent when the backup was made; they are unknown now. */
  readonly unknown: number;
}

/** Ending so many delays, or letting so many grants expire, takes a few milliseconds, and votes wait meanwhile. */
const AT_ONCE = 500;
/** A delayed grant that was made later than this after the present was stored before the clock was set back. */
const SET_BACK_MS = HOUR_MS;
/** When a grant that should have expired is looked at again if a command of it is being sent. */
const SENDING_MS = 1_000;

const IS_WAITING = `state = 'waiting' AND reason <> 'delayed'`;
const IS_DELAYED = `state = 'waiting' AND reason = 'delayed'`;
/** What waits in a queue. Each is the condition of an index, so that nothing else is read. */
export const QUEUED = [`state = 'pending'`, IS_WAITING, IS_DELAYED] as const;
const MAY_EXPIRE = `expires_at <= $1 AND expires_at IS NOT NULL AND state IN ('pending', 'waiting')`;

/** When the next delay ends or the next grant may expire, on any game server; null if there is neither, 0 if the clock was set back. */
export const nextTermAt = (tx: Tx, now: number): Promise<number | null> =>
  valueFrom<number>(
    tx,
    `SELECT min(at) AS value FROM (
       SELECT min(due_from) AS at FROM grants WHERE ${IS_DELAYED}
       UNION ALL SELECT min(expires_at) FROM grants WHERE expires_at IS NOT NULL AND state IN ('pending', 'waiting')
       UNION ALL SELECT min(0) FROM grants WHERE ${IS_DELAYED} AND created_at > $1 + ${SET_BACK_MS}) t`,
    [now],
  );

/**
 * Sets grants to `pending` whose delay is over, and cancels those that have waited for longer than they may, less the time spent in
 * pauses. Each call changes some hundred, so that votes do not wait for all of them. While the clock is doubted, no delay ends and
 * nothing expires.
 *
 * @returns how many of each, and whether there is more to do at once.
 */
export async function applyTerms(tx: Tx, now: number) {
  const at = isClockSet(now) ? await nextTermAt(tx, now) : null;
  if (at === null || at > now || (await metaText(tx, 'clock-doubt')) !== null)
    return { ended: 0, expired: 0, hasMore: false };
  const ended = await changeGrants(
    tx,
    { state: 'pending', reason: null, now },
    '',
    `id IN (SELECT id FROM grants WHERE ${IS_DELAYED} AND (due_from <= $5 OR created_at > $5 + ${SET_BACK_MS}) LIMIT ${AT_ONCE})`,
    [now],
  );
  const expiring = await tx.all<Expiring>(
    `SELECT id, server, reward, coalesce(due_from, created_at) AS "dueFrom", expires_after AS "expiresAfter", sending
     FROM grants WHERE ${MAY_EXPIRE} ORDER BY expires_at LIMIT ${AT_ONCE}`,
    [now],
  );
  const over: number[] = [];
  for (const grant of expiring) {
    const end = await expiry(tx, grant, now);
    if (end > now) await tx.run('UPDATE grants SET expires_at = $1 WHERE id = $2', [end, grant.id]);
    else over.push(grant.id);
  }
  const to = { state: 'cancelled', reason: { code: 'expired' }, now } as const;
  await changeGrants(tx, to, '', `id IN ${tx.each('$5', 'number')}`, [listOf(over)]);
  const hasMore = Math.max(ended.length, expiring.length) === AT_ONCE;
  return { ended: ended.length, expired: over.length, hasMore };
}

interface Expiring extends Pick<Row, 'id' | 'server' | 'reward' | 'sending'> {
  readonly dueFrom: number;
  readonly expiresAfter: number;
}

async function expiry(tx: Tx, grant: Expiring, now: number): Promise<number> {
  if (grant.sending !== null) return now + SENDING_MS;
  const spans = await tx.all<PausedSpan>(
    `SELECT paused_at AS start, resumed_at AS "end" FROM pauses
     WHERE coalesce(server, $1) = $1 AND coalesce(reward, $2) = $2 AND coalesce(resumed_at, $3) >= $3`,
    [grant.server, grant.reward, grant.dueFrom],
  );
  return expiryOf(grant.dueFrom, grant.expiresAfter, spans, now);
}

/**
 * Rule 9: holds open grants whose game server is gone from the config or of another kind now; of a pool, all of them. It includes
 * grants held for the clock: releasing it would pay them on the new game server. Each call holds some hundred; the last one stores the
 * kinds, so that the next process finds the rest if this one ends.
 *
 * @param upTo from the call before: grants that are created meanwhile belong to the game servers of this config.
 * @returns how many, and the `upTo` of the next call; null if there is nothing left to hold.
 */
export async function holdOrphaned(
  tx: Tx,
  kindByServer: ReadonlyMap<string, string>,
  now: number,
  upTo?: number,
): Promise<{ readonly held: number; readonly upTo: number | null }> {
  const last = upTo ?? (await lastId(tx, 'grants'));
  let held = 0;
  for (const { server, practice } of await gonePlaces(tx, kindByServer)) {
    const isDoubted = `state IN ('held', 'refused') AND state = 'held' AND reason = 'clock-doubt'`;
    const open = [...QUEUED, isDoubted].map(
      (where) => `SELECT id FROM grants WHERE server = $5 AND practice = $6 AND +id <= $7 AND ${where}`,
    );
    const where = `id IN (${open.join(' UNION ALL ')} LIMIT ${AT_ONCE - held})`;
    const to = { state: 'held', reason: { code: 'other-game-server' }, now } as const;
    held += (await changeGrants(tx, to, '', where, [server, practice, last])).length;
    if (held >= AT_ONCE) return { held, upTo: last };
  }
  const rows = [...kindByServer].map(([name, kind]) => [name, kind]);
  await insertRows(tx, 'servers (name, kind)', rows, 'ON CONFLICT (name) DO UPDATE SET kind = excluded.kind');
  return { held, upTo: null };
}

/** Where grants were ever made that is not as it was: a game server and whether it was a practice one, or a pool without any of its own. */
async function gonePlaces(tx: Tx, kindByServer: ReadonlyMap<string, string>) {
  const known = await tx.all<{ name: string; kind: string | null }>('SELECT name, kind FROM servers');
  const kinds = new Map(known.map(({ name, kind }) => [name, kind]));
  const isAsBefore = (server: string, practice: number): boolean => {
    const kind = kindByServer.get(server);
    const before = kinds.get(server) ?? kind;
    return kind !== undefined && before === kind && (kind === 'practice' ? 1 : 0) === practice;
  };
  return (await grantedOn(tx)).flatMap((server) =>
    ([0, 1] as const)
      .filter((practice) => !serversIn(server).some((each) => isAsBefore(each, practice)))
      .map((practice) => ({ server, practice })),
  );
}

const grantedOn = (tx: Tx): Promise<readonly string[]> =>
  valuesFrom<string>(tx, 'SELECT DISTINCT server AS value FROM granted');

/** Why the queue of a game server waits from now on, so that commands in other processes can say so. */
export async function storeQueueState(tx: Tx, server: string, reason: QueueState['reason'], now: number) {
  const then = 'ON CONFLICT (name) DO UPDATE SET trouble = excluded.trouble, since = excluded.since';
  await insertRows(tx, 'servers (name, trouble, since)', [[server, reason, now]], then);
}

/** By game server. Servers whose queue had nothing to do since the start are left out. */
export async function queues(tx: Tx): Promise<ReadonlyMap<string, QueueState>> {
  const rows = await tx.all<QueueState & { readonly server: string }>(
    'SELECT name AS server, trouble AS reason, since FROM servers WHERE since IS NOT NULL',
  );
  return new Map(rows.map(({ server, ...state }) => [server, state]));
}

/** How many grants are not done, each number up to a limit: to count some thousand takes some ms. */
export async function queueLengths(tx: Tx, limit: number): Promise<readonly QueueLength[]> {
  const found: QueueLength[] = [];
  for (const server of await grantedOn(tx)) {
    const count = async (where: string): Promise<number> => {
      const some = `SELECT id FROM grants WHERE server = $1 AND ${where} LIMIT ${limit}`;
      return (await valueFrom<number>(tx, `SELECT count(*) AS value FROM (${some}) s`, [server])) ?? 0;
    };
    const length = {
      pending: await count(`state = 'pending'`),
      waiting: Math.min(limit, (await count(IS_WAITING)) + (await count(IS_DELAYED))),
      held: await count(`state IN ('held', 'refused') AND state = 'held'`),
      // There are usually few: reading their rows is cheaper than skipping everything that is held.
      refused: await count(`state = 'refused' AND state <> 'delivered'`),
    };
    if (Object.values(length).some((each) => each > 0)) found.push({ server, ...length });
  }
  return found;
}

/**
 * The commands that no process sends any more are unknown now (rule 6). An announcement that may have been sent is not sent again, nor
 * are those after it. @param of only commands on these game servers. @returns how many.
 */
export async function settleInterrupted(tx: Tx, now: number, of?: readonly string[]): Promise<number> {
  if (of === undefined) await tx.run('UPDATE servers SET trouble = NULL, since = NULL');
  const rows = await tx.all<Row>(`SELECT ${ROW} ${FROM} WHERE g.sending IS NOT NULL`);
  const left = rows.filter(({ server }) => of === undefined || of.includes(server));
  for (const row of left) {
    const outcomes = [...readOutcomes(row.outcomes)];
    const reason = { code: 'process-ended' } as const;
    outcomes[row.position] = { ...(outcomes[row.position] as Attempted), outcome: 'unknown', reason };
    const first = announcementOf(row)?.first ?? Number.POSITIVE_INFINITY;
    const isAnnounced = row.position >= first;
    if (isAnnounced) leaveFrom(outcomes, row, row.position + 1, 'process-ended', now);
    const state = isAnnounced ? 'delivered' : row.safe === 1 ? 'pending' : 'held';
    const to = { state, reason: isAnnounced ? null : reason, now } as const;
    const set = 'sending = NULL, expires_at = NULL, outcomes = $5';
    await changeGrants(tx, to, set, 'id = $6', [outcomesColumn(outcomes), row.id]);
  }
  return left.length;
}

/**
 * Marks a restored ledger as restored, before any process delivers from it. Grants that are safe to run twice are held too: running
 * one twice in a minute does no harm, but twice in a week may. Votes that were cast between the backup and the restore are held when
 * they come, see `record.ts`.
 *
 * @param backupAt when the backup was made.
 */
export async function noteRestore(tx: Tx, backupAt: number, restoredAt: number): Promise<RestoreDoubts> {
  await tx.run('INSERT INTO restores (backup_at, restored_at) VALUES ($1, $2)', [backupAt, restoredAt]);
  tx.forget('restores');
  await tx.run(`UPDATE parties SET doubt = 'restore-doubt' WHERE fixed_at IS NULL`);
  const unknown = await settleInterrupted(tx, restoredAt);
  // They stay in their place among what needs the operator.
  const before = await tx.all<{ state: GrantState }>(
    `UPDATE grants SET reason = 'restore-doubt', facts = NULL WHERE state IN ('held', 'refused') RETURNING state`,
  );
  const refused = before.filter(({ state }) => state === 'refused').length;
  const to = { state: 'held', reason: { code: 'restore-doubt' }, now: restoredAt } as const;
  const held = await changeGrants(tx, to, '', `state IN ('pending', 'waiting') AND state <> 'delivered'`, []);
  return { held: before.length - refused + held.length, refused, unknown };
}

/**
 * What becomes of an announcement. `over`: nothing more of its grant is sent, and it is closed; or it has changed meanwhile.
 * `unseen`: no presence showed its player yet; ask the game server, and call `announce` again with the answer.
 */
export type Announced = 'send' | 'over' | 'unseen';

interface AnnouncingNow {
  readonly now: number;
  /** Whether its player is on the game server now, or need not be; null: not known yet. */
  readonly isHere: boolean | null;
  /** Whether `atMost` leaves it out. */
  readonly isTooOften: boolean;
}

/** Decides, by what only the process that delivers knows, whether the announcements of a grant are sent now. If they are not, closes the grant. */
export async function announce(
  tx: Tx,
  grantId: number,
  { now, isHere, isTooOften }: AnnouncingNow,
): Promise<Announced> {
  const row = await grantWith(tx, grantId);
  if (row?.announcement == null || (row.state !== 'pending' && row.state !== 'waiting')) return 'over';
  if (now - (row.dueFrom ?? row.createdAt) > ANNOUNCED_FOR_MS)
    return await closeAnnouncing(tx, row, 'expired', now);
  if (isHere !== true && !(await wasSeen(tx, row)))
    return isHere === null ? 'unseen' : await closeAnnouncing(tx, row, 'stranger', now);
  return isTooOften ? await closeAnnouncing(tx, row, 'too-often', now) : 'send';
}

/** Whether the player was on a game server, under any of their names. A practice server shows no real ones. */
async function wasSeen(tx: Tx, { playerId, practice }: Row): Promise<boolean> {
  const present = `present IN ${practice === 1 ? '(2, 3)' : '(1, 3)'}`;
  const sql = `SELECT 1 FROM names WHERE player_id = $1 AND ${present} LIMIT 1`;
  return (await tx.get(sql, [playerId])) !== null;
}

/** What was paid or may have been sent of it stays so. */
async function closeAnnouncing(tx: Tx, row: Row, code: AnnouncementCode, now: number): Promise<Announced> {
  const outcomes = [...readOutcomes(row.outcomes)];
  leaveFrom(outcomes, row, announcementOf(row)?.first ?? 0, code, now);
  const isTried = outcomes.some((each) => each?.outcome != null && each.outcome !== 'not-sent');
  const over = isTried
    ? ({ state: 'delivered', reason: null, now } as const)
    : ({ state: 'cancelled', reason: { code }, now } as const);
  const set = 'expires_at = NULL, outcomes = $5';
  await changeGrants(tx, over, set, 'id = $6', [outcomesColumn(outcomes), row.id]);
  return 'over';
}

/** Announcements from a position on are not sent any more. */
function leaveFrom(
  outcomes: (Attempted | null)[],
  row: Row,
  from: number,
  code: AnnouncementCode | 'process-ended',
  now: number,
): void {
  const count = (JSON.parse(row.texts) as unknown[]).length;
  for (let at = outcomes.length; at < count; at++) outcomes[at] = null;
  for (let at = from; at < count; at++) {
    const before = outcomes[at] ?? null;
    if (before !== null && before.outcome !== null && before.outcome !== 'not-sent') continue;
    outcomes[at] = {
      ...{ outcome: 'not-sent', attempts: before?.attempts ?? 0, reply: before?.reply ?? null },
      ...{ reason: { code }, startedAt: before?.startedAt ?? null, endedAt: now },
    };
  }
}
