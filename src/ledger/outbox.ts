/**
 * What other programs are told. An event is stored in the transaction of what happened, if a receiver wants to know of it, with a post
 * for each of those. A post is claimed before it is sent, goes when it has arrived, and waits again if it has not. Events that are too
 * old or too many are removed, and what never arrived is counted.
 */
import { randomUUID } from 'node:crypto';
import { DAY_MS } from '../core/duration.ts';
import type { EventKind } from '../core/event-kind.ts';
import type { Facts } from '../core/reason.ts';
import { insertReturning, insertRows, listOf, type Tx, valueFrom } from '../db/db.ts';

/** Something that happened, as it is stored for those who are told of it. */
export interface EventRow {
  /** Ascending in the order in which events were stored. */
  readonly id: number;
  /** A UUID, the same on all attempts and for all receivers. */
  readonly eventId: string;
  readonly kind: EventKind;
  /** In milliseconds since the Unix epoch, like all times here. */
  readonly at: number;
  /** The ID of the vote or the grant that it is about; null: it is about none. */
  readonly subject: number | null;
  /** What cannot be read from that vote or grant later. */
  readonly facts: Facts | null;
}

/** Who is told, and of what. */
export interface ReceiverWants {
  /** A digest of its URL. */
  readonly receiver: string;
  readonly kinds: readonly EventKind[];
}

/** An event that is being sent to a receiver. */
export interface EventPost {
  readonly receiver: string;
  /** Attempts that have failed. */
  readonly failures: number;
  readonly event: EventRow;
}

/** How an attempt ended. */
export type PostEnd = {
  /** The HTTP status; null: there was no complete answer. */
  readonly status: number | null;
  /** Why it failed; null: it did not. */
  readonly reason: string | null;
} & (
  | { readonly state: 'delivered' | 'undelivered' }
  /** It is tried again at this time. */
  | { readonly state: 'waiting'; readonly dueAt: number }
  /** Nothing was sent, or it was cut off, which says nothing about the receiver: it is tried again and not counted. */
  | { readonly state: 'again'; readonly dueAt: number }
);

export interface EndedPost {
  readonly receiver: string;
  readonly event: number;
  readonly end: PostEnd;
}

/** An event that is stored if someone wants to know of it. */
export interface NewEvent extends Pick<EventRow, 'kind' | 'at' | 'facts'> {
  /** Absent: it is not about a vote or a grant. */
  readonly subject?: number;
  /** An event with the same key is not stored again. */
  readonly key?: string;
}

/** What is known of a receiver. */
export interface ReceiverState {
  readonly receiver: string;
  readonly waiting: number;
  /** Events that are sent again only by order. */
  readonly undelivered: number;
  /** Since it is in the config, also if the event is not kept any more. */
  readonly delivered: number;
  /** Events that were never delivered and are not kept any more. */
  readonly dropped: number;
  /** null: nothing was sent yet. */
  readonly last: (Pick<PostEnd, 'status' | 'reason'> & { readonly at: number }) | null;
}

const RECEIVERS = 'event receivers';

interface Receiver extends ReceiverWants {
  /** Since when it is in the config. */
  readonly since: number;
}

const receivers = (tx: Tx): Promise<readonly Receiver[]> =>
  tx.memo(RECEIVERS, async () => {
    const sql = 'SELECT receiver, kinds, since FROM event_receivers ORDER BY receiver';
    const rows = await tx.all<Omit<Receiver, 'kinds'> & { readonly kinds: string }>(sql);
    return rows.map((row) => ({ ...row, kinds: JSON.parse(row.kinds) as EventKind[] }));
  });

/** Who wants to know of events of a kind. */
export const receiversOf = async (tx: Tx, kind: EventKind): Promise<readonly Receiver[]> =>
  (await receivers(tx)).filter(({ kinds }) => kinds.includes(kind));

export const isEventWanted = async (tx: Tx, kind: EventKind): Promise<boolean> =>
  (await receiversOf(tx, kind)).length > 0;

/**
 * Events are stored for these from now on, and nothing is sent to others any more. Writes only what differs: a start with the same
 * config needs no room on the disk.
 */
export async function useReceivers(tx: Tx, wants: readonly ReceiverWants[], now: number): Promise<void> {
  const byReceiver = (all: readonly ReceiverWants[]) =>
    new Map(all.map(({ receiver, kinds }) => [receiver, JSON.stringify(kinds)]));
  const [known, kinds] = [byReceiver(await receivers(tx)), byReceiver(wants)];
  for (const receiver of [...known.keys()].filter((each) => !kinds.has(each)))
    for (const table of ['event_posts', 'event_receivers'])
      await tx.run(`DELETE FROM ${table} WHERE receiver = $1`, [receiver]);
  const changed = [...kinds].filter(([receiver, wanted]) => known.get(receiver) !== wanted);
  await insertRows(
    tx,
    'event_receivers (receiver, kinds, since)',
    changed.map(([receiver, wanted]) => [receiver, wanted, now]),
    'ON CONFLICT (receiver) DO UPDATE SET kinds = excluded.kinds',
  );
  tx.forget(RECEIVERS);
}

/** Stores those that someone wants to know of. */
export async function storeEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  for (const { kind, at, subject = null, facts, key = null } of events) {
    const told = await receiversOf(tx, kind);
    if (told.length === 0) continue;
    if (key !== null && (await tx.get('SELECT 1 FROM events WHERE unique_key = $1', [key])) !== null)
      continue;
    const row = [randomUUID(), kind, at, subject, facts === null ? null : JSON.stringify(facts), key];
    const columns = 'events (event_id, kind, at, subject, facts, unique_key)';
    const [made] = await insertReturning<{ id: number }>(tx, columns, [row], 'id');
    const posts = told.map(({ receiver }) => [receiver, made?.id ?? 0, 'waiting', 0]);
    await insertRows(tx, 'event_posts (receiver, event, state, due_at)', posts);
  }
}

const STATES: Readonly<Record<string, EventKind>> = {
  delivered: 'grant.delivered',
  held: 'grant.held',
  refused: 'grant.held',
};

/** Call this wherever the state of grants changes, also to the one that new grants are created in. */
export async function grantEvents(
  tx: Tx,
  ids: readonly number[],
  state: string,
  reason: string | null,
  at: number,
): Promise<void> {
  const kind = STATES[state];
  if (kind === undefined || ids.length === 0) return;
  await storeEvents(
    tx,
    ids.map((subject) => ({ kind, at, subject, facts: { state, reason } })),
  );
}

interface StoredEvent extends Omit<EventRow, 'facts'> {
  readonly facts: string | null;
}

const EVENT = 'e.id, e.event_id AS "eventId", e.kind, e.at, e.subject, e.facts';

const eventRow = ({ facts, ...event }: StoredEvent): EventRow => ({
  ...event,
  facts: facts === null ? null : (JSON.parse(facts) as Facts),
});

/** The newest events of these kinds, the newest first. */
export async function latestEvents(
  tx: Tx,
  kinds: readonly EventKind[],
  limit: number,
): Promise<readonly EventRow[]> {
  const rows = await tx.all<StoredEvent>(
    `SELECT ${EVENT} FROM events e WHERE e.kind IN ${tx.each('$1', 'text')} ORDER BY e.id DESC LIMIT $2 + 0`,
    [listOf(kinds), limit],
  );
  return rows.map(eventRow);
}

/** What one turn of sending events stores and claims. */
interface EventTurn {
  readonly ended: readonly EndedPost[];
  /** How many posts each receiver may be sent now. */
  readonly free: readonly { readonly receiver: string; readonly most: number }[];
  readonly now: number;
}

/**
 * Stores how posts ended, and claims those that may be sent now.
 *
 * @returns those of one receiver together, the one that is due longest first; and when the next post is due, after now.
 */
export async function takePosts(
  tx: Tx,
  { ended, free, now }: EventTurn,
): Promise<{ readonly claimed: readonly EventPost[]; readonly nextDueAt: number | null }> {
  for (const post of ended) await endPost(tx, post, now);
  const claimed: EventPost[] = [];
  for (const { receiver, most } of free)
    if (most > 0) claimed.push(...(await claimPosts(tx, receiver, most, now)));
  return { claimed, nextDueAt: await firstDueAfter(tx, now) };
}

/** An attempt still says something about the receiver if its post was removed meanwhile. */
async function endPost(tx: Tx, { receiver, event, end }: EndedPost, now: number): Promise<void> {
  const ofPost = `receiver = $1 AND event = $2 AND state = 'sending'`;
  let arrived = 0;
  if (end.state === 'delivered')
    arrived = await tx.run(`DELETE FROM event_posts WHERE ${ofPost}`, [receiver, event]);
  else {
    const [state, dueAt] = 'dueAt' in end ? ['waiting', end.dueAt] : [end.state, 0];
    const failed = end.state === 'again' ? 0 : 1;
    const set = 'state = $3, due_at = $4, failures = failures + $5';
    await tx.run(`UPDATE event_posts SET ${set} WHERE ${ofPost}`, [receiver, event, state, dueAt, failed]);
  }
  if (end.state === 'again') return;
  await tx.run(
    `UPDATE event_receivers SET last_at = $1, status = $2, reason = $3, delivered = delivered + $4
     WHERE receiver = $5`,
    [now, end.status, end.reason, arrived, receiver],
  );
}

async function claimPosts(tx: Tx, receiver: string, most: number, now: number): Promise<EventPost[]> {
  const rows = await tx.all<StoredEvent & { failures: number }>(
    `SELECT p.failures, ${EVENT} FROM event_posts p JOIN events e ON e.id = p.event
     WHERE p.receiver = $1 AND p.state = 'waiting' AND p.due_at <= $2 ORDER BY p.due_at, p.event LIMIT $3 + 0`,
    [receiver, now, most],
  );
  if (rows.length === 0) return [];
  await tx.run(
    `UPDATE event_posts SET state = 'sending' WHERE receiver = $1 AND event IN ${tx.each('$2', 'number')}`,
    [receiver, listOf(rows.map(({ id }) => id))],
  );
  return rows.map(({ failures, ...event }) => ({ receiver, failures, event: eventRow(event) }));
}

/** When the first post is due, which may be past; null: none waits. */
export const nextPostAt = (tx: Tx): Promise<number | null> => firstDueAfter(tx, -1);

/** By receiver, because that is what the index of waiting posts begins with. */
const firstDueAfter = (tx: Tx, time: number): Promise<number | null> =>
  valueFrom<number>(
    tx,
    `SELECT min((SELECT min(p.due_at) FROM event_posts p
                 WHERE p.receiver = r.receiver AND p.state = 'waiting' AND p.due_at > $1)) AS value
     FROM event_receivers r`,
    [time],
  );

/** Posts that were being sent when a process died are sent again. Call it in the process that delivers. */
export async function resumePosts(tx: Tx): Promise<void> {
  await tx.run(`UPDATE event_posts SET state = 'waiting', due_at = 0 WHERE state = 'sending'`);
}

/** Undelivered events are sent again. @returns how many. */
export const resendEvents = (tx: Tx): Promise<number> =>
  tx.run(`UPDATE event_posts SET state = 'waiting', due_at = 0, failures = 0 WHERE state = 'undelivered'`);

const KEPT_MS = 7 * DAY_MS;
const KEPT_MAX = 200_000;
/** To remove so many takes some milliseconds. */
const REMOVED_AT_ONCE = 500;

/** Removes some events that are too old or too many, delivered or not. @returns whether there may be more of them. */
export async function removeOldEvents(tx: Tx, now: number): Promise<boolean> {
  const oldest = await tx.all<{ id: number; at: number; last: number }>(
    `SELECT id, at, (SELECT max(id) FROM events) AS last FROM events ORDER BY id LIMIT ${REMOVED_AT_ONCE}`,
  );
  const old = oldest.filter(({ id, at, last }) => id < last && (id <= last - KEPT_MAX || at < now - KEPT_MS));
  if (old.length === 0) return false;
  const ids = listOf(old.map(({ id }) => id));
  for (const { receiver } of await receivers(tx)) {
    const posts = `event_posts WHERE receiver = $1 AND event IN ${tx.each('$2', 'number')}`;
    const dropped = await tx.run(`DELETE FROM ${posts}`, [receiver, ids]);
    const counted = 'UPDATE event_receivers SET dropped = dropped + $1 WHERE receiver = $2';
    if (dropped > 0) await tx.run(counted, [dropped, receiver]);
  }
  await tx.run(`DELETE FROM events WHERE id IN ${tx.each('$1', 'number')}`, [ids]);
  return old.length === REMOVED_AT_ONCE;
}

interface StoredState extends Omit<ReceiverState, 'last'>, Pick<PostEnd, 'status' | 'reason'> {
  readonly lastAt: number | null;
}

export async function receiverStates(tx: Tx): Promise<readonly ReceiverState[]> {
  const posts = 'SELECT count(*) FROM event_posts p WHERE p.receiver = r.receiver AND p.state';
  const rows = await tx.all<StoredState>(
    `SELECT r.receiver, (${posts} <> 'undelivered') AS waiting, (${posts} = 'undelivered') AS undelivered,
            r.delivered, r.dropped, r.last_at AS "lastAt", r.status, r.reason
     FROM event_receivers r ORDER BY r.receiver`,
  );
  return rows.map(({ lastAt, status, reason, ...state }) => ({
    ...state,
    last: lastAt === null ? null : { at: lastAt, status, reason },
  }));
}
