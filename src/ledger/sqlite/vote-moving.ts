import { localDay } from '../../core/local-time.ts';
import type { Recipient } from '../../core/vote.ts';
import { windowsCutByNext } from '../../core/window.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { GrantedVotes } from './granted-votes.ts';
import { Recipients } from './recipients.ts';
import type { TimeZone } from './time-zone.ts';
import { VoteCounts } from './vote-counts.ts';
import { type Sharing, Windows } from './windows.ts';

/** Moving so many votes takes some milliseconds, and others wait meanwhile. */
const VOTES_AT_ONCE = 500;

/** Votes whose cast times are still to be moved: those that the believed time dated, from one to another. */
interface Move {
  readonly id: number;
  readonly next: number;
  readonly last: number;
  readonly shiftMs: number;
}

interface Dated {
  readonly id: number;
  readonly recipientId: number;
  readonly castAt: number;
}

/** Windows that may have moved. */
interface Moved extends Sharing {
  readonly since: number;
}

/**
 * Moves the cast times of votes that the believed time dated, after a doubt about the clock has ended, in portions. The process can
 * end between two of them, and others can write. This stays true:
 * - What is left is stored, with how far each vote is moved and which votes are, so nothing is moved twice.
 * - All votes of a player are moved in one transaction, with their days, totals and windows, and before a new vote of theirs is
 *   decided, in whichever process. So no vote is decided by times of both kinds.
 * - Votes keep their IDs, and names may be joined or split meanwhile: a vote is moved with those of whoever has it by then.
 * - Each transaction that records votes moves a portion too, so that none is left if the process that began has ended.
 *
 * The caller holds the transaction.
 */
export class VoteMoving {
  private readonly statements;
  private readonly recipients: Recipients;
  private readonly windows: Windows;
  private readonly counts: VoteCounts;
  private readonly granted: GrantedVotes;

  constructor(
    database: Database,
    private readonly timeZone: TimeZone,
  ) {
    this.statements = prepareStatements(database);
    this.recipients = new Recipients(database);
    this.windows = new Windows(database);
    this.counts = new VoteCounts(database);
    this.granted = new GrantedVotes(database);
  }

  isLeft(): boolean {
    return this.statements.isLeft.get() === 1;
  }

  add(votes: { firstVote: number; lastVote: number }, shiftMs: number): void {
    this.statements.add.run({ ...votes, shiftMs });
  }

  /** Call this before votes of these recipients are decided. */
  moveFor(recipients: readonly Recipient[]): void {
    if (!this.isLeft()) return;
    const ids = new Set(recipients.flatMap((recipient) => this.recipients.find(recipient) ?? []));
    for (const move of this.statements.moves.all() as Move[])
      for (const recipientId of ids) this.moveVotesOf(recipientId, move);
    this.portion();
  }

  /** Moves the next votes: so many, or all of one player. */
  portion(): void {
    const [move] = this.statements.moves.all() as Move[];
    if (move === undefined) return;
    const upTo = Math.min(move.next + VOTES_AT_ONCE - 1, move.last);
    let moved = 0;
    let next = upTo + 1;
    for (const { id, recipientId } of this.statements.dated.all({ ...move, upTo }) as Dated[]) {
      if (moved >= VOTES_AT_ONCE) {
        next = id;
        break;
      }
      // Those of a player are moved with the first of them.
      if (this.statements.isMoved.get(id) === undefined) moved += this.moveVotesOf(recipientId, move);
    }
    this.statements.goOn.run({ id: move.id, next });
    this.statements.forgetMoved.run(next);
    if (next > move.last) this.statements.end.run(move.id);
  }

  /** If windows then overlap, they are cut. @returns how many votes were moved. */
  private moveVotesOf(recipientId: number, move: Move): number {
    const { shiftMs } = move;
    const dated = this.statements.datedOf.all({ ...move, recipientId }) as Dated[];
    if (dated.length === 0) return 0;
    const zone = this.timeZone.stored();
    for (const { id, castAt } of dated) {
      this.statements.move.run({ id, shiftMs, day: localDay(castAt + shiftMs, zone) });
      this.statements.noteMoved.run(id);
    }
    this.counts.recount(recipientId);
    this.granted.redate(recipientId);
    for (const moved of this.statements.movedWindows.all({ ...move, recipientId }) as Moved[]) {
      for (const windows of this.windows.from(moved, moved.since))
        this.windows.store(windowsCutByNext(windows));
    }
    return dated.length;
  }
}

// Only votes that were dated by the believed time: a site's own time for its vote does not depend on this clock.
const DATED = `
  channel IN ('listener-v1', 'listener-v2') AND cast_at IS NOT claimed_at
  AND id NOT IN (SELECT vote_id FROM moved_votes)`;
const OF_RECIPIENT =
  'votes INDEXED BY votes_by_day WHERE recipient_id = @recipientId AND id BETWEEN @next AND @last';

const prepareStatements = (db: Database) => ({
  isLeft: db.prepare('SELECT EXISTS (SELECT 1 FROM clock_moves)').pluck(),
  moves: db.prepare(`
    SELECT id, next_vote AS next, last_vote AS last, shift_ms AS shiftMs FROM clock_moves ORDER BY id`),
  add: db.prepare(`
    INSERT INTO clock_moves (next_vote, last_vote, shift_ms) SELECT @firstVote, @lastVote, @shiftMs
    WHERE @firstVote <= @lastVote`),
  goOn: db.prepare('UPDATE clock_moves SET next_vote = @next WHERE id = @id'),
  end: db.prepare('DELETE FROM clock_moves WHERE id = ?'),
  dated: db.prepare(`
    SELECT id, recipient_id AS recipientId, cast_at AS castAt FROM votes
    WHERE id BETWEEN @next AND @upTo AND ${DATED} ORDER BY id`),
  datedOf: db.prepare(`
    SELECT id, recipient_id AS recipientId, cast_at AS castAt FROM ${OF_RECIPIENT} AND ${DATED} ORDER BY id`),
  move: db.prepare(`
    UPDATE votes SET cast_at = cast_at + @shiftMs, local_day = @day,
                     window_start = window_start + @shiftMs, window_end = window_end + @shiftMs
    WHERE id = @id`),
  noteMoved: db.prepare('INSERT INTO moved_votes (vote_id) VALUES (?)'),
  isMoved: db.prepare('SELECT 1 FROM moved_votes WHERE vote_id = ?').pluck(),
  forgetMoved: db.prepare('DELETE FROM moved_votes WHERE vote_id < ?'),
  movedWindows: db.prepare(`
    SELECT recipient_id AS recipientId, service, site, min(cast_at) AS since FROM ${OF_RECIPIENT}
      AND decision = 'rewarded' GROUP BY service, site`),
});
