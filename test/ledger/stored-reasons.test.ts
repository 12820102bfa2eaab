import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { GrantRow } from '../../src/ledger/ledger.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { openDatabase } from '../../src/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';

interface Stored {
  readonly state: string;
  readonly note?: string | null;
  readonly outcome?: string;
  readonly reply?: string;
}

/** Grants with one command each as version 4 stored them, read after the migration, in this order. */
async function migrated(stored: readonly Stored[]): Promise<readonly GrantRow[]> {
  const file = join(temporaryFolder(), 'teller.db');
  const older = { ...ledgerSchema, migrations: ledgerSchema.migrations.slice(0, 4) };
  const before = openDatabase(file, older, 'create');
  before.exec(`
    INSERT INTO recipients VALUES (1, 'player', 'steve');
    INSERT INTO votes (id, service, site, recipient_id, cast_at, received_at, channel, decision, cooldown_ms, wire)
      VALUES (1, 'List', 'List', 1, 0, 0, 'api', 'rewarded', 1, '')`);
  const grant = before.prepare(`
    INSERT INTO grants (id, vote_id, recipient_id, player, reward, server, practice, run_when, safe_to_run_twice, state,
                        note, due_at, created_at, changed_at)
      VALUES (?, 1, 1, 'Steve', ?, 'main', 0, 'online', 0, ?, ?, 0, 0, 0)`);
  const command = before.prepare(`
    INSERT INTO commands (grant_id, position, text, outcome, reply) VALUES (?, 0, 'say hi', ?, ?)`);
  stored.forEach(({ state, note, outcome, reply }, at) => {
    grant.run(at + 1, `reward${at}`, state, note ?? null);
    command.run(at + 1, outcome ?? null, reply ?? null);
  });
  before.close();
  const ledger = await openLedger(file, 'create', { clock: systemClock });
  const grants = await ledger.grants({ limit: stored.length });
  await ledger.close();
  return grants.toReversed();
}

const NOTES = [
  ['held', 'may have been paid before the restore', { code: 'restore-doubt' }],
  ['held', 'the clock was doubtful when the vote came', { code: 'clock-doubt' }],
  ['held', 'Teller ended while the command was being sent', { code: 'process-ended' }],
  ['held', 'the game server main is another one now, or gone from the config', { code: 'other-game-server' }],
  ['held', 'timeout', { code: 'timeout' }],
  ['pending', 'unreachable', { code: 'unreachable' }],
  ['pending', 'to be paid by the operator’s word', { code: 'by-operator' }],
  [
    'pending',
    'to be paid by the operator’s word; dropped, because the reward no longer has them: 2 command(s)',
    { code: 'by-operator', facts: { dropped: 2 } },
  ],
  ['pending', 'a command of it was counted as run by the operator’s word', { code: 'ran-by-operator' }],
  ['delivered', 'marked as paid by the operator', { code: 'marked-paid' }],
  ['cancelled', 'cancelled by the operator', { code: 'cancelled-by-operator' }],
  ['waiting', 'the player is not online', { code: 'player-offline' }],
  ['waiting', 'Player not found', { code: 'player-offline', facts: { reply: 'Player not found' } }],
  ['waiting', 'uuid-unknown', { code: 'uuid-unknown' }],
  [
    'waiting',
    'cannot tell who is online: its player list has no form that is known, and …',
    { code: 'list-not-understood' },
  ],
  [
    'waiting',
    'cannot tell who is online: its player list announces another number than it names, and …',
    { code: 'list-does-not-add-up' },
  ],
  [
    'waiting',
    'cannot tell who is online: a game server of kind http takes commands and tells nobody’s presence: …',
    { code: 'http-tells-nobody' },
  ],
  ['refused', 'Unknown item', { code: 'refused', facts: { reply: 'Unknown item' } }],
  [
    'refused',
    '(never sent: it has more than the 1,446 bytes that a game server reads) [command-too-long]',
    { code: 'command-too-long' },
  ],
  ['delivered', null, null],
] as const;

test('each note that version 4 wrote becomes a code, with the facts that it had', async () => {
  const grants = await migrated(NOTES.map(([state, note]) => ({ state, note })));
  expect(grants.map(({ reason }, at) => [NOTES[at]?.[1], reason])).toEqual(
    NOTES.map(([, note, reason]) => [note, reason]),
  );
});

const RAN = 'counted as run by the operator’s word';

const REPLIES = [
  ['delivered', 'Gave 1 [Diamond] to Steve', { reply: 'Gave 1 [Diamond] to Steve', reason: null }],
  ['delivered', 'timeout', { reply: 'timeout', reason: null }],
  ['refused', 'Unknown item', { reply: 'Unknown item', reason: null }],
  ['player-offline', 'closed', { reply: 'closed', reason: null }],
  ['unknown', 'no-frame', { reply: null, reason: { code: 'no-frame' } }],
  ['not-sent', 'unreachable', { reply: null, reason: { code: 'unreachable' } }],
  ['unknown', 'Teller ended before an answer came', { reply: null, reason: { code: 'process-ended' } }],
  [
    'refused',
    '(never sent: it has a line break or a NUL in it) [command-not-one-line]',
    { reply: null, reason: { code: 'command-not-one-line' } },
  ],
  ['delivered', RAN, { reply: null, reason: { code: 'ran-by-operator' } }],
  [
    'delivered',
    `${RAN}; until then: timeout`,
    { reply: null, reason: { code: 'ran-by-operator', facts: { before: 'timeout' } } },
  ],
  [
    'delivered',
    `${RAN}; until then: Teller ended before an answer came`,
    { reply: null, reason: { code: 'ran-by-operator', facts: { before: 'process-ended' } } },
  ],
  [
    'delivered',
    `${RAN}; until then: Unknown item`,
    { reply: 'Unknown item', reason: { code: 'ran-by-operator' } },
  ],
] as const;

test('a game server’s reply is kept, and any other note becomes a code', async () => {
  const grants = await migrated(REPLIES.map(([outcome, reply]) => ({ state: 'held', outcome, reply })));
  expect(
    grants.map(({ commands: [command] }, at) => [
      ...(REPLIES[at]?.slice(0, 2) ?? []),
      { reply: command?.reply, reason: command?.reason },
    ]),
  ).toEqual(REPLIES);
});
