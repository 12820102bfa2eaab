import type { Database } from '../sqlite/open.ts';
import type { OpenGrant, Settlement } from './ledger.ts';

interface OpenGrantRow extends Omit<OpenGrant, 'safeToRunTwice' | 'commands'> {
  readonly safeToRunTwice: number;
  readonly commands: string;
}

/** The statements of delivery. The caller holds the transaction where one is needed. */
export class Granting {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  pending(server: string, now: number, limit: number): OpenGrant[] {
    return this.statements.pending.all(server, now, limit).map((row) => toOpenGrant(row as OpenGrantRow));
  }

  waiting(server: string, recipientKeys: readonly string[], now: number): OpenGrant[] {
    const keys = JSON.stringify(recipientKeys);
    return this.statements.waiting.all(keys, server, now).map((row) => toOpenGrant(row as OpenGrantRow));
  }

  waitingFor(server: string, limit: number, skip: number): string[] {
    return this.statements.waitingFor.all(server, limit, skip) as string[];
  }

  nextDueAt(server: string): number | null {
    return this.statements.nextDueAt.get(server) as number | null;
  }

  wait(grantId: number, note: string, now: number): void {
    this.statements.wait.run(note, now, grantId);
  }

  claim(grantId: number, position: number, player: string | null, now: number): boolean {
    const { changes } = this.statements.claimCommand.run(now, grantId, position);
    if (changes === 1) this.statements.claimGrant.run(player, now, grantId);
    return changes === 1;
  }

  settle({ grantId, position, outcome, state, note, dueAt, endedAt }: Settlement): void {
    const text = 'reply' in outcome ? outcome.reply : outcome.reason;
    const { changes } = this.statements.settleCommand.run(outcome.kind, text, endedAt, grantId, position);
    // Only what is being sent ends: a settlement that comes again, or too late, moves no grant.
    if (changes === 1) this.statements.settleGrant.run(state, note, dueAt, endedAt, grantId);
  }

  takeOver(now: number): number {
    this.statements.holdSending.run(now);
    return this.statements.endSending.run(now).changes;
  }

  holdStrangers(practiceByServer: ReadonlyMap<string, boolean>, now: number): number {
    const servers = [...practiceByServer].map(([name, practice]) => ({ name, practice: Number(practice) }));
    return this.statements.holdStrangers.run(now, JSON.stringify(servers)).changes;
  }
}

const toOpenGrant = (row: OpenGrantRow): OpenGrant => ({
  ...row,
  safeToRunTwice: row.safeToRunTwice === 1,
  commands: JSON.parse(row.commands),
});

/** An open grant with its commands that are not delivered; one that has a command being sent is left out. */
const OPEN_GRANT = `
  SELECT g.id, r.key AS recipientKey, g.player, g.reward, g.run_when AS "when",
         g.safe_to_run_twice AS safeToRunTwice,
         (SELECT json_group_array(json_object('position', position, 'text', text, 'attempts', attempts))
          FROM (SELECT * FROM commands
                WHERE grant_id = g.id AND outcome IS NOT 'delivered' ORDER BY position)) AS commands
  FROM grants g JOIN recipients r ON r.id = g.recipient_id
  WHERE NOT EXISTS (SELECT 1 FROM commands WHERE grant_id = g.id AND outcome = 'sending')`;

const prepareStatements = (db: Database) => ({
  pending: db.prepare(`
    ${OPEN_GRANT} AND g.server = ? AND g.state = 'pending' AND g.due_at <= ? ORDER BY g.id LIMIT ?`),
  waiting: db.prepare(`
    ${OPEN_GRANT} AND r.kind = 'player' AND r.key IN (SELECT value FROM json_each(?))
    AND g.server = ? AND g.state = 'waiting' AND g.due_at <= ? ORDER BY g.id`),
  waitingFor: db
    .prepare(`
    SELECT player FROM grants
    WHERE server = ? AND state = 'waiting' AND player IS NOT NULL GROUP BY recipient_id LIMIT ? OFFSET ?`)
    .pluck(),
  nextDueAt: db.prepare("SELECT min(due_at) FROM grants WHERE server = ? AND state = 'pending'").pluck(),
  wait: db.prepare(`
    UPDATE grants SET state = 'waiting', note = ?, changed_at = ? WHERE id = ? AND state = 'pending'`),
  claimCommand: db.prepare(`
    UPDATE commands SET outcome = 'sending', attempts = attempts + 1, reply = NULL, started_at = ?, ended_at = NULL
    WHERE grant_id = ? AND position = ? AND outcome IS NOT 'sending' AND outcome IS NOT 'delivered'
      AND (SELECT state FROM grants WHERE id = grant_id) IN ('pending', 'waiting')`),
  claimGrant: db.prepare("UPDATE grants SET state = 'pending', player = ?, changed_at = ? WHERE id = ?"),
  settleCommand: db.prepare(`
    UPDATE commands SET outcome = ?, reply = ?, ended_at = ?
    WHERE grant_id = ? AND position = ? AND outcome = 'sending'`),
  settleGrant: db.prepare('UPDATE grants SET state = ?, note = ?, due_at = ?, changed_at = ? WHERE id = ?'),
  holdSending: db.prepare(`
    UPDATE grants SET state = CASE safe_to_run_twice WHEN 1 THEN 'pending' ELSE 'held' END,
                      note = 'Teller ended while the command was being sent', changed_at = ?
    WHERE id IN (SELECT grant_id FROM commands WHERE outcome = 'sending')`),
  endSending: db.prepare(`
    UPDATE commands SET outcome = 'unknown', reply = 'Teller ended before an answer came', ended_at = ?
    WHERE outcome = 'sending'`),
  holdStrangers: db.prepare(`
    UPDATE grants SET state = 'held', changed_at = ?,
                      note = 'the game server ' || server || ' is another one now, or gone from the config'
    WHERE state IN ('pending', 'waiting') AND NOT EXISTS (
      SELECT 1 FROM json_each(?) s
      WHERE s.value ->> 'name' = grants.server AND s.value ->> 'practice' = grants.practice)`),
});
