/** What the ledger keeps of the config that runs: since when it has had what, in which days it counts, and when practice ended. */
import { poolOf } from '../core/pool.ts';
import { listOf, type Tx, valuesFrom } from '../db/db.ts';
import type { NamedReward, Top } from '../rewards/reward.ts';
import { startTop, useRewards } from './known-rewards.ts';
import { metaNumber, metaText, setMetaNumber, setMetaText } from './meta.ts';
import { type VoidOrder, voidVotes } from './operator.ts';
import { type ReceiverWants, useReceivers } from './outbox.ts';
import { PLACES, POOLS } from './owe.ts';
import { firstSeen } from './sites.ts';
import { QUEUED } from './terms.ts';

/** What the ledger keeps of a config: since when it has had what. */
export interface UsedConfig {
  /** The local day on which rewards and tops start that no running config has contained. */
  readonly today: number;
  /** Pools of game servers that none of these and no open grant names are removed. */
  readonly rewards?: readonly NamedReward[];
  /** Each is settled from the period on in which a running config first contained it with such periods. */
  readonly tops?: readonly Pick<Top, 'name' | 'period'>[];
  /** Whether one of its game servers is a real one, so that practice is over (rule 9). */
  readonly isReal?: boolean;
  /** Sites that are first seen at this time, if they are not known. */
  readonly seen?: { readonly sites: readonly string[]; readonly at: number };
  /** Events are stored for these from now on. Posts that wait for any other receiver are removed. */
  readonly told?: { readonly receivers: readonly ReceiverWants[]; readonly at: number };
}

/** The votes that came while every game server was a practice one; until a real one runs, those are all votes. */
export interface PracticeVotes {
  /** From this machine, as the sender's address says, without those that count for nothing already. */
  readonly fromHere: number;
  readonly fromOutside: number;
  /** Whether those from this machine were voided, which is done once for each ledger. */
  readonly areVoided: boolean;
}

/** Voiding one takes about a millisecond. */
const VOIDED_AT_ONCE = 100;

export async function useConfig(tx: Tx, config: UsedConfig): Promise<void> {
  const { rewards, tops = [], today, isReal = false, seen, told } = config;
  if (rewards !== undefined) {
    await useRewards(tx, rewards, today);
    await keepPools(tx, rewards);
  }
  for (const { name, period } of tops) await startTop(tx, name, period, today);
  for (const site of seen?.sites ?? []) await firstSeen(tx, site, seen?.at ?? 0);
  if (isReal) await endPractice(tx);
  if (told !== undefined) await useReceivers(tx, told.receivers, told.at);
}

/**
 * Removes the pools that no grant waits for, except those that the config names: each queue reads once for every pool that its game
 * server is in. One that is removed is stored again with its next grant.
 */
async function keepPools(tx: Tx, rewards: readonly NamedReward[]): Promise<void> {
  const named = rewards.flatMap(({ whereOnline, servers }) => (whereOnline ? [poolOf(servers)] : []));
  const waits = (state: string): string =>
    `EXISTS (SELECT 1 FROM grants WHERE server = pools.pool AND ${state})`;
  const isEmpty = QUEUED.map((state) => `NOT ${waits(state)}`).join(' AND ');
  const removed = await tx.run(
    `DELETE FROM pools WHERE pool NOT IN ${tx.each('$1', 'text')} AND ${isEmpty}
       AND pool NOT IN (SELECT server FROM grants WHERE state IN ('held', 'refused'))`,
    [listOf(named)],
  );
  if (removed === 0) return;
  tx.forget(PLACES);
  tx.forget(POOLS);
}

/**
 * Stores the time zone in which days begin, which must be the same for all processes that record votes.
 *
 * @param isDelivered whether another process delivers: its zone stays. @returns the zone in force.
 */
export async function useTimeZone(tx: Tx, zone: string, isDelivered: () => boolean): Promise<string> {
  const stored = await metaText(tx, 'zone');
  if (zone === stored || (stored !== null && isDelivered())) return stored;
  await setMetaText(tx, 'zone', zone);
  return zone;
}

/** Only the first config with a real game server ends it (rule 9). */
async function endPractice(tx: Tx): Promise<void> {
  await tx.run(
    `INSERT INTO meta (name, number) SELECT 'practice-ended', (SELECT coalesce(max(id), 0) FROM votes)
     WHERE NOT EXISTS (SELECT 1 FROM meta WHERE name = 'practice-ended')`,
  );
}

/** Votes that came from somewhere before a real game server was there. A listing's webhook or API is never this machine. */
const DURING_PRACTICE = `v.id <= coalesce((SELECT number FROM meta WHERE name = 'practice-ended'), ${Number.MAX_SAFE_INTEGER})
  AND v.channel NOT IN ('import', 'operator')`;
const FROM_HERE = `v.channel IN ('listener-v1', 'listener-v2') AND (v.address LIKE '127.%' OR v.address = '::1')`;
const STANDS = `NOT EXISTS (SELECT 1 FROM actions a WHERE a.vote_id = v.id AND a.kind = 'void')`;

export async function practiceVotes(tx: Tx): Promise<PracticeVotes> {
  const counted = await tx.get<{ fromHere: number; fromOutside: number }>(
    `SELECT count(*) FILTER (WHERE ${FROM_HERE} AND ${STANDS}) AS "fromHere",
            count(*) - count(*) FILTER (WHERE ${FROM_HERE}) AS "fromOutside"
     FROM votes v WHERE ${DURING_PRACTICE}`,
  );
  const areVoided = (await metaNumber(tx, 'practice-voided')) !== null;
  return { fromHere: counted?.fromHere ?? 0, fromOutside: counted?.fromOutside ?? 0, areVoided };
}

/**
 * Takes what was tried from this machine out of the ledger's memory when practice ends. Such a vote is voided, its decision is
 * `practice` from then on, and it gives back its window, its places of limits and its occasions. Call it until it is done.
 */
export async function voidPracticeVotes(tx: Tx, order: VoidOrder, now: number) {
  await endPractice(tx);
  if ((await metaNumber(tx, 'practice-voided')) !== null) return { voided: 0, isDone: true };
  const ids = await valuesFrom<number>(
    tx,
    `SELECT v.id AS value FROM votes v WHERE ${DURING_PRACTICE} AND ${FROM_HERE} AND ${STANDS} ORDER BY v.id LIMIT ${VOIDED_AT_ONCE}`,
  );
  await voidVotes(tx, ids, order, now);
  const these = `IN ${tx.each('$1', 'number')}`;
  await tx.run(`DELETE FROM occasions WHERE vote_id ${these}`, [listOf(ids)]);
  await tx.run(`UPDATE votes SET decision = 'practice', taken_by = NULL WHERE id ${these}`, [listOf(ids)]);
  // Rewards that started later did not see it as reached.
  const facts = JSON.stringify({ reason: order.reason, weight: 0 });
  const voidings = `UPDATE actions SET facts = $2 WHERE vote_id ${these} AND kind = 'void'`;
  await tx.run(voidings, [listOf(ids), facts]);
  const isDone = ids.length < VOIDED_AT_ONCE;
  if (isDone) await setMetaNumber(tx, 'practice-voided', now);
  return { voided: ids.length, isDone };
}
