/**
 * The life of a grant: it is due, a command of it is claimed, sent, settled. Code that changes the state of grants
 * stands here or uses `changeGrants`, so that its event and the places of limits follow.
 */
import type { AnnouncementTerms } from '../core/announcement.ts';
import { HOUR_MS } from '../core/duration.ts';
import { commandReasonAfter, type GrantReason } from '../core/grant-reason.ts';
import { replyOf } from '../core/outcome.ts';
import { isPausedBy } from '../core/pause.ts';
import { playerKey } from '../core/player-name.ts';
import { reasonColumns } from '../core/reason-columns.ts';
import type { GrantState } from '../core/settlement.ts';
import { showsNextVote, withLaterVote } from '../core/template.ts';
import { insertRows, listOf, type Tx, type Value, valueFrom, valuesFrom } from '../db/db.ts';
import type {
  CommandClaim,
  GrantCause,
  GrantRow,
  OpenGrant,
  PendingPage,
  QueueKey,
  Settlement,
  WaitingGrant,
  WaitingPlayer,
} from './grant.ts';
import { TAKES_PLACE } from './known-rewards.ts';
import { countUp, pauses } from './meta.ts';
import { grantEvents } from './outbox.ts';
import { openPool, POOLS } from './owe.ts';
import { type Attempted, outcomesColumn, readOutcomes } from './rows.ts';
import { lastWindowEnd } from './windows.ts';

/** A grant that is not done, as it is stored. */
export interface Row
  extends Pick<GrantRow, 'id' | 'player' | 'reward' | 'server' | 'pool' | 'state'>,
    Pick<GrantRow, 'createdAt' | 'changedAt' | 'dueFrom'>,
    Pick<OpenGrant, 'when'> {
  readonly playerId: number;
  readonly practice: number;
  readonly safe: number;
  readonly texts: string;
  readonly outcomes: string;
  readonly sending: number | null;
  readonly position: number;
  readonly uuid: string | null;
  readonly announcement: string | null;
  readonly paidAs: string | null;
  /** The first of the player's names. */
  readonly key: string;
  readonly isGivenUp: number;
}

export const ROW = `
  g.id, g.player_id AS "playerId", g.player, g.reward, g.server, g.pool, g.practice, g.state, g.run_when AS "when", g.safe,
  g.commands AS texts, g.outcomes, g.sending, g.position, g.created_at AS "createdAt", g.changed_at AS "changedAt", g.uuid, g.due_from AS "dueFrom", g.announcement,
  p.paid_as AS "paidAs", n.key, CASE WHEN n.given_up_at > 0 THEN 1 ELSE 0 END AS "isGivenUp"`;
export const FROM = 'FROM grants g JOIN players p ON p.id = g.player_id JOIN names n ON n.id = p.name_id';

export const grantWith = (tx: Tx, id: number): Promise<Row | null> =>
  tx.get<Row>(`SELECT ${ROW} ${FROM} WHERE g.id = $1`, [id]);

/** Longer than any delay between attempts. A grant that is due later than that was stored before the clock was set back. */
const LONGEST_DELAY_MS = HOUR_MS;

/** Of a grant `g` that may be tried: `$1` is the present. */
const IS_DUE = `
  g.sending IS NULL AND (g.due_at <= $1 OR g.due_at > $1 + ${LONGEST_DELAY_MS}) AND (g.expires_at IS NULL OR g.expires_at > $1)`;

/** What a queue reads: the grants of its game server, and of each pool that the game server is in, one after the other. */
async function placesReadBy(tx: Tx, { server }: QueueKey): Promise<readonly string[]> {
  const pools = await tx.memo(POOLS, () =>
    tx.all<{ server: string; pool: string }>('SELECT server, pool FROM pools'),
  );
  return [server, ...pools.filter((each) => each.server === server).map(({ pool }) => pool)];
}

/** The rewards that are not paid on a game server now; null: none is. */
async function pausedOn(tx: Tx, server: string): Promise<readonly string[] | null> {
  const lasting = (await pauses(tx)).filter((pause) => pause.server === null || pause.server === server);
  const rewards = lasting.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  return rewards.length < lasting.length ? null : rewards;
}

/** The oldest of what a statement finds for each place of a queue. `$2` is the place, `$3` practice, `$4` the rewards that are paused. */
async function oldest(
  tx: Tx,
  queue: QueueKey,
  now: number,
  limit: number,
  where: string,
  values: readonly Value[] = [],
): Promise<readonly Row[]> {
  const paused = await pausedOn(tx, queue.server);
  if (paused === null) return [];
  const found: Row[] = [];
  for (const place of await placesReadBy(tx, queue))
    found.push(
      ...(await tx.all<Row>(
        `SELECT ${ROW} ${FROM}
         WHERE g.server = $2 AND g.practice = $3 AND g.reward NOT IN ${tx.each('$4', 'text')} AND ${IS_DUE} AND ${where}
         ORDER BY g.id LIMIT ${limit}`,
        [now, place, Number(queue.practice), listOf(paused), ...values],
      )),
    );
  return found.sort((one, other) => one.id - other.id).slice(0, limit);
}

/** Grants in state `pending` that are due, oldest first. */
export async function pending(
  tx: Tx,
  queue: QueueKey,
  now: number,
  limit: number,
): Promise<readonly OpenGrant[]> {
  const rows = await oldest(tx, queue, now, limit, `g.state = 'pending'`);
  return await opened(tx, rows, null);
}

/** Grants in state `waiting` for one of these players that are due, oldest first. */
export async function waiting(
  tx: Tx,
  queue: QueueKey,
  keys: readonly string[],
  now: number,
  limit: number,
): Promise<readonly OpenGrant[]> {
  const sql = `SELECT key, player_id AS "playerId" FROM names WHERE kind = 'player' AND given_up_at = 0 AND key IN ${tx.each('$1', 'text')}`;
  const named = await tx.all<{ key: string; playerId: number }>(sql, [listOf(keys)]);
  // A player who is there under two names is paid to the first of them, so that one is set last.
  named.sort((one, other) => keys.indexOf(other.key) - keys.indexOf(one.key));
  const there = new Map(named.map(({ key, playerId }) => [playerId, key]));
  const awaits = `g.state = 'waiting' AND g.reason <> 'delayed' AND g.player_id IN ${tx.each('$5', 'number')}`;
  const rows = await oldest(tx, queue, now, limit, awaits, [listOf([...there.keys()])]);
  return await opened(tx, rows, there);
}

/** @param there the names under which players are on the game server; null: under which they are paid. */
async function opened(tx: Tx, rows: readonly Row[], there: ReadonlyMap<number, string> | null) {
  const found: OpenGrant[] = [];
  for (const row of rows) {
    const grant = await openGrant(tx, row, there?.get(row.playerId) ?? null);
    found.push(
      grant.commands.some(({ text }) => showsNextVote(text)) ? await withLater(tx, grant, row) : grant,
    );
  }
  return found;
}

async function openGrant(tx: Tx, row: Row, thereAs: string | null): Promise<OpenGrant> {
  const paidAs = row.paidAs === null || row.paidAs === '' ? null : row.paidAs;
  const recipientKey = thereAs ?? (paidAs === null ? row.key : playerKey(paidAs));
  const isSpelt = row.player === null || playerKey(row.player) === recipientKey;
  return {
    ...{ id: row.id, recipientKey, reward: row.reward, server: row.server },
    player: isSpelt ? row.player : (paidAs ?? (await spelling(tx, row.playerId, recipientKey))),
    isNameTaken: row.paidAs === '' && row.player !== null,
    ...{ createdAt: row.createdAt, when: row.when, safeToRunTwice: row.safe === 1 },
    announcement: announcementOf(row),
    commands: openCommands(row),
  };
}

export const announcementOf = ({ announcement }: Pick<Row, 'announcement'>): AnnouncementTerms | null =>
  announcement === null ? null : (JSON.parse(announcement) as AnnouncementTerms);

/** The commands that are not delivered. An announcement that may have run is not sent again. */
function openCommands(row: Row): OpenGrant['commands'] {
  const tried = readOutcomes(row.outcomes);
  const first = announcementOf(row)?.first ?? Number.POSITIVE_INFINITY;
  return (JSON.parse(row.texts) as readonly string[]).flatMap((text, position) => {
    const { outcome = null, attempts = 0 } = tried[position] ?? {};
    const isOpen = position < first ? outcome !== 'delivered' : outcome === null || outcome === 'not-sent';
    return isOpen ? [{ position, text, attempts }] : [];
  });
}

/**
 * A name of a player as it was spelt in their latest rewarded vote under it, and in lower case if there is none: to a server in offline
 * mode another spelling is another player.
 */
export async function spelling(tx: Tx, playerId: number, key: string): Promise<string> {
  const latest = `SELECT v.player AS value FROM names n JOIN votes v ON v.player_id = n.player_id AND v.name_id = n.id
    WHERE n.player_id = $1 AND n.kind = 'player' AND n.key = $2 AND v.decision = 'rewarded' ORDER BY v.id DESC LIMIT 1`;
  return (await valueFrom<string>(tx, latest, [playerId, key])) ?? key;
}

/** `{nextVote}` is about the sending: the player may have voted again since the grant was made. */
async function withLater(tx: Tx, grant: OpenGrant, { playerId }: Row): Promise<OpenGrant> {
  const vote = await tx.get<{ service: string; site: string }>(
    `SELECT v.service, v.site FROM grants g JOIN votes v ON v.id = g.cause_id WHERE g.id = $1 AND g.cause = 'vote'`,
    [grant.id],
  );
  const end = vote === null ? null : await lastWindowEnd(tx, vote, playerId);
  if (end === null) return grant;
  const commands = grant.commands.map((each) => ({ ...each, text: withLaterVote(each.text, end) }));
  return { ...grant, commands };
}

/** The players that grants wait for, each once, from the one after `after` on. */
export async function waitingFor(
  tx: Tx,
  queue: QueueKey,
  limit: number,
  after: number,
): Promise<readonly WaitingPlayer[]> {
  const found = new Map<number, WaitingPlayer>();
  for (const place of await placesReadBy(tx, queue)) {
    const rows = await tx.all<{ recipientId: number; player: string }>(
      `SELECT player_id AS "recipientId", max(player) AS player FROM grants
       WHERE server = $1 AND practice = $2 AND state = 'waiting' AND reason <> 'delayed' AND player IS NOT NULL AND player_id > $3
       GROUP BY player_id ORDER BY player_id LIMIT ${limit}`,
      [place, Number(queue.practice), after],
    );
    for (const row of rows) {
      const others = `SELECT key AS value FROM names WHERE player_id = $1 AND given_up_at = 0 AND key <> $2 ORDER BY id`;
      const otherNames = await valuesFrom<string>(tx, others, [row.recipientId, playerKey(row.player)]);
      found.set(row.recipientId, { ...row, otherNames });
    }
  }
  return [...found.values()].sort((one, other) => one.recipientId - other.recipientId).slice(0, limit);
}

/** What a grant was made for; null if it is gone. */
export const causeOf = (tx: Tx, grantId: number): Promise<GrantCause | null> =>
  tx.get<GrantCause>(
    `SELECT v.id AS vote, v.service AS site, g.occasion FROM grants g
     LEFT JOIN votes v ON g.cause = 'vote' AND v.id = g.cause_id WHERE g.id = $1`,
    [grantId],
  );

/** When the next pending grant is due, or null. Those that have expired are left out. */
export async function nextDueAt(tx: Tx, queue: QueueKey, now: number): Promise<number | null> {
  const paused = await pausedOn(tx, queue.server);
  if (paused === null) return null;
  const found: number[] = [];
  for (const place of await placesReadBy(tx, queue)) {
    const at = await valueFrom<number>(
      tx,
      `SELECT min(due_at) AS value FROM grants g
       WHERE g.server = $2 AND g.practice = $3 AND g.state = 'pending' AND g.reward NOT IN ${tx.each('$4', 'text')}
         AND g.sending IS NULL AND (g.expires_at IS NULL OR g.expires_at > $1)`,
      [now, place, Number(queue.practice), listOf(paused)],
    );
    if (at !== null) found.push(at);
  }
  return found.length === 0 ? null : Math.min(...found);
}

/**
 * Changes the state of grants, and stores its event; frees the places of limits of those that are cancelled untried.
 *
 * @param set more columns, such as `due_at = 0`. @param where of `grants`; its parameters begin with `$5`. @returns their IDs.
 */
export async function changeGrants(
  tx: Tx,
  to: { readonly state: GrantState; readonly reason: GrantReason | null; readonly now: number },
  set: string,
  where: string,
  values: readonly Value[],
): Promise<readonly number[]> {
  const { reason, facts } = reasonColumns(to.reason);
  const rows = await tx.all<{ id: number }>(
    `UPDATE grants SET state = $1, reason = $2, facts = $3, changed_at = $4${set === '' ? '' : `, ${set}`} WHERE ${where} RETURNING id`,
    [to.state, reason, facts, to.now, ...values],
  );
  const ids = rows.map(({ id }) => id);
  if (to.state === 'cancelled') await freePlaces(tx, ids);
  await grantEvents(tx, ids, to.state, reason, to.now);
  return ids;
}

/** A grant that was cancelled before its first command does not count for a limit, unless another listener pays it. */
async function freePlaces(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(
    `UPDATE occasions SET takes = 0 WHERE takes = 1
       AND vote_id IN (SELECT cause_id FROM grants WHERE cause = 'vote' AND id IN ${tx.each('$1', 'number')})
       AND NOT EXISTS (SELECT 1 FROM grants g JOIN rewards n ON n.name = g.reward AND n.root_id = occasions.reward_id
                       WHERE g.cause = 'vote' AND g.cause_id = occasions.vote_id AND ${TAKES_PLACE})`,
    [listOf(ids)],
  );
}

/** From `pending` to `waiting`; with `dueAt` the grant is not tried before that time, even if it is `waiting` already. */
export async function wait(
  tx: Tx,
  { id, server }: WaitingGrant,
  reason: GrantReason,
  now: number,
  dueAt: number | null = null,
): Promise<void> {
  const columns = reasonColumns(reason);
  await tx.run(
    `UPDATE grants SET reason = $1, facts = $2, due_at = coalesce(CAST($3 AS BIGINT), due_at),
       changed_at = CASE state WHEN 'pending' THEN $4 ELSE changed_at END, state = 'waiting'
     WHERE id = $5 AND server = $6 AND (state = 'pending' OR (state = 'waiting' AND CAST($3 AS BIGINT) IS NOT NULL))`,
    [columns.reason, columns.facts, dueAt, now, id, server],
  );
}

/** Sets many grants from `pending` to `waiting`: those of a page that are due, wait for their player, and are for nobody who is there. */
export async function waitForAbsent(
  tx: Tx,
  queue: QueueKey,
  page: PendingPage,
  present: readonly string[],
  reason: GrantReason,
  now: number,
): Promise<readonly string[]> {
  const rows = await tx.all<Row>(
    `SELECT ${ROW} ${FROM} WHERE g.id IN (
       SELECT id FROM grants WHERE server = $2 AND practice = $3 AND state = 'pending' AND id >= $4 ORDER BY id LIMIT ${page.limit})
       AND g.run_when = 'online' AND (p.paid_as IS NULL OR p.paid_as <> '') AND ${IS_DUE}`,
    [now, queue.server, Number(queue.practice), page.from],
  );
  const there = new Set(present);
  const absent = rows.filter(({ paidAs, key }) => !there.has(paidAs === null ? key : playerKey(paidAs)));
  const where = `id IN ${tx.each('$5', 'number')}`;
  await changeGrants(tx, { state: 'waiting', reason, now }, '', where, [listOf(absent.map(({ id }) => id))]);
  return [...new Set(absent.flatMap(({ player }) => (player === null ? [] : [player])))];
}

/**
 * Stores that a command is about to be sent.
 *
 * @returns the number of the claim, which is how many were ever made; null if this one must not be, because the grant has changed.
 */
export async function claim(tx: Tx, claimed: CommandClaim): Promise<number | null> {
  const { grantId, position, player, uuid, now, text, take } = claimed;
  const row = await tx.get<Claimable>(
    `SELECT ${ROW}, (SELECT player_id FROM names WHERE kind = 'player' AND key = $2 AND given_up_at = 0) AS owner
     ${FROM} WHERE g.id = $1`,
    [grantId, player === null ? '' : playerKey(player)],
  );
  if (row === null || !(await mayBeClaimed(tx, row, claimed))) return null;
  const outcomes = [...readOutcomes(row.outcomes)];
  const attempts = (outcomes[position]?.attempts ?? 0) + 1;
  for (let at = outcomes.length; at < position; at++) outcomes[at] = null;
  outcomes[position] = { outcome: null, attempts, reply: null, reason: null, startedAt: now, endedAt: null };
  const texts = JSON.parse(row.texts) as string[];
  if (text !== undefined) texts[position] = text;
  const number = await countUp(tx, 'claims');
  const server = take?.server ?? row.server;
  const commands = text === undefined ? row.texts : JSON.stringify(texts);
  await tx.run(
    `UPDATE grants SET state = 'pending', sending = $1, position = $2, outcomes = $3, commands = $4, player = $5,
       uuid = coalesce($6, uuid), server = $7, changed_at = $8 WHERE id = $9`,
    [number, position, outcomesColumn(outcomes), commands, player, uuid, server, now, grantId],
  );
  // So that the grant is found if the game server is removed from the config.
  const place = [row.reward, server];
  if (server !== row.server)
    await insertRows(tx, 'granted (reward, server)', [place], 'ON CONFLICT DO NOTHING');
  (await claimedHere(tx)).set(grantId, { number, position, server, pool: row.pool, outcomes });
  return number;
}

/** A command that is being sent. */
interface Sending extends Pick<Row, 'position' | 'server' | 'pool'> {
  /** Of its claim. */
  readonly number: number;
  readonly outcomes: readonly (Attempted | null)[];
}

/** What this process has claimed since another one last wrote: to settle it, it need not be read again. */
const claimedHere = (tx: Tx): Promise<Map<number, Sending>> => tx.memo('claimed', async () => new Map());

async function sendingOf(tx: Tx, grantId: number): Promise<Sending | null> {
  const row = await grantWith(tx, grantId);
  return row === null || row.sending === null
    ? null
    : { ...row, number: row.sending, outcomes: readOutcomes(row.outcomes) };
}

/** With the player whose name it would be paid to. */
interface Claimable extends Row {
  readonly owner: number | null;
}

async function mayBeClaimed(tx: Tx, row: Claimable, { position, player, take }: CommandClaim) {
  if (row.sending !== null || (row.state !== 'pending' && row.state !== 'waiting')) return false;
  if (position >= (JSON.parse(row.texts) as unknown[]).length) return false;
  if (readOutcomes(row.outcomes)[position]?.outcome === 'delivered') return false;
  if (take !== undefined && row.server !== take.pool && row.server !== take.server) return false;
  const owed = { server: take?.server ?? row.server, reward: row.reward };
  if ((await pauses(tx)).some((pause) => isPausedBy(owed, pause))) return false;
  // A grant that was read before the operator gave it to another player, or before another player had the name, is not paid to a name
  // that is not its player's.
  return player === null || row.owner === row.playerId;
}

/**
 * Stores the outcome of a command that is being sent; a repeated or late settlement changes nothing. With `next`, the next command is
 * claimed too. @returns the number of that claim; null: nothing was claimed.
 */
export async function settle(tx: Tx, settlement: Settlement, next?: CommandClaim): Promise<number | null> {
  const { grantId, outcome, state, dueAt, endedAt, startsOver } = settlement;
  const claimed = await claimedHere(tx);
  const sent = claimed.get(grantId) ?? (await sendingOf(tx, grantId));
  if (sent === null || sent.number !== settlement.claim) return null;
  const { position } = sent;
  const outcomes = [...sent.outcomes];
  outcomes[position] = {
    ...(outcomes[position] as Attempted),
    ...{ outcome: outcome.kind, reply: replyOf(outcome), reason: commandReasonAfter(outcome), endedAt },
  };
  const { reason, facts } = reasonColumns(settlement.reason);
  // Once a command may have run, the grant does not expire.
  const mayHaveRun = outcome.kind === 'delivered' || outcome.kind === 'unknown';
  const server = startsOver && sent.pool !== null ? sent.pool : sent.server;
  const settled = await tx.run(
    `UPDATE grants SET sending = NULL, outcomes = $1, state = $2, reason = $3, facts = $4, due_at = $5, changed_at = $6, server = $7,
       expires_at = CASE WHEN $8 = 1 THEN NULL ELSE expires_at END WHERE id = $9 AND sending = $10`,
    [
      ...[outcomesColumn(outcomes), state, reason, facts, dueAt, endedAt, server],
      ...[Number(mayHaveRun), grantId, sent.number],
    ],
  );
  claimed.delete(grantId);
  if (settled === 0) return null;
  if (server !== sent.server) await openPool(tx, server);
  await grantEvents(tx, [grantId], state, reason, endedAt);
  return next === undefined ? null : await claim(tx, next);
}
