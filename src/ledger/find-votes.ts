/** Votes are found, newest first, by what an operator asks for, and read with all that is known of them. */
import type { Window } from '../core/cooldown.ts';
import type { DecisionKind, RewardReasons } from '../core/decide.ts';
import { HOUR_MS } from '../core/duration.ts';
import { playerKey } from '../core/player-name.ts';
import type { Channel, Vote } from '../core/vote.ts';
import { nextWindow } from '../core/window.ts';
import { listOf, type Tx, type Value, valueFrom } from '../db/db.ts';
import { firstVoteOfHour } from './history-counts.ts';
import { rewardNames } from './known-rewards.ts';
import type { VoidOrder } from './operator.ts';
import { readReasons } from './rows.ts';
import { windowsAround } from './windows.ts';

export interface VoteFilter {
  readonly id?: number;
  /** A player’s name in any case, or a user ID. */
  readonly recipient?: string;
  /** An entry's key, or a service name as received. */
  readonly site?: string;
  readonly decision?: DecisionKind;
  readonly channel?: Channel;
  /** Received at this time or later. */
  readonly since?: number;
  /** Received before this time. */
  readonly until?: number;
  /** Votes older than this one, for paging. */
  readonly after?: number;
  readonly limit: number;
}

export interface VoteRow
  extends Pick<Vote, 'service' | 'site' | 'castAt' | 'receivedAt' | 'channel' | 'address' | 'wire'> {
  readonly id: number;
  readonly recipient: string;
  readonly player: string | null;
  /** The player's name as the site sent it, if that differs. */
  readonly sentAs: string | null;
  readonly claimedAt: number | null;
  readonly decision: DecisionKind;
  readonly nextAt: number | null;
  readonly takenBy: number | null;
  /** The window that it took; for a vote that took none, the one that it would have taken. */
  readonly window: Window;
  /**
   * A reason for every reward, or only for chances if an older Teller stored the vote; empty if no reward was judged.
   */
  readonly reasons: RewardReasons;
  /** Set if the operator rewarded it later, with the reasons of that decision. */
  readonly operatorRewardedAt: number | null;
  readonly operatorReasons: RewardReasons;
  /** Set if it was decided again because its service got an entry in `sites`, with what was decided when it came. */
  readonly listed: { readonly at: number; readonly takenBy: number; readonly reasons: RewardReasons } | null;
  /** Set if the operator voided it: it is in no total and marks no day. */
  readonly voided: (VoidOrder & { readonly at: number }) | null;
  /** Another listener pays it (`src/core/pay.ts`). */
  readonly isPaidElsewhere: boolean;
  readonly repeats: number;
  readonly repeatedAt: number | null;
}

/** Some of the votes that match a filter, newest first. */
export interface VotePage {
  readonly votes: readonly VoteRow[];
  /** How many votes were looked at to find these. */
  readonly lookedAt: number;
  /** The ID of the last vote that was looked at, from which the search can go on; null: no older vote can match. */
  readonly searchedTo: number | null;
}

export const votes = async (tx: Tx, filter: VoteFilter): Promise<readonly VoteRow[]> =>
  (await votePage(tx, filter, Number.POSITIVE_INFINITY)).votes;

/** The same, but ends when so many votes were looked at: to look at some thousand takes some ms, whatever is asked for. */
export async function votePage(tx: Tx, filter: VoteFilter, lookAt: number): Promise<VotePage> {
  const { ids, lookedAt, searchedTo } = await find(tx, filter, lookAt);
  return { votes: await votesWith(tx, ids), lookedAt, searchedTo };
}

/** So many candidates are read at once. */
const AT_ONCE = 1_000;
/** To put so many IDs in order takes some milliseconds. The votes of a service that has more are met soon enough without an index. */
const SORTED_MAX = 20_000;
/** If the clock was set back by more, votes that were received afterwards are not found by the time of their receipt. */
const SET_BACK_HOURS = 6;

/** The conditions of a statement that is put together, with a value for each parameter. */
export class Clause {
  private readonly parts: string[] = [];

  /** @param values those of a clause that is part of the same statement. */
  constructor(readonly values: Value[] = []) {}

  /** The parameter for a value. */
  with(value: Value): `$${number}` {
    return `$${this.values.push(value)}`;
  }

  /** Adds a condition on a value; does nothing for a value that is not given. */
  if(value: Value | undefined, condition: (parameter: `$${number}`) => string): this {
    return value === undefined ? this : this.and(condition(this.with(value)));
  }

  /** @param condition false: none. */
  and(condition: string | false): this {
    if (condition !== false) this.parts.push(condition);
    return this;
  }

  get all(): string {
    return this.parts.length === 0 ? '1 = 1' : this.parts.map((part) => `(${part})`).join(' AND ');
  }
}

/** An index leads to candidates, and what it does not say is compared one by one. */
async function find(tx: Tx, filter: VoteFilter, lookAt: number) {
  const ids: number[] = [];
  let lookedAt = 0;
  const isBySite = filter.site !== undefined && (await isRare(tx, filter.site));
  for (let after = await olderThan(tx, filter); ; ) {
    const most = Math.min(AT_ONCE, lookAt - lookedAt);
    const rows = await candidates(tx, filter, after, isBySite, most);
    for (const { id, isMatch } of rows) {
      lookedAt++;
      if (isMatch === 1) ids.push(id);
      if (ids.length === filter.limit || lookedAt === lookAt) return { ids, lookedAt, searchedTo: id };
    }
    if (rows.length < most) return { ids, lookedAt, searchedTo: null };
    after = rows.at(-1)?.id;
  }
}

/** Whether few enough votes are of this service or entry. */
async function isRare(tx: Tx, site: string): Promise<boolean> {
  const votes = await valueFrom<number>(
    tx,
    `SELECT CAST(coalesce(sum(votes), 0) AS BIGINT) AS value FROM service_days WHERE site <> '' AND (service = $1 OR site = $1)`,
    [site],
  );
  return (votes ?? 0) <= SORTED_MAX;
}

/** Only votes older than this one match; undefined: any may. */
async function olderThan(tx: Tx, { after, until }: VoteFilter): Promise<number | undefined> {
  if (until === undefined) return after;
  const hour = Math.ceil(until / HOUR_MS) + SET_BACK_HOURS;
  const first = await valueFrom<number>(tx, `SELECT ${firstVoteOfHour('$1')} AS value`, [hour]);
  return Math.min(after ?? Number.MAX_SAFE_INTEGER, first ?? Number.MAX_SAFE_INTEGER);
}

function candidates(tx: Tx, filter: VoteFilter, after: number | undefined, isBySite: boolean, most: number) {
  const { id, recipient, site, decision, channel, since, until } = filter;
  const isOther = decision !== undefined && decision !== 'rewarded';
  const isByDecision = recipient === undefined && isOther && !isBySite;
  const fromHour = since === undefined ? undefined : Math.floor(since / HOUR_MS);
  const by = new Clause();
  by.if(id, (value) => `v.id = ${value}`)
    .if(after, (value) => `v.id < ${value}`)
    .if(fromHour, (hour) => `v.id >= ${firstVoteOfHour(hour)}`)
    .and(recipient !== undefined && `v.player_id IN (${playersNamed(by, recipient)})`)
    .if(recipient === undefined ? undefined : decision, (value) => `v.decision = ${value}`)
    .if(
      isBySite && recipient === undefined ? site : undefined,
      (name) =>
        `v.id IN (SELECT id FROM votes WHERE service = ${name} UNION ALL SELECT id FROM votes WHERE site = ${name} AND site <> service)`,
    )
    .if(isByDecision ? decision : undefined, (value) => `v.decision = ${value} AND v.decision <> 'rewarded'`);
  const match = new Clause(by.values)
    .if(site, (name) => `v.service = ${name} OR v.site = ${name}`)
    .if(decision, (value) => `v.decision = ${value}`)
    .if(channel, (value) => `v.channel = ${value}`)
    .if(since, (time) => `v.received_at >= ${time}`)
    .if(until, (time) => `v.received_at < ${time}`);
  // Only the IDs are sorted, and only the rows that are wanted are read.
  const first = `SELECT v.id FROM votes v WHERE ${by.all} ORDER BY v.id DESC LIMIT ${by.with(most)} + 0`;
  return tx.all<{ readonly id: number; readonly isMatch: number }>(
    `SELECT v.id, CASE WHEN ${match.all} THEN 1 ELSE 0 END AS "isMatch" FROM votes v WHERE v.id IN (${first}) ORDER BY v.id DESC`,
    by.values,
  );
}

/** The players who have or had a name, in any case, or exactly this user ID. */
export const playersNamed = (by: Clause, name: string): string =>
  `SELECT player_id FROM names WHERE kind = 'player' AND key = ${by.with(playerKey(name))}
   UNION SELECT player_id FROM names WHERE kind = 'user' AND key = ${by.with(name)}`;

interface StoredVote extends Omit<VoteRow, 'window' | 'nextAt' | 'reasons' | 'isPaidElsewhere'> {
  readonly playerId: number;
  readonly windowStart: number;
  readonly windowEnd: number;
  readonly storedReasons: string | null;
  readonly paidElsewhere: number;
}

async function votesWith(tx: Tx, ids: readonly number[]): Promise<readonly VoteRow[]> {
  if (ids.length === 0) return [];
  const rows = await tx.all<StoredVote>(
    `SELECT v.id, v.service, v.site, v.player_id AS "playerId", n.key AS recipient, v.player, v.sent_as AS "sentAs",
            v.cast_at AS "castAt", v.claimed_at AS "claimedAt", v.received_at AS "receivedAt", v.channel, v.address, v.decision,
            v.window_start AS "windowStart", v.window_end AS "windowEnd", v.taken_by AS "takenBy", v.reasons AS "storedReasons",
            v.wire, v.repeats, v.repeated_at AS "repeatedAt", v.paid_elsewhere AS "paidElsewhere"
     FROM votes v JOIN players p ON p.id = v.player_id JOIN names n ON n.id = p.name_id
     WHERE v.id IN ${tx.each('$1', 'number')} ORDER BY v.id DESC`,
    [listOf(ids)],
  );
  const acts = await actsOn(tx, 'vote_id', ids);
  const nameOf = await rewardNames(tx);
  const found: VoteRow[] = [];
  for (const stored of rows) {
    const { playerId: _, windowStart, windowEnd, storedReasons, paidElsewhere, ...row } = stored;
    found.push({
      ...row,
      window: { start: windowStart, end: windowEnd },
      nextAt: await nextAt(tx, stored),
      reasons: readReasons(storedReasons, nameOf),
      isPaidElsewhere: paidElsewhere === 1,
      ...changesOf(acts.get(row.id) ?? [], nameOf),
    });
  }
  return found;
}

/** What an operator did. */
export interface Act {
  readonly kind: string;
  readonly at: number;
  readonly by: string;
  /** JSON. */
  readonly facts: string | null;
}

/** What operators did to votes or grants, by their IDs, the first one first. */
export async function actsOn(tx: Tx, what: 'vote_id' | 'grant_id', ids: readonly number[]) {
  const rows = await tx.all<Act & { readonly id: number }>(
    `SELECT ${what} AS id, kind, at, by, facts FROM actions
     WHERE ${what} IN ${tx.each('$1', 'number')} AND ${what} IS NOT NULL ORDER BY actions.id`,
    [listOf(ids)],
  );
  const found = new Map<number, Act[]>();
  for (const { id, ...act } of rows) found.set(id, [...(found.get(id) ?? []), act]);
  return found;
}

/** What operators did with a vote after it was recorded. */
function changesOf(acts: readonly Act[], nameOf: (id: number) => string) {
  const of = (kind: string) => {
    const act = acts.find((each) => each.kind === kind);
    const facts = JSON.parse(act?.facts ?? '{}') as {
      readonly takenBy?: number | null;
      readonly reasons?: string | null;
      readonly reason?: string;
    };
    return act === undefined
      ? null
      : { ...act, ...facts, reasons: readReasons(facts.reasons ?? null, nameOf) };
  };
  const [rewarded, listed, voided] = [of('reward'), of('list'), of('void')];
  return {
    operatorRewardedAt: rewarded?.at ?? null,
    operatorReasons: rewarded?.reasons ?? new Map(),
    listed: listed && { at: listed.at, takenBy: listed.takenBy ?? 0, reasons: listed.reasons },
    voided: voided && { at: voided.at, by: voided.by, reason: voided.reason ?? '' },
  };
}

/** When the next vote could be rewarded, as it was when this vote came: only earlier votes count. */
async function nextAt(tx: Tx, vote: StoredVote): Promise<number | null> {
  const { windowStart: start, windowEnd: end, castAt } = vote;
  if (vote.decision === 'rewarded') return end;
  if (vote.decision !== 'cooldown' && vote.decision !== 'unlisted') return null;
  // A window that does not start with its vote is a calendar day.
  if (start !== castAt) return end;
  const cooldown = { kind: 'span', ms: end - start } as const;
  const { rewarded } = await windowsAround(tx, vote, vote.playerId, cooldown, vote.id);
  const earlier = rewarded.filter(({ id }) => id < vote.id);
  return nextWindow(castAt, cooldown, earlier);
}
