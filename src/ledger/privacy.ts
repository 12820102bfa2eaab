/**
 * What says who players are or were, and when it goes: addresses and packets after the time for which they are kept, and everything of
 * a player who wants to be forgotten. Counts stay.
 *
 * Both are done in portions, so that votes do not wait for all of it. What is left to do can be seen from what is stored, so another
 * try, also of another process, goes on where the last one ended.
 */
import { HOUR_MS } from '../core/duration.ts';
import { forgottenName, withoutNames } from '../core/forgotten-name.ts';
import { FORWARD } from '../core/forward.ts';
import { playerKey } from '../core/player-name.ts';
import { insertRows, listOf, type Tx, type Value, valueFrom, valuesFrom } from '../db/db.ts';
import { lastId } from './facts.ts';
import { joinedRuns } from './history-counts.ts';
import { metaNumber, noteAction, setMetaNumber } from './meta.ts';
import { grantsOf, keysOf, nameOf, type PlayerOrder, type PlayerRefusal } from './players.ts';
import { changeGrants } from './queue.ts';
import { MERGED, REFUSALS } from './refusals.ts';

/** Up to which vote and grant it is done; null: no grant yet. */
export interface ForgetProgress {
  readonly vote: number;
  readonly grant: number | null;
}

export type ForgetStep =
  | { readonly kind: 'forgetting'; readonly progress: ForgetProgress }
  /** `name`: what stands for the player now. */
  | { readonly kind: 'forgotten'; readonly name: string }
  | { readonly kind: 'refused'; readonly code: Extract<PlayerRefusal, 'player-missing'> };

/** What was received before these times is removed; null: nothing. */
export interface Kept {
  readonly addresses: number | null;
  readonly wire: number | null;
}

/** So many votes, or commands of so many grants, take some milliseconds, and 30 where all grants are the player’s. */
const VOTES_AT_ONCE = 500;
const GRANTS_AT_ONCE = 1_000;
/** On each side of a grant: a page of SQLite has about 15. */
const GRANTS_NEAR = 30;

/** Removes what was received before a time. @returns whether there is more. */
export async function removeOld(tx: Tx, { addresses, wire }: Kept): Promise<boolean> {
  const moreAddresses =
    addresses !== null && (await removeBefore(tx, 'address = NULL', 'addresses', addresses));
  const moreWire = wire !== null && (await removeBefore(tx, "wire = '', sent_as = NULL", 'wire', wire));
  if (addresses !== null) await forgetSenders(tx, Math.floor(addresses / HOUR_MS));
  return moreAddresses || moreWire;
}

async function removeBefore(tx: Tx, set: string, what: keyof Kept, before: number): Promise<boolean> {
  const after = (await metaNumber(tx, `removed-${what}`)) ?? 0;
  const votes = await tx.all<{ id: number; receivedAt: number }>(
    `SELECT id, received_at AS "receivedAt" FROM votes WHERE id > $1 ORDER BY id LIMIT ${VOTES_AT_ONCE}`,
    [after],
  );
  // Votes are stored in the order in which they were received, except while the clock is wrong.
  const newer = votes.findIndex(({ receivedAt }) => receivedAt >= before);
  const removed = newer === -1 ? votes : votes.slice(0, newer);
  const last = removed.at(-1);
  if (last === undefined) return false;
  await tx.run(`UPDATE votes SET ${set} WHERE id > $1 AND id <= $2`, [after, last.id]);
  const ids = removed.map(({ id }) => id);
  await blankAddresses(tx, ids);
  await setMetaNumber(tx, `removed-${what}`, last.id);
  return newer === -1 && votes.length === VOTES_AT_ONCE;
}

/** Takes the voter's address out of the forwards of votes. */
async function blankAddresses(tx: Tx, votes: readonly number[]): Promise<void> {
  const forwards = await tx.all<{ id: number; commands: string }>(
    `SELECT id, commands FROM grants WHERE cause_id IN ${tx.each('$1', 'number')} AND cause = 'vote' AND reward = '${FORWARD}'`,
    [listOf(votes)],
  );
  for (const { id, commands } of forwards) {
    const [vote = ''] = JSON.parse(commands) as string[];
    if (!vote.startsWith('{')) continue;
    const blank = JSON.stringify({ ...(JSON.parse(vote) as object), address: '' });
    await tx.run('UPDATE grants SET commands = $1 WHERE id = $2', [JSON.stringify([blank]), id]);
  }
}

/** Refusals keep their counts. */
async function forgetSenders(tx: Tx, hour: number): Promise<void> {
  const old = `FROM refusals WHERE hour < $1 AND sender <> ''`;
  if ((await tx.get(`SELECT 1 ${old} LIMIT 1`, [hour])) === null) return;
  await tx.run(
    `INSERT INTO ${REFUSALS}
     SELECT hour, code, service, '', CAST(sum(count) AS BIGINT), max(last_at) ${old} GROUP BY hour, code, service
     ${MERGED}`,
    [hour],
  );
  await tx.run(`DELETE ${old}`, [hour]);
}

/** Whom the ledger forgets. */
interface Forgotten {
  readonly playerId: number;
  readonly keys: readonly string[];
  readonly instead: string;
}

/**
 * Replaces everything that says who a player is, a portion with each call. The names themselves come last, so that a second try finds
 * the player if the first one did not reach its end.
 */
export async function forgetPlayer(
  tx: Tx,
  { name, by }: PlayerOrder,
  progress: ForgetProgress | null,
  now: number,
): Promise<ForgetStep> {
  const named = await nameOf(tx, playerKey(name));
  if (named === null) return { kind: 'refused', code: 'player-missing' };
  const { playerId } = named;
  const first = await valueFrom<number>(tx, 'SELECT name_id AS value FROM players WHERE id = $1', [playerId]);
  const whom = { playerId, keys: await keysOf(tx, playerId), instead: forgottenName(first ?? named.id) };
  // Again with each portion: more may have been granted meanwhile.
  await cancelOpen(tx, whom, now);
  const next = await portion(tx, whom, progress ?? { vote: 0, grant: null });
  if (next !== null) return { kind: 'forgetting', progress: next };
  await noteAction(tx, { kind: 'forgotten', at: now, by, playerId, nameId: named.id });
  await forgetNames(tx, whom);
  return { kind: 'forgotten', name: whom.instead };
}

/**
 * A name is removed before anything is written in its place: a row that becomes longer moves others of its page, and SQLite leaves
 * copies of these where they were.
 */
const BLANK = `player = '', uuid = NULL`;

async function cancelOpen(tx: Tx, { playerId, instead }: Forgotten, now: number): Promise<void> {
  const own = listOf(await grantsOf(tx, playerId));
  const open = (ids: '$1' | '$6') =>
    `id IN ${tx.each(ids, 'number')} AND state NOT IN ('delivered', 'cancelled') AND sending IS NULL`;
  await tx.run(`UPDATE grants SET ${BLANK} WHERE ${open('$1')} AND player IS NOT NULL`, [own]);
  const to = { state: 'cancelled', reason: { code: 'cancelled-by-operator' }, now } as const;
  const set = 'player = CASE WHEN player IS NULL THEN NULL ELSE $5 END';
  await changeGrants(tx, to, set, open('$6'), [instead, own]);
}

/** @returns how far it is; null after the last portion, which includes the votes that came meanwhile. */
async function portion(tx: Tx, whom: Forgotten, { vote, grant }: ForgetProgress) {
  if (grant === null) {
    const { upTo, hasMore } = await forgetVotes(tx, whom, vote);
    return { vote: upTo, grant: hasMore ? null : 0 };
  }
  const upTo = grant + GRANTS_AT_ONCE;
  await forgetGrants(tx, whom, grant, upTo);
  // Those whose neighbours no longer name the player either.
  await storeAgain(tx, whom, grant - GRANTS_NEAR, upTo - GRANTS_NEAR);
  if (upTo - GRANTS_NEAR < (await lastId(tx, 'grants'))) return { vote, grant: upTo };
  const late = await forgetVotes(tx, whom, vote);
  return late.hasMore ? { vote: late.upTo, grant: upTo } : null;
}

async function forgetVotes(tx: Tx, { playerId, instead }: Forgotten, after: number) {
  const ids = await valuesFrom<number>(
    tx,
    `SELECT id AS value FROM votes WHERE player_id = $1 AND id > $2 ORDER BY id LIMIT ${VOTES_AT_ONCE}`,
    [playerId, after],
  );
  await tx.run(
    `UPDATE votes SET player = $1, sent_as = NULL, address = NULL, wire = '' WHERE id IN ${tx.each('$2', 'number')}`,
    [instead, listOf(ids)],
  );
  await blankAddresses(tx, ids);
  return { upTo: ids.at(-1) ?? after, hasMore: ids.length === VOTES_AT_ONCE };
}

/**
 * All grants: commands and replies of others can name the player too. Commands that are still to run stay as they are, because a name
 * can be a word of another player's command.
 */
async function forgetGrants(tx: Tx, whom: Forgotten, after: number, upTo: number): Promise<void> {
  const own = 'id > $1 AND id <= $2 AND player_id = $3 AND player IS NOT NULL';
  const range = [after, upTo];
  await tx.run(`UPDATE grants SET ${BLANK} WHERE ${own}`, [...range, whom.playerId]);
  await tx.run(`UPDATE grants SET player = $4 WHERE ${own}`, [...range, whom.playerId, whom.instead]);
  const over = `id > $1 AND id <= $2 AND state IN ('delivered', 'cancelled')`;
  for (const column of ['commands', 'outcomes', 'facts', 'filled'])
    await rewrite(tx, 'grants', column, whom, over, range);
}

/**
 * Stores the grants of a player again, with those beside them. A grant's row grows when it is paid: SQLite then moves rows of its page to
 * another one, and may leave copies of them in what is free of a page, so that after 1,300 grants one name was still in the file. A page
 * that becomes empty is overwritten.
 */
async function storeAgain(tx: Tx, { playerId }: Forgotten, after: number, upTo: number): Promise<void> {
  const own = 'SELECT id AS value FROM grants WHERE id > $1 AND id <= $2 AND player_id = $3 ORDER BY id';
  const ids = await valuesFrom<number>(tx, own, [after, upTo, playerId]);
  const taken = 'DELETE FROM grants WHERE id >= $1 AND id <= $2 RETURNING *';
  const near = ids.map((id) => ({ from: id - GRANTS_NEAR, to: id + GRANTS_NEAR }));
  for (const { from, to } of joinedRuns(near)) {
    for (const row of await tx.all<Readonly<Record<string, Value>>>(taken, [from, to]))
      await insertRows(tx, `grants (${Object.keys(row).join(', ')})`, [Object.values(row)]);
  }
}

/** Replaces the names in the texts of a column. */
async function rewrite(
  tx: Tx,
  table: string,
  column: string,
  { keys, instead }: Forgotten,
  where = '1 = 1',
  values: readonly number[] = [],
): Promise<void> {
  for (const key of keys) {
    // A name's underscore stands for any character here: what is found is looked at again.
    const naming = await tx.all<{ id: number; value: string }>(
      `SELECT id, ${column} AS value FROM ${table} WHERE ${where} AND lower(${column}) LIKE $${values.length + 1}`,
      [...values, `%${key}%`],
    );
    const changed = `UPDATE ${table} SET ${column} = $1 WHERE id = $2`;
    for (const { id, value } of naming) await tx.run(changed, [withoutNames(value, keys, instead), id]);
  }
}

async function forgetNames(tx: Tx, whom: Forgotten): Promise<void> {
  const { playerId, keys, instead } = whom;
  const onTops = 'UPDATE tops SET player = $1 WHERE player_id = $2 AND player_id IS NOT NULL';
  await tx.run(onTops, [instead, playerId]);
  // What the operator wrote about why, and what anyone sent as a service name.
  for (const table of ['actions', 'events']) await rewrite(tx, table, 'facts', whom);
  for (const key of keys) await tx.run('DELETE FROM refusals WHERE lower(service) LIKE $1', [`%${key}%`]);
  await tx.run('UPDATE players SET paid_as = NULL WHERE id = $1', [playerId]);
  const blank = 'key = $1, online_uuid = NULL, floodgate_uuid = NULL, seen_at = NULL, present = 0';
  const names = 'SELECT id AS value FROM names WHERE player_id = $1';
  for (const id of await valuesFrom<number>(tx, names, [playerId])) {
    await tx.run('UPDATE balances SET uuid = NULL WHERE name_id = $1', [id]);
    await tx.run(`UPDATE names SET ${blank} WHERE id = $2`, [forgottenName(id), id]);
  }
}
