import type { ClockDoubt, DoubtReason, StoredClock } from '../../core/clock-doubt.ts';
import type { ClockVerdict } from '../../core/judge-clock.ts';
import type { Recipient } from '../../core/vote.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { ClockHistory, ClockRelease, ReleaseProgress } from '../clock-history.ts';
import { grantCode } from './stored-reason.ts';
import type { TimeZone } from './time-zone.ts';
import { VoteMoving } from './vote-moving.ts';

/** How many of a site's last signed votes determine its normal offset, and how many votes are read to find them. */
const VOTES_ASKED = 15;
const VOTES_READ = 60;

/** Releasing so many grants takes some milliseconds, and votes wait meanwhile. */
const GRANTS_AT_ONCE = 500;

interface StoredRow {
  readonly era: number;
  readonly newestAt: number | null;
  readonly doubtId: number | null;
  readonly reason: DoubtReason;
  readonly shownAt: number;
  readonly aheadMs: number;
}

/** The statements of the clock: the believed time, since when the clock is doubted, and which votes came meanwhile. */
export class ClockKeeping {
  private readonly statements;
  private readonly moving: VoteMoving;

  constructor(database: Database, timeZone: TimeZone) {
    this.statements = prepareStatements(database);
    this.moving = new VoteMoving(database, timeZone);
  }

  /** Whether votes have the times of a doubt that has ended. */
  areVotesMoving(): boolean {
    return this.moving.isLeft();
  }

  /** Call this before votes of these recipients are decided. */
  moveFor(recipients: readonly Recipient[]): void {
    this.moving.moveFor(recipients);
  }

  moveVotes(): void {
    this.moving.portion();
  }

  stored(): StoredClock {
    const { era, newestAt, doubtId, ...doubt } = this.statements.stored.get() as StoredRow;
    return { era, newestAt, doubt: doubtId === null ? null : doubt };
  }

  /**
   * The offsets between receipt and claimed time of a service's last signed votes, without those under a doubted clock.
   */
  usualOffsets(service: string): number[] {
    return this.statements.usualOffsets.all(service) as number[];
  }

  /** Stores what has changed; most batches change nothing. */
  keep(before: StoredClock, { stored, change }: ClockVerdict): void {
    if (change?.kind === 'began') this.begin(change.doubt);
    if (change?.kind === 'ended') {
      const doubt = this.end(change.by, change.shiftMs);
      if (change.wasRight) this.payDoubted({ ...doubt, now: stored.newestAt ?? 0 });
    }
    if (stored !== before) this.statements.keep.run(stored.era, stored.newestAt);
  }

  /**
   * The operator says that the clock is right: first it is trusted, then what was held is released in portions. The process can end
   * between two of them, and others can write. This stays true:
   * - The first call ends the doubt. Its votes are moved first (see `VoteMoving`); what is held waits until that is done.
   * - Parties that are not paid yet are believed in the first call too: none of their grants is held later.
   * - What is left to do is what is still held. So a call without progress goes on, and no grant is released twice.
   * - Grants with later IDs are left alone: another doubt may have begun since.
   */
  release(wall: number, progress: ReleaseProgress | null, now: number): ClockRelease {
    const doubt = progress === null ? this.trust(wall) : null;
    const { after, upTo } = progress ?? { after: 0, upTo: this.statements.lastGrant.get() as number };
    this.moving.portion();
    if (this.moving.isLeft()) return { doubt, released: 0, next: { after, upTo } };
    const looked = this.statements.heldAfter.all({ after, upTo }) as number[];
    const released = this.statements.payHeld.run({ ids: JSON.stringify(looked), now }).changes;
    const last = looked.length < GRANTS_AT_ONCE ? undefined : looked.at(-1);
    return { doubt, released, next: last === undefined ? null : { after: last, upTo } };
  }

  /**
   * How long Teller was stopped meanwhile is not known, so votes that were dated by the believed time get the latest possible time:
   * their windows end no earlier than they should.
   *
   * @returns the doubt that this ended.
   */
  private trust(wall: number): ClockDoubt | null {
    const { era, newestAt, doubt } = this.stored();
    if (doubt !== null) this.end('released', wall - (newestAt ?? wall));
    this.statements.keep.run(era + 1, wall);
    this.statements.forgetOffsets.run();
    this.statements.believeParties.run({ firstVote: 0, lastVote: Number.MAX_SAFE_INTEGER });
    return doubt;
  }

  history(): ClockHistory {
    const stored = this.stored();
    return {
      doubt: stored.doubt,
      newestAt: stored.newestAt,
      held: this.statements.held.get() as number,
      doubts: this.statements.doubts.all() as ClockHistory['doubts'],
    };
  }

  private payDoubted(votes: { firstVote: number; lastVote: number; now: number }): void {
    const { payDoubted, payDoubtedParties, payDoubtedTops, believeParties } = this.statements;
    for (const statement of [believeParties, payDoubted, payDoubtedParties, payDoubtedTops])
      statement.run(votes);
  }

  private begin({ reason, shownAt, aheadMs }: ClockDoubt): void {
    const { lastInsertRowid } = this.statements.begin.run(reason, shownAt, aheadMs);
    this.statements.doubting.run(lastInsertRowid);
  }

  private end(by: string, shiftMs: number): { firstVote: number; lastVote: number } {
    const doubt = this.statements.end.get(by) as { firstVote: number; lastVote: number };
    this.statements.doubting.run(null);
    if (Math.round(shiftMs) !== 0) this.moving.add(doubt, Math.round(shiftMs));
    return doubt;
  }
}

const LAST_VOTE = '(SELECT ifnull(max(id), 0) FROM votes)';

const PAY_DOUBTED = `
  UPDATE grants SET
    state = CASE WHEN due_from > @now THEN 'waiting' ELSE 'pending' END,
    reason = CASE WHEN due_from > @now THEN ${grantCode('delayed')} END,
    facts = CASE WHEN due_from > @now THEN json_object('until', due_from) END,
    -- The time in which it was held is not part of that in which it may expire.
    due_from = CASE WHEN expires_after IS NULL THEN due_from ELSE max(@now, ifnull(due_from, @now)) END,
    expires_at = max(@now, ifnull(due_from, @now)) + expires_after,
    due_at = 0, changed_at = @now
  WHERE state = 'held' AND state <> 'delivered' AND reason = ${grantCode('clock-doubt')}`;

const prepareStatements = (db: Database) => ({
  stored: db.prepare(`
    SELECT c.era, c.newest_at AS newestAt, d.id AS doubtId, d.reason, d.shown_at AS shownAt, d.ahead_ms AS aheadMs
    FROM clock c LEFT JOIN clock_doubts d ON d.id = c.doubt`),
  usualOffsets: db
    .prepare(`
    SELECT received_at - claimed_at FROM (
      SELECT * FROM votes WHERE service = ? AND id > (SELECT offsets_after FROM clock)
      ORDER BY id DESC LIMIT ${VOTES_READ}) v
    WHERE channel = 'listener-v2' AND claimed_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM clock_doubts WHERE v.id BETWEEN first_vote AND ifnull(last_vote, v.id))
    LIMIT ${VOTES_ASKED}`)
    .pluck(),
  keep: db.prepare('UPDATE clock SET era = ?, newest_at = ?'),
  forgetOffsets: db.prepare(`UPDATE clock SET offsets_after = ${LAST_VOTE}`),
  begin: db.prepare(`
    INSERT INTO clock_doubts (reason, shown_at, ahead_ms, first_vote) VALUES (?, ?, ?, ${LAST_VOTE} + 1)`),
  doubting: db.prepare('UPDATE clock SET doubt = ?'),
  end: db.prepare(`
    UPDATE clock_doubts SET ended_by = ?, last_vote = ${LAST_VOTE}
    WHERE id = (SELECT doubt FROM clock) RETURNING first_vote AS firstVote, last_vote AS lastVote`),
  payDoubted: db.prepare(`${PAY_DOUBTED} AND cause = 'vote' AND cause_id BETWEEN @firstVote AND @lastVote`),
  payDoubtedParties: db.prepare(`
    ${PAY_DOUBTED} AND cause = 'party' AND cause_id IN (
      SELECT m.id FROM reached_parties p JOIN party_members m ON m.party_id = p.id
      WHERE p.last_vote BETWEEN @firstVote AND @lastVote)`),
  // Those that were settled during the doubt; the last vote may be the one before it.
  payDoubtedTops: db.prepare(`
    ${PAY_DOUBTED} AND cause = 'top' AND cause_id IN (
      SELECT m.id FROM settled_tops t JOIN top_places m ON m.top_id = t.id
      WHERE t.last_vote BETWEEN @firstVote - 1 AND @lastVote)`),
  believeParties: db.prepare(`
    UPDATE reached_parties SET doubt = NULL
    WHERE fixed_at IS NULL AND doubt = ${grantCode('clock-doubt')} AND last_vote BETWEEN @firstVote AND @lastVote`),
  lastGrant: db.prepare('SELECT ifnull(max(id), 0) FROM grants').pluck(),
  heldAfter: db
    .prepare(`
    SELECT id FROM grants INDEXED BY grants_open
    WHERE state = 'held' AND state <> 'delivered' AND id > @after AND id <= @upTo ORDER BY id LIMIT ${GRANTS_AT_ONCE}`)
    .pluck(),
  payHeld: db.prepare(`${PAY_DOUBTED} AND id IN (SELECT value FROM json_each(@ids))`),
  held: db
    .prepare(`
    SELECT count(*) FROM grants INDEXED BY grants_stuck
    WHERE state IN ('held', 'refused') AND state = 'held' AND reason = ${grantCode('clock-doubt')}`)
    .pluck(),
  doubts: db.prepare(`
    SELECT reason, shown_at AS shownAt, ahead_ms AS aheadMs, first_vote AS firstVote, last_vote AS lastVote,
           ended_by AS endedBy
    FROM clock_doubts ORDER BY id DESC LIMIT 10`),
});
