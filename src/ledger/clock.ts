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
import { listOf, type Tx } from '../db/db.ts';
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

/** The newest receipt is stored again when it is this much newer, so that most votes store nothing. */
const STORED_EACH_MS = 60_000;
/** An anchor is renewed at this age. In that time a clock may drift by the tolerance, but a jump still shows. */
const ANCHOR_MS = HOUR_MS;
/** Releasing so many grants takes some milliseconds, and votes wait meanwhile. */
const GRANTS_AT_ONCE = 500;
const DOUBTS_KEPT = 10;

/** What one process remembers of the clock. */
interface Sense {
  /** What was remembered in an earlier era no longer holds. */
  readonly era: number;
  /** null before the first vote. After a restart, that of a doubt is the newest receipt: the true time is that or later. */
  readonly anchor: Anchor | null;
}

interface Verdict {
  readonly sense: Sense;
  readonly stored: StoredClock;
  /** How far the clock was ahead of the believed time when a doubt ended. */
  readonly aheadMs?: number;
}

/** What the transactions of one process need to judge the clock, from its first vote on. */
export class ClockSense {
  private sense: Sense = { era: -1, anchor: null };
  /** The doubt that was told last. */
  private told: number | null = null;

  /**
   * Call this before a vote is dated.
   *
   * @returns what to add to receipt times; null while the clock is trusted.
   */
  async judge(tx: Tx, reading: ClockReading): Promise<number | null> {
    // In the memo, so that it is gone if the transaction fails, and is read again after another process has written.
    const now = await tx.memo<Judged>('clock', async () => ({
      ...{ verdict: { sense: this.sense, stored: await storedClock(tx) }, told: this.told },
      ...{ reading: null, shiftMs: null },
    }));
    // Votes that come together have one reading.
    if (now.reading === reading) return now.shiftMs;
    const before = now.verdict.stored;
    const after = judged(now.verdict, reading);
    now.verdict = after;
    if (after.stored !== before) await store(tx, before, after);
    const { doubt } = after.stored;
    if (doubt !== null && doubt.shownAt !== now.told) {
      const news: ClockNews = { kind: 'doubted', doubt };
      tx.tell(news);
    }
    if (doubt === null && before.doubt !== null) {
      const news: ClockNews = { kind: 'believed' };
      tx.tell(news);
    }
    now.told = doubt?.shownAt ?? null;
    tx.afterCommit(() => {
      this.sense = after.sense;
      this.told = doubt?.shownAt ?? null;
    });
    now.reading = reading;
    now.shiftMs = doubt === null ? null : believedTime(after, reading) - reading.wall;
    return now.shiftMs;
  }
}

/** What was judged last. */
interface Judged {
  verdict: Verdict;
  told: number | null;
  reading: ClockReading | null;
  /** What was added to receipt times. */
  shiftMs: number | null;
}

function judged({ sense, stored }: Verdict, reading: ClockReading): Verdict {
  const known = sense.era === stored.era ? sense : { era: stored.era, anchor: null };
  if (stored.doubt !== null) return judgedInDoubt({ sense: known, stored }, stored.doubt, reading);
  const anchor = wasAsleep(known.anchor, reading) ? null : known.anchor;
  const believed = believedTime({ sense: { ...known, anchor }, stored }, reading);
  const reason = whyDoubted(anchor, believed, reading.wall);
  if (reason === null) return trusted({ ...known, anchor }, stored, reading);
  const doubt = { reason, shownAt: reading.wall, aheadMs: reading.wall - believed };
  const era = stored.era + 1;
  return {
    sense: { era, anchor: anchorAt(believed, reading) },
    stored: { era, newestAt: believed, doubt },
  };
}

/** The time computed without the wall clock. */
function believedTime(
  { sense: { anchor }, stored: { newestAt } }: Verdict,
  { wall, monotonic }: ClockReading,
): number {
  if (anchor === null) return newestAt ?? Math.max(wall, EARLIEST_MS);
  return Math.max(Math.round(anchor.at + (monotonic - anchor.monotonic)), newestAt ?? 0);
}

function whyDoubted(anchor: Anchor | null, believed: number, wall: number): DoubtReason | null {
  if (anchor !== null) return Math.abs(wall - believed) > CLOCK_TOLERANCE_MS ? 'jumped' : null;
  if (!isClockSet(wall)) return 'not-set';
  return wall < believed - CLOCK_TOLERANCE_MS ? 'behind' : null;
}

function trusted(sense: Sense, stored: StoredClock, reading: ClockReading): Verdict {
  const { wall, monotonic } = reading;
  const isFresh = sense.anchor !== null && monotonic - sense.anchor.monotonic < ANCHOR_MS;
  return {
    sense: isFresh ? sense : { ...sense, anchor: anchorAt(wall, reading) },
    stored: storedAt(stored, wall, STORED_EACH_MS),
  };
}

const storedAt = (stored: StoredClock, at: number, eachMs: number): StoredClock =>
  stored.newestAt !== null && at < stored.newestAt + eachMs ? stored : { ...stored, newestAt: at };

function judgedInDoubt({ sense, stored }: Verdict, doubt: ClockDoubt, reading: ClockReading): Verdict {
  const believed = believedTime({ sense, stored }, reading);
  const aheadMs = reading.wall - believed;
  if (!isBack(doubt, reading.wall, aheadMs))
    return {
      sense: { ...sense, anchor: sense.anchor ?? anchorAt(believed, reading) },
      stored: storedAt(stored, believed, 1_000),
    };
  const era = stored.era + 1;
  return {
    sense: { era, anchor: anchorAt(reading.wall, reading) },
    stored: { era, newestAt: reading.wall, doubt: null },
    aheadMs,
  };
}

/** Whether the doubt is over. Where only the newest receipt of an earlier run is known, any later time may be the right one. */
const isBack = ({ reason }: ClockDoubt, wall: number, aheadMs: number): boolean =>
  isClockSet(wall) &&
  aheadMs >= -CLOCK_TOLERANCE_MS &&
  (reason !== 'jumped' || aheadMs <= CLOCK_TOLERANCE_MS);

/** A doubt as it is stored. */
type Doubt = ClockHistory['doubts'][number];

async function storedClock(tx: Tx): Promise<StoredClock> {
  const rows = await tx.all<{ name: string; number: number | null; text: string | null }>(
    `SELECT name, number, text FROM meta WHERE name IN ('clock-era', 'newest-receipt', 'clock-doubt')`,
  );
  const stored = new Map(rows.map((row) => [row.name, row]));
  const doubt = JSON.parse(stored.get('clock-doubt')?.text ?? 'null') as Doubt | null;
  return {
    era: stored.get('clock-era')?.number ?? 0,
    newestAt: stored.get('newest-receipt')?.number ?? null,
    doubt: doubt && { reason: doubt.reason, shownAt: doubt.shownAt, aheadMs: doubt.aheadMs },
  };
}

async function store(tx: Tx, before: StoredClock, { stored, aheadMs = 0 }: Verdict): Promise<void> {
  const { era, newestAt, doubt } = stored;
  if (newestAt !== null) await setMetaNumber(tx, 'newest-receipt', newestAt);
  if (era === before.era) return;
  await setMetaNumber(tx, 'clock-era', era);
  if (doubt === null) await endDoubt(tx, 'corrected', newestAt ?? 0, aheadMs);
  else {
    const begun: Doubt = {
      ...doubt,
      firstVote: (await lastId(tx, 'votes')) + 1,
      lastVote: null,
      endedBy: null,
    };
    await setMetaText(tx, 'clock-doubt', JSON.stringify(begun));
  }
}

/**
 * If the clock was doubted, it is trusted from now on. Where it does not show the time again that was believed, the votes before the
 * doubt were dated by another time too: either may have been wrong.
 *
 * @param aheadMs how far it is ahead of the believed time, at most.
 */
async function endDoubt(
  tx: Tx,
  endedBy: Doubt['endedBy'],
  wall: number,
  aheadMs: number,
): Promise<ClockDoubt | null> {
  const text = await metaText(tx, 'clock-doubt');
  if (text === null) return null;
  const upTo = await lastId(tx, 'votes');
  const doubt = { ...(JSON.parse(text) as Doubt), endedBy, lastVote: upTo };
  const from = isBack(doubt, wall, aheadMs) ? doubt.firstVote : 1;
  await noteLag(tx, { from, upTo, ms: aheadMs, endedAt: wall });
  const earlier = JSON.parse((await metaText(tx, 'clock-doubts')) ?? '[]') as Doubt[];
  await setMetaText(tx, 'clock-doubts', JSON.stringify([doubt, ...earlier].slice(0, DOUBTS_KEPT)));
  await tx.run(`DELETE FROM meta WHERE name = 'clock-doubt'`);
  return { reason: doubt.reason, shownAt: doubt.shownAt, aheadMs: doubt.aheadMs };
}

export async function clock(tx: Tx): Promise<ClockHistory> {
  const { doubt, newestAt } = await storedClock(tx);
  const held = await tx.get<{ count: number }>(
    `SELECT count(*) AS count FROM grants WHERE state IN ('held', 'refused') AND state = 'held' AND reason = 'clock-doubt'`,
  );
  const ended = JSON.parse((await metaText(tx, 'clock-doubts')) ?? '[]') as Doubt[];
  const begun = JSON.parse((await metaText(tx, 'clock-doubt')) ?? 'null') as Doubt | null;
  const doubts = begun === null ? ended : [begun, ...ended];
  return { doubt, newestAt, held: held?.count ?? 0, doubts: doubts.slice(0, DOUBTS_KEPT) };
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
  const looked = await tx.all<{ id: number }>(
    `SELECT id FROM grants WHERE state = 'held' AND state <> 'delivered' AND id > $1 AND id <= $2
     ORDER BY id LIMIT ${GRANTS_AT_ONCE}`,
    [after, upTo],
  );
  const released = await release(tx, listOf(looked.map(({ id }) => id)), now);
  const last = looked.length < GRANTS_AT_ONCE ? undefined : looked.at(-1)?.id;
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
