/** On what terms grants wait: delays that end, what has waited too long, and game servers that are not what they were. */
import { isClockSet } from '../core/clock.ts';
import { HOUR_MS } from '../core/duration.ts';
import type { PauseCode } from '../core/game-server-codes.ts';
import { expiryOf, type PausedSpan } from '../core/grant-terms.ts';
import { serversIn } from '../core/pool.ts';
import { insertRows, listOf, type Tx } from '../db/db.ts';
import { metaText } from './meta.ts';
import { changeGrants } from './queue.ts';

/** What one call of `holdOrphaned` has done. */
export interface HeldPortion {
  readonly held: number;
  /** The `upTo` of the next call; null if there is nothing left to hold. */
  readonly upTo: number | null;
}

/** What one call of `applyTerms` has done. */
export interface AppliedTerms {
  /** Delays that ended. */
  readonly ended: number;
  readonly expired: number;
  /** Whether there is more to do at once. */
  readonly hasMore: boolean;
}

/** The state of a game server's queue in the process that delivers. */
export interface QueueState {
  /** Why it waits; null: the game server accepts commands. */
  readonly reason: PauseCode | null;
  readonly since: number;
}

/** Grants that are not done, of one game server or of a pool of which none has taken them. */
export interface QueueLength {
  readonly server: string;
  readonly pending: number;
  readonly waiting: number;
  readonly held: number;
  readonly refused: number;
}

/** Ending so many delays, or letting so many grants expire, takes a few milliseconds, and votes wait meanwhile. */
const AT_ONCE = 500;
/** A delayed grant that was made later than this after the present was stored before the clock was set back. */
const SET_BACK_MS = HOUR_MS;
/** When a grant that should have expired is looked at again if a command of it is being sent. */
const SENDING_MS = 1_000;

const IS_DELAYED = `state = 'waiting' AND reason = 'delayed'`;
const MAY_EXPIRE = `expires_at <= $1 AND expires_at IS NOT NULL AND state IN ('pending', 'waiting')`;

/** When the next delay ends or the next grant may expire, on any game server; null if there is neither, 0 if the clock was set back. */
export async function nextTermAt(tx: Tx, now: number): Promise<number | null> {
  const row = await tx.get<{ at: number | null }>(
    `SELECT min(at) AS at FROM (
       SELECT min(due_from) AS at FROM grants WHERE ${IS_DELAYED}
       UNION ALL SELECT min(expires_at) FROM grants WHERE expires_at IS NOT NULL AND state IN ('pending', 'waiting')
       UNION ALL SELECT min(0) FROM grants WHERE ${IS_DELAYED} AND created_at > $1 + ${SET_BACK_MS}) t`,
    [now],
  );
  return row?.at ?? null;
}

/** While the clock is doubted, no delay ends and nothing expires. */
async function isAnyOver(tx: Tx, now: number): Promise<boolean> {
  if (!isClockSet(now)) return false;
  const at = await nextTermAt(tx, now);
  return at !== null && at <= now && (await metaText(tx, 'clock-doubt')) === null;
}

/**
 * Sets grants to `pending` whose delay is over, and cancels those that have waited for longer than they may, less the time spent in
 * pauses. Each call changes some hundred, so that votes do not wait for all of them.
 */
export async function applyTerms(tx: Tx, now: number): Promise<AppliedTerms> {
  if (!(await isAnyOver(tx, now))) return { ended: 0, expired: 0, hasMore: false };
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
    const at = await expiry(tx, grant, now);
    if (at > now) await tx.run('UPDATE grants SET expires_at = $1 WHERE id = $2', [at, grant.id]);
    else over.push(grant.id);
  }
  const reason = { code: 'expired' } as const;
  await changeGrants(tx, { state: 'cancelled', reason, now }, '', `id IN ${tx.each('$5', 'number')}`, [
    listOf(over),
  ]);
  const hasMore = Math.max(ended.length, expiring.length) === AT_ONCE;
  return { ended: ended.length, expired: over.length, hasMore };
}

interface Expiring {
  readonly id: number;
  readonly server: string;
  readonly reward: string;
  readonly dueFrom: number;
  readonly expiresAfter: number;
  readonly sending: number | null;
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
 */
export async function holdOrphaned(
  tx: Tx,
  kindByServer: ReadonlyMap<string, string>,
  now: number,
  upTo?: number,
): Promise<HeldPortion> {
  const last =
    upTo ?? (await tx.get<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM grants'))?.id ?? 0;
  let held = 0;
  for (const { server, practice } of await gonePlaces(tx, kindByServer)) {
    const where = `id IN (SELECT id FROM grants WHERE server = $5 AND practice = $6 AND id <= $7 AND (
        state IN ('pending', 'waiting') OR (state = 'held' AND reason = 'clock-doubt')) LIMIT ${AT_ONCE - held})`;
    const to = { state: 'held', reason: { code: 'other-game-server' }, now } as const;
    held += (await changeGrants(tx, to, '', where, [server, practice, last])).length;
    if (held >= AT_ONCE) return { held, upTo: last };
  }
  const rows = [...kindByServer].map(([name, kind]) => [name, kind]);
  await insertRows(tx, 'servers (name, kind)', rows, 'ON CONFLICT (name) DO UPDATE SET kind = excluded.kind');
  return { held, upTo: null };
}

interface Place {
  readonly server: string;
  readonly practice: 0 | 1;
}

/** Where grants were ever made that is not as it was: a game server and whether it was a practice one, or a pool without any of its own. */
async function gonePlaces(tx: Tx, kindByServer: ReadonlyMap<string, string>): Promise<readonly Place[]> {
  const known = await tx.all<{ name: string; kind: string | null }>('SELECT name, kind FROM servers');
  const kinds = new Map(known.map(({ name, kind }) => [name, kind]));
  const isAsBefore = (server: string, practice: number): boolean => {
    const kind = kindByServer.get(server);
    const before = kinds.get(server) ?? kind;
    return kind !== undefined && before === kind && (kind === 'practice' ? 1 : 0) === practice;
  };
  const places = await tx.all<{ server: string }>('SELECT DISTINCT server FROM granted');
  return places.flatMap(({ server }) =>
    ([0, 1] as const)
      .filter((practice) => !serversIn(server).some((each) => isAsBefore(each, practice)))
      .map((practice) => ({ server, practice })),
  );
}

/** Why the queue of a game server waits from now on, so that commands in other processes can say so. */
export async function storeQueueState(
  tx: Tx,
  server: string,
  reason: QueueState['reason'],
  now: number,
): Promise<void> {
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
  for (const { server } of await tx.all<{ server: string }>('SELECT DISTINCT server FROM granted')) {
    const count = async (where: string): Promise<number> =>
      (await tx.all(`SELECT 1 FROM grants WHERE server = $1 AND ${where} LIMIT ${limit}`, [server])).length;
    const length = {
      pending: await count(`state = 'pending'`),
      waiting: Math.min(
        limit,
        (await count(`state = 'waiting' AND reason <> 'delayed'`)) + (await count(IS_DELAYED)),
      ),
      held: await count(`state IN ('held', 'refused') AND state = 'held'`),
      refused: await count(`state IN ('held', 'refused') AND state = 'refused'`),
    };
    if (Object.values(length).some((each) => each > 0)) found.push({ server, ...length });
  }
  return found;
}
