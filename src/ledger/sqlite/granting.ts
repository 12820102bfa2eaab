import type { GrantReason } from '../../core/grant-reason.ts';
import { noReplyCode, replyOf } from '../../core/outcome.ts';
import { playerKey } from '../../core/player-name.ts';
import { showsNextVote, withLaterVote } from '../../core/template.ts';
import type { Database } from '../../sqlite/open.ts';
import { reasonColumns } from '../../sqlite/reason-columns.ts';
import type {
  CommandClaim,
  LikelyPlayer,
  OpenGrant,
  PendingPage,
  QueueKey,
  Settlement,
  WaitingPlayer,
} from '../ledger.ts';
import { commandCode, grantCode } from './stored-reason.ts';
import { type Sharing, Windows } from './windows.ts';

interface OpenGrantRow extends Omit<OpenGrant, 'safeToRunTwice' | 'commands'> {
  readonly safeToRunTwice: number;
  readonly commands: string;
}

/** The statements of delivery. The caller holds the transaction where one is needed. */
export class Granting {
  private readonly statements;
  /** Made when it is first needed, because few commands show when a player may vote again. */
  private windows: Windows | null = null;

  constructor(private readonly database: Database) {
    this.statements = prepareStatements(database);
  }

  pending(queue: QueueKey, now: number, limit: number): OpenGrant[] {
    return this.opened(this.statements.pending.all({ ...queueColumns(queue), now, limit }));
  }

  waiting(queue: QueueKey, recipientKeys: readonly string[], now: number, limit: number): OpenGrant[] {
    const keys = JSON.stringify(recipientKeys);
    return this.opened(this.statements.waiting.all({ ...queueColumns(queue), keys, now, limit }));
  }

  private opened(rows: unknown[]): OpenGrant[] {
    return rows.map((row) => {
      const grant = toOpenGrant(row as OpenGrantRow);
      return grant.commands.some(({ text }) => showsNextVote(text)) ? this.withLaterVote(grant) : grant;
    });
  }

  /** `{nextVote}` is about the sending: the player may have voted again since the grant was made. */
  private withLaterVote(grant: OpenGrant): OpenGrant {
    this.windows ??= new Windows(this.database);
    const vote = this.statements.voteOf.get(grant.id) as Sharing | undefined;
    const end = vote === undefined ? null : this.windows.lastEnd(vote);
    if (end === null) return grant;
    const commands = grant.commands.map((command) => ({
      ...command,
      text: withLaterVote(command.text, end),
    }));
    return { ...grant, commands };
  }

  waitingFor(queue: QueueKey, limit: number, afterRecipient: number): WaitingPlayer[] {
    return this.statements.waitingFor.all({
      ...queueColumns(queue),
      limit,
      afterRecipient,
    }) as WaitingPlayer[];
  }

  nextDueAt(queue: QueueKey, now: number): number | null {
    return this.statements.nextDueAt.get({ ...queueColumns(queue), now }) as number | null;
  }

  wait(grantId: number, reason: GrantReason, now: number, dueAt: number | null = null): void {
    this.statements.wait.run({ ...reasonColumns(reason), grantId, now, dueAt });
  }

  waitForAbsent(
    queue: QueueKey,
    page: PendingPage,
    present: readonly string[],
    reason: GrantReason,
    now: number,
  ): string[] {
    const given = { ...queueColumns(queue), ...page, ...reasonColumns(reason), now };
    const players = this.statements.waitForAbsent.all({ ...given, present: JSON.stringify(present) });
    return [...new Set(players as (string | null)[])].filter((player) => player !== null);
  }

  storeLikelyPlayers(queue: QueueKey, players: readonly LikelyPlayer[]): void {
    for (const player of players)
      this.statements.storeLikelyPlayer.run({ ...queueColumns(queue), ...player });
  }

  /**
   * Claims a command. @returns how many were ever claimed, including this one; null if the grant's state has changed.
   */
  claim({ grantId, position, player, uuid, now, text }: CommandClaim): number | null {
    const key = player === null ? null : playerKey(player);
    const { changes } = this.statements.claimCommand.run({ grantId, position, key, now, text: text ?? null });
    if (changes === 0) return null;
    this.statements.claimGrant.run(player, uuid, now, grantId);
    return this.statements.countClaim.get() as number;
  }

  /** @returns as `claim` does, for `next`; null if there is no `next` or nothing was settled. */
  settle(
    { grantId, position, outcome, state, reason, dueAt, endedAt }: Settlement,
    next?: CommandClaim,
  ): number | null {
    const { changes } = this.statements.settleCommand.run({
      kind: outcome.kind,
      reply: replyOf(outcome),
      reason: noReplyCode(outcome),
      endedAt,
      grantId,
      position,
    });
    // Only a command that is being sent can be settled: a repeated or late settlement changes nothing.
    if (changes === 0) return null;
    this.statements.settleGrant.run({
      ...reasonColumns(reason),
      ...{ state, dueAt, endedAt, grantId, kind: outcome.kind },
    });
    return next === undefined ? null : this.claim(next);
  }

  settleInterrupted(now: number): number {
    this.statements.holdSending.run(now);
    return this.statements.endSending.run(now).changes;
  }
}

/** A queue's key as parameters of the statements. */
const queueColumns = ({ server, practice }: QueueKey) => ({ server, practice: Number(practice) });

const toOpenGrant = (row: OpenGrantRow): OpenGrant => ({
  ...row,
  safeToRunTwice: row.safeToRunTwice === 1,
  commands: JSON.parse(row.commands),
});

/**
 * Longer than any delay between attempts. A grant that is due later than that was stored before the clock was set back.
 */
const LONGEST_DELAY_MS = 60 * 60 * 1000;

const OF_QUEUE = 'g.server = @server AND g.practice = @practice';
/** Of those that wait, not those whose delay is not over. */
const AWAITS = `g.state = 'waiting' AND g.reason IS NOT ${grantCode('delayed')}`;
const IS_UNEXPIRED = 'ifnull(g.expires_at > @now, true)';
const IS_DUE = `g.due_at NOT BETWEEN @now + 1 AND @now + ${LONGEST_DELAY_MS}`;
const IS_SENDING = "EXISTS (SELECT 1 FROM commands WHERE grant_id = g.id AND outcome = 'sending')";

/** An open grant with its commands that are not delivered. */
const OPEN_GRANT = `
  SELECT g.id, r.key AS recipientKey, g.player, g.reward, g.run_when AS "when",
         g.safe_to_run_twice AS safeToRunTwice,
         (SELECT json_group_array(json_object('position', position, 'text', text, 'attempts', attempts))
          FROM (SELECT * FROM commands
                WHERE grant_id = g.id AND outcome IS NOT 'delivered' ORDER BY position)) AS commands`;

const prepareStatements = (db: Database) => ({
  pending: db.prepare(`
    ${OPEN_GRANT} FROM grants g JOIN recipients r ON r.id = g.recipient_id
    WHERE ${OF_QUEUE} AND g.state = 'pending' AND ${IS_DUE} AND ${IS_UNEXPIRED} AND NOT ${IS_SENDING}
    ORDER BY g.id LIMIT @limit`),
  // CROSS JOIN keeps the order: from the recipients to their grants. In the other order SQLite reads every waiting
  // grant each time, which took half a second for 200,000 of them.
  waiting: db.prepare(`
    ${OPEN_GRANT} FROM json_each(@keys) among
    CROSS JOIN recipients r ON r.kind = 'player' AND r.key = among.value AND r.given_up_at = 0
    CROSS JOIN grants g ON g.recipient_id = r.id
    WHERE ${OF_QUEUE} AND ${AWAITS} AND ${IS_DUE} AND ${IS_UNEXPIRED} AND NOT ${IS_SENDING}
    ORDER BY g.id LIMIT @limit`),
  waitingFor: db.prepare(`
    SELECT recipient_id AS recipientId, player FROM grants g
    WHERE ${OF_QUEUE} AND ${AWAITS} AND player IS NOT NULL AND recipient_id > @afterRecipient
    GROUP BY recipient_id ORDER BY recipient_id LIMIT @limit`),
  voteOf: db.prepare(`
    SELECT v.service, v.site, g.recipient_id AS recipientId
    FROM grants g JOIN votes v ON g.cause = 'vote' AND v.id = g.cause_id WHERE g.id = ?`),
  nextDueAt: db
    .prepare(`
    SELECT min(due_at) FROM grants g
    WHERE ${OF_QUEUE} AND state = 'pending' AND ${IS_UNEXPIRED} AND NOT ${IS_SENDING}`)
    .pluck(),
  wait: db.prepare(`
    UPDATE grants SET state = 'waiting', reason = @reason, facts = @facts, due_at = ifnull(@dueAt, due_at),
      changed_at = CASE state WHEN 'pending' THEN @now ELSE changed_at END
    WHERE id = @grantId AND (state = 'pending' OR state = 'waiting' AND @dueAt IS NOT NULL)`),
  // Reads the page first, so that a statement takes a bounded time whatever is in front of the grants that it changes.
  waitForAbsent: db
    .prepare(`
    UPDATE grants SET state = 'waiting', reason = @reason, facts = @facts, changed_at = @now
    WHERE id IN (
      SELECT g.id FROM (SELECT * FROM grants g WHERE ${OF_QUEUE} AND state = 'pending' AND id >= @from
                        ORDER BY id LIMIT @limit) g
      JOIN recipients r ON r.id = g.recipient_id
      WHERE g.run_when = 'online' AND ${IS_DUE} AND NOT ${IS_SENDING}
        AND r.key NOT IN (SELECT value FROM json_each(@present)))
    RETURNING player`)
    .pluck(),
  storeLikelyPlayer: db.prepare(`
    UPDATE grants AS g SET likely_player = @likely
    WHERE ${AWAITS} AND server = @server AND practice = @practice AND likely_player IS NOT @likely
      AND recipient_id = (SELECT id FROM recipients WHERE kind = 'player' AND key = @recipientKey AND given_up_at = 0)`),
  claimCommand: db.prepare(`
    UPDATE commands SET outcome = 'sending', text = ifnull(@text, text), attempts = attempts + 1, reply = NULL, reason = NULL, facts = NULL,
      started_at = @now, ended_at = NULL
    WHERE grant_id = @grantId AND position = @position AND outcome IS NOT 'sending' AND outcome IS NOT 'delivered'
      AND (SELECT state FROM grants WHERE id = grant_id) IN ('pending', 'waiting')
      -- A grant that was read before the operator gave it to another player is not paid to the first one.
      AND NOT EXISTS (SELECT 1 FROM redirected_grants d JOIN recipients r ON r.id = d.recipient_id
                      WHERE d.grant_id = commands.grant_id AND r.key IS NOT @key)`),
  claimGrant: db.prepare(`
    UPDATE grants SET state = 'pending', player = ?, uuid = ifnull(?, uuid), changed_at = ? WHERE id = ?`),
  countClaim: db.prepare('UPDATE claim_count SET claims = claims + 1 RETURNING claims').pluck(),
  settleCommand: db.prepare(`
    UPDATE commands SET outcome = @kind, reply = @reply, reason = @reason, facts = NULL, ended_at = @endedAt
    WHERE grant_id = @grantId AND position = @position AND outcome = 'sending'`),
  settleGrant: db.prepare(`
    UPDATE grants SET state = @state, reason = @reason, facts = @facts, due_at = @dueAt, changed_at = @endedAt,
      -- Once a command may have run, the grant does not expire.
      expires_at = CASE WHEN @kind IN ('delivered', 'unknown') THEN NULL ELSE expires_at END
    WHERE id = @grantId`),
  holdSending: db.prepare(`
    UPDATE grants SET state = CASE safe_to_run_twice WHEN 1 THEN 'pending' ELSE 'held' END,
                      reason = ${grantCode('process-ended')}, facts = NULL, changed_at = ?, expires_at = NULL
    WHERE id IN (SELECT grant_id FROM commands WHERE outcome = 'sending')`),
  endSending: db.prepare(`
    UPDATE commands SET outcome = 'unknown', reason = ${commandCode('process-ended')}, ended_at = ?
    WHERE outcome = 'sending'`),
});
