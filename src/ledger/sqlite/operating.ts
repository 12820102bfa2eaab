import { type PlayerName, playerKey } from '../../core/player-name.ts';
import type { GrantState } from '../../core/settlement.ts';
import { closeCommand } from '../../core/template.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { Change, Continued, ContinueOrder, GrantOrder, PaymentOrder } from '../ledger.ts';
import { GrantActions } from './grant-actions.ts';
import { serversJson } from './orphaned.ts';
import { Recipients } from './recipients.ts';
import { commandCode, grantCode } from './stored-reason.ts';

/** A grant that may be paid to another player. */
interface Redirectable {
  readonly player: string;
  readonly uuid: string | null;
  readonly key: string;
}

interface Delivered {
  readonly position: number;
  readonly text: string;
  readonly startedAt: number | null;
}

const CHANGED: Change = { kind: 'changed' };

/** The operator's changes to grants: each a single conditional update (rule 6). */
export class Operating {
  private readonly statements;
  private readonly recipients: Recipients;
  private readonly actions: GrantActions;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.recipients = new Recipients(database);
    this.actions = new GrantActions(database);
  }

  /** Unless the grant has changed since it was shown. */
  private ifAsShown<Result>(
    grantId: number,
    { shownChange }: GrantOrder,
    change: () => Result,
  ): Result | Extract<Change, { kind: 'not-changed' }> {
    if (shownChange !== undefined && this.statements.lastChange.get(grantId) !== shownChange)
      return this.notChanged(grantId);
    return change();
  }

  pay(grantId: number, order: PaymentOrder, now: number): Change {
    return this.ifAsShown(grantId, order, () => this.payIt(grantId, order, now));
  }

  continueAfter(grantId: number, order: ContinueOrder, now: number): Continued {
    return this.ifAsShown(grantId, order, () => this.goOn(grantId, order, now));
  }

  markPaid(grantId: number, order: GrantOrder, now: number): Change {
    return this.ifAsShown(grantId, order, () => this.end('mark-paid', grantId, order, now));
  }

  cancel(grantId: number, order: GrantOrder, now: number): Change {
    return this.ifAsShown(grantId, order, () => this.end('cancel', grantId, order, now));
  }

  private end(action: 'mark-paid' | 'cancel', grantId: number, { by }: GrantOrder, now: number): Change {
    const { changes } = this.statements[action].run(now, grantId);
    if (changes === 0) return this.notChanged(grantId);
    this.actions.store(grantId, action, by, now);
    return CHANGED;
  }

  private payIt(grantId: number, { texts, kindByServer, to, by }: PaymentOrder, now: number): Change {
    const isRedirected = to != null && this.redirect(grantId, to, now);
    const { changes } = this.statements.pay.run({ grantId, now, servers: serversJson(kindByServer) });
    if (changes === 0 && !isRedirected) return this.notChanged(grantId);
    this.statements.resetCommands.run(grantId);
    if (texts !== null) this.rerender(grantId, texts, now);
    this.actions.store(grantId, isRedirected ? 'redirect' : 'pay', by, now);
    return CHANGED;
  }

  private goOn(grantId: number, { kindByServer, by }: ContinueOrder, now: number): Continued {
    const { changes } = this.statements.countAsRun.run({ grantId, now });
    if (changes === 1) {
      this.statements.goOn.run({ grantId, now, servers: serversJson(kindByServer) });
      this.statements.endWhereAllRan.run(grantId);
      this.actions.store(grantId, 'ran', by, now);
    }
    const change = this.notChanged(grantId);
    if (changes === 1) return { kind: 'continued', state: change.state as 'pending' | 'delivered' };
    return change.state === 'held' || change.state === 'refused'
      ? { kind: 'none-ran', state: change.state }
      : change;
  }

  /** Changes the grant as if the other player's vote had created it. */
  private redirect(grantId: number, to: PlayerName, now: number): boolean {
    const row = this.statements.redirectable.get(grantId) as Redirectable | undefined;
    if (row === undefined || row.key === playerKey(to)) return false;
    const delivered = this.statements.delivered.all(grantId) as Delivered[];
    for (const { position, text, startedAt } of delivered) {
      const line = closeCommand(text, { player: row.player, uuid: row.uuid, now: startedAt });
      this.statements.keepAsRun.run(line, grantId, position);
    }
    const recipientId = this.recipients.findOrAdd({ kind: 'player', key: playerKey(to) });
    this.statements.redirect.run({ grantId, recipientId, player: to, now });
    this.statements.storeRedirect.run(now, grantId);
    return true;
  }

  private rerender(grantId: number, texts: readonly string[], now: number): void {
    texts.forEach((text, position) => {
      this.statements.rerender.run(text, grantId, position);
    });
    const { changes } = this.statements.drop.run(grantId, texts.length);
    if (changes === 0) return;
    this.statements.storeDropped.run(changes, now, grantId);
    this.statements.endWhereAllRan.run(grantId);
  }

  private notChanged(grantId: number): Extract<Change, { kind: 'not-changed' }> {
    const state = this.statements.state.get(grantId) as GrantState | 'sending' | undefined;
    return { kind: 'not-changed', state: state ?? 'missing' };
  }
}

/** Whether its game server is a practice one now; for a pool, if one of them is of the kind that it had, that kind. */
const IS_PRACTICE_NOW = `
  SELECT s.value ->> 'kind' = 'practice' AS isPractice FROM json_each(@servers) s
  WHERE s.value ->> 'name' = server OR EXISTS (
    SELECT 1 FROM pools p WHERE p.pool = grants.server AND p.server = s.value ->> 'name')
  ORDER BY isPractice = practice DESC LIMIT 1`;

const prepareStatements = (db: Database) => ({
  state: db
    .prepare(`
    SELECT CASE WHEN EXISTS (SELECT 1 FROM commands WHERE grant_id = grants.id AND outcome = 'sending')
           THEN 'sending' ELSE state END
    FROM grants WHERE id = ?`)
    .pluck(),
  lastChange: db.prepare('SELECT changed_at FROM grants WHERE id = ?').pluck(),
  pay: db.prepare(`
    UPDATE grants SET state = 'pending', reason = ${grantCode('by-operator')}, facts = NULL, due_at = 0, expires_at = NULL, changed_at = @now,
      practice = coalesce((${IS_PRACTICE_NOW}), practice)
    WHERE id = @grantId AND state IN ('held', 'refused')`),
  redirectable: db.prepare(`
    SELECT g.player, g.uuid, r.key FROM grants g JOIN recipients r ON r.id = g.recipient_id
    WHERE g.id = ? AND g.state IN ('waiting', 'held', 'refused') AND r.kind = 'player'
      AND NOT EXISTS (SELECT 1 FROM commands WHERE grant_id = g.id AND outcome = 'sending')`),
  delivered: db.prepare(`
    SELECT position, text, started_at AS startedAt FROM commands WHERE grant_id = ? AND outcome = 'delivered'`),
  keepAsRun: db.prepare('UPDATE commands SET text = ? WHERE grant_id = ? AND position = ?'),
  // A waiting grant stays owed on the kind of game server for which it was made (rule 9); for a held one `pay` decides.
  redirect: db.prepare(`
    UPDATE grants SET recipient_id = @recipientId, player = @player, uuid = NULL, likely_player = NULL,
      state = CASE state WHEN 'waiting' THEN 'pending' ELSE state END, due_at = 0, expires_at = NULL, changed_at = @now,
      reason = ${grantCode('by-operator')}, facts = NULL
    WHERE id = @grantId`),
  storeRedirect: db.prepare(`
    INSERT INTO redirected_grants (grant_id, recipient_id, redirected_at)
    SELECT id, recipient_id, ? FROM grants WHERE id = ?
    ON CONFLICT DO UPDATE SET recipient_id = excluded.recipient_id, redirected_at = excluded.redirected_at`),
  resetCommands: db.prepare(
    "UPDATE commands SET outcome = NULL WHERE grant_id = ? AND outcome IS NOT 'delivered'",
  ),
  rerender: db.prepare(`
    UPDATE commands SET text = ? WHERE grant_id = ? AND position = ? AND outcome IS NOT 'delivered'`),
  drop: db.prepare('DELETE FROM commands WHERE grant_id = ? AND position >= ? AND outcome IS NULL'),
  storeDropped: db.prepare(`
    UPDATE grants SET facts = json_object('dropped', ?), changed_at = ? WHERE id = ?`),
  // The first command that is not delivered is the one that stopped the grant.
  countAsRun: db.prepare(`
    UPDATE commands SET outcome = 'delivered', ended_at = @now,
      reply = nullif(reply, ''), reason = ${commandCode('ran-by-operator')},
      facts = CASE WHEN reason IS NOT NULL THEN json_object('before', reason) END
    WHERE grant_id = @grantId AND outcome IN ('unknown', 'refused')
      AND position = (SELECT min(position) FROM commands WHERE grant_id = @grantId AND outcome IS NOT 'delivered')
      AND (SELECT state FROM grants WHERE id = @grantId) IN ('held', 'refused')`),
  goOn: db.prepare(`
    UPDATE grants SET state = 'pending', reason = ${grantCode('ran-by-operator')}, facts = NULL, due_at = 0, expires_at = NULL,
      changed_at = @now,
      practice = CASE WHEN EXISTS (
          SELECT 1 FROM commands WHERE grant_id = @grantId AND outcome IS NOT 'delivered')
        THEN coalesce((${IS_PRACTICE_NOW}), practice)
        ELSE practice END
    WHERE id = @grantId`),
  endWhereAllRan: db.prepare(`
    UPDATE grants SET state = 'delivered' WHERE id = ? AND state = 'pending' AND NOT EXISTS (
      SELECT 1 FROM commands WHERE grant_id = grants.id AND outcome IS NOT 'delivered')`),
  'mark-paid': db.prepare(`
    UPDATE grants SET state = 'delivered', reason = ${grantCode('marked-paid')}, facts = NULL, changed_at = ?
    WHERE id = ? AND state IN ('held', 'refused')`),
  cancel: db.prepare(`
    UPDATE grants SET state = 'cancelled', reason = ${grantCode('cancelled-by-operator')}, facts = NULL, changed_at = ?
    WHERE id = ? AND state IN ('pending', 'waiting', 'held', 'refused')
      AND NOT EXISTS (SELECT 1 FROM commands WHERE grant_id = grants.id AND outcome = 'sending')`),
});
