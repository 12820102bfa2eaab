/**
 * Rule 4: whether this machine's clock can be believed. Wall time is compared with the newest receipt on record and, while a process
 * runs, with monotonic time. While it is doubted, votes are dated by the time that is believed instead, and what they earn is held:
 * nobody is paid twice, whichever was right.
 *
 * A doubt ends by itself once the clock shows the believed time again, or is past the newest receipt if that is all that is known. What
 * was held stays so until the operator releases it.
 */
import { EARLIEST_MS, isClockSet } from '../core/clock.ts';
import {
  CLOCK_TOLERANCE_MS,
  type ClockDoubt,
  type DoubtReason,
  type StoredClock,
} from '../core/clock-doubt.ts';
import { type Anchor, anchorAt, type ClockReading, wasAsleep } from '../core/clock-reading.ts';
import { HOUR_MS } from '../core/duration.ts';
import { listOf, type Tx, valueFrom, valuesFrom } from '../db/db.ts';
import { lastId } from './facts.ts';
import { countUp, metaText, setMetaNumber, setMetaText } from './meta.ts';
import { changeGrants } from './queue.ts';
import { noteLag } from './windows.ts';

/** What the ledger finds out about the clock when votes are recorded. */
export type ClockNews =
  | { readonly kind: 'doubted'; readonly doubt: ClockDoubt }
  | { readonly kind: 'believed' };

/** What the ledger knows of this machine's clock. */
export interface ClockHistory {
  /** null while the clock is trusted. */
  readonly doubt: ClockDoubt | null;
  /** The newest receipt, by the believed time; null before the first vote. */
  readonly newestAt: number | null;
  /** Grants held because their votes arrived under a doubted clock. */
  readonly held: number;
  /** All doubts, the latest first. */
  readonly doubts: readonly (ClockDoubt & {
    readonly firstVote: number;
    readonly lastVote: number | null;
    readonly endedBy: 'corrected' | 'released' | null;
  })[];
}

/** The newest receipt is stored again when it is this much newer, so that most votes store nothing. */
const STORED_EACH_MS = 60_000;
/** An anchor is renewed at this age. In that time a clock may drift by the tolerance, but a jump still shows. */
const ANCHOR_MS = HOUR_MS;
/** Releasing so many grants takes some milliseconds, and votes wait meanwhile. */
const GRANTS_AT_ONCE = 500;
const DOUBTS_KEPT = 10;

/** What is stored about the clock, with what this process remembers. */
interface State extends StoredClock {
  /** null before the first vote. After a restart, that of a doubt is the newest receipt: the true time is that or later. */
  readonly anchor: Anchor | null;
}

/** A doubt as it is stored. */
type Doubt = ClockHistory['doubts'][number];

/** What the transactions of one process need to judge the clock, from its first vote on. */
export class ClockSense {
  private anchor: Anchor | null = null;
  /** What was remembered in an earlier era no longer holds. */
  private era = -1;
  /** The doubt that was told last. */
  private told: number | null = null;

  /**
   * Call this before a vote is dated.
   *
   * @returns what to add to receipt times; null while the clock is trusted.
   */
  async judge(tx: Tx, reading: ClockReading): Promise<number | null> {
    // In the memo, so that it is gone if the transaction fails, and is read again after another process has written.
    const last = await tx.memo('clock', async () => {
      const stored = await storedClock(tx);
      const state: State = { ...stored, anchor: stored.era === this.era ? this.anchor : null };
      return { state, told: this.told, reading: null as ClockReading | null, shiftMs: null as number | null };
    });
    // Votes that come together have one reading.
    if (last.reading === reading) return last.shiftMs;
    const before = last.state;
    const state = judged(before, reading);
    const { doubt, era, anchor, newestAt } = state;
    if (newestAt !== null && newestAt !== before.newestAt)
      await setMetaNumber(tx, 'newest-receipt', newestAt);
    if (era !== before.era) await setMetaNumber(tx, 'clock-era', era);
    if (doubt !== null && era !== before.era) {
      const firstVote = (await lastId(tx, 'votes')) + 1;
      const begun: Doubt = { ...doubt, firstVote, lastVote: null, endedBy: null };
      await setMetaText(tx, 'clock-doubt', JSON.stringify(begun));
    }
    const told = doubt?.shownAt ?? null;
    if (doubt !== null && told !== last.told) tx.tell({ kind: 'doubted', doubt } satisfies ClockNews);
    if (doubt === null && before.doubt !== null) {
      await endDoubt(tx, 'corrected', reading.wall, reading.wall - believedTime(before, reading));
      tx.tell({ kind: 'believed' } satisfies ClockNews);
    }
    const shiftMs = doubt === null ? null : believedTime(state, reading) - reading.wall;
    tx.afterCommit(() => Object.assign(this, { anchor, era, told }));
    Object.assign(last, { state, told, reading, shiftMs });
    return shiftMs;
  }
}

function judged(before: State, reading: ClockReading): State {
  const { wall, monotonic } = reading;
  const { doubt, newestAt } = before;
  const anchor = doubt === null && wasAsleep(before.anchor, reading) ? null : before.anchor;
  const believed = believedTime({ ...before, anchor }, reading);
  const aheadMs = wall - believed;
  const begun = doubt === null ? whyDoubted(anchor, believed, wall) : null;
  const era = before.era + 1;
  if (begun !== null) {
    const found = { reason: begun, shownAt: wall, aheadMs };
    return { era, newestAt: believed, doubt: found, anchor: anchorAt(believed, reading) };
  }
  if (doubt !== null && isBack(doubt, wall, aheadMs))
    return { era, newestAt: wall, doubt: null, anchor: anchorAt(wall, reading) };
  const [at, eachMs] = doubt === null ? [wall, STORED_EACH_MS] : [believed, 1_000];
  const isStored = newestAt !== null && at < newestAt + eachMs;
  const isKept = anchor !== null && (doubt !== null || monotonic - anchor.monotonic < ANCHOR_MS);
  return {
    ...before,
    newestAt: isStored ? newestAt : at,
    anchor: isKept ? anchor : anchorAt(at, reading),
  };
}

/** The time computed without the wall clock. */
function believedTime({ anchor, newestAt }: State, { wall, monotonic }: ClockReading): number {
  if (anchor === null) return newestAt ?? Math.max(wall, EARLIEST_MS);
  return Math.max(Math.round(anchor.at + (monotonic - anchor.monotonic)), newestAt ?? 0);
}

function whyDoubted(anchor: Anchor | null, believed: number, wall: number): DoubtReason | null {
  if (anchor !== null) return Math.abs(wall - believed) > CLOCK_TOLERANCE_MS ? 'jumped' : null;
  if (!isClockSet(wall)) return 'not-set';
  return wall < believed - CLOCK_TOLERANCE_MS ? 'behind' : null;
}

/** Whether the doubt is over. Where only the newest receipt of an earlier run is known, any later time may be the right one. */
const isBack = ({ reason }: ClockDoubt, wall: number, aheadMs: number): boolean =>
  isClockSet(wall) &&
  aheadMs >= -CLOCK_TOLERANCE_MS &&
  (reason !== 'jumped' || aheadMs <= CLOCK_TOLERANCE_MS);

async function storedClock(tx: Tx): Promise<StoredClock> {
  // One statement: it is read again before the next vote whenever another process has written.
  const rows = await tx.all<{ name: string; number: number | null; text: string | null }>(
    `SELECT name, number, text FROM meta WHERE name IN ('clock-era', 'newest-receipt', 'clock-doubt')`,
  );
  const stored = new Map(rows.map((row) => [row.name, row]));
  const doubt = JSON.parse(stored.get('clock-doubt')?.text ?? 'null') as Doubt | null;
  return {
    era: stored.get('clock-era')?.number ?? 0,
    newestAt: stored.get('newest-receipt')?.number ?? null,
    doubt: doubt && toldOf(doubt),
  };
}

/**
 * If the clock was doubted, it is trusted from now on. Where it does not show the time again that was believed, the votes before the
 * doubt were dated by another time too: either may have been wrong.
 *
 * @param aheadMs how far it is ahead of the believed time, at most.
 */
async function endDoubt(tx: Tx, endedBy: Doubt['endedBy'], wall: number, aheadMs: number) {
  const [begun, ...earlier] = await doubtsOf(tx);
  if (begun === undefined || begun.endedBy !== null) return null;
  const upTo = await lastId(tx, 'votes');
  const doubt = { ...begun, endedBy, lastVote: upTo };
  const from = isBack(doubt, wall, aheadMs) ? doubt.firstVote : 1;
  await noteLag(tx, { from, upTo, ms: aheadMs, endedAt: wall });
  await setMetaText(tx, 'clock-doubts', JSON.stringify([doubt, ...earlier].slice(0, DOUBTS_KEPT)));
  await tx.run(`DELETE FROM meta WHERE name = 'clock-doubt'`);
  return toldOf(begun);
}

/** The one that lasts and those that have ended, the latest first. */
async function doubtsOf(tx: Tx): Promise<readonly Doubt[]> {
  const ended = JSON.parse((await metaText(tx, 'clock-doubts')) ?? '[]') as Doubt[];
  const begun = JSON.parse((await metaText(tx, 'clock-doubt')) ?? 'null') as Doubt | null;
  return begun === null ? ended : [begun, ...ended];
}

const toldOf = ({ reason, shownAt, aheadMs }: Doubt): ClockDoubt => ({ reason, shownAt, aheadMs });

export async function clock(tx: Tx): Promise<ClockHistory> {
  const { doubt, newestAt } = await storedClock(tx);
  const held = await valueFrom<number>(
    tx,
    `SELECT count(*) AS value FROM grants WHERE state IN ('held', 'refused') AND state = 'held' AND reason = 'clock-doubt'`,
  );
  return { doubt, newestAt, held: held ?? 0, doubts: (await doubtsOf(tx)).slice(0, DOUBTS_KEPT) };
}

/** How far the grants are released that are held because of the clock: those up to an ID, of those up to another one. */
export interface ReleaseProgress {
  readonly after: number;
  readonly upTo: number;
}

/** What one call of `releaseClock` has done. */
export interface ClockRelease {
  /** The doubt that this ended; null if there was none. */
  readonly doubt: ClockDoubt | null;
  /** Grants that were held and are pending now. */
  readonly released: number;
  /** null after the last portion. */
  readonly next: ReleaseProgress | null;
}

/**
 * The operator says that the clock is right: first it is trusted, then what was held is released in portions. The process can end
 * between two of them, and others can write. What is left to do is what is still held, so a call without progress goes on, and no grant
 * is released twice. Grants with later IDs are left alone: another doubt may have begun since.
 *
 * @param wall what the clock shows, without what practice adds.
 */
export async function releaseClock(
  tx: Tx,
  wall: number,
  progress: ReleaseProgress | null,
  now: number,
): Promise<ClockRelease> {
  const doubt = progress === null ? await trust(tx, wall) : null;
  const { after, upTo } = progress ?? { after: 0, upTo: await lastId(tx, 'grants') };
  const looked = await valuesFrom<number>(
    tx,
    `SELECT id AS value FROM grants WHERE state = 'held' AND state <> 'delivered' AND id > $1 AND id <= $2
     ORDER BY id LIMIT ${GRANTS_AT_ONCE}`,
    [after, upTo],
  );
  const released = await release(tx, listOf(looked), now);
  const last = looked.length < GRANTS_AT_ONCE ? undefined : looked.at(-1);
  return { doubt, released, next: last === undefined ? null : { after: last, upTo } };
}

/**
 * Parties that are not paid yet are believed too, so that none of their grants is held later. How long no vote came, and for how much
 * of it Teller was stopped, is not known here: the latest time that can have been right is assumed, so that no window ends too early.
 */
async function trust(tx: Tx, wall: number): Promise<ClockDoubt | null> {
  await tx.run(`UPDATE parties SET doubt = NULL WHERE fixed_at IS NULL AND doubt = 'clock-doubt'`);
  const { newestAt } = await storedClock(tx);
  const doubt = await endDoubt(tx, 'released', wall, wall - (newestAt ?? wall));
  // A clock that is not doubted is judged by the next vote, as before.
  if (doubt === null) return null;
  await countUp(tx, 'clock-era');
  await setMetaNumber(tx, 'newest-receipt', wall);
  tx.forget('clock');
  return doubt;
}

/** The time in which a grant was held is not part of that in which it may expire. */
async function release(tx: Tx, ids: string, now: number): Promise<number> {
  const held = `state = 'held' AND reason = 'clock-doubt' AND id IN ${tx.each('$5', 'number')}`;
  const delayed = await tx.all<{ id: number; until: number }>(
    `SELECT id, due_from AS until FROM grants WHERE state = 'held' AND reason = 'clock-doubt' AND due_from > $1
       AND id IN ${tx.each('$2', 'number')}`,
    [now, ids],
  );
  for (const { id, until } of delayed) {
    const to = { state: 'waiting', reason: { code: 'delayed', facts: { until } }, now } as const;
    const set = 'due_at = 0, expires_at = due_from + expires_after';
    await changeGrants(tx, to, set, 'id = $5', [id]);
  }
  const set = `due_at = 0, expires_at = $4 + expires_after,
    due_from = CASE WHEN expires_after IS NULL THEN due_from ELSE $4 END`;
  const due = await changeGrants(tx, { state: 'pending', reason: null, now }, set, held, [ids]);
  return delayed.length + due.length;
}
