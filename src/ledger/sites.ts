/**
 * The services that votes come from: since when each is known, how far its missed votes are fetched, what is counted for it, and what
 * becomes of votes whose service had no entry in `sites` when they came. Those wait, and when their service gets an entry they are
 * decided again, the one that was cast first before the others.
 */
import { EARLIEST_MS } from '../core/clock.ts';
import { type Cooldown, windowOf } from '../core/cooldown.ts';
import type { DecisionKind } from '../core/decide.ts';
import { DAY_MS, HOUR_MS, UNLISTED_PAID_MS } from '../core/duration.ts';
import { isForgotten } from '../core/forgotten-name.ts';
import { localDay } from '../core/local-time.ts';
import { DEFAULT_SITE, OTHER_SERVICES } from '../core/service-name.ts';
import type { Vote } from '../core/vote.ts';
import { insertRows, listOf, type Tx, valueFrom, valuesFrom } from '../db/db.ts';
import type { Arrival, Draws, Rules } from '../rewards/reward.ts';
import { type Player, playerWithId, recipientOf, VOTER, type Voter } from './facts.ts';
import { addServiceDays, addToNetwork, addToTotal, firstVoteOfHour } from './history-counts.ts';
import { rewardsNamed } from './known-rewards.ts';
import { metaText, noteAction } from './meta.ts';
import { owe } from './owe.ts';
import { initialState } from './parties.ts';
import { decideVote, spend, weightOf } from './record.ts';
import { reasonsColumn } from './rows.ts';
import { EVER } from './schema.ts';

/** An entry of `sites` under which votes are decided that came before it. */
export interface ListedSite {
  /** The service name of the votes. */
  readonly service: string;
  /** The key of the entry. */
  readonly site: string;
  readonly cooldown: Cooldown;
  readonly countsAll: boolean;
}

/** The statistics of one service name under one site entry. */
export interface TallyRow {
  readonly service: string;
  readonly site: string;
  readonly lastAt: number;
  readonly today: number;
  readonly decisions: Partial<Record<DecisionKind, number>>;
}

/** Votes since a time that found the window taken by another service of their entry. */
export interface SharedWindow {
  readonly service: string;
  readonly votes: number;
  readonly lastVote: number;
  /** Those that are paid when the service gets an entry. */
  readonly waiting: number;
}

/**
 * When the site was first seen: the time of its first vote, or of the first call if it had none. A time in the future was written while
 * the clock was ahead, and is corrected to now.
 */
export async function firstSeen(tx: Tx, site: string, now: number): Promise<number> {
  const known = await valueFrom<number>(tx, 'SELECT met_at AS value FROM sites WHERE service = $1', [site]);
  if (known !== null && known <= now) return known;
  // Once for each service, because it reads all its votes.
  const first = await valueFrom<number>(
    tx,
    `SELECT received_at AS value FROM votes WHERE service = $1 AND received_at >= ${EARLIEST_MS} ORDER BY id LIMIT 1`,
    [site],
  );
  const metAt = Math.min(now, first ?? now);
  await tx.run(
    'INSERT INTO sites (service, met_at) VALUES ($1, $2) ON CONFLICT (service) DO UPDATE SET met_at = excluded.met_at',
    [site, metAt],
  );
  return metAt;
}

/** The newest vote of the site that its listing has reported; all votes cast before it are recorded. null if none. */
export const recoveredUntil = (tx: Tx, site: string): Promise<number | null> =>
  valueFrom<number>(tx, 'SELECT recovered_until AS value FROM sites WHERE service = $1', [site]);

/** Never goes back. */
export async function setRecoveredUntil(tx: Tx, site: string, until: number): Promise<void> {
  await tx.run(
    `INSERT INTO sites (service, recovered_until) VALUES ($1, $2)
     ON CONFLICT (service) DO UPDATE SET recovered_until = excluded.recovered_until
     WHERE sites.recovered_until IS NULL OR sites.recovered_until < excluded.recovered_until`,
    [site, until],
  );
}

/** Which of these event IDs of a service are recorded. */
export async function knownEvents(
  tx: Tx,
  service: string,
  eventIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const sql = `SELECT event_id AS value FROM votes WHERE service = $1 AND event_id IN ${tx.each('$2', 'text')}`;
  return new Set(await valuesFrom<string>(tx, sql, [service, listOf(eventIds)]));
}

/** Service names seen, the latest vote first. @param startOfDay the midnight (UTC) that `today` counts from. */
export async function tallies(tx: Tx, startOfDay: number): Promise<readonly TallyRow[]> {
  const rows = await tx.all<Omit<TallyRow, 'decisions'> & { decision: DecisionKind; votes: number }>(
    `SELECT service, site, decision, CAST(sum(votes) AS BIGINT) AS votes, max(last_at) AS "lastAt",
            CAST(sum(CASE WHEN day >= $1 THEN votes ELSE 0 END) AS BIGINT) AS today
     FROM service_days WHERE site <> '' AND votes > 0
     GROUP BY service, site, decision ORDER BY service, site, decision`,
    [Math.floor(startOfDay / DAY_MS)],
  );
  const bySite = new Map<string, TallyRow>();
  for (const { service, site, decision, votes, lastAt, today } of rows) {
    const key = JSON.stringify([service, site]);
    const sum = bySite.get(key) ?? { service, site, lastAt: 0, today: 0, decisions: {} };
    bySite.set(key, {
      ...{ service, site, lastAt: Math.max(sum.lastAt, lastAt), today: sum.today + today },
      decisions: { ...sum.decisions, [decision]: votes },
    });
  }
  return [...bySite.values()].sort((one, other) => other.lastAt - one.lastAt);
}

/** How many of a service's votes are read to see whether its votes are signed. */
const VOTES_READ = 1_000;

/** Which of these services a recent v2 vote came under: only holders of our tokens can sign one. */
export async function signedServices(tx: Tx, services: readonly string[]): Promise<ReadonlySet<string>> {
  const signed = new Set<string>();
  for (const service of services) {
    // In the order of an index, so that the time does not depend on how many votes the service has.
    const vote = await tx.get(
      `SELECT 1 FROM (SELECT channel FROM votes WHERE service = $1 ORDER BY identified_at / 1000 DESC LIMIT ${VOTES_READ}) recent
       WHERE channel = 'listener-v2' LIMIT 1`,
      [service],
    );
    if (vote !== null) signed.add(service);
  }
  return signed;
}

/** The condition that a vote `v` was received in an hour or later. */
const sinceHour = (hour: `$${number}`): string => `v.id >= ${firstVoteOfHour(hour)}`;

/**
 * Services under this entry whose votes found the window taken by another service's vote, most votes first. Only the entry `default`
 * has several services. That none of them is rewarded is said once more for the index, which has only others.
 */
export const sharedWindows = (
  tx: Tx,
  site: string,
  since: number,
  limit: number,
): Promise<readonly SharedWindow[]> =>
  tx.all<SharedWindow>(
    `SELECT v.service, count(*) AS votes, max(v.id) AS "lastVote",
            count(*) FILTER (WHERE v.decision = 'unlisted') AS waiting
     FROM votes v JOIN votes t ON t.id = v.taken_by
     WHERE ${sinceHour('$1')} AND v.decision IN ('cooldown', 'unlisted') AND v.decision <> 'rewarded' AND v.site = $2 AND v.received_at >= $3
       AND t.service <> v.service
     GROUP BY v.service ORDER BY count(*) DESC, v.service LIMIT $4 + 0`,
    [Math.floor(since / HOUR_MS), site, since, limit],
  );

/**
 * The condition that a vote `v` waits for an entry. One that the operator has voided or rewarded is theirs, and one that was imported is
 * not paid. The second condition is that of the index.
 */
const waitsSince = (hour: `$${number}`): string => `
  v.decision = 'unlisted' AND v.decision <> 'rewarded' AND v.channel <> 'import' AND ${sinceHour(hour)}
  AND NOT EXISTS (SELECT 1 FROM actions a WHERE a.vote_id = v.id AND a.kind IN ('void', 'reward'))`;

/** A vote may be received some minutes before the time at which its sender says it was cast. */
const hourBefore = (castAt: number): number => Math.floor(castAt / HOUR_MS) - 1;

/** How many votes were cast since a time and would be paid if their service got an entry in `sites`, by service. */
export async function waitingVotes(tx: Tx, since: number): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.all<{ service: string; votes: number }>(
    `SELECT v.service, count(*) AS votes FROM votes v WHERE ${waitsSince('$1')} AND v.cast_at >= $2
     GROUP BY v.service ORDER BY v.service`,
    [hourBefore(since), since],
  );
  return new Map(rows.map(({ service, votes }) => [service, votes]));
}

/** The operator gives these services an entry now: later votes and those of the 7 days before are paid. */
export const noteListed = (tx: Tx, services: readonly string[], now: number): Promise<void> =>
  insertRows(
    tx,
    'sites (service, listed_at)',
    [...new Set(services)].map((service) => [service, now]),
    'ON CONFLICT (service) DO UPDATE SET listed_at = excluded.listed_at',
  );

/**
 * The config that pays has entries for exactly these services. Those with waiting votes that no one has noted were listed now; what was
 * noted of others is forgotten.
 *
 * @returns whether one of them is noted: `payUnlisted` may have something to do.
 */
export async function keepListed(tx: Tx, services: readonly string[], now: number): Promise<boolean> {
  const noted = new Set(
    await valuesFrom<string>(tx, 'SELECT service AS value FROM sites WHERE listed_at IS NOT NULL'),
  );
  await forgetListed(tx, listOf([...noted].filter((service) => !services.includes(service))));
  const waiting = await waitingVotes(tx, now - UNLISTED_PAID_MS);
  const found = services.filter((service) => waiting.has(service) && !noted.has(service));
  await noteListed(tx, found, now);
  return found.length > 0 || services.some((service) => noted.has(service));
}

const forgetListed = (tx: Tx, services: string): Promise<number> =>
  tx.run(
    `UPDATE sites SET listed_at = NULL WHERE service IN ${tx.each('$1', 'text')} AND listed_at IS NOT NULL`,
    [services],
  );

interface UnlistedVote extends Voter, Omit<Vote, 'site' | 'recipient' | 'sentAs' | 'claim'> {
  readonly id: number;
  readonly day: number;
  readonly claimedAt: number | null;
  readonly paidElsewhere: number;
  readonly takenBy: number | null;
  readonly reasons: string | null;
}

/** By what the next votes are decided again. */
interface ListingOrder {
  readonly sites: readonly ListedSite[];
  readonly rules: Rules;
  /** One for each vote of the portion, so their number is its size. */
  readonly draws: readonly Draws[];
}

type ListedPortion =
  | { readonly kind: 'decided'; readonly votes: number; readonly grants: number; readonly isLast: boolean }
  /** Nothing is decided while the clock is doubted. */
  | { readonly kind: 'clock-doubted' };

/**
 * Decides the next waiting votes of noted services again, those that were cast first before the others, as if they had been recorded
 * now, with the time at which they were cast.
 *
 * @returns how many votes, and how many grants they were given.
 */
export async function payUnlisted(
  tx: Tx,
  { sites, rules, draws }: ListingOrder,
  now: number,
): Promise<ListedPortion> {
  if ((await metaText(tx, 'clock-doubt')) !== null) return { kind: 'clock-doubted' };
  const entries = new Map(sites.map((site) => [site.service, site]));
  const votes = await nextWaiting(tx, [...entries.keys()], draws.length);
  let grants = 0;
  for (const [index, stored] of votes.entries()) {
    const [site, drawn] = [entries.get(stored.service), draws[index]];
    if (site === undefined || drawn === undefined) continue;
    const { cooldown, countsAll } = site;
    // The vote of a player who was forgotten counts, also for parties, and earns them nothing.
    const applied = isForgotten(stored) ? { ...rules, rewards: [] } : rules;
    const arrival = { vote: votedOn(stored, site), cooldown, countsAll, rules: applied, draws: drawn };
    grants += await decideAgain(tx, arrival, stored, now);
  }
  const isLast = votes.length < draws.length;
  if (isLast) await forgetListed(tx, listOf([...entries.keys()]));
  return { kind: 'decided', votes: votes.length, grants, isLast };
}

async function nextWaiting(tx: Tx, services: readonly string[], limit: number): Promise<UnlistedVote[]> {
  const listed = listOf(services);
  const first = `SELECT min(listed_at) AS value FROM sites WHERE service IN ${tx.each('$1', 'text')}`;
  const since = await valueFrom<number>(tx, first, [listed]);
  if (since === null) return [];
  return await tx.all<UnlistedVote>(
    `SELECT ${VOTER}, v.id, v.service, v.cast_at AS "castAt", v.day,
            v.claimed_at AS "claimedAt", v.received_at AS "receivedAt", v.channel, v.address, v.event_id AS "eventId",
            v.block_digest AS "blockDigest", v.wire, v.paid_elsewhere AS "paidElsewhere", v.taken_by AS "takenBy", v.reasons
     FROM votes v JOIN sites s ON s.service = v.service JOIN names n ON n.id = v.name_id
     WHERE ${waitsSince('$1')} AND v.service IN ${tx.each('$2', 'text')}
       AND s.listed_at IS NOT NULL AND v.cast_at >= s.listed_at - ${UNLISTED_PAID_MS}
     ORDER BY v.cast_at, v.id LIMIT $3 + 0`,
    [hourBefore(since - UNLISTED_PAID_MS), listed, limit],
  );
}

function votedOn(stored: UnlistedVote, { site }: ListedSite): Vote {
  const { service, castAt, claimedAt, receivedAt, channel, address, eventId, blockDigest, wire } = stored;
  return {
    ...{ service, site, castAt, receivedAt, channel, address, eventId, blockDigest, wire },
    recipient: recipientOf(stored),
    claim: claimedAt === null ? null : { at: claimedAt, precision: 'ms' },
  };
}

/** @returns how many grants it was given. */
async function decideAgain(tx: Tx, arrival: Arrival, stored: UnlistedVote, now: number): Promise<number> {
  const { id, playerId, nameId, castAt, day, player: spelling } = stored;
  const player = { ...((await playerWithId(tx, playerId)) as Player), nameId };
  const today = localDay(now, arrival.rules.zone);
  const days = { today, believed: today };
  const { window, earned, counted, isDoubted } = await decideVote(tx, arrival, player, days, id);
  const weight = weightOf(window, arrival);
  const facts = JSON.stringify({ takenBy: stored.takenBy, reasons: stored.reasons });
  await noteAction(tx, { kind: 'list', at: now, by: '', voteId: id, playerId, nameId, facts });
  const { vote, cooldown, draws } = arrival;
  const { start, end } = windowOf(castAt, cooldown);
  const rewards = await rewardsNamed(tx);
  await tx.run(
    `UPDATE votes SET site = $1, decision = $2, weight = $3, window_start = $4, window_end = $5, taken_by = $6,
       seed = coalesce($7, seed), reasons = $8 WHERE id = $9`,
    [
      ...[vote.site, window.kind, weight, start, end],
      ...['takenBy' in window ? window.takenBy : null, draws.kind === 'drawn' ? draws.seed : null],
      ...[reasonsColumn(earned.reasons, (name) => rewards.get(name)?.id ?? 0), id],
    ],
  );
  await moveFigures(tx, vote, window.kind);
  // It had only marked its day.
  if (weight === 2) {
    await tx.run(
      `UPDATE vote_days SET counted = counted + 1 WHERE player_id = $1 AND service = $2 AND day IN ($3, ${EVER})`,
      [playerId, vote.service, day],
    );
    await addToTotal(tx, playerId, 1);
    await addToNetwork(tx, vote.service, 1);
  }
  await spend(tx, earned, player, { id, castAt, day, takesPlaces: weight > 0 });
  const initial = initialState(stored.paidElsewhere === 1, isDoubted ? 'restore-doubt' : null);
  const cause = { cause: 'vote', causeId: id, playerId, nameId, player: spelling } as const;
  await owe(tx, cause, earned.grants, initial, now);
  await counted?.store(id, now, false);
  return earned.grants.length;
}

/**
 * From the decision when it came to this one, on the day that it was counted on, or that earlier days are counted as. It may have been
 * counted with the other services that had no figures of their own.
 */
async function moveFigures(tx: Tx, { service, site, receivedAt }: Vote, decision: DecisionKind) {
  const unlisted = `service = $1 AND site = '${DEFAULT_SITE}' AND decision = 'unlisted'`;
  const received = Math.floor(receivedAt / DAY_MS);
  let day = 0;
  for (const name of [service, OTHER_SERVICES]) {
    const taken = await valueFrom<number>(
      tx,
      `UPDATE service_days SET votes = votes - 1 WHERE ${unlisted} AND day = (
         SELECT max(day) FROM service_days WHERE ${unlisted} AND votes > 0 AND day IN (0, $2)) RETURNING day AS value`,
      [name, received],
    );
    if (taken === null) continue;
    day = taken;
    await tx.run(`DELETE FROM service_days WHERE ${unlisted} AND votes = 0 AND counted = 0`, [name]);
    break;
  }
  await addServiceDays(tx, [[service, site, day, decision, 1, 0, receivedAt]]);
}
