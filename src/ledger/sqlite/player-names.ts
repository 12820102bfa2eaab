import type { PlayerUuidKind } from '../../core/player-uuid.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { PlayerChangeKind } from '../player-ledger.ts';
import { spelt } from './spelling.ts';

/** A name that belongs to a player now. */
export interface NameRow {
  readonly id: number;
  readonly key: string;
  /** The row with the player's history, possibly this one. */
  readonly historyId: number;
  /** The UUIDs that were first seen under this name; null: none. */
  readonly playerId: number | null;
  /** The history that the operator has split it from. */
  readonly apartFrom: number | null;
}

/** A UUID that was seen. */
export interface KnownUuid {
  readonly playerId: number;
  readonly historyId: number;
}

export interface ChangeOf {
  readonly kind: PlayerChangeKind;
  readonly nameId: number;
  readonly historyId: number;
  readonly now: number;
  readonly by: string;
}

/** Names, and the UUIDs that were seen under them. The caller holds the transaction. */
export class PlayerNames {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  find(key: string): NameRow | null {
    return (this.statements.find.get(key) as NameRow | undefined) ?? null;
  }

  withUuid(kind: PlayerUuidKind, uuid: string): KnownUuid | null {
    return (this.statements.withUuid[kind].get(uuid) as KnownUuid | undefined) ?? null;
  }

  /** The kinds of UUIDs that were seen under any name of a history. */
  uuidKinds(historyId: number): ReadonlySet<PlayerUuidKind> {
    const { online, floodgate } = this.statements.uuidKinds.get({ historyId }) as Record<
      PlayerUuidKind,
      number
    >;
    return new Set([
      ...(online > 0 ? ['online' as const] : []),
      ...(floodgate > 0 ? ['floodgate' as const] : []),
    ]);
  }

  /** All names that a history has or had. */
  keysOf(historyId: number): readonly string[] {
    return this.statements.keys.all({ historyId }) as string[];
  }

  /** @param historyId null: a history of its own. */
  add(key: string, historyId: number | null): number {
    return Number(this.statements.add.run(key, historyId).lastInsertRowid);
  }

  /** Stores a UUID that is seen for the first time, with the name. */
  addUuid(nameId: number, kind: PlayerUuidKind, uuid: string): void {
    if (this.statements.extendPlayer[kind].run({ nameId, uuid }).changes === 1) return;
    const playerId = this.statements.addPlayer[kind].run({ uuid }).lastInsertRowid;
    this.statements.setPlayer.run(playerId, nameId);
  }

  setSeen(nameId: number, now: number): void {
    this.statements.seenName.run(now, nameId);
  }

  /** Sets to which of its names a history is paid. @param name null: as far as is known, to one that it has now. */
  payAs(historyId: number, name: string | null): void {
    this.statements.payAs.run({ historyId, name });
  }

  giveUp(nameId: number, now: number): void {
    this.statements.giveUp.run({ nameId, now });
  }

  /** @returns the row of a name that the history had before and has again; null if it never had it. */
  giveBack(key: string, historyId: number): number | null {
    return (this.statements.giveBack.get({ key, historyId }) as { id: number } | undefined)?.id ?? null;
  }

  /** Gives a joined name a history of its own, which keeps its UUIDs. */
  separate(nameId: number): void {
    this.statements.separate.run(nameId);
  }

  /** The latest change that joined a name, unless it was undone. */
  joinedBy(nameId: number): number | null {
    return (this.statements.joinedBy.get(nameId) as number | undefined) ?? null;
  }

  /** @returns its ID. */
  trace(change: ChangeOf): number {
    return Number(this.statements.trace.run(change).lastInsertRowid);
  }

  undone(changeId: number, by: number): void {
    this.statements.undone.run(by, changeId);
  }
}

const OF_HISTORY = '(id = @historyId OR joined_to = @historyId)';

const withUuid = (column: string): string => `
  SELECT p.id AS playerId, ifnull(r.joined_to, r.id) AS historyId
  FROM players p JOIN recipients r ON r.player_id = p.id WHERE p.${column} = ?`;

const addPlayer = (column: string): string => `INSERT INTO players (${column}) VALUES (@uuid)`;

const extendPlayer = (column: string): string => `
  UPDATE players SET ${column} = @uuid
  WHERE id = (SELECT player_id FROM recipients WHERE id = @nameId) AND ${column} IS NULL`;

const COLUMNS = { online: 'online_uuid', floodgate: 'floodgate_uuid' } as const;
const ofEachKind = (db: Database, sql: (column: string) => string) => ({
  online: db.prepare(sql(COLUMNS.online)),
  floodgate: db.prepare(sql(COLUMNS.floodgate)),
});

const prepareStatements = (db: Database) => ({
  find: db.prepare(`
    SELECT id, key, ifnull(joined_to, id) AS historyId, player_id AS playerId, apart_from AS apartFrom
    FROM recipients WHERE kind = 'player' AND key = ? AND given_up_at = 0`),
  withUuid: ofEachKind(db, withUuid),
  uuidKinds: db.prepare(`
    SELECT count(p.online_uuid) AS online, count(p.floodgate_uuid) AS floodgate
    FROM recipients r JOIN players p ON p.id = r.player_id WHERE r.id = @historyId OR r.joined_to = @historyId`),
  keys: db.prepare(`SELECT DISTINCT key FROM recipients WHERE ${OF_HISTORY} ORDER BY id`).pluck(),
  add: db.prepare("INSERT INTO recipients (kind, key, joined_to) VALUES ('player', ?, ?)"),
  addPlayer: ofEachKind(db, addPlayer),
  extendPlayer: ofEachKind(db, extendPlayer),
  setPlayer: db.prepare('UPDATE recipients SET player_id = ? WHERE id = ?'),
  seenName: db.prepare('UPDATE recipients SET seen_at = ? WHERE id = ?'),
  // The row's own name needs no entry, so that nearly all rows have none.
  payAs: db.prepare(`
    UPDATE recipients SET paid_as = CASE
        WHEN @name IS NOT NULL THEN iif(given_up_at = 0 AND key = lower(@name), NULL, @name)
        WHEN given_up_at = 0 THEN NULL
        WHEN EXISTS (SELECT 1 FROM recipients n WHERE n.joined_to = @historyId AND n.given_up_at = 0
                     AND n.key = lower(recipients.paid_as)) THEN paid_as
        ELSE ifnull((SELECT ${spelt('n.key', '@historyId')} FROM recipients n WHERE n.joined_to = @historyId AND n.given_up_at = 0
                     ORDER BY n.seen_at DESC, n.id DESC LIMIT 1), '') END
    WHERE id = @historyId`),
  // A name can be given up twice in the same millisecond.
  giveUp: db.prepare(`
    UPDATE recipients SET given_up_at = max(@now, 1 + (
      SELECT max(given_up_at) FROM recipients o WHERE o.kind = 'player' AND o.key = recipients.key))
    WHERE id = @nameId`),
  giveBack: db.prepare(`
    UPDATE recipients SET given_up_at = 0 WHERE id = (
      SELECT id FROM recipients WHERE kind = 'player' AND key = @key AND ${OF_HISTORY} AND given_up_at > 0
      ORDER BY given_up_at DESC LIMIT 1)
    RETURNING id`),
  separate: db.prepare(
    'UPDATE recipients SET apart_from = joined_to, joined_to = NULL, paid_as = NULL WHERE id = ?',
  ),
  joinedBy: db
    .prepare(`
    SELECT id FROM player_changes
    WHERE name_id = ? AND kind IN ('joined', 'merged') AND undone_by IS NULL ORDER BY id DESC LIMIT 1`)
    .pluck(),
  trace: db.prepare(`
    INSERT INTO player_changes (kind, name_id, history_id, changed_at, changed_by)
    VALUES (@kind, @nameId, @historyId, @now, @by)`),
  undone: db.prepare('UPDATE player_changes SET undone_by = ? WHERE id = ?'),
});
