import { playerKey } from '../../core/player-name.ts';
import { parsePlayerUuid } from '../../core/player-uuid.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { BalanceRow, PlayerChange, PlayerNameRow, PlayerRow } from '../player-ledger.ts';

/** How many of a player's latest votes are read for UUIDs: those of the last days, which are found without reading the others. */
const VOTES_READ = 100;

interface HistoryRow {
  readonly id: number;
  readonly key: string;
  readonly paidAs: string | null;
  readonly isOwn: number;
  readonly votes: number;
}

/** What the ledger knows of players. */
export class PlayerReading {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  players(name: string): PlayerRow[] {
    return (this.statements.histories.all(playerKey(name)) as HistoryRow[]).map((row) => this.player(row));
  }

  private player({ id, key, paidAs, isOwn, votes }: HistoryRow): PlayerRow {
    const wires = this.statements.wires.all(id) as string[];
    return {
      names: this.statements.names.all({ id }) as PlayerNameRow[],
      paidAs: paidAs === null ? (isOwn === 1 ? key : null) : paidAs === '' ? null : paidAs,
      votes,
      passed: this.statements.passed.all({ id }) as PlayerRow['passed'],
      balances: this.statements.balances.all({ id }) as BalanceRow[],
      importedUuids: this.statements.uuids.all({ id }) as PlayerRow['importedUuids'],
      hints: [...new Set(wires.flatMap((wire) => uuidIn(wire) ?? []))],
      changes: this.statements.changes.all({ id }) as PlayerChange[],
    };
  }
}

/** The UUID that a v2 vote names; null if it names none. */
function uuidIn(wire: string): string | null {
  try {
    const { uuid } = JSON.parse(wire) as { readonly uuid?: unknown };
    return typeof uuid === 'string' ? parsePlayerUuid(uuid) : null;
  } catch {
    return null;
  }
}

const prepareStatements = (db: Database) => ({
  histories: db.prepare(`
    SELECT h.id, h.key, h.paid_as AS paidAs, h.given_up_at = 0 AS isOwn, h.counted AS votes
    FROM (SELECT ifnull(joined_to, id) AS id, min(given_up_at) AS givenUpAt FROM recipients
          WHERE kind = 'player' AND key = ? GROUP BY 1) found
    JOIN recipients h ON h.id = found.id ORDER BY found.givenUpAt <> 0, found.givenUpAt DESC`),
  names: db.prepare(`
    SELECT r.key AS name, nullif(r.given_up_at, 0) AS givenUpAt, p.online_uuid AS onlineUuid,
           p.floodgate_uuid AS floodgateUuid
    FROM recipients r LEFT JOIN players p ON p.id = r.player_id
    WHERE r.id = @id OR r.joined_to = @id ORDER BY r.id <> @id, r.id`),
  passed: db.prepare(`
    SELECT w.name AS reward, occasion, last, step, iif(c.kind = 'imported', 'import', 'joining') AS by FROM (
      SELECT reward_id, change_id, occasion, NULL AS last, NULL AS step FROM passed_occasions
      WHERE recipient_id = @id AND given_id IS NULL
      UNION ALL SELECT reward_id, change_id, of || ' ' || first, last, step FROM passed_totals
      WHERE recipient_id = @id) o
    JOIN rewards w ON w.id = o.reward_id JOIN player_changes c ON c.id = o.change_id
    ORDER BY o.change_id, w.name, o.occasion`),
  uuids: db.prepare(`
    SELECT u.uuid, u.source, r.key AS name FROM imported_uuids u JOIN recipients r ON r.id = u.name_id
    WHERE r.id = @id OR r.joined_to = @id ORDER BY r.id, u.source`),
  balances: db.prepare(`
    SELECT name, source, i.as_of AS asOf, what, stated, counted FROM (
      SELECT name_id, source, iif(per = '', 'total', per) AS what, stated, counted, import_id FROM balances
      UNION ALL SELECT name_id, source, iif(per = 'day', 'run', per || '-run'), last - first + 1, NULL, import_id
      FROM imported_runs WHERE first IS NOT NULL
      UNION ALL SELECT name_id, source, 'best-run', best, NULL, import_id FROM imported_runs WHERE best IS NOT NULL)
    JOIN (SELECT id AS name_id, key AS name FROM recipients WHERE id = @id OR joined_to = @id) USING (name_id)
    JOIN (SELECT id AS import_id, as_of FROM imports) i USING (import_id)
    ORDER BY name_id, source, what = 'total' DESC, what`),
  wires: db
    .prepare(`
    SELECT wire FROM votes WHERE id IN (
      SELECT id FROM votes INDEXED BY votes_by_day WHERE recipient_id = ? ORDER BY local_day DESC LIMIT ${VOTES_READ})
    AND channel = 'listener-v2' ORDER BY id DESC`)
    .pluck(),
  changes: db.prepare(`
    SELECT c.kind, r.key AS name, c.changed_at AS at, c.changed_by AS by
    FROM player_changes c JOIN recipients r ON r.id = c.name_id
    WHERE c.history_id = @id OR c.name_id = @id ORDER BY c.id`),
});
