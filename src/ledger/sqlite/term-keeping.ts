import { isClockSet } from '../../core/clock.ts';
import { HOUR_MS } from '../../core/duration.ts';
import { expiryOf, type PausedSpan } from '../../core/grant-terms.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { AppliedTerms } from '../ledger.ts';
import { grantCode } from './stored-reason.ts';

/** Ending so many delays, or letting so many grants expire, takes a few milliseconds, and votes wait meanwhile. */
const APPLIED_AT_ONCE = 500;
/** A delayed grant that was made later than this after the present was stored before the clock was set back. */
const SET_BACK_MS = HOUR_MS;
/** When a grant that should have expired is looked at again if a command of it is being sent. */
const SENDING_MS = 1_000;

interface Expiring {
  readonly id: number;
  readonly server: string;
  readonly reward: string;
  readonly dueFrom: number;
  readonly expiresAfter: number;
  readonly isSending: number;
}

/** Ends the delays of grants, and cancels those that have waited too long. The caller holds the transaction. */
export class TermKeeping {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** While the clock is doubted, no delay ends and nothing expires. */
  hasDue(now: number): boolean {
    return isClockSet(now) && this.statements.hasDue.get({ now }) === 1;
  }

  apply(now: number): AppliedTerms {
    if (!this.hasDue(now)) return { ended: 0, expired: 0, hasMore: false };
    const ended = this.statements.endDelays.run({ now }).changes;
    const expiring = this.statements.expiring.all({ now }) as Expiring[];
    const expired = expiring.filter((grant) => this.expireOrPostpone(grant, now)).length;
    return { ended, expired, hasMore: Math.max(ended, expiring.length) === APPLIED_AT_ONCE };
  }

  private expireOrPostpone(grant: Expiring, now: number): boolean {
    const { id, dueFrom, expiresAfter, isSending } = grant;
    const pauses = this.statements.pauses.all(grant) as PausedSpan[];
    const at = isSending === 1 ? now + SENDING_MS : expiryOf(dueFrom, expiresAfter, pauses, now);
    if (at > now) this.statements.postpone.run(at, id);
    else this.statements.expire.run(now, id);
    return at <= now;
  }
}

const IS_DELAYED = `state = 'waiting' AND reason = ${grantCode('delayed')}`;
const IS_DUE = `due_from <= @now`;
const IS_SET_BACK = `created_at > @now + ${SET_BACK_MS}`;
const MAY_EXPIRE = `expires_at <= @now AND expires_at IS NOT NULL AND state IN ('pending', 'waiting')`;

const prepareStatements = (db: Database) => ({
  hasDue: db
    .prepare(`
    SELECT (SELECT doubt FROM clock) IS NULL AND (
      EXISTS (SELECT 1 FROM grants INDEXED BY grants_delayed WHERE ${IS_DELAYED} AND ${IS_DUE})
      OR EXISTS (SELECT 1 FROM grants INDEXED BY grants_delayed_made WHERE ${IS_DELAYED} AND ${IS_SET_BACK})
      OR EXISTS (SELECT 1 FROM grants INDEXED BY grants_expiring WHERE ${MAY_EXPIRE}))`)
    .pluck(),
  endDelays: db.prepare(`
    UPDATE grants SET state = 'pending', reason = NULL, facts = NULL, changed_at = @now WHERE id IN (
      SELECT id FROM grants INDEXED BY grants_delayed WHERE ${IS_DELAYED} AND ${IS_DUE}
      UNION ALL SELECT id FROM grants INDEXED BY grants_delayed_made WHERE ${IS_DELAYED} AND ${IS_SET_BACK}
      LIMIT ${APPLIED_AT_ONCE})`),
  expiring: db.prepare(`
    SELECT id, server, reward, ifnull(due_from, created_at) AS dueFrom, expires_after AS expiresAfter,
           EXISTS (SELECT 1 FROM commands WHERE grant_id = grants.id AND outcome = 'sending') AS isSending
    FROM grants INDEXED BY grants_expiring WHERE ${MAY_EXPIRE} ORDER BY expires_at LIMIT ${APPLIED_AT_ONCE}`),
  pauses: db.prepare(`
    SELECT paused_at AS start, resumed_at AS end FROM pauses
    WHERE ifnull(server, @server) = @server AND ifnull(reward, @reward) = @reward
      AND ifnull(resumed_at, @dueFrom) >= @dueFrom`),
  postpone: db.prepare('UPDATE grants SET expires_at = ? WHERE id = ?'),
  expire: db.prepare(`
    UPDATE grants SET state = 'cancelled', reason = ${grantCode('expired')}, facts = NULL, changed_at = ?
    WHERE id = ?`),
});
