import { closeSince } from '../../core/cooldown.ts';
import type { Decision } from '../../core/decide.ts';
import { HOUR_MS } from '../../core/duration.ts';
import { isPaidHere } from '../../core/pay.ts';
import { castTime, isFoundLate, type Vote } from '../../core/vote.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { decide } from '../../rewards/decide.ts';
import type { Arrival } from '../../rewards/reward.ts';
import type { Recorded, RefusalCount } from '../ledger.ts';
import { told } from '../told.ts';
import { DecisionEffects } from './decision-effects.ts';
import type { KnownRewards } from './known-rewards.ts';
import { Recipients } from './recipients.ts';
import { storedService } from './refused-service.ts';
import type { StoredReasons } from './reward-reasons.ts';
import { StoredVotes } from './stored-votes.ts';
import { Tallying } from './tallying.ts';

/** Refusals are kept this long. */
const REFUSALS_HOURS = 30 * 24;
/** Repeats of a vote are counted up to this number, so that a flood of replays causes few writes. */
const REPEATS_COUNTED = 1000;

/** The statements that record votes. The caller holds the transaction. */
export class Recording {
  private readonly statements;
  private readonly recipients: Recipients;
  private readonly stored: StoredVotes;
  private readonly tallying: Tallying;
  private readonly effects: DecisionEffects;

  constructor(database: Database, rewards: KnownRewards, reasons: StoredReasons) {
    this.statements = prepareStatements(database);
    this.recipients = new Recipients(database);
    this.stored = new StoredVotes(database, reasons);
    this.tallying = new Tallying(database);
    this.effects = new DecisionEffects(database, rewards);
  }

  /** @param clockShiftMs added to receipt times; null while the clock is not doubted. */
  record(received: Arrival, clockShiftMs: number | null): Recorded {
    const arrival =
      clockShiftMs === null ? received : { ...received, vote: redated(received.vote, clockShiftMs) };
    const { vote } = arrival;
    const recipientId = this.recipients.findOrAdd(vote.recipient);
    const same = this.stored.findSame(arrival, recipientId);
    if (same !== null) {
      if (same.getsEventId) this.statements.pairEvent.run(vote.eventId, same.id);
      this.statements.repeat.run(vote.receivedAt, same.id, REPEATS_COUNTED);
      return { kind: 'same', id: same.id };
    }
    const rewarded = this.stored.windows.rewardedSince(
      { ...vote, recipientId },
      closeSince(vote.castAt, arrival.cooldown),
    );
    const { effects } = this;
    const history = effects.historyBefore(arrival, recipientId, vote.receivedAt);
    const counted = effects.count(
      arrival,
      decide(arrival, rewarded, history),
      vote.receivedAt + (clockShiftMs ?? 0),
    );
    const { decision } = counted;
    const isPaidElsewhere = !isPaidHere(asBelieved(vote, clockShiftMs), arrival.rules.pay);
    const id = this.stored.insert(arrival, { recipientId, isPaidElsewhere }, decision);
    this.tallying.count(vote, decision.kind);
    const doubts = { isPaidElsewhere, isClockDoubted: clockShiftMs !== null };
    effects.store(arrival, counted, { id, recipientId }, doubts, vote.receivedAt);
    return {
      ...{ kind: 'new', id, decision: told(decision) },
      ...this.sharedWith(vote, decision),
      ...(isPaidElsewhere ? { isPaidElsewhere } : {}),
      ...(arrival.forward === undefined ? {} : { isForwarded: true }),
    };
  }

  private sharedWith({ service }: Vote, decision: Decision): { sharedWith?: string } {
    if (!('takenBy' in decision)) return {};
    const other = this.statements.serviceOf.get(decision.takenBy) as string;
    return other === service ? {} : { sharedWith: other };
  }

  countRefusals(counts: readonly RefusalCount[]): void {
    for (const { code, service, sender, count, lastAt } of counts) {
      const hour = Math.floor(lastAt / HOUR_MS);
      this.statements.countRefusal.run(hour, code, storedService(service), sender, count, lastAt);
      this.statements.forgetRefusals.run(hour - REFUSALS_HOURS);
    }
  }
}

/** Changes the cast time, unless it is the site's own or the operator's, which does not depend on our clock. */
const redated = (vote: Vote, shiftMs: number): Vote =>
  isFoundLate(vote.channel)
    ? vote
    : { ...vote, castAt: Math.round(castTime(vote.claim, vote.receivedAt + shiftMs)) };

const asBelieved = (vote: Vote, shiftMs: number | null): Vote =>
  shiftMs === null ? vote : { ...vote, receivedAt: vote.receivedAt + shiftMs };

const prepareStatements = (db: Database) => ({
  pairEvent: db.prepare('UPDATE votes SET event_id = ? WHERE id = ?'),
  repeat: db.prepare('UPDATE votes SET repeats = repeats + 1, repeated_at = ? WHERE id = ? AND repeats < ?'),
  serviceOf: db.prepare('SELECT service FROM votes WHERE id = ?').pluck(),
  countRefusal: db.prepare(`
    INSERT INTO refusals (hour, code, service, sender, count, last_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)`),
  forgetRefusals: db.prepare('DELETE FROM refusals WHERE hour < ?'),
});
