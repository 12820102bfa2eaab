import type { EventPayload } from '../../../protocol/webhook/events.ts';
import { type Clock, pause } from '../../core/clock.ts';
import { DAY_MS, MINUTE_MS } from '../../core/duration.ts';
import type { EventKind } from '../../core/event-kind.ts';
import { Problem } from '../../core/problem.ts';
import type { EventLedger, EventReader, LedgerReader } from '../../ledger/ledger.ts';
import { payloadOf } from '../../notify/events/payload.ts';

export interface Following {
  readonly ledger: Pick<EventLedger, 'followEvents' | 'stopFollowing'> &
    EventReader &
    Pick<LedgerReader, 'votes' | 'grants'>;
  readonly clock: Clock;
  /** Wall time by which the ledger is kept, in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Whether wall time may be moved, so that it cannot end the following. */
  readonly isPractice: boolean;
  /** Unlike that of any other process. */
  readonly follower: string;
  readonly kinds: readonly EventKind[];
  /** The event ID of the last event that was seen; null: from now on. */
  readonly after: string | null;
  /** Events are stored this long after the end, so that the next one can go on; 0: not at all. */
  readonly keptAfterMs: number;
  readonly stop: AbortSignal;
  /** Nothing that happens from now on is missed. */
  readonly onFollowing: () => void;
  /** Resolves once it is shown, with whether there is still a reader. */
  readonly show: (payload: EventPayload) => Promise<boolean>;
}

const LOOK_MS = 500;
const RENEW_MS = 30_000;
/** Without a word of the follower, events are stored for it this long: it may have been killed. */
const LEASE_MS = 90_000;
/** The practice clock moves by up to a year at once. */
const PRACTICE_LEASE_MS = 2 * 366 * DAY_MS;
/** Read at one time. */
const PAGE = 100;

/** How long events are stored for a program that has ended, and that goes on with the last event that it has seen. */
export const RESTART_MS = 10 * MINUTE_MS;

/**
 * Shows events as they happen, until it is stopped or has no reader any more. Rejects with a Problem: `event-not-kept`,
 * `ledger-…`. A ledger that is busy or full is tried again.
 */
export async function followEvents(following: Following): Promise<void> {
  const { ledger, follower, keptAfterMs, now, kinds, onFollowing, stop } = following;
  const last = await firstOf(following);
  await renew(following);
  onFollowing();
  const ended = new AbortController();
  const isOver = AbortSignal.any([stop, ended.signal]);
  try {
    await Promise.race([show(following, last, isOver), renewAgain(following, isOver)]);
  } finally {
    ended.abort();
    await unlessBusy(
      keptAfterMs === 0
        ? ledger.stopFollowing(follower)
        : ledger.followEvents(follower, kinds, now(), now() + keptAfterMs),
    );
  }
}

async function firstOf({ ledger, after }: Following): Promise<number> {
  const first = after === null ? await ledger.lastEventId() : await ledger.eventWithUuid(after);
  if (first !== null) return first;
  throw new Problem(
    'event-not-kept',
    '--after: the ledger has no event with this ID, or not any more; without --after, you see what happens from now on',
  );
}

async function show({ ledger, clock, kinds, show }: Following, first: number, stop: AbortSignal) {
  let last = first;
  while (!stop.aborted) {
    const rows = (await unlessBusy(ledger.eventsAfter(last, kinds, PAGE))) ?? [];
    for (const row of rows) {
      if (!(await unlessStopped(show(await payloadOf(row, ledger)), stop))) return;
      last = row.id;
    }
    if (rows.length < PAGE) await pause(clock, LOOK_MS, stop);
  }
}

async function renewAgain(following: Following, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await pause(following.clock, RENEW_MS, stop);
    if (!stop.aborted) await unlessBusy(renew(following));
  }
}

const renew = ({ ledger, follower, kinds, now, isPractice, keptAfterMs }: Following): Promise<void> =>
  ledger.followEvents(
    follower,
    kinds,
    now(),
    now() + Math.max(LEASE_MS, keptAfterMs, isPractice ? PRACTICE_LEASE_MS : 0),
  );

/** A reader that stalls does not delay the end. @returns whether it has read everything */
const unlessStopped = (shown: Promise<boolean>, stop: AbortSignal): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const end = (): void => resolve(false);
    stop.addEventListener('abort', end, { once: true });
    shown.then(resolve, reject).finally(() => stop.removeEventListener('abort', end));
  });

/** null: the ledger cannot be used now. */
async function unlessBusy<Result>(call: Promise<Result>): Promise<Result | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Problem && (error.code === 'ledger-locked' || error.code === 'ledger-full'))
      return null;
    throw error;
  }
}
