import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { openDatabase } from '../../src/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { arrival, at } from '../support/votes.ts';

const NOON = at('2026-06-01T12:00:00Z');

const vote = (id: number, decision: string, site = 'List') => `
  INSERT INTO votes (id, service, site, recipient_id, player, cast_at, claimed_at, received_at, local_day, channel,
                     decision, window_start, window_end, wire)
  VALUES (${id}, 'List', '${site}', 1, 'Steve', ${NOON + id}, ${NOON + id}, ${NOON + id}, 20605, 'listener-v2',
          '${decision}', ${NOON + id}, ${NOON + id + 1}, '{}');`;

const grant = (id: number, voteId: number, state: string) => `
  INSERT INTO grants (id, cause, cause_id, recipient_id, player, reward, server, practice, run_when, safe_to_run_twice,
                      state, due_at, created_at, changed_at)
  VALUES (${id}, 'vote', ${voteId}, 1, 'Steve', 'thanks', 'main', 0, 'online', 0, '${state}', 0, ${NOON}, ${NOON});`;

/** A ledger of version 6, migrated. */
function upgraded() {
  const file = join(temporaryFolder(), 'teller.db');
  const older = openDatabase(
    file,
    { ...ledgerSchema, migrations: ledgerSchema.migrations.slice(0, 6) },
    'create',
  );
  older.exec(`
    INSERT INTO recipients (id, kind, key) VALUES (1, 'player', 'steve');
    ${vote(1, 'rewarded')} ${vote(2, 'cooldown')} ${vote(3, 'rewarded', 'default')} ${vote(4, 'too-old')}
    ${grant(1, 1, 'delivered')} ${grant(2, 3, 'waiting')}
    INSERT INTO granted VALUES ('thanks', 'main');`);
  older.close();
  const { ledger, database } = freshLedger(file);
  onTestFinished(() => void database.close());
  return { ledger, database };
}

test('a ledger of version 6 is consistent after the migration and finds the votes and grants of a player', async () => {
  const { ledger, database } = upgraded();
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  const votes = async (more: object) =>
    (await ledger.votes({ recipient: 'Steve', limit: 9, ...more })).map(({ id }) => id);
  expect(await votes({})).toEqual([4, 3, 2, 1]);
  expect(await votes({ decision: 'rewarded' })).toEqual([3, 1]);
  expect(await votes({ decision: 'too-old' })).toEqual([4]);
  expect(await votes({ site: 'default' })).toEqual([3]);
  expect(await votes({ site: 'List' })).toEqual([4, 3, 2, 1]);
  expect(await ledger.grants({ recipient: 'Steve', state: 'waiting', limit: 9 })).toMatchObject([{ id: 2 }]);
  expect(await ledger.waiting({ server: 'main', practice: false }, ['steve'], NOON, 9)).toMatchObject([
    { id: 2 },
  ]);
});

test('a vote that is in a ledger of version 6 is still the same one after the migration', async () => {
  const { ledger } = upgraded();
  const claim = { at: NOON + 4, precision: 'ms' } as const;
  const again = arrival({ service: 'List', site: 'List', claim });
  expect(await record(ledger, [again], rulesFor(THANKS))).toEqual([{ kind: 'same', id: 4 }]);
});
