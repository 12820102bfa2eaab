import { windowOf } from '../../core/cooldown.ts';
import type { Decision } from '../../core/decide.ts';
import { localDay } from '../../core/local-time.ts';
import { type KnownVote, type SameVote, sameVote, secondOf } from '../../core/same-vote.ts';
import type { Vote } from '../../core/vote.ts';
import { windowsCutBy } from '../../core/window.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { standingOf } from '../../rewards/decide.ts';
import type { Arrival, Rules } from '../../rewards/reward.ts';
import type { StoredReasons } from './reward-reasons.ts';
import { Windows } from './windows.ts';

/** What a vote's row has besides the vote itself. */
export interface NewVote {
  readonly recipientId: number;
  readonly isPaidElsewhere: boolean;
}

/** The rows of votes: finds the same vote (rule 2) and stores a decision. The caller holds the transaction. */
export class StoredVotes {
  private readonly statements;
  readonly windows: Windows;

  constructor(
    database: Database,
    private readonly reasons: StoredReasons,
  ) {
    this.statements = prepareStatements(database);
    this.windows = new Windows(database);
  }

  findSame({ vote, rules }: Arrival, recipientId: number): SameVote | null {
    const known = [...this.knownVotes(vote, recipientId), ...this.forwarded(vote, recipientId, rules)];
    return known.length === 0 ? null : sameVote({ ...vote, recipientId }, known);
  }

  /**
   * If stored windows overlap that of a vote that rule 3 allows, the stored ones are shortened. We only learn of it
   * when the ledger refuses the vote: reading the window before each vote costs 5 microseconds, a tenth of storing it.
   */
  insert(arrival: Arrival, of: NewVote, decision: Decision): number {
    try {
      return this.insertVote(arrival, of, decision);
    } catch (error) {
      // After any other error SQLite may have rolled back the transaction, and each statement would commit separately.
      if (!isWindowTaken(error) || decision.kind !== 'rewarded') throw error;
      const { vote, cooldown } = arrival;
      const around = this.windows.around({ ...vote, ...of }, windowOf(vote.castAt, cooldown));
      const cut = windowsCutBy(vote.castAt, cooldown, around);
      if (cut.length === 0) throw error;
      this.windows.store(cut);
      return this.insertVote(arrival, of, decision);
    }
  }

  /** The stored votes that may be the same one, in order of their IDs. */
  private knownVotes(vote: Vote, recipientId: number): KnownVote[] {
    const { service, eventId, blockDigest, claim, recipient } = vote;
    const { byEvent, byEventAnywhere, byBlock, byClaim, byClaimBefore } = this.statements;
    const second = claim === null ? null : secondOf(claim.at);
    const known = [
      ...(eventId === null ? [] : byEvent.all(service, eventId)),
      ...(eventId === null || second === null ? [] : byEventAnywhere.all(recipientId, second, eventId)),
      ...(blockDigest === null ? [] : byBlock.all(blockDigest)),
      ...(second === null ? [] : byClaim.all(recipientId, second, service)),
      ...(second === null || recipient.kind === 'user'
        ? []
        : byClaimBefore.all(recipientId, second, service, recipient.key)),
    ] as KnownVote[];
    return known.sort((a, b) => a.id - b.id);
  }

  /** The stored votes that this one may be if it was forwarded from here with its time of receipt. */
  private forwarded({ service, claim }: Vote, recipientId: number, { targets, zone }: Rules): KnownVote[] {
    if (targets === undefined || claim === null) return [];
    const day = localDay(claim.at, zone);
    return this.statements.byReceipt.all(recipientId, day, service, secondOf(claim.at)) as KnownVote[];
  }

  private insertVote(
    arrival: Arrival,
    { recipientId, isPaidElsewhere }: NewVote,
    decision: Decision,
  ): number {
    const { vote, cooldown, rules } = arrival;
    const window = windowOf(vote.castAt, cooldown);
    return Number(
      this.statements.insertVote.run(
        vote.service,
        vote.site,
        recipientId,
        vote.recipient.kind === 'player' ? vote.recipient.player : null,
        vote.castAt,
        vote.claim?.at ?? null,
        vote.receivedAt,
        localDay(vote.castAt, rules.zone),
        vote.channel,
        vote.address,
        vote.eventId,
        vote.blockDigest,
        decision.kind,
        window.start,
        window.end,
        'takenBy' in decision ? decision.takenBy : null,
        this.reasons.write(decision.reasons),
        vote.wire,
        vote.sentAs ?? null,
        standingOf(decision, arrival) === 'counted' ? 1 : null,
        isPaidElsewhere ? 1 : null,
      ).lastInsertRowid,
    );
  }
}

/** The ledger's trigger refused the vote. */
const isWindowTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_TRIGGER';

const KNOWN_VOTE = `
  SELECT id, service, recipient_id AS recipientId, claimed_at AS claimedAt, received_at AS receivedAt,
         event_id AS eventId, block_digest AS blockDigest
  FROM votes`;

/**
 * Without a claimed time that is believed, a vote is of the day on which it was received. By its own estimate, SQLite would
 * read all votes of the service.
 */
const byReceiptSql = `${KNOWN_VOTE} INDEXED BY votes_by_day
  WHERE recipient_id = ? AND local_day = ? AND service = ? AND received_at / 1000 = ? ORDER BY id`;

const prepareStatements = (db: Database) => ({
  byEvent: db.prepare(`${KNOWN_VOTE} WHERE service = ? AND event_id = ?`),
  byEventAnywhere: db.prepare(
    `${KNOWN_VOTE} WHERE recipient_id = ? AND claimed_at / 1000 = ? AND event_id = ?`,
  ),
  byBlock: db.prepare(`${KNOWN_VOTE} WHERE block_digest = ?`),
  byClaim: db.prepare(`${KNOWN_VOTE} WHERE recipient_id = ? AND claimed_at / 1000 = ? AND service = ?`),
  byReceipt: db.prepare(byReceiptSql),
  // Under a name that belongs to another player since: who had it then cast the vote, however often it is sent again.
  byClaimBefore: db.prepare(`
    SELECT v.id, v.service, ? AS recipientId, v.claimed_at AS claimedAt, v.received_at AS receivedAt,
           v.event_id AS eventId, v.block_digest AS blockDigest
    FROM recipients r CROSS JOIN votes v
      ON v.recipient_id = ifnull(r.joined_to, r.id) AND v.claimed_at / 1000 = ? AND v.service = ?
    WHERE r.kind = 'player' AND r.key = ? AND r.given_up_at > 0 AND lower(v.player) = r.key`),
  insertVote: db.prepare(`
    INSERT INTO votes (service, site, recipient_id, player, cast_at, claimed_at, received_at, local_day, channel,
                       address, event_id, block_digest, decision, window_start, window_end, taken_by, reasons, wire, sent_as,
                       counts_anyway, paid_elsewhere)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
});
