/**
 * Which names are one player: game servers show it by UUIDs, and the operator says it. A name belongs to one player, and so does all
 * that was cast under it, granted for it, or given to it. Joining pays nothing.
 */
import { localDay } from '../core/local-time.ts';
import { hasBedrockPrefix, type PlayerName, playerKey } from '../core/player-name.ts';
import { type PlayerUuidKind, playerUuidKind } from '../core/player-uuid.ts';
import type { ProblemCode } from '../core/problem.ts';
import { listOf, type Tx, valueFrom, valuesFrom } from '../db/db.ts';
import { addPlayer, idOf } from './facts.ts';
import { recountPlayer } from './history-counts.ts';
import { noteAction, timeZone } from './meta.ts';
import type { PlayerChangeKind } from './player-view.ts';
import { changeGrants, spelling } from './queue.ts';

/** A name under which a game server showed a UUID. */
export interface SeenPlayer {
  /** In the spelling that the game server shows. */
  readonly name: string;
  /** In lower case, with hyphens. */
  readonly uuid: string;
}

export interface SeenReport {
  readonly players: readonly SeenPlayer[];
  /** The name of the game server in the config. */
  readonly server: string;
}

/** Who changes a player. */
export interface PlayerOrder {
  readonly name: PlayerName;
  /** The account on this machine. */
  readonly by: string;
}

export interface MergeOrder extends PlayerOrder {
  /** The player who keeps their history; `name` joins them. */
  readonly into: PlayerName;
}

export type PlayerRefusal = Extract<
  ProblemCode,
  'player-missing' | 'players-same' | 'players-differ' | 'players-shared-name' | 'player-not-joined'
>;

export type PlayerChanged =
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused'; readonly code: PlayerRefusal };

/** A name that belongs to a player now. */
interface Name {
  readonly id: number;
  readonly key: string;
  readonly playerId: number;
  readonly hasUuid: 0 | 1;
  /** The player that the operator has split it from. */
  readonly apartFrom: number | null;
}

export const nameOf = (tx: Tx, key: string): Promise<Name | null> =>
  tx.get<Name>(
    `SELECT id, key, player_id AS "playerId", apart_from AS "apartFrom",
            CASE WHEN online_uuid IS NULL AND floodgate_uuid IS NULL THEN 0 ELSE 1 END AS "hasUuid"
     FROM names WHERE kind = 'player' AND key = $1 AND given_up_at = 0`,
    [key],
  );

/** All names that a player has or had. */
export const keysOf = (tx: Tx, playerId: number): Promise<readonly string[]> =>
  valuesFrom<string>(
    tx,
    `SELECT n.key AS value FROM names n JOIN players p ON p.id = n.player_id WHERE n.player_id = $1 GROUP BY n.key
     ORDER BY min(CASE WHEN n.id = p.name_id THEN 0 ELSE n.id END)`,
    [playerId],
  );

const UUID_COLUMNS = { online: 'online_uuid', floodgate: 'floodgate_uuid' } as const;

/** The kinds of UUIDs that were seen under any name of a player. */
async function uuidKinds(tx: Tx, playerId: number): Promise<ReadonlySet<PlayerUuidKind>> {
  const row = await tx.get<Record<PlayerUuidKind, number>>(
    'SELECT count(online_uuid) AS online, count(floodgate_uuid) AS floodgate FROM names WHERE player_id = $1',
    [playerId],
  );
  return new Set((['online', 'floodgate'] as const).filter((kind) => (row?.[kind] ?? 0) > 0));
}

interface Source {
  readonly by: string;
  readonly now: number;
  readonly zone: string;
}

/**
 * Joins names, starts players whose names belonged to others, and holds and releases grants accordingly. Only the deliverer calls it.
 *
 * @returns whether anything but a first sighting changed, so that grants have to be read again.
 */
export async function storeSeen(tx: Tx, { players, server }: SeenReport, now: number): Promise<boolean> {
  const source = { by: server, now, zone: await timeZone(tx) };
  const seen: number[] = [];
  let isChange = false;
  for (const { name, uuid } of players) {
    const kind = playerUuidKind(uuid);
    // A Bedrock player with a linked Java account is shown without a prefix.
    if (kind === null || (kind === 'online' && hasBedrockPrefix(name))) continue;
    const key = playerKey(name);
    const owned = await nameOf(tx, key);
    const byUuid = `SELECT player_id AS value FROM names WHERE ${UUID_COLUMNS[kind]} = $1`;
    const known = await valueFrom<number>(tx, byUuid, [uuid]);
    const playerId = known ?? (await playerOfNew(tx, key, owned, kind, uuid, source));
    const isOwn = playerId === owned?.playerId;
    if (known !== null && !isOwn && !(await getsName(tx, known, key, owned, source))) continue;
    // A new UUID under a name that nobody had is a first sighting.
    isChange ||= !isOwn && (known !== null || owned !== null);
    const seenNow = `UPDATE names SET seen_at = $1 WHERE kind = 'player' AND key = $2 AND given_up_at = 0`;
    await tx.run(seenNow, [now, key]);
    await payAs(tx, playerId, name);
    seen.push(playerId);
  }
  // Afterwards, because two players of one report may have swapped names.
  for (const playerId of seen) if (await releaseNamed(tx, playerId, now)) isChange = true;
  return isChange;
}

/** Whose a UUID is that was never seen: the name's player's, if they have none of its kind, and a new one's otherwise. */
async function playerOfNew(
  tx: Tx,
  key: string,
  name: Name | null,
  kind: PlayerUuidKind,
  uuid: string,
  source: Source,
): Promise<number> {
  const isOwners = name?.hasUuid === 0 && !(await uuidKinds(tx, name.playerId)).has(kind);
  if (name !== null && !isOwners) await take(tx, name, source);
  const { nameId, playerId } = isOwners
    ? { nameId: name.id, playerId: name.playerId }
    : await addPlayer(tx, { kind: 'player', key });
  await tx.run(`UPDATE names SET ${UUID_COLUMNS[kind]} = $1 WHERE id = $2`, [uuid, nameId]);
  return playerId;
}

/** A known player has another name, which may be nobody's, another player's, or one that they had before. @returns whether it is theirs. */
async function getsName(tx: Tx, playerId: number, key: string, name: Name | null, source: Source) {
  if (name?.apartFrom === playerId) return false;
  const isOthers = name !== null && (await uuidKinds(tx, name.playerId)).size > 0;
  // A name with a Bedrock prefix and one without are never joined.
  const isLike = (own: string): boolean => hasBedrockPrefix(own) === hasBedrockPrefix(key);
  if (!isOthers && !(await keysOf(tx, playerId)).some(isLike)) return false;
  if (name !== null && !isOthers) {
    await join(tx, name, playerId, 'joined', source);
    return true;
  }
  if (name !== null) await take(tx, name, source);
  const back = `UPDATE names SET given_up_at = 0 WHERE id = (
    SELECT id FROM names WHERE kind = 'player' AND key = $1 AND player_id = $2 AND given_up_at > 0
    ORDER BY given_up_at DESC LIMIT 1) RETURNING id AS value`;
  const before = name === null ? null : await valueFrom<number>(tx, back, [key, playerId]);
  const added = `INSERT INTO names (player_id, kind, key) VALUES ($1, 'player', $2)`;
  const nameId = before ?? (await idOf(tx, added, [playerId, key]));
  await trace(tx, before === null ? 'joined' : 'name-back', nameId, playerId, source);
  return true;
}

/** What was cast under the name stays with the old player. */
async function take(tx: Tx, { id, key, playerId }: Name, source: Source): Promise<void> {
  // A name can be given up twice in the same millisecond.
  await tx.run(
    `UPDATE names SET given_up_at = (
       SELECT max(CASE WHEN given_up_at >= $1 THEN given_up_at + 1 ELSE $1 END) FROM names WHERE kind = 'player' AND key = $2)
     WHERE id = $3`,
    [source.now, key, id],
  );
  await trace(tx, 'name-taken', id, playerId, source);
  await payAs(tx, playerId, null);
  await hold(tx, OPEN_OF, playerId, source.now);
}

const trace = (
  tx: Tx,
  kind: PlayerChangeKind,
  nameId: number,
  playerId: number,
  { by, now: at }: Pick<Source, 'by' | 'now'>,
): Promise<number> => noteAction(tx, { kind, at, by, playerId, nameId });

/** Sets to which of its names a player is paid. @param name null: as far as is known, to one that they have now. */
async function payAs(tx: Tx, playerId: number, name: string | null): Promise<void> {
  const names = await tx.all<{ key: string; isFirst: number; paidAs: string | null }>(
    `SELECT n.key, p.paid_as AS "paidAs", CASE WHEN n.id = p.name_id THEN 1 ELSE 0 END AS "isFirst"
     FROM names n JOIN players p ON p.id = n.player_id WHERE p.id = $1 AND n.given_up_at = 0
     ORDER BY CASE WHEN n.id = p.name_id THEN 0 ELSE 1 END, coalesce(n.seen_at, 0) DESC, n.id DESC`,
    [playerId],
  );
  const [best] = names;
  const isKept = ({ key }: { readonly key: string }): boolean => key === playerKey(best?.paidAs ?? '');
  let paidAs: string | null = name ?? '';
  // The first name needs no entry, so that nearly all rows have none.
  if (best?.isFirst === 1 && (name === null || playerKey(name) === best.key)) paidAs = null;
  else if (name === null && best !== undefined)
    paidAs = names.some(isKept) ? best.paidAs : await spelling(tx, playerId, best.key);
  await tx.run('UPDATE players SET paid_as = $1 WHERE id = $2', [paidAs, playerId]);
}

/** What is being sent ends as it does. @param where a condition of `grants` on `$5`. */
async function hold(tx: Tx, where: string, value: number, now: number): Promise<void> {
  const to = { state: 'held', reason: { code: 'name-taken' }, now } as const;
  await changeGrants(tx, to, '', `player IS NOT NULL AND sending IS NULL AND ${where}`, [value]);
}

/** Everything of a player that waits or is pending. What is delayed is held when that is over. */
const OPEN_OF = `id IN (
  SELECT id FROM grants WHERE player_id = $5 AND state NOT IN ('pending', 'delivered') AND state = 'waiting' AND reason <> 'delayed'
  UNION ALL SELECT id FROM grants WHERE state = 'pending' AND player_id = $5)`;

/** Of a player who has no name that they can be paid to. */
const UNPAYABLE = `id = $5 AND state IN ('pending', 'waiting')
  AND (SELECT p.paid_as FROM players p WHERE p.id = grants.player_id) = ''`;

/** Holds a grant whose player has no name that they can be paid to; does nothing to any other grant. */
export const holdNameTaken = (tx: Tx, grantId: number, now: number): Promise<void> =>
  hold(tx, UNPAYABLE, grantId, now);

async function releaseNamed(tx: Tx, playerId: number, now: number): Promise<boolean> {
  const held = `state = 'held' AND reason = 'name-taken' AND player_id = $5 AND state NOT IN ('pending', 'delivered')`;
  const to = { state: 'pending', reason: null, now } as const;
  return (await changeGrants(tx, to, 'due_at = 0', held, [playerId])).length > 0;
}

/** The grants of a player, by what leads to them. */
export const grantsOf = (tx: Tx, playerId: number): Promise<readonly number[]> =>
  valuesFrom<number>(tx, GRANTS_OF, [playerId]);

const GRANTS_OF = `
  SELECT g.id AS value FROM votes v JOIN grants g ON g.cause = 'vote' AND g.cause_id = v.id WHERE v.player_id = $1 AND g.player_id = $1
  UNION SELECT g.id FROM actions a JOIN grants g ON g.cause = 'operator' AND g.cause_id = a.id
    WHERE a.player_id = $1 AND a.kind = 'give' AND g.player_id = $1
  UNION SELECT id FROM grants WHERE player_id = $1 AND cause = 'party'
  UNION SELECT g.id FROM tops t JOIN grants g ON g.cause = 'top' AND g.cause_id = t.id WHERE t.player_id = $1 AND g.player_id = $1
  UNION SELECT id FROM grants WHERE player_id = $1 AND instead_of IS NOT NULL`;

/** Joins a player to another one: everything is the other's from then on, and nothing that they reach together is paid by itself. */
async function join(tx: Tx, { id, playerId }: Name, to: number, kind: 'joined' | 'merged', source: Source) {
  await trace(tx, kind, id, to, source);
  const grants = listOf(await grantsOf(tx, playerId));
  await tx.run(`UPDATE grants SET player_id = $1 WHERE id IN ${tx.each('$2', 'number')}`, [to, grants]);
  const redirected = 'UPDATE grants SET instead_of = $1 WHERE instead_of = $2 AND instead_of IS NOT NULL';
  await tx.run(redirected, [to, playerId]);
  for (const table of ['votes', 'occasions', 'actions', 'party_votes', 'tops', 'names'])
    await tx.run(`UPDATE ${table} SET player_id = $1 WHERE player_id = $2`, [to, playerId]);
  await tx.run('UPDATE names SET apart_from = NULL WHERE player_id = $1', [to]);
  for (const table of ['vote_days', 'voted_runs'])
    await tx.run(`DELETE FROM ${table} WHERE player_id = $1`, [playerId]);
  await tx.run('DELETE FROM players WHERE id = $1', [playerId]);
  await changed(tx, to, source);
}

async function changed(tx: Tx, playerId: number, { now, zone }: Pick<Source, 'now' | 'zone'>): Promise<void> {
  await recountPlayer(tx, playerId);
  await tx.run('UPDATE players SET changed_on = $1 WHERE id = $2', [localDay(now, zone), playerId]);
}

const CHANGED: PlayerChanged = { kind: 'changed' };
const refused = (code: PlayerRefusal): PlayerChanged => ({ kind: 'refused', code });

/** Joins two players into one, as if a game server had shown it. */
export async function mergePlayers(
  tx: Tx,
  { name, into, by }: MergeOrder,
  now: number,
): Promise<PlayerChanged> {
  const [joining, kept] = [await nameOf(tx, playerKey(name)), await nameOf(tx, playerKey(into))];
  if (joining === null || kept === null) return refused('player-missing');
  if (joining.playerId === kept.playerId) return refused('players-same');
  const kinds = await uuidKinds(tx, kept.playerId);
  if ([...(await uuidKinds(tx, joining.playerId))].some((kind) => kinds.has(kind)))
    return refused('players-differ');
  const keys = new Set(await keysOf(tx, kept.playerId));
  if ((await keysOf(tx, joining.playerId)).some((key) => keys.has(key)))
    return refused('players-shared-name');
  await join(tx, joining, kept.playerId, 'merged', { by, now, zone: await timeZone(tx) });
  await releaseNamed(tx, kept.playerId, now);
  return CHANGED;
}

/** Gives a name that was joined its own history back. UUIDs stay with the names under which they were first seen. */
export async function splitPlayer(tx: Tx, { name, by }: PlayerOrder, now: number): Promise<PlayerChanged> {
  const found = await nameOf(tx, playerKey(name));
  if (found === null) return refused('player-missing');
  const { id, key, playerId } = found;
  const joined = await tx.get<{ id: number; isFirst: number }>(
    `SELECT a.id, CASE WHEN p.name_id = a.name_id THEN 1 ELSE 0 END AS "isFirst" FROM actions a JOIN players p ON p.id = $2
     WHERE a.name_id = $1 AND a.name_id IS NOT NULL AND a.kind IN ('joined', 'merged') AND a.undone_by IS NULL ORDER BY a.id DESC LIMIT 1`,
    [id, playerId],
  );
  if (joined === null || joined.isFirst === 1) return refused('player-not-joined');
  const before = await grantsOf(tx, playerId);
  const own = await idOf(tx, 'INSERT INTO players (name_id) VALUES ($1)', [id]);
  await tx.run('UPDATE names SET player_id = $1, apart_from = $2 WHERE id = $3', [own, playerId, id]);
  const moved = 'SET player_id = $1 WHERE player_id = $2 AND name_id = $3';
  // What became of the name stays among the changes of both.
  const actions = `actions ${moved} AND kind NOT IN ('joined', 'merged', 'split')`;
  for (const of of [`votes ${moved}`, `occasions ${moved}`, actions])
    await tx.run(`UPDATE ${of}`, [own, playerId, id]);
  await tx.run(
    `UPDATE party_votes SET player_id = $1 WHERE player_id = $2 AND vote_id IN (SELECT id FROM votes WHERE player_id = $1)`,
    [own, playerId],
  );
  const onTops = 'UPDATE tops SET player_id = $1 WHERE player_id = $2 AND lower(player) = $3';
  await tx.run(onTops, [own, playerId, key]);
  await tx.run(
    `UPDATE grants SET player_id = $1 WHERE name_id = $2 AND instead_of IS NULL AND id IN ${tx.each('$3', 'number')}`,
    [own, id, listOf(before)],
  );
  const source = { by, now, zone: await timeZone(tx) };
  for (const each of [own, playerId]) await changed(tx, each, source);
  await payAs(tx, playerId, null);
  await releaseNamed(tx, own, now);
  const undoneBy = await trace(tx, 'split', id, playerId, source);
  await tx.run('UPDATE actions SET undone_by = $1 WHERE id = $2', [undoneBy, joined.id]);
  return CHANGED;
}

/** Keeps that players, by name in lower case, were on a game server. @param practice whether on a practice server */
export async function storePresent(tx: Tx, keys: readonly string[], practice: boolean): Promise<void> {
  const flag = practice ? 2 : 1;
  const these = `kind = 'player' AND given_up_at = 0 AND key IN ${tx.each('$1', 'text')}`;
  const known = await valuesFrom<string>(tx, `SELECT key AS value FROM names WHERE ${these}`, [listOf(keys)]);
  const isKnown = new Set(known);
  for (const key of keys) if (!isKnown.has(key)) await addPlayer(tx, { kind: 'player', key });
  const seen = `UPDATE names SET present = present + ${flag} WHERE ${these} AND present NOT IN (${flag}, 3)`;
  await tx.run(seen, [listOf(keys)]);
}
