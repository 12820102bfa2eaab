/**
 * Writes the files of earlier versions that are missing: `npx tsx test/versions/write-files.ts`. Run it when a new version
 * is added to a schema. It never replaces a file.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openDatabase } from '../../src/sqlite/open.ts';
import { FOLDER, type Kind, nameOf, newestOf, schemas } from './older-file.ts';

/** 2026-06-01T12:00:00Z */
const CAST = 1_780_315_200_000;

/** What the first version stored. */
const ROWS: Readonly<Record<Kind, string>> = {
  ledger: `
    INSERT INTO recipients (id, kind, key) VALUES (1, 'player', 'steve'), (2, 'user', '80351110224678912');
    INSERT INTO votes (id, service, site, recipient_id, player, cast_at, received_at, channel, decision, cooldown_ms, next_at,
                       taken_by, wire)
      VALUES (1, 'List', 'List', 1, 'Steve', ${CAST}, ${CAST}, 'listener-v2', 'rewarded', 86400000, ${CAST + 86_400_000}, NULL, 'one'),
             (2, 'List', 'List', 1, 'Steve', ${CAST + 60_000}, ${CAST + 60_000}, 'listener-v2', 'cooldown', 86400000,
              ${CAST + 86_400_000}, 1, 'two');
    INSERT INTO tallies VALUES ('List', 'List', ${Math.floor(CAST / 86_400_000)}, 'rewarded', 1, ${CAST}),
                               ('List', 'List', ${Math.floor(CAST / 86_400_000)}, 'cooldown', 1, ${CAST + 60_000});
    INSERT INTO grants (id, vote_id, recipient_id, player, reward, server, practice, run_when, safe_to_run_twice, state, due_at,
                        created_at, changed_at)
      VALUES (1, 1, 1, 'Steve', 'daily', 'main', 0, 'online', 0, 'delivered', 0, ${CAST}, ${CAST}),
             (2, 1, 1, 'Steve', 'thanks', 'main', 0, 'online', 0, 'waiting', 0, ${CAST}, ${CAST});
    INSERT INTO commands (grant_id, position, text, outcome, attempts, reply, started_at, ended_at)
      VALUES (1, 0, 'give {player} diamond 1', 'delivered', 1, 'Gave 1 [Diamond] to Steve', ${CAST}, ${CAST}),
             (2, 0, 'say {player}', NULL, 0, NULL, NULL, NULL);`,
  listing: `
    INSERT INTO accounts VALUES ('a', 'viktor', '80351110224678912', 'no password', ${CAST});
    INSERT INTO listings (id, name, type, game, weight, created_at) VALUES ('l', 'Sample Craft', 'game', 'minecraft', 1, ${CAST});
    INSERT INTO members VALUES ('l', 'a', 'owner');
    INSERT INTO votes VALUES ('v', 'l', '80351110224678912', 'Steve', 'steve', ${CAST}, ${CAST + 86_400_000}, 1);`,
};

function write(kind: Kind, version: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'teller-versions-'));
  const file = join(folder, 'data.db');
  const upTo = (last: number) => ({ ...schemas[kind], migrations: schemas[kind].migrations.slice(0, last) });
  const first = openDatabase(file, upTo(1), 'create');
  first.exec(ROWS[kind]);
  first.close();
  const database = openDatabase(file, upTo(version), 'create');
  database.pragma('journal_mode = DELETE'); // VACUUM changes the size of pages only then
  database.pragma('page_size = 512');
  database.exec('VACUUM');
  database.close();
  writeFileSync(join(FOLDER, nameOf(kind, version)), gzipSync(readFileSync(file), { level: 9 }));
  rmSync(folder, { recursive: true });
}

for (const kind of ['ledger', 'listing'] as const) {
  for (let version = 1; version < newestOf(kind); version++) {
    if (!existsSync(join(FOLDER, nameOf(kind, version)))) write(kind, version);
  }
}
