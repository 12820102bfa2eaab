/** Which rewards, parties and tops running configs have contained, under which names, and since when. */
import { type Per, periodOf } from '../core/period.ts';
import { insertRows, listOf, type Tx, valueFrom } from '../db/db.ts';
import type { NamedReward } from '../rewards/reward.ts';
import { idOf } from './facts.ts';

/** A name that is in use. */
export interface KnownReward {
  /** Of the name. */
  readonly id: number;
  /** Of what the name stands for now, also if it had others before: whose occasions and parties they are. */
  readonly rootId: number;
  /** The local day on which a running config first contained it. */
  readonly startDay: number;
  /** The last vote and the last action before. */
  readonly afterVote: number;
  readonly afterAction: number;
  readonly isLimited: boolean;
}

interface Known {
  readonly byName: ReadonlyMap<string, KnownReward>;
  readonly names: ReadonlyMap<number, string>;
}

const REWARDS = 'rewards';

/** They are few, and every vote needs them. */
const known = (tx: Tx): Promise<Known> =>
  tx.memo(REWARDS, async () => {
    const rows = await tx.all<
      Omit<KnownReward, 'isLimited'> & { name: string; current: number; limited: number }
    >(`
      SELECT n.id, n.name, n.is_current AS current, n.root_id AS "rootId", r.start_day AS "startDay", r.is_limited AS limited,
             r.after_vote AS "afterVote", r.after_action AS "afterAction"
      FROM rewards n JOIN rewards r ON r.id = n.root_id`);
    return {
      byName: new Map(
        rows
          .filter(({ current }) => current === 1)
          .map(({ name, current: _, limited, ...row }) => [name, { ...row, isLimited: limited === 1 }]),
      ),
      names: new Map(rows.map(({ id, name }) => [id, name])),
    };
  });

/** null for a name that no running config has contained. */
export const rewardNamed = async (tx: Tx, name: string): Promise<KnownReward | null> =>
  (await known(tx)).byName.get(name) ?? null;

/** By name. */
export const rewardsNamed = async (tx: Tx): Promise<Known['byName']> => (await known(tx)).byName;

/** The name that a reward had when it got this ID. */
export async function rewardNames(tx: Tx): Promise<(id: number) => string> {
  const { names } = await known(tx);
  return (id) => names.get(id) ?? `reward ${id}`;
}

/** A reward that is not known starts today, unless it carries on another one. Writes only what is new. */
export async function useRewards(tx: Tx, rewards: readonly NamedReward[], today: number): Promise<void> {
  let byName = await rewardsNamed(tx);
  for (const reward of rewards) {
    if (!byName.has(reward.name)) {
      await start(tx, reward, today);
      byName = await rewardsNamed(tx);
    }
    const found = byName.get(reward.name);
    if (reward.limit !== null && found?.isLimited === false) {
      await limit(tx, found.rootId);
      byName = await rewardsNamed(tx);
    }
  }
}

async function start(tx: Tx, { name, was }: NamedReward, today: number): Promise<void> {
  const { byName } = await known(tx);
  const before = was.flatMap((old) => byName.get(old) ?? []).sort((a, b) => a.afterVote - b.afterVote);
  tx.forget(REWARDS);
  const root = before.length === 0 ? null : await carriedOn(tx, before);
  const id = await idOf(
    tx,
    `INSERT INTO rewards (name, root_id, is_current, start_day, after_vote, after_action)
     VALUES ($1, 0, 1, $2, (SELECT coalesce(max(id), 0) FROM votes), (SELECT coalesce(max(id), 0) FROM actions))`,
    [name, today],
  );
  await tx.run('UPDATE rewards SET root_id = $1 WHERE id = $2', [root ?? id, id]);
}

/**
 * Makes one of several that a config carries on as one: the one that counts for a party, or the one that is known longest. It gets
 * everything of the others; what several were granted for or settled stays with it once.
 *
 * @param before the one that is known longest first. @returns the root of the one that goes on.
 */
async function carriedOn(tx: Tx, before: readonly KnownReward[]): Promise<number> {
  const roots = [...new Set(before.map(({ rootId }) => rootId))];
  const counting = await valueFrom<number>(
    tx,
    `SELECT reward_id AS value FROM parties WHERE reached_by IS NULL AND reward_id IN ${tx.each('$1', 'number')} ORDER BY id LIMIT 1`,
    [listOf(roots)],
  );
  const root = counting ?? (roots[0] as number);
  const names = listOf(before.map(({ id }) => id));
  await tx.run(`UPDATE rewards SET is_current = 0 WHERE id IN ${tx.each('$1', 'number')}`, [names]);
  for (const other of roots.filter((each) => each !== root)) await mergeInto(tx, root, other);
  return root;
}

async function mergeInto(tx: Tx, root: number, other: number): Promise<void> {
  await tx.run('UPDATE rewards SET root_id = $1 WHERE root_id = $2', [root, other]);
  // The parties of both are counted on, so that no number is reached twice.
  const reached = 'SELECT max(number) AS value FROM parties WHERE reward_id = $1 AND reached_by IS NOT NULL';
  const own = (await valueFrom<number>(tx, reached, [root])) ?? 0;
  const others = (await valueFrom<number>(tx, reached, [other])) ?? 0;
  await tx.run('DELETE FROM parties WHERE reward_id = $1 AND reached_by IS NULL', [other]);
  const later = 'UPDATE parties SET number = number + $1 WHERE reward_id = $2 AND reached_by IS NULL';
  await tx.run(later, [others, root]);
  const moved = 'UPDATE parties SET reward_id = $1, number = number + $2 WHERE reward_id = $3';
  await tx.run(moved, [root, own, other]);
  await tx.run(
    `DELETE FROM occasions WHERE reward_id = $2 AND occasion <> '' AND EXISTS (
       SELECT 1 FROM occasions o
       WHERE o.reward_id = $1 AND o.name_id = occasions.name_id AND o.occasion = occasions.occasion AND o.occasion <> '')`,
    [root, other],
  );
  await tx.run('UPDATE occasions SET reward_id = $1 WHERE reward_id = $2', [root, other]);
  // Grants refer to places that both have stored. They belong to no entry now.
  await tx.run(
    `UPDATE tops SET reward_id = -tops.id WHERE reward_id = $2 AND EXISTS (
       SELECT 1 FROM tops t WHERE t.reward_id = $1 AND t.per = tops.per AND t.period = tops.period)`,
    [root, other],
  );
  await tx.run('UPDATE tops SET reward_id = $1 WHERE reward_id = $2', [root, other]);
}

/** A reward gets a limit: the votes that were granted it take places. They take them also while it has none, from then on. */
async function limit(tx: Tx, root: number): Promise<void> {
  tx.forget(REWARDS);
  await tx.run('UPDATE rewards SET is_limited = 1 WHERE id = $1', [root]);
  const paid = `FROM grants g JOIN votes v ON v.id = g.cause_id JOIN rewards n ON n.name = g.reward AND n.root_id = $1
    -- Another reward may have had the name before, or have it now.
    WHERE g.cause = 'vote'
      AND v.id > CASE WHEN EXISTS (SELECT 1 FROM rewards m WHERE m.name = n.name AND m.id < n.id) THEN n.after_vote ELSE 0 END
      AND v.id <= coalesce((SELECT min(m.after_vote) FROM rewards m WHERE m.root_id = n.root_id AND m.id > n.id), v.id)
      AND v.decision <> 'practice' AND ${TAKES_PLACE}`;
  await tx.run(
    `UPDATE occasions SET takes = 1 WHERE reward_id = $1 AND how = 'granted' AND vote_id IN (SELECT g.cause_id ${paid})`,
    [root],
  );
  await tx.run(
    `INSERT INTO occasions (reward_id, player_id, name_id, occasion, how, vote_id, cast_at, day, takes)
     SELECT DISTINCT CAST($1 AS BIGINT), v.player_id, v.name_id, '', 'granted', v.id, v.cast_at, v.day, 1 ${paid}
       AND NOT EXISTS (SELECT 1 FROM occasions o WHERE o.reward_id = $1 AND o.vote_id = v.id)`,
    [root],
  );
}

/** The condition that a grant `g` takes a place of its reward's limit: unless it was cancelled before its first command. */
export const TAKES_PLACE = `(g.state <> 'cancelled' OR g.reason = 'shadow' OR g.outcomes <> '[]')`;

/** Call this after `useRewards`. A top with another period starts today: what ended before counts as settled. */
export async function startTop(tx: Tx, name: string, per: Per, today: number): Promise<void> {
  const top = await rewardNamed(tx, name);
  if (top === null) return;
  const settled = 'SELECT 1 FROM tops WHERE reward_id = $1 AND per = $2 LIMIT 1';
  if ((await tx.get(settled, [top.rootId, per])) !== null) return;
  const columns = 'tops (reward_id, per, period, place, nth, votes, reached_at, last_vote)';
  await insertRows(tx, columns, [[top.rootId, per, periodOf(per, today) - 1, 0, 0, 0, 0, 0]]);
}
