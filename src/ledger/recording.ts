import { CLOCK_DOUBTED } from '../core/clock-doubt.ts';
import type { RewardedVote } from '../core/cooldown.ts';
import type { Arrival, Decision } from '../core/decide.ts';
import { DAY_MS, HOUR_MS } from '../core/duration.ts';
import { PAID_BEFORE_RESTORE } from '../core/settlement.ts';
import {
  CLAIM_TOLERANCE_MS,
  type Claim,
  castTime,
  isSameClaim,
  type Recipient,
  type Vote,
} from '../core/vote.ts';
import type { Database } from '../sqlite/open.ts';
import type { Decide, Recorded, RefusalCount } from './ledger.ts';
import { NewGrants, type Standing } from './new-grants.ts';
import { storedService } from './refused-service.ts';
import { reasonsJson } from './reward-reasons.ts';
import { Tallying } from './tallying.ts';

/** Refusals are kept this long. */
const REFUSALS_HOURS = 30 * 24;
/** A vote that keeps arriving is counted up to here, so that a replay flood does not become a write flood. */
const REPEATS_COUNTED = 1000;
/**
 * A vote cast before a backup may have come after it, by this much: a site's clock is slow, or the listing's API told
 * of it late (the longest that a listing keeps its events). What came in time is in the backup and is the same vote, so this holds nearly
 * nothing that is owed.
 */
export const LATE_MS = 90 * DAY_MS;
const MARGINS = { late: LATE_MS, apart: CLAIM_TOLERANCE_MS };

interface Candidate {
  readonly id: number;
  readonly claimed_at: number;
  readonly received_at: number;
  readonly event_id: string | null;
}

/** The statements that record votes. The caller holds the transaction. */
export class Recording {
  private readonly statements;
  private readonly newGrants: NewGrants;
  private readonly tallying: Tallying;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.newGrants = new NewGrants(database);
    this.tallying = new Tallying(database);
  }

  /** @param clockShiftMs what is to be added to receipt times; null while the clock is not doubted. */
  record(received: Arrival, decide: Decide, clockShiftMs: number | null = null): Recorded {
    const arrival =
      clockShiftMs === null ? received : { ...received, vote: redated(received.vote, clockShiftMs) };
    const { vote } = arrival;
    const recipientId = this.recipientId(vote.recipient);
    const sameId = this.findSame(vote, recipientId);
    if (sameId !== null) {
      this.statements.repeat.run(vote.receivedAt, sameId, REPEATS_COUNTED);
      return { kind: 'same', id: sameId };
    }
    const rewarded = this.rewardedSince(vote.site, recipientId, vote.castAt - arrival.cooldownMs);
    const decision = decide(arrival, rewarded);
    const id = this.insertVote(arrival, recipientId, decision);
    this.tallying.count(vote, decision.kind);
    if (decision.kind === 'rewarded') {
      const standing = this.standingOf(vote, clockShiftMs !== null);
      const player = vote.recipient.kind === 'player' ? vote.recipient.player : null;
      const cause = { voteId: id, recipientId, player };
      for (const grant of decision.grants) this.newGrants.insert(cause, grant, standing, vote.receivedAt);
    }
    return { kind: 'new', id, decision, ...this.sharedWith(vote, decision) };
  }

  private sharedWith({ service }: Vote, decision: Decision): { sharedWith?: string } {
    if (decision.kind !== 'cooldown') return {};
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

  /** Rewarded votes cast after `castAfter`, oldest first. */
  rewardedSince(site: string, recipientId: number, castAfter: number): RewardedVote[] {
    return this.statements.rewardedSince.all(recipientId, site, castAfter) as RewardedVote[];
  }

  private recipientId({ kind, key }: Recipient): number {
    const known = this.statements.recipient.get(kind, key) as number | undefined;
    return known ?? Number(this.statements.insertRecipient.run(kind, key).lastInsertRowid);
  }

  /** Rule 2, in the order of certainty: event id, v1 block, service with recipient and claimed time. */
  private findSame(vote: Vote, recipientId: number): number | null {
    if (vote.eventId !== null) {
      const byEvent = this.statements.byEvent.get(vote.service, vote.eventId) as number | undefined;
      if (byEvent !== undefined) return byEvent;
      const renamed = this.findUnderAnotherName(vote.eventId, vote.claim, recipientId);
      if (renamed !== null) return renamed;
    }
    if (vote.blockDigest !== null) {
      const byBlock = this.statements.byBlock.get(vote.blockDigest) as number | undefined;
      if (byBlock !== undefined) return byBlock;
    }
    return vote.claim === null ? null : this.findSameClaim(vote, vote.claim, recipientId);
  }

  /** A site whose entry got another name tells its votes again. The event id alone would let one site take another's. */
  private findUnderAnotherName(eventId: string, claim: Claim | null, recipientId: number): number | null {
    if (claim === null) return null;
    const second = Math.floor(claim.at / 1000);
    return (this.statements.byEventAnywhere.get(recipientId, second, eventId) as number | undefined) ?? null;
  }

  /** A vote by listener pairs with at most one event id, and then carries it; two event ids are two votes. */
  private findSameClaim(vote: Vote, claim: Claim, recipientId: number): number | null {
    const second = Math.floor(claim.at / 1000);
    const candidates = this.statements.byClaim.all(recipientId, second, vote.service) as Candidate[];
    const same = candidates.find(
      (other) =>
        isSameClaim(claim, storedClaim(other.claimed_at)) &&
        isCredible(other) &&
        (vote.eventId === null || other.event_id === null),
    );
    if (same === undefined) return null;
    if (vote.eventId !== null) this.statements.pairEvent.run(vote.eventId, same.id);
    return same.id;
  }

  private insertVote({ vote, cooldownMs }: Arrival, recipientId: number, decision: Decision): number {
    const { castAt, site } = vote;
    if (decision.kind === 'rewarded')
      this.statements.cutWindow.run({ castAt, site, recipientId, cooldownMs });
    return Number(
      this.statements.insertVote.run(
        vote.service,
        vote.site,
        recipientId,
        vote.recipient.kind === 'player' ? vote.recipient.player : null,
        vote.castAt,
        vote.claim?.at ?? null,
        vote.receivedAt,
        vote.channel,
        vote.address,
        vote.eventId,
        vote.blockDigest,
        decision.kind,
        castAt,
        castAt + cooldownMs,
        'takenBy' in decision ? decision.takenBy : null,
        decision.kind === 'rewarded' ? reasonsJson(decision.reasons) : null,
        vote.wire,
        vote.sentAs ?? null,
      ).lastInsertRowid,
    );
  }

  /**
   * Rule 1: what the ledger that was lost may have paid is the operator's to decide. It knew v1 blocks that nobody knows
   * now: one of them that is replayed counts by its receipt, and only what it claims shows when it was sent, as well as
   * its sender's clock was set.
   */
  private standingOf({ castAt, blockDigest, claim }: Vote, isClockDoubted: boolean): Standing {
    const isByReceipt = blockDigest !== null && claim?.at !== castAt;
    const blockAt = isByReceipt ? (claim?.at ?? null) : null;
    const isDoubtful = this.statements.restoreOver.get({ castAt, blockAt, ...MARGINS }) !== undefined;
    if (isDoubtful) return { state: 'held', note: PAID_BEFORE_RESTORE };
    return isClockDoubted ? { state: 'held', note: CLOCK_DOUBTED } : { state: 'pending', note: null };
  }
}

/**
 * A time that lay far ahead when it was claimed is no vote's: with forged ones of tomorrow, whoever has the public key
 * could take the genuine votes of tomorrow in advance.
 */
const isCredible = ({ claimed_at, received_at }: Candidate): boolean =>
  claimed_at <= received_at + CLAIM_TOLERANCE_MS;

/** A site's own time for its vote does not depend on our clock. */
const redated = (vote: Vote, shiftMs: number): Vote =>
  vote.channel === 'webhook' || vote.channel === 'api'
    ? vote
    : { ...vote, castAt: Math.round(castTime(vote.claim, vote.receivedAt + shiftMs)) };

/** The precision is not stored: whole seconds are the times without milliseconds [T-4]. */
const storedClaim = (at: number): Claim => ({ at, precision: at % 1000 === 0 ? 's' : 'ms' });

const prepareStatements = (db: Database) => ({
  recipient: db.prepare('SELECT id FROM recipients WHERE kind = ? AND key = ? AND given_up_at = 0').pluck(),
  insertRecipient: db.prepare('INSERT INTO recipients (kind, key) VALUES (?, ?)'),
  byEvent: db.prepare('SELECT id FROM votes WHERE service = ? AND event_id = ?').pluck(),
  byBlock: db.prepare('SELECT id FROM votes WHERE block_digest = ?').pluck(),
  byClaim: db.prepare(`
    SELECT id, claimed_at, received_at, event_id FROM votes
    WHERE recipient_id = ? AND claimed_at / 1000 = ? AND service = ? ORDER BY id`),
  byEventAnywhere: db
    .prepare(`
    SELECT id FROM votes WHERE recipient_id = ? AND claimed_at / 1000 = ? AND event_id = ? ORDER BY id LIMIT 1`)
    .pluck(),
  pairEvent: db.prepare('UPDATE votes SET event_id = ? WHERE id = ?'),
  repeat: db.prepare('UPDATE votes SET repeats = repeats + 1, repeated_at = ? WHERE id = ? AND repeats < ?'),
  serviceOf: db.prepare('SELECT service FROM votes WHERE id = ?').pluck(),
  rewardedSince: db.prepare(`
    SELECT id, cast_at AS castAt FROM votes
    WHERE decision = 'rewarded' AND recipient_id = ? AND site = ? AND window_start > ? ORDER BY window_start`),
  // Rule 3 goes by cast times: where it lets a vote in although a window lasts longer, the window ends there.
  cutWindow: db.prepare(`
    UPDATE votes SET window_end = @castAt
    WHERE window_end > @castAt AND cast_at <= @castAt - @cooldownMs AND id = (
      SELECT id FROM votes
      WHERE decision = 'rewarded' AND recipient_id = @recipientId AND site = @site AND window_start < @castAt
      ORDER BY window_start DESC LIMIT 1)`),
  insertVote: db.prepare(`
    INSERT INTO votes (service, site, recipient_id, player, cast_at, claimed_at, received_at, channel, address,
                       event_id, block_digest, decision, window_start, window_end, taken_by, reasons, wire, sent_as)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
  restoreOver: db.prepare(`
    SELECT 1 FROM restores
    WHERE @castAt >= backup_at - @late AND @castAt < restored_at
       OR @blockAt >= backup_at - @apart AND @blockAt < restored_at + @apart
    LIMIT 1`),
  countRefusal: db.prepare(`
    INSERT INTO refusals (hour, code, service, sender, count, last_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)`),
  forgetRefusals: db.prepare('DELETE FROM refusals WHERE hour < ?'),
});
