/**
 * A vote is recorded: who it is for, whether it is there already (rule 2), whether it takes its window (rule 3), what it earns, and all
 * that this changes, in one transaction.
 */
import { windowOf } from '../core/cooldown.ts';
import {
  type Decision,
  decideWindow,
  type Earned,
  NOTHING_EARNED,
  type PlannedGrant,
  type RewardReasons,
  type WindowDecision,
} from '../core/decide.ts';
import { FORWARD, type ForwardTarget } from '../core/forward.ts';
import { localDay } from '../core/local-time.ts';
import { isPaidHere } from '../core/pay.ts';
import { isInRestoreDoubt, type Restore } from '../core/restore-doubt.ts';
import { identifyingTime, type KnownVote, type SameVote, sameVote, secondOf } from '../core/same-vote.ts';
import { castTime, isFoundLate, type Vote } from '../core/vote.ts';
import { insertRows, type Tx, type Value } from '../db/db.ts';
import type { VoteStanding } from '../rewards/condition.ts';
import { judgedVote, planNothing, standingOf } from '../rewards/decide.ts';
import { planGrants } from '../rewards/grants.ts';
import type { Arrival } from '../rewards/reward.ts';
import { earnedBy } from './earn.ts';
import { addPlayer, NOBODY, type Player, playerNamed } from './facts.ts';
import { addToPlayer, addToService, noteHour, type Weight } from './history-counts.ts';
import { rewardsNamed, useRewards } from './known-rewards.ts';
import { storeEvents } from './outbox.ts';
import { IN_SHADOW, type InitialState, owe } from './owe.ts';
import { countForParties } from './parties.ts';
import { reasonsColumn } from './rows.ts';
import { cutWindows, freeWindow, windowsAround } from './windows.ts';

/** Whether the grants of votes are wanted, or only why each reward is granted or not: making grants is a fifth of the work. */
export type WantedOfVotes = 'grants' | 'reasons';

/** What a sender and the log are told of a vote; the ledger has the rest. */
export type Recorded =
  | {
      readonly kind: 'new';
      readonly id: number;
      readonly decision: WindowDecision;
      /** Those that were granted, once for each grant. */
      readonly rewards: readonly string[];
      /** The service whose vote took the window, if it is another one. Services without an entry share one window. */
      readonly sharedWith?: string;
      /** Another listener pays it. */
      readonly isPaidElsewhere?: true;
      /** It is forwarded to another listener. */
      readonly isForwarded?: true;
    }
  /** The same vote had been recorded before (rule 2). */
  | { readonly kind: 'same'; readonly id: number };

/** Repeats of a vote are counted up to this number, so that a flood of replays causes few writes. */
const REPEATS_COUNTED = 1_000;

/** @param shiftMs added to receipt times while the clock is doubted; null: it is trusted. */
export async function recordVote(tx: Tx, received: Arrival, shiftMs: number | null): Promise<Recorded> {
  const arrival = shiftMs === null ? received : { ...received, vote: redated(received.vote, shiftMs) };
  const { vote, rules } = arrival;
  const player = (await playerNamed(tx, vote.recipient)) ?? (await addPlayer(tx, vote.recipient));
  const same = await findSame(tx, arrival, player);
  if (same !== null) {
    await repeat(tx, vote, same);
    return { kind: 'same', id: same.id };
  }
  const believedAt = vote.receivedAt + (shiftMs ?? 0);
  const days = {
    today: localDay(vote.receivedAt, rules.zone),
    believed: localDay(believedAt, rules.zone),
  };
  const { window, earned, counted, near, isDoubted } = await decideVote(tx, arrival, player, days);
  const { channel, castAt } = vote;
  const isPaidElsewhere = !isPaidHere({ channel, castAt, receivedAt: believedAt }, rules.pay);
  const id = await insertVote(tx, arrival, player, window, earned.reasons, isPaidElsewhere);
  const paying = { id, isPaidElsewhere, isDoubted, isClockDoubted: shiftMs !== null };
  await addDecision(tx, arrival, player, window, earned, paying);
  await counted?.store(id, vote.receivedAt, shiftMs !== null);
  const rewards = earned.grants.map(({ reward }) => reward);
  const recorded = { kind: 'new', id, decision: window, rewards } as const;
  const taken = 'takenBy' in window ? near.find((each) => each.id === window.takenBy) : undefined;
  const isShared = taken !== undefined && taken.service !== vote.service;
  if (!isShared && !isPaidElsewhere && arrival.forward === undefined) return recorded;
  return {
    ...recorded,
    ...(isShared ? { sharedWith: taken.service } : {}),
    ...(isPaidElsewhere ? { isPaidElsewhere } : {}),
    ...(arrival.forward === undefined ? {} : { isForwarded: true }),
  };
}

/**
 * Decides about a vote by its rules, and makes room for its window. The caller stores the decision.
 *
 * @param days local ones: of the time that is now, and of the time that is believed.
 * @param id of a vote that is decided again.
 */
export async function decideVote(
  tx: Tx,
  arrival: Arrival,
  player: Player,
  { today, believed }: { readonly today: number; readonly believed: number },
  id: number | null = null,
) {
  const { vote, cooldown, rules } = arrival;
  // A process that only records may have a config that the one which delivers never had.
  if (rules.rewards.length > 0) await useRewards(tx, rules.rewards, today);
  if (rules.parties.length > 0) await useRewards(tx, rules.parties, today);
  const { near, rewarded } = await windowsAround(tx, vote, player.playerId, cooldown, id);
  const window = decideWindow(arrival, rewarded);
  const judged = judgedVote(arrival, window);
  const by = { rules, draws: arrival.draws, today };
  const earned = judged === null ? NOTHING_EARNED : await earnedBy(tx, player, judged, by, true);
  const isDoubted = await isInDoubt(tx, vote);
  const doubt = isDoubted ? 'restore-doubt' : null;
  const counted =
    rules.parties.length === 0
      ? null
      : await countForParties(tx, arrival, window, player.playerId, doubt, believed);
  if (window.kind === 'rewarded' && near.length > 0) await cutWindows(tx, near, vote.castAt, cooldown);
  if (counted === null) return { window, earned, counted, near, isDoubted };
  const reasons = new Map([...earned.reasons, ...counted.reasons]);
  return { window, earned: { ...earned, reasons }, counted, near, isDoubted };
}

/** What votes would be decided now that are not recorded. @param wanted 'reasons': without grants. */
export async function judge(
  tx: Tx,
  arrivals: readonly Arrival[],
  wanted: WantedOfVotes,
): Promise<readonly Decision[]> {
  const decisions: Decision[] = [];
  for (const arrival of arrivals) {
    const { vote, cooldown, rules } = arrival;
    const player = (await playerNamed(tx, vote.recipient)) ?? NOBODY;
    const { rewarded } = await windowsAround(tx, vote, player.playerId, cooldown);
    const window = decideWindow(arrival, rewarded);
    const judged = judgedVote(arrival, window);
    const by = { rules, draws: arrival.draws, today: localDay(vote.castAt, rules.zone) };
    const plan = wanted === 'grants' ? planGrants : planNothing;
    const earned = judged === null ? NOTHING_EARNED : await earnedBy(tx, player, judged, by, true, plan);
    decisions.push({ ...window, ...earned });
  }
  return decisions;
}

/** Changes the cast time, unless it is the site's own or the operator's, which does not depend on our clock. */
const redated = (vote: Vote, shiftMs: number): Vote =>
  isFoundLate(vote.channel)
    ? vote
    : { ...vote, castAt: Math.round(castTime(vote.claim, vote.receivedAt + shiftMs)) };

const KNOWN_VOTE = `
  SELECT v.id, v.service, v.player_id AS "recipientId", v.claimed_at AS "claimedAt", v.received_at AS "receivedAt",
         v.event_id AS "eventId", v.block_digest AS "blockDigest" FROM votes v`;

/** The stored vote that is the same one, by one statement for all signs that the vote has. */
export async function findSame(
  tx: Tx,
  { vote, rules }: Pick<Arrival, 'vote' | 'rules'>,
  { playerId }: Pick<Player, 'playerId'>,
): Promise<SameVote | null> {
  const { service, eventId, blockDigest, claim, recipient } = vote;
  const second = claim === null ? null : secondOf(claim.at);
  const key = second !== null && recipient.kind === 'player' ? recipient.key : null;
  const { sql, signs } = sameVoteQuery(
    key !== null,
    second !== null,
    eventId !== null,
    blockDigest !== null,
    rules.targets !== undefined,
  );
  if (sql === '') return null;
  const values = { service, playerId, second, key, eventId, blockDigest };
  const known = await tx.all<KnownVote>(
    sql,
    signs.map((sign) => values[sign]),
  );
  if (known.length === 0) return null;
  return sameVote(
    { ...vote, recipientId: playerId },
    known.toSorted((one, other) => one.id - other.id),
  );
}

type Sign = 'service' | 'playerId' | 'second' | 'key' | 'eventId' | 'blockDigest';
interface SameVoteQuery {
  readonly sql: string;
  /** The values of its parameters, in order. */
  readonly signs: readonly Sign[];
}

const queries: SameVoteQuery[] = [];

/** By the signs that a vote has, each once. @param isNamed and has a claimed time. @param isForwarding whether votes are forwarded. */
function sameVoteQuery(
  isNamed: boolean,
  isTimed: boolean,
  isEvent: boolean,
  isBlock: boolean,
  isForwarding: boolean,
): SameVoteQuery {
  const at = Number(isNamed) + 2 * Number(isTimed) + 4 * Number(isEvent) + 8 * Number(isBlock);
  const index = at + 16 * Number(isForwarding);
  const made = queries[index];
  if (made !== undefined) return made;
  const signs: Sign[] = [];
  const given = (sign: Sign): string =>
    `$${signs.includes(sign) ? signs.indexOf(sign) + 1 : signs.push(sign)}`;
  const parts: string[] = [];
  const timed = (): string =>
    `v.service = ${given('service')} AND v.identified_at / 1000 = ${given('second')}`;
  // Also a vote that was forwarded from here with its time of receipt, and comes back with it as the claimed time.
  const returned = isForwarding ? '' : ' AND v.claimed_at IS NOT NULL';
  if (isTimed) parts.push(`${KNOWN_VOTE} WHERE ${timed()} AND v.player_id = ${given('playerId')}${returned}`);
  // Under a name that belongs to another player since: who had it then cast the vote, however often it is sent again.
  if (isNamed)
    parts.push(
      `${KNOWN_VOTE.replace('v.player_id AS', `CAST(${given('playerId')} AS BIGINT) AS`)} JOIN names n ON n.id = v.name_id
       WHERE ${timed()} AND n.kind = 'player' AND n.key = ${given('key')} AND n.given_up_at > 0`,
    );
  if (isEvent)
    parts.push(`${KNOWN_VOTE} WHERE v.service = ${given('service')} AND v.event_id = ${given('eventId')}`);
  if (isEvent && isTimed)
    parts.push(
      `${KNOWN_VOTE} WHERE v.player_id = ${given('playerId')} AND v.event_id = ${given('eventId')}
       AND v.cast_at BETWEEN ${given('second')} * 1000 AND ${given('second')} * 1000 + 999`,
    );
  if (isBlock) parts.push(`${KNOWN_VOTE} WHERE v.block_digest = ${given('blockDigest')}`);
  const query = { sql: parts.join(' UNION ALL '), signs };
  queries[index] = query;
  return query;
}

async function repeat(tx: Tx, { eventId, receivedAt }: Vote, { id, getsEventId }: SameVote): Promise<void> {
  if (getsEventId) await tx.run('UPDATE votes SET event_id = $1 WHERE id = $2', [eventId, id]);
  await tx.run(
    `UPDATE votes SET repeats = repeats + 1, repeated_at = $1 WHERE id = $2 AND repeats < ${REPEATS_COUNTED}`,
    [receivedAt, id],
  );
}

const WEIGHTS: Readonly<Record<VoteStanding, Weight>> = { marked: 1, counted: 2, rewarded: 2 };

/** What a decision makes of a vote. */
export function weightOf(window: WindowDecision, arrival: Arrival): Weight {
  const standing = standingOf(window, arrival);
  return standing === null ? 0 : WEIGHTS[standing];
}

const COLUMNS = `votes (service, site, player_id, name_id, player, sent_as, cast_at, claimed_at, received_at, day, channel, address,
  event_id, block_digest, decision, weight, window_start, window_end, taken_by, paid_elsewhere, seed, reasons, identified_at, wire)`;

/** @returns its ID. */
export async function insertVote(
  tx: Tx,
  arrival: Arrival,
  { playerId, nameId }: Player,
  window: WindowDecision,
  reasons: RewardReasons,
  isPaidElsewhere: boolean,
): Promise<number> {
  const { vote, cooldown, rules, draws } = arrival;
  const { start, end } = windowOf(vote.castAt, cooldown);
  const rewards = reasons.size === 0 ? null : await rewardsNamed(tx);
  const row: readonly Value[] = [
    vote.service,
    vote.site,
    playerId,
    nameId,
    vote.recipient.kind === 'player' ? vote.recipient.player : null,
    vote.sentAs ?? null,
    vote.castAt,
    vote.claim?.at ?? null,
    vote.receivedAt,
    localDay(vote.castAt, rules.zone),
    vote.channel,
    vote.address,
    vote.eventId,
    vote.blockDigest,
    window.kind,
    weightOf(window, arrival),
    start,
    end,
    'takenBy' in window ? window.takenBy : null,
    Number(isPaidElsewhere),
    draws.kind === 'drawn' ? draws.seed : null,
    reasonsColumn(reasons, (name) => rewards?.get(name)?.id ?? 0),
    identifyingTime(vote.claim, vote.receivedAt),
    vote.wire,
  ];
  const free = window.kind === 'rewarded' ? freeWindow(vote, playerId, cooldown) : { sql: '', values: [] };
  const made = await tx.get<{ id: number }>(insertIf(free.sql), row.concat(free.values));
  if (made === null) throw new Error('the window of a vote was taken after it was decided');
  return made.id;
}

const GIVEN = Array.from({ length: 24 }, (_, at) => `$${at + 1}`).join(', ');
const inserts = new Map<string, string>();

/** By its condition, each text once. */
function insertIf(condition: string): string {
  const known = inserts.get(condition);
  if (known !== undefined) return known;
  const row = condition === '' ? `VALUES (${GIVEN})` : `SELECT ${GIVEN} WHERE ${condition}`;
  const text = `INSERT INTO ${COLUMNS} ${row} RETURNING id`;
  inserts.set(condition, text);
  return text;
}

/** What decides whether the grants of a vote are paid. */
interface Paying {
  readonly id: number;
  /** Another listener pays it. */
  readonly isPaidElsewhere: boolean;
  readonly isClockDoubted: boolean;
  /** A restore left open whether the lost ledger has paid it. */
  readonly isDoubted: boolean;
}

/** All that a decision changes beside the vote's own row: counts, occasions, places of limits, grants, what others are told. */
async function addDecision(
  tx: Tx,
  arrival: Arrival,
  player: Player,
  window: WindowDecision,
  earned: Earned,
  paying: Paying,
): Promise<void> {
  const { vote, rules } = arrival;
  const { kind } = window;
  const weight = weightOf(window, arrival);
  const day = localDay(vote.castAt, rules.zone);
  await addToPlayer(tx, player, vote.service, day, weight);
  await addToService(tx, vote, kind, weight);
  await noteHour(tx, vote.receivedAt, paying.id);
  await spend(tx, earned, player, { id: paying.id, castAt: vote.castAt, day, takesPlaces: weight > 0 });
  if (earned.grants.length > 0 || arrival.forward !== undefined)
    await oweFor(tx, arrival, player, earned.grants, paying);
  if (vote.channel === 'import') return;
  if (kind === 'rewarded' || kind === 'cooldown' || kind === 'unlisted') {
    const event = kind === 'rewarded' ? 'vote.rewarded' : 'vote.cooldown';
    await storeEvents(tx, [{ kind: event, at: vote.receivedAt, subject: paying.id, facts: null }]);
  }
}

/** The occasions that were granted or lost, and the places of limits that are taken. */
export async function spend(
  tx: Tx,
  { spent, grants }: Pick<Earned, 'spent' | 'grants'>,
  { playerId, nameId }: Pick<Player, 'playerId' | 'nameId'>,
  vote: {
    readonly id: number | null;
    readonly castAt: number;
    readonly day: number;
    readonly takesPlaces: boolean;
  },
): Promise<void> {
  if (spent.length === 0 && grants.length === 0) return;
  const rewards = await rewardsNamed(tx);
  const granted = new Set(grants.map(({ reward }) => reward));
  const rows: Value[][] = [];
  const add = (reward: string, occasion: string, isNetworks: boolean, takes: boolean): void => {
    const rootId = rewards.get(reward)?.rootId;
    if (rootId === undefined) return;
    const how = granted.has(reward) ? 'granted' : 'lost';
    const name = isNetworks ? 0 : nameId;
    rows.push([rootId, playerId, name, occasion, how, vote.id, vote.castAt, vote.day, Number(takes)]);
  };
  // Also while a reward has no limit, because it may get one again. A test vote takes no place.
  const places = new Set(
    [...granted].filter((reward) => vote.takesPlaces && rewards.get(reward)?.isLimited === true),
  );
  for (const { reward, occasion } of spent) {
    add(reward, occasion.name, occasion.isNetworks, places.has(reward));
    places.delete(reward);
  }
  for (const reward of places) add(reward, '', false, true);
  await insertRows(tx, OCCASIONS, rows);
}

export const OCCASIONS =
  'occasions (reward_id, player_id, name_id, occasion, how, vote_id, cast_at, day, takes)';

/** Rule 1: whether the lost ledger may have paid this vote, so that the operator has to decide. */
async function isInDoubt(tx: Tx, vote: Vote): Promise<boolean> {
  const restores = await tx.memo('restores', () =>
    tx.all<Restore>('SELECT backup_at AS "backupAt", restored_at AS "restoredAt" FROM restores'),
  );
  return restores.length > 0 && isInRestoreDoubt(vote, restores);
}

async function oweFor(
  tx: Tx,
  arrival: Arrival,
  player: Player,
  grants: readonly PlannedGrant[],
  paying: Paying,
): Promise<void> {
  const { vote, forward, rules } = arrival;
  const { id, isPaidElsewhere, isDoubted, isClockDoubted } = paying;
  const { playerId, nameId } = player;
  const doubt = isDoubted ? 'restore-doubt' : isClockDoubted ? 'clock-doubt' : null;
  const doubted: InitialState =
    doubt === null ? { state: 'pending', reason: null } : { state: 'held', reason: { code: doubt } };
  const cause = { cause: 'vote', causeId: id, playerId, nameId } as const;
  if (forward !== undefined) {
    const targets = (rules.targets ?? []).filter(({ pays }) => isPaidElsewhere || !pays);
    // Without a player: a forward is not paid to whoever has the name later, but names the player that the site named.
    const forwards = targets.map((target) => forwardTo(target, forward));
    await owe(tx, { ...cause, player: null }, forwards, doubted, vote.receivedAt);
  }
  const spelling = vote.recipient.kind === 'player' ? vote.recipient.player : null;
  const initial = isPaidElsewhere ? IN_SHADOW : doubted;
  await owe(tx, { ...cause, player: spelling }, grants, initial, vote.receivedAt);
}

const forwardTo = ({ server, maxAgeMs }: ForwardTarget, forward: string): PlannedGrant => ({
  reward: FORWARD,
  ...{ occasion: '', server, practice: false, when: 'always', safeToRunTwice: false },
  terms: { delayMs: 0, expiresAfterMs: maxAgeMs },
  ...{ announcement: null, choice: null, filled: {} },
  commands: [forward],
});
