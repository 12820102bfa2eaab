/**
 * The windows of rewarded votes. Votes for one service share their windows, under whatever entry they were recorded, and so do all votes
 * under `default`. Windows that are shared do not overlap where each vote was decided as it came, and each contains the cast time of
 * its vote; after names were joined, overlapping ones stay.
 */
import { type Cooldown, closeSince, type Window, windowOf } from '../core/cooldown.ts';
import { DEFAULT_SITE } from '../core/service-name.ts';
import { isFoundLate, type Vote } from '../core/vote.ts';
import { type RewardedVote, type StoredWindow, windowsCutBy } from '../core/window.ts';
import type { Tx, Value } from '../db/db.ts';
import { metaText, setMetaText } from './meta.ts';

/** A rewarded vote as it is stored. */
interface WindowRow extends Pick<Vote, 'service' | 'castAt' | 'channel'> {
  readonly id: number;
  readonly windowStart: number;
  readonly windowEnd: number;
}

const WINDOW = `id, service, cast_at AS "castAt", channel, window_start AS "windowStart", window_end AS "windowEnd"`;

/** A vote, as far as it decides which other votes share its windows. */
export type Sharing = Pick<Vote, 'service' | 'site'>;

/** The rewarded votes that share windows with one: those of its service and, under `default`, all there. An index finds each kind. */
const sharing = (site: string, player = '$1', service = '$2'): readonly string[] => {
  const own = [`player_id = ${player} AND service = ${service}`];
  return site === DEFAULT_SITE ? [...own, `player_id = ${player} AND site = '${DEFAULT_SITE}'`] : own;
};

const from = (where: string): string => `FROM votes WHERE ${where} AND decision = 'rewarded'`;

const near = (site: string): string => {
  const last = sharing(site).map((where) => `SELECT max(cast_at) AS at ${from(where)} AND cast_at <= $3`);
  const since = `coalesce((SELECT max(at) FROM (${last.join(' UNION ALL ')}) AS latest), $3)`;
  return sharing(site)
    .map((where) => `SELECT ${WINDOW} ${from(where)} AND cast_at >= ${since}`)
    .join(' UNION ');
};
/** Texts that are looked up for each vote are made once. */
const NEAR = near('');
const NEAR_OF_DEFAULT = near(DEFAULT_SITE);

const free = (site: string): string => {
  const between = 'AND cast_at > $27 AND cast_at < $28';
  const taken = sharing(site, '$25', '$26').map((where) => `SELECT 1 ${from(where)} ${between}`);
  return `NOT EXISTS (${taken.join(' UNION ALL ')})`;
};
const FREE = free('');
const FREE_OF_DEFAULT = free(DEFAULT_SITE);

/**
 * The condition under which a vote may be stored as rewarded: whatever was decided, no other has taken its window meanwhile. It has the
 * values that follow the 24 of the vote's row.
 */
export const freeWindow = (
  vote: Sharing & Pick<Vote, 'castAt'>,
  playerId: number,
  cooldown: Cooldown,
): { readonly sql: string; readonly values: readonly Value[] } => ({
  sql: vote.site === DEFAULT_SITE ? FREE_OF_DEFAULT : FREE,
  values: [playerId, vote.service, closeSince(vote.castAt, cooldown), windowOf(vote.castAt, cooldown).end],
});

/**
 * The rewarded votes that share windows with one, as they are stored, and those that can be too close to it, as `decideWindow` wants
 * them.
 *
 * @param id of a vote that is stored already; null: it comes now.
 */
export async function windowsAround(
  tx: Tx,
  vote: Sharing & Pick<Vote, 'castAt' | 'channel'>,
  playerId: number,
  cooldown: Cooldown,
  id: number | null = null,
): Promise<{ readonly near: readonly WindowRow[]; readonly rewarded: readonly RewardedVote[] }> {
  const since = closeSince(vote.castAt, cooldown);
  const all = await lags(tx);
  if (!all.some(({ endedAt }) => endedAt > since)) {
    const near = await windowsNear(tx, vote, playerId, since);
    return { near, rewarded: rewardedSince(near, vote, since) };
  }
  const longest = all.reduce((sum, { ms }) => sum + Math.max(0, ms), 0);
  const near = await windowsNear(tx, vote, playerId, since - longest);
  const own = id === null ? 0 : lagOf(id, all);
  const moved = near.flatMap((row) => {
    // The times that sites state do not depend on this machine’s clock.
    const areStated = isFoundLate(row.channel) && isFoundLate(vote.channel);
    const lag = areStated ? 0 : lagOf(row.id, all) - own;
    return lag === 0 ? row : [row, { ...row, castAt: row.castAt + lag }];
  });
  const inOrder = moved.toSorted((one, other) => one.castAt - other.castAt);
  return { near, rewarded: rewardedSince(inOrder, vote, since) };
}

/**
 * Rule 4: how far votes may be dated behind those that come now, because a doubt about the clock has ended since. Votes are not moved to
 * other times. They are compared by their cast times and as if they had been moved, and must be far enough apart by both: then nobody
 * is paid twice, whichever time was right.
 */
interface Lag {
  /** The first of these votes, by its ID, and the last. */
  readonly from: number;
  readonly upTo: number;
  /** At most. Negative: they are dated ahead. */
  readonly ms: number;
  /** What the clock showed when the doubt ended. */
  readonly endedAt: number;
}

const LAGS = 'clock-lags';
/** A board without a battery-backed clock gets one at each start, and those of the last 24 hours matter. */
const LAGS_KEPT = 100;

const lags = (tx: Tx): Promise<readonly Lag[]> =>
  tx.memo(LAGS, async () => JSON.parse((await metaText(tx, LAGS)) ?? '[]') as Lag[]);

/** Of one vote, by all doubts that have ended since. */
const lagOf = (id: number, all: readonly Lag[]): number =>
  all.reduce((sum, { from, upTo, ms }) => (id >= from && id <= upTo ? sum + ms : sum), 0);

export async function noteLag(tx: Tx, lag: Lag): Promise<void> {
  if (lag.ms === 0 || lag.from > lag.upTo) return;
  const kept = [lag, ...(await lags(tx))].slice(0, LAGS_KEPT);
  await setMetaText(tx, LAGS, JSON.stringify(kept));
  tx.forget(LAGS);
}

/** The rewarded votes that share windows with one and were cast after an instant, and the last one before it; oldest first. */
async function windowsNear(tx: Tx, of: Sharing, playerId: number, since: number) {
  const sql = of.site === DEFAULT_SITE ? NEAR_OF_DEFAULT : NEAR;
  const rows = await tx.all<WindowRow>(sql, [playerId, of.service, since]);
  if (rows.length > 1) rows.sort((one, other) => one.castAt - other.castAt || one.id - other.id);
  // Of those that were cast at the same time as the last one before it, as after names were joined, the newest.
  const first = rows.findLastIndex(({ castAt }) => castAt <= since);
  return rows.slice(Math.max(0, first));
}

const rewardedSince = (rows: readonly WindowRow[], { service }: Sharing, since: number) =>
  rows
    .filter(({ castAt }) => castAt > since)
    .map(
      ({ id, castAt, service: own }): RewardedVote =>
        own === service ? { id, castAt } : { id, castAt, isOfOther: true },
    );

/** After the cooldown was changed, or for a late vote, rule 3 can allow a vote whose window overlaps stored ones: these are cut. */
export async function cutWindows(tx: Tx, near: readonly WindowRow[], castAt: number, cooldown: Cooldown) {
  const stored = near.map(
    ({ id, castAt: at, windowStart: start, windowEnd: end }): StoredWindow => ({
      ...{ id, castAt: at, window: { start, end } },
    }),
  );
  const cut = 'UPDATE votes SET window_start = $1, window_end = $2 WHERE id = $3';
  for (const { id, window } of windowsCutBy(castAt, cooldown, stored))
    await tx.run(cut, [window.start, window.end, id]);
}

/** When the latest window ends; null if there is none. */
export async function lastWindowEnd(tx: Tx, of: Sharing, playerId: number): Promise<number | null> {
  const latest = 'ORDER BY cast_at DESC, id DESC LIMIT 1';
  const each = sharing(of.site).map(
    (where) => `SELECT id FROM (SELECT id ${from(where)} ${latest}) AS latest`,
  );
  const row = await tx.get<Pick<Window, 'end'> & { readonly id: number }>(
    `SELECT id, window_end AS "end" FROM votes WHERE id IN (${each.join(' UNION ALL ')}) ${latest}`,
    [playerId, of.service],
  );
  return row === null ? null : row.end + Math.max(0, lagOf(row.id, await lags(tx)));
}
