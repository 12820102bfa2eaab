import { closeSince, windowOf } from '../../core/cooldown.ts';
import type { Decision } from '../../core/decide.ts';
import { DAY_MS, HOUR_MS } from '../../core/duration.ts';
import { isForgotten } from '../../core/forgotten-name.ts';
import type { PlayerName } from '../../core/player-name.ts';
import { DEFAULT_SITE, OTHER_SERVICES } from '../../core/service-name.ts';
import type { Channel, Recipient, Vote } from '../../core/vote.ts';
import { windowsCutBy } from '../../core/window.ts';
import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { decide, standingOf } from '../../rewards/decide.ts';
import type { Arrival } from '../../rewards/reward.ts';
import {
  type ListedPortion,
  type ListedSite,
  type ListingOrder,
  UNLISTED_PAID_MS,
  type WaitingVotes,
} from '../unlisted-ledger.ts';
import type { ClockKeeping } from './clock-keeping.ts';
import { DecisionEffects } from './decision-effects.ts';
import type { KnownRewards } from './known-rewards.ts';
import type { StoredReasons } from './reward-reasons.ts';
import { Windows } from './windows.ts';

interface UnlistedVote {
  readonly id: number;
  readonly service: string;
  readonly recipientId: number;
  readonly recipientKey: string;
  readonly player: string | null;
  readonly castAt: number;
  readonly claimedAt: number | null;
  readonly receivedAt: number;
  readonly channel: Channel;
  readonly address: string | null;
  readonly eventId: string | null;
  readonly blockDigest: Uint8Array | null;
  readonly wire: string;
  readonly isPaidElsewhere: number | null;
}

/** Pays votes whose services had no entry in `sites` when they came. The caller holds the transaction. */
export class UnlistedVotes {
  private readonly statements;
  private readonly windows: Windows;
  private readonly effects: DecisionEffects;

  constructor(
    database: Database,
    rewards: KnownRewards,
    private readonly reasons: StoredReasons,
    private readonly clock: ClockKeeping,
  ) {
    this.statements = prepareStatements(database);
    this.windows = new Windows(database);
    this.effects = new DecisionEffects(database, rewards);
  }

  note(services: readonly string[], now: number): void {
    for (const service of services) this.statements.note.run(service, now);
  }

  keep(services: readonly string[], now: number): boolean {
    const listed = JSON.stringify(services);
    this.statements.forget.run(listed);
    this.statements.noteWaiting.run({
      listed,
      now,
      fromHour: hourBefore(now),
      since: now - UNLISTED_PAID_MS,
    });
    return this.statements.firstListed.get(listed) !== null;
  }

  pay({ sites, rules, draws }: ListingOrder, now: number): ListedPortion {
    if (this.clock.stored().doubt !== null || this.clock.areVotesMoving()) return { kind: 'clock-doubted' };
    const entries = new Map(sites.map((site) => [site.service, site]));
    const votes = this.waiting(entries, draws.length);
    let grants = 0;
    votes.forEach((vote, index) => {
      const [site, drawn] = [entries.get(vote.service), draws[index]];
      if (site === undefined || drawn === undefined) return;
      const { cooldown, countsAll } = site;
      // The vote of a player who was forgotten counts, also for parties, and earns them nothing.
      const applied = isForgotten(vote) ? { ...rules, rewards: [] } : rules;
      const arrival = { vote: votedOn(vote, site), cooldown, countsAll, rules: applied, draws: drawn };
      grants += this.decideAgain(arrival, vote, now);
    });
    const isLast = votes.length < draws.length;
    if (isLast) this.statements.finish.run(JSON.stringify([...entries.keys()]));
    return { kind: 'decided', votes: votes.length, grants, isLast };
  }

  private waiting(entries: ReadonlyMap<string, ListedSite>, limit: number): UnlistedVote[] {
    const listed = JSON.stringify([...entries.keys()]);
    const first = this.statements.firstListed.get(listed) as number | null;
    if (first === null) return [];
    return this.statements.waiting.all({ listed, limit, fromHour: hourBefore(first) }) as UnlistedVote[];
  }

  /** @returns how many grants it was given. */
  private decideAgain(arrival: Arrival, stored: UnlistedVote, now: number): number {
    const { vote, cooldown } = arrival;
    const { id, recipientId } = stored;
    const of = { ...vote, recipientId };
    const rewarded = this.windows.rewardedSince(of, closeSince(vote.castAt, cooldown));
    const history = this.effects.historyBefore(arrival, recipientId, now);
    const counted = this.effects.count(arrival, decide(arrival, rewarded, history), now);
    const { decision } = counted;
    if (decision.kind === 'rewarded') {
      const around = this.windows.around(of, windowOf(vote.castAt, cooldown));
      this.windows.store(windowsCutBy(vote.castAt, cooldown, around));
    }
    this.statements.keepFirst.run({ id, now });
    this.store(arrival, decision, id);
    this.moveTally(vote, decision);
    const isPaidElsewhere = stored.isPaidElsewhere === 1;
    this.effects.store(
      arrival,
      counted,
      { id, recipientId },
      { isPaidElsewhere, isClockDoubted: false },
      now,
    );
    return decision.grants.length;
  }

  private store(arrival: Arrival, decision: Decision, id: number): void {
    const { vote, cooldown } = arrival;
    const { start, end } = windowOf(vote.castAt, cooldown);
    this.statements.store.run({
      ...{ id, start, end },
      site: vote.site,
      decision: decision.kind,
      takenBy: 'takenBy' in decision ? decision.takenBy : null,
      reasons: this.reasons.write(decision.reasons),
      countsAnyway: standingOf(decision, arrival) === 'counted' ? 1 : null,
    });
  }

  /** From the decision when it came to this one, on the day that it was counted on, or that earlier days are counted as. */
  private moveTally({ service, site, receivedAt }: Vote, { kind: decision }: Decision): void {
    const { takeTally, addTally, forgetTally } = this.statements;
    const day = Math.floor(receivedAt / DAY_MS);
    for (const counted of [service, OTHER_SERVICES]) {
      const from = takeTally.get({ service: counted, day }) as number | undefined;
      if (from === undefined) continue;
      addTally.run({ service, site, day: from, decision, receivedAt });
      forgetTally.run(counted);
      return;
    }
  }
}

/** Whose votes wait, and how many of each, among those cast since a time. */
export const waitingVotes = (database: Database, since: number): WaitingVotes[] =>
  database
    .prepare(`
      SELECT v.service, count(*) AS votes FROM votes v
      WHERE ${IS_WAITING} AND v.cast_at >= @since GROUP BY v.service ORDER BY v.service`)
    .all({ since, fromHour: hourOf(since) }) as WaitingVotes[];

/** A vote may be received some minutes before the time at which its sender says it was cast. */
const hourOf = (since: number): number => Math.floor(since / HOUR_MS) - 1;

const hourBefore = (listedAt: number): number => hourOf(listedAt - UNLISTED_PAID_MS);

/** The name was checked before it was stored. */
const recipientOf = ({ player, recipientKey: key }: UnlistedVote): Recipient =>
  player === null ? { kind: 'user', key } : { kind: 'player', key, player: player as PlayerName };

const votedOn = (stored: UnlistedVote, { site }: ListedSite): Vote => {
  const { service, castAt, claimedAt, receivedAt, channel, address, eventId, blockDigest, wire } = stored;
  return {
    ...{ service, site, castAt, receivedAt, channel, address, eventId, blockDigest, wire },
    recipient: recipientOf(stored),
    claim: claimedAt === null ? null : { at: claimedAt, precision: 'ms' },
  };
};

/** A vote that the operator has voided or rewarded is theirs, and one that was imported is not paid. */
const IS_WAITING = `
  v.decision = 'unlisted' AND v.channel <> 'import' AND v.id >= (SELECT ifnull(min(first_vote), 9e18) FROM vote_hours WHERE hour >= @fromHour)
  AND NOT EXISTS (SELECT 1 FROM voided_votes WHERE vote_id = v.id)
  AND NOT EXISTS (SELECT 1 FROM rewarded_by_operator WHERE vote_id = v.id)`;
const IS_LISTED = 'service IN (SELECT value FROM json_each(@listed))';

const prepareStatements = (db: Database) => ({
  note: db.prepare(`
    INSERT INTO listed_services (service, listed_at) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET listed_at = excluded.listed_at`),
  forget: db.prepare('DELETE FROM listed_services WHERE service NOT IN (SELECT value FROM json_each(?))'),
  finish: db.prepare('DELETE FROM listed_services WHERE service IN (SELECT value FROM json_each(?))'),
  noteWaiting: db.prepare(`
    INSERT INTO listed_services (service, listed_at)
    SELECT DISTINCT v.service, @now FROM votes v WHERE ${IS_WAITING} AND v.cast_at >= @since AND v.${IS_LISTED}
    ON CONFLICT DO NOTHING`),
  firstListed: db
    .prepare('SELECT min(listed_at) FROM listed_services WHERE service IN (SELECT value FROM json_each(?))')
    .pluck(),
  waiting: db.prepare(`
    SELECT v.id, v.service, v.recipient_id AS recipientId, r.key AS recipientKey, v.player, v.cast_at AS castAt,
           v.claimed_at AS claimedAt, v.received_at AS receivedAt, v.channel, v.address, v.event_id AS eventId,
           v.block_digest AS blockDigest, v.wire, v.paid_elsewhere AS isPaidElsewhere
    FROM votes v JOIN listed_services l ON l.service = v.service JOIN recipients r ON r.id = v.recipient_id
    WHERE ${IS_WAITING} AND v.${IS_LISTED} AND v.cast_at >= l.listed_at - ${UNLISTED_PAID_MS}
    ORDER BY v.cast_at, v.id ${atMost('@limit')}`),
  keepFirst: db.prepare(`
    INSERT INTO listed_votes (vote_id, recipient_id, decided_at, taken_by, reasons)
    SELECT id, recipient_id, @now, taken_by, reasons FROM votes WHERE id = @id`),
  store: db.prepare(`
    UPDATE votes SET site = @site, decision = @decision, window_start = @start, window_end = @end, taken_by = @takenBy,
                     reasons = @reasons, counts_anyway = @countsAnyway
    WHERE id = @id`),
  takeTally: db
    .prepare(`
    UPDATE tallies SET votes = votes - 1
    WHERE service = @service AND site = '${DEFAULT_SITE}' AND decision = 'unlisted' AND votes > 0 AND day = ifnull(
      (SELECT day FROM tallies WHERE service = @service AND site = '${DEFAULT_SITE}' AND decision = 'unlisted'
         AND day = @day AND votes > 0), 0)
    RETURNING day`)
    .pluck(),
  forgetTally: db.prepare(
    `DELETE FROM tallies WHERE service = ? AND site = '${DEFAULT_SITE}' AND decision = 'unlisted' AND votes = 0`,
  ),
  addTally: db.prepare(`
    INSERT INTO tallies (service, site, day, decision, votes, last_at) VALUES (@service, @site, @day, @decision, 1, @receivedAt)
    ON CONFLICT DO UPDATE SET votes = votes + 1, last_at = max(last_at, excluded.last_at)`),
});
