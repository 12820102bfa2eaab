/**
 * The windows of rewarded votes. Votes for one service share their windows, under whatever entry they were recorded, and so do all votes
 * under `default`. Windows that are shared do not overlap where each vote was decided as it came, and each contains the cast time of
 * its vote; after names were joined, overlapping ones stay.
 */
import type { Window } from '../core/cooldown.ts';
import { DEFAULT_SITE } from '../core/service-name.ts';
import type { Vote } from '../core/vote.ts';
import { type RewardedVote, type StoredWindow, windowsCutBy } from '../core/window.ts';
import type { Cooldown } from '../core/cooldown.ts';
import type { Tx } from '../db/db.ts';

/** A rewarded vote as it is stored. */
interface WindowRow {
  readonly id: number;
  readonly service: string;
  readonly castAt: number;
  readonly windowStart: number;
  readonly windowEnd: number;
}

const WINDOW = `id, service, cast_at AS "castAt", window_start AS "windowStart", window_end AS "windowEnd"`;

/** A vote, as far as it decides which other votes share its windows. */
export type Sharing = Pick<Vote, 'service' | 'site'>;

/** The condition that a rewarded vote shares its windows with a service and, under `default`, with all services there. */
const isShared = ({ site }: Sharing, service: `$${number}`): string =>
  site === DEFAULT_SITE ? `(service = ${service} OR site = '${DEFAULT_SITE}')` : `service = ${service}`;

/** The rewarded votes that share windows with one and were cast after an instant, and the last one before it; oldest first. */
export async function windowsNear(
  tx: Tx,
  of: Sharing,
  playerId: number,
  since: number,
): Promise<readonly WindowRow[]> {
  const rewarded = `SELECT ${WINDOW} FROM votes WHERE player_id = $1 AND decision = 'rewarded' AND ${isShared(of, '$2')}`;
  return await tx.all<WindowRow>(
    `SELECT * FROM (${rewarded} AND cast_at > $3)
     UNION ALL SELECT * FROM (${rewarded} AND cast_at <= $3 ORDER BY cast_at DESC, id DESC LIMIT 1) b
     ORDER BY 3, 1`,
    [playerId, of.service, since],
  );
}

/** As `decide` wants them. */
export const rewardedSince = (
  near: readonly WindowRow[],
  { service }: Sharing,
  since: number,
): readonly RewardedVote[] =>
  near
    .filter(({ castAt }) => castAt > since)
    .map(({ id, castAt, service: own }) =>
      own === service ? { id, castAt } : { id, castAt, isOfOther: true },
    );

/** After the cooldown was changed, or for a late vote, rule 3 can allow a vote whose window overlaps stored ones: these are cut. */
export async function cutWindows(
  tx: Tx,
  near: readonly WindowRow[],
  castAt: number,
  cooldown: Cooldown,
): Promise<void> {
  for (const { id, window } of windowsCutBy(castAt, cooldown, near.map(storedWindow)))
    await tx.run('UPDATE votes SET window_start = $1, window_end = $2 WHERE id = $3', [
      ...[window.start, window.end, id],
    ]);
}

const storedWindow = ({ id, castAt, windowStart, windowEnd }: WindowRow): StoredWindow => ({
  ...{ id, castAt },
  window: { start: windowStart, end: windowEnd },
});

/** When the latest window ends; null if there is none. */
export async function lastWindowEnd(tx: Tx, of: Sharing, playerId: number): Promise<number | null> {
  const row = await tx.get<Pick<Window, 'end'>>(
    `SELECT window_end AS "end" FROM votes WHERE player_id = $1 AND decision = 'rewarded' AND ${isShared(of, '$2')}
     ORDER BY cast_at DESC, id DESC LIMIT 1`,
    [playerId, of.service],
  );
  return row?.end ?? null;
}
