import { commandReasonAfter, type GrantReason } from '../../core/grant-reason.ts';
import { replyOf } from '../../core/outcome.ts';
import { playerKey } from '../../core/player-name.ts';
import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { reasonColumns } from '../../platform/sqlite/reason-columns.ts';
import type {
  CommandClaim,
  LikelyPlayer,
  PendingPage,
  QueueKey,
  Settlement,
  WaitingGrant,
} from '../ledger.ts';
import { AWAITS, IS_DUE, IS_SENDING, named, OF_QUEUE, PAID_KEY } from './open-grants.ts';
import { isPaused } from './pausing.ts';
import { Pools, queueColumns } from './pools.ts';

/** The statements that change grants as they are delivered. The caller holds the transaction where one is needed. */
export class Granting {
  private readonly statements;
  private readonly pools: Pools;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.pools = new Pools(database);
  }

  wait({ id, server }: WaitingGrant, reason: GrantReason, now: number, dueAt: number | null = null): void {
    this.statements.wait.run({ ...reasonColumns(reason), id, server, now, dueAt });
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
    for (const key of this.pools.readBy(queue))
      for (const player of players) this.statements.storeLikelyPlayer.run({ ...key, ...player });
  }

  /** @returns how many commands were ever claimed, including this one; null if the grant's state has changed. */
  claim(claim: CommandClaim): number | null {
    const { grantId, position, player, uuid, now, text, take } = claim;
    const key = player === null ? null : playerKey(player);
    const command = { grantId, position, key, now, text: text ?? null };
    const { changes } =
      take === undefined
        ? this.statements.claimCommand.run(command)
        : this.statements.claimUnlessTaken.run({ ...command, ...take });
    if (changes === 0) return null;
    if (take !== undefined) this.pools.take(grantId, take);
    this.statements.claimGrant.run(player, uuid, now, grantId);
    return this.statements.countClaim.get() as number;
  }

  /** @returns as `claim` does, for `next`; null if there is no `next` or nothing was settled. */
  settle(settlement: Settlement, next?: CommandClaim): number | null {
    const { grantId, position, outcome, state, reason, dueAt, endedAt, startsOver } = settlement;
    // Only a command that is being sent can be settled: a repeated or late settlement changes nothing.
    const { changes } = this.statements.settleCommand.run({
      kind: outcome.kind,
      reply: replyOf(outcome),
      ...reasonColumns(commandReasonAfter(outcome)),
      endedAt,
      grantId,
      position,
    });
    if (changes === 0) return null;
    this.statements.settleGrant.run({
      ...reasonColumns(reason),
      ...{ state, dueAt, endedAt, grantId, kind: outcome.kind },
    });
    if (startsOver) this.pools.giveBack(grantId);
    return next === undefined ? null : this.claim(next);
  }
}

/** Of a grant that may still be paid. `server`: which pays it. */
const claimCommand = (server: string): string => `
    UPDATE commands SET outcome = 'sending', text = ifnull(@text, text), attempts = attempts + 1, reply = NULL, reason = NULL, facts = NULL,
      started_at = @now, ended_at = NULL
    WHERE grant_id = @grantId AND position = @position AND outcome IS NOT 'sending' AND outcome IS NOT 'delivered'
      AND (SELECT state FROM grants WHERE id = grant_id) IN ('pending', 'waiting')
      AND NOT ${isPaused('commands.grant_id', server)}
      -- A grant that was read before the operator gave it to another player, or before another player had the name, is not
      -- paid to a name that is not its player's.
      AND (@key IS NULL OR (SELECT recipient_id FROM grants WHERE id = grant_id) = (${named('@key')}))`;

const prepareStatements = (db: Database) => ({
  wait: db.prepare(`
    UPDATE grants SET state = 'waiting', reason = @reason, facts = @facts, due_at = ifnull(@dueAt, due_at),
      changed_at = CASE state WHEN 'pending' THEN @now ELSE changed_at END
    WHERE id = @id AND server = @server AND (state = 'pending' OR state = 'waiting' AND @dueAt IS NOT NULL)`),
  // Reads the page first, so that a statement takes a bounded time whatever is in front of the grants that it changes.
  waitForAbsent: db
    .prepare(`
    UPDATE grants SET state = 'waiting', reason = @reason, facts = @facts, changed_at = @now
    WHERE id IN (
      SELECT g.id FROM (SELECT * FROM grants g WHERE ${OF_QUEUE} AND state = 'pending' AND id >= @from
                        ORDER BY id ${atMost('@limit')}) g
      JOIN recipients r ON r.id = g.recipient_id
      WHERE g.run_when = 'online' AND ${IS_DUE} AND NOT ${IS_SENDING}
        AND r.paid_as IS NOT '' AND ${PAID_KEY} NOT IN (SELECT value FROM json_each(@present)))
    RETURNING player`)
    .pluck(),
  storeLikelyPlayer: db.prepare(`
    UPDATE grants AS g SET likely_player = @likely
    WHERE ${AWAITS} AND server = @server AND practice = @practice AND likely_player IS NOT @likely
      AND recipient_id = (${named('@recipientKey')})`),
  claimCommand: db.prepare(claimCommand('owed.server')),
  claimUnlessTaken: db.prepare(`${claimCommand('@server')}
      AND EXISTS (SELECT 1 FROM grants WHERE id = grant_id AND server IN (@pool, @server))`),
  claimGrant: db.prepare(`
    UPDATE grants SET state = 'pending', player = ?, uuid = ifnull(?, uuid), changed_at = ? WHERE id = ?`),
  countClaim: db.prepare('UPDATE claim_count SET claims = claims + 1 RETURNING claims').pluck(),
  settleCommand: db.prepare(`
    UPDATE commands SET outcome = @kind, reply = @reply, reason = @reason, facts = @facts, ended_at = @endedAt
    WHERE grant_id = @grantId AND position = @position AND outcome = 'sending'`),
  settleGrant: db.prepare(`
    UPDATE grants SET state = @state, reason = @reason, facts = @facts, due_at = @dueAt, changed_at = @endedAt,
      -- Once a command may have run, the grant does not expire.
      expires_at = CASE WHEN @kind IN ('delivered', 'unknown') THEN NULL ELSE expires_at END
    WHERE id = @grantId`),
});
