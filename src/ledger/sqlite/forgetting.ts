import { forgottenName, withoutNames } from '../../core/forgotten-name.ts';
import { playerKey } from '../../core/player-name.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { ForgetOrder, ForgetProgress, ForgetStep } from '../player-ledger.ts';
import { withoutAddress } from './forwarding.ts';
import { type NameRow, PlayerNames } from './player-names.ts';
import { grantCode } from './stored-reason.ts';

/** So many votes, or commands of so many grants, take some milliseconds, and other votes wait meanwhile. */
const VOTES_AT_ONCE = 500;
const GRANTS_AT_ONCE = 1_000;

interface Text {
  readonly grantId: number;
  readonly position: number;
  readonly text: string;
  readonly reply: string | null;
}

/** Whom the ledger forgets. */
interface Forgotten {
  readonly historyId: number;
  readonly keys: readonly string[];
  readonly instead: string;
}

/**
 * Replaces everything that says who a player is, portion by portion, and keeps the counts. The name itself comes last, so
 * that a second try finds the player if the first one did not reach its end. The caller holds the transaction.
 */
export class Forgetting {
  private readonly statements;
  private readonly names: PlayerNames;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.names = new PlayerNames(database);
  }

  forget({ name, by }: ForgetOrder, progress: ForgetProgress | null, now: number): ForgetStep {
    const row = this.names.find(playerKey(name));
    if (row === null) return { kind: 'refused', code: 'player-missing' };
    const { historyId } = row;
    const whom = { historyId, keys: this.names.keysOf(historyId), instead: forgottenName(historyId) };
    // Again with each portion: more may have been granted meanwhile.
    this.statements.blankOpen.run({ historyId });
    this.statements.cancel.run({ historyId, now, player: whom.instead });
    const next = this.portion(whom, progress ?? { vote: 0, grant: null });
    if (next !== null) return { kind: 'forgetting', progress: next };
    this.end(whom, row, by, now);
    return { kind: 'forgotten', name: whom.instead };
  }

  /** @returns how far it is; null after the last portion, which includes the votes that came meanwhile. */
  private portion(whom: Forgotten, { vote, grant }: ForgetProgress): ForgetProgress | null {
    if (grant === null) {
      const { upTo, hasMore } = this.votesAfter(vote, whom);
      return { vote: upTo, grant: hasMore ? null : 0 };
    }
    const upTo = this.grantsAfter(grant, whom);
    if (upTo < (this.statements.lastGrant.get() as number)) return { vote, grant: upTo };
    const late = this.votesAfter(vote, whom);
    return late.hasMore ? { vote: late.upTo, grant: upTo } : null;
  }

  private votesAfter(after: number, { historyId, instead }: Forgotten): { upTo: number; hasMore: boolean } {
    const votes = this.statements.votes.all({ historyId, after }) as number[];
    for (const id of votes) {
      this.statements.forgetVote.run(instead, id);
      this.statements.forgetForwards.run(id);
    }
    return { upTo: votes.at(-1) ?? after, hasMore: votes.length === VOTES_AT_ONCE };
  }

  /** All grants: commands and replies of others can name the player too. */
  private grantsAfter(after: number, whom: Forgotten): number {
    const upTo = after + GRANTS_AT_ONCE;
    const range = { after, upTo };
    this.statements.blankGrants.run({ ...range, historyId: whom.historyId });
    this.statements.forgetGrants.run({ ...range, historyId: whom.historyId, player: whom.instead });
    for (const key of whom.keys) {
      this.statements.forgetLikely.run({ ...range, key });
      for (const row of this.statements.naming.all({ ...range, key }) as Text[]) this.rewrite(row, whom);
      for (const column of ['facts', 'filled'] as const)
        for (const { id, value } of this.statements.grantsNaming[column].all({ ...range, key }) as Value[])
          this.statements.rewriteGrant[column].run(without(value, whom), id);
    }
    return upTo;
  }

  private rewrite({ grantId, position, text, reply }: Text, whom: Forgotten): void {
    const left = reply === null ? null : without(reply, whom);
    this.statements.rewrite.run(without(text, whom), left, grantId, position);
  }

  private end(whom: Forgotten, { id }: NameRow, by: string, now: number): void {
    const { historyId, keys, instead } = whom;
    for (const statement of this.statements.forgetNamed) statement.run(instead, historyId);
    for (const key of keys)
      for (const statement of this.statements.forgetKey) statement.run({ key, instead });
    for (const { naming, rewrite } of this.statements.written)
      for (const key of keys)
        for (const { id, value } of naming.all({ key }) as Value[]) rewrite.run(without(value, whom), id);
    this.statements.forgetUuids.run({ historyId });
    const players = this.statements.players.all({ historyId }) as number[];
    this.names.trace({ kind: 'forgotten', nameId: id, historyId, by, now });
    for (const nameId of this.statements.rows.all({ historyId }) as number[])
      this.statements.forgetName.run(forgottenName(nameId), nameId);
    for (const player of players) this.statements.forgetPlayer.run(player);
  }
}

interface Value {
  readonly id: number;
  readonly value: string;
}

const without = (text: string, { keys, instead }: Forgotten): string => withoutNames(text, keys, instead);

const OF_HISTORY = '(id = @historyId OR joined_to = @historyId)';
/** Commands that are still to run stay as they are: a name can be a word of another player's command. */
const IS_OVER = "state IN ('delivered', 'cancelled')";
const IN_RANGE = 'id > @after AND id <= @upTo';
const OF_PLAYER = `${IN_RANGE} AND recipient_id = @historyId AND player IS NOT NULL`;
const IS_OPEN = `
  id IN (SELECT id FROM grants WHERE recipient_id = @historyId AND state NOT IN ('pending', 'delivered')
         UNION ALL SELECT id FROM grants WHERE state = 'pending' AND recipient_id = @historyId)
  AND state <> 'cancelled'
  AND NOT EXISTS (SELECT 1 FROM commands WHERE grant_id = grants.id AND outcome = 'sending')`;
/**
 * Names are removed before anything is written in their place: a row that becomes longer moves others of its page, and SQLite
 * leaves copies of these where they were.
 */
const BLANK = "player = '', likely_player = NULL, uuid = NULL";

const ofEachColumn = (db: Database, sql: (column: string) => string) => ({
  facts: db.prepare(sql('facts')),
  filled: db.prepare(sql('filled')),
});

const rewriting = (db: Database, table: string, column: string) => ({
  naming: db.prepare(`SELECT id, ${column} AS value FROM ${table} WHERE instr(lower(${column}), @key) > 0`),
  rewrite: db.prepare(`UPDATE ${table} SET ${column} = ? WHERE id = ?`),
});

const prepareStatements = (db: Database) => ({
  blankOpen: db.prepare(`UPDATE grants SET ${BLANK} WHERE ${IS_OPEN} AND player IS NOT NULL`),
  cancel: db.prepare(`
    UPDATE grants SET state = 'cancelled', reason = ${grantCode('cancelled-by-operator')}, facts = NULL, changed_at = @now,
      player = iif(player IS NULL, NULL, @player)
    WHERE ${IS_OPEN}`),
  votes: db
    .prepare(`
    SELECT id FROM (
      SELECT id FROM votes INDEXED BY votes_rewarded WHERE decision = 'rewarded' AND recipient_id = @historyId
      UNION ALL SELECT id FROM votes INDEXED BY votes_unrewarded WHERE decision <> 'rewarded' AND recipient_id = @historyId)
    WHERE id > @after ORDER BY id LIMIT ${VOTES_AT_ONCE}`)
    .pluck(),
  forgetVote: db.prepare(
    "UPDATE votes SET player = ?, sent_as = NULL, address = NULL, wire = '' WHERE id = ?",
  ),
  forgetForwards: db.prepare(withoutAddress('cause_id = ?')),
  lastGrant: db.prepare('SELECT ifnull(max(id), 0) FROM grants').pluck(),
  blankGrants: db.prepare(`UPDATE grants SET ${BLANK} WHERE ${OF_PLAYER}`),
  forgetGrants: db.prepare(`UPDATE grants SET player = @player WHERE ${OF_PLAYER}`),
  forgetLikely: db.prepare(
    `UPDATE grants SET likely_player = NULL WHERE ${IN_RANGE} AND lower(likely_player) = @key`,
  ),
  naming: db.prepare(`
    SELECT grant_id AS grantId, position, text, reply FROM commands WHERE grant_id > @after AND grant_id <= @upTo
      AND (instr(lower(text), @key) > 0 OR instr(lower(reply), @key) > 0)
      AND EXISTS (SELECT 1 FROM grants WHERE id = grant_id AND ${IS_OVER})`),
  rewrite: db.prepare('UPDATE commands SET text = ?, reply = ? WHERE grant_id = ? AND position = ?'),
  grantsNaming: ofEachColumn(
    db,
    (column) =>
      `SELECT id, ${column} AS value FROM grants WHERE ${IN_RANGE} AND ${IS_OVER} AND instr(lower(${column}), @key) > 0`,
  ),
  rewriteGrant: ofEachColumn(db, (column) => `UPDATE grants SET ${column} = ? WHERE id = ?`),
  written: [
    // What the operator wrote about why.
    rewriting(db, 'voided_votes', 'reason'),
    // What anyone sent as a service name.
    rewriting(db, 'events', 'facts'),
  ],
  forgetNamed: ['given_rewards', 'top_places'].map((table) =>
    db.prepare(`UPDATE ${table} SET player = ? WHERE recipient_id = ?`),
  ),
  forgetKey: [
    // They are kept for a month and hold what anyone sent as a service name.
    'DELETE FROM refusals WHERE instr(lower(service), @key) > 0',
    'DELETE FROM seen_players WHERE key = @key',
  ].map((sql) => db.prepare(sql)),
  forgetUuids: db.prepare(
    `DELETE FROM imported_uuids WHERE name_id IN (SELECT id FROM recipients WHERE ${OF_HISTORY})`,
  ),
  players: db
    .prepare(`SELECT player_id FROM recipients WHERE ${OF_HISTORY} AND player_id IS NOT NULL`)
    .pluck(),
  rows: db.prepare(`SELECT id FROM recipients WHERE ${OF_HISTORY}`).pluck(),
  forgetName: db.prepare(
    'UPDATE recipients SET key = ?, paid_as = NULL, player_id = NULL, seen_at = NULL WHERE id = ?',
  ),
  forgetPlayer: db.prepare('DELETE FROM players WHERE id = ?'),
});
