/** What ends without an answer of a game server: commands whose process has died, and announcements that are not sent. */
import { ANNOUNCED_FOR_MS, type AnnouncementCode } from '../core/announcement.ts';
import type { Tx } from '../db/db.ts';
import { announcementOf, changeGrants, FROM, grantWith, ROW, type Row } from './queue.ts';
import { type Attempted, outcomesColumn, readOutcomes } from './rows.ts';

/**
 * What becomes of an announcement. `over`: nothing more of its grant is sent, and it is closed; or it has changed meanwhile.
 * `unseen`: no presence showed its player yet; ask the game server, and call `announce` again with the answer.
 */
export type Announced = 'send' | 'over' | 'unseen';

/** What only the process that delivers knows about an announcement. */
export interface AnnouncingNow {
  readonly now: number;
  /** Whether its player is on the game server now, or need not be; null: not known yet. */
  readonly isHere: boolean | null;
  /** Whether `atMost` leaves it out. */
  readonly isTooOften: boolean;
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

/** Decides whether the announcements of a grant are sent now. If they are not, closes the grant. */
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
  const seen = practice === 1 ? '(2, 3)' : '(1, 3)';
  return (
    (await tx.get(`SELECT 1 FROM names WHERE player_id = $1 AND present IN ${seen} LIMIT 1`, [playerId])) !==
    null
  );
}

/** What was paid or may have been sent of it stays so. */
async function closeAnnouncing(tx: Tx, row: Row, code: AnnouncementCode, now: number): Promise<Announced> {
  const outcomes = [...readOutcomes(row.outcomes)];
  leaveFrom(outcomes, row, announcementOf(row)?.first ?? 0, code, now);
  const isTried = outcomes.some(
    (each) => each !== null && each.outcome !== null && each.outcome !== 'not-sent',
  );
  const to = {
    state: isTried ? 'delivered' : 'cancelled',
    reason: isTried ? null : ({ code } as const),
    now,
  } as const;
  await changeGrants(tx, to, 'expires_at = NULL, outcomes = $5', 'id = $6', [
    outcomesColumn(outcomes),
    row.id,
  ]);
  return 'over';
}
