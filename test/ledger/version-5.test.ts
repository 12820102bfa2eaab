import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { kindByServer } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { localDay } from '../../src/core/local-time.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { type Database, openDatabase } from '../../src/sqlite/open.ts';
import { grantNote } from '../../src/trace/grant-reasons.ts';
import { configFolder } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { record, rulesFor, THANKS } from '../support/ledgers.ts';
import { arrival, at, DAY } from '../support/votes.ts';

const HOUR = DAY / 24;
const START = at('2026-06-01T12:00:00Z');

/** A ledger of an earlier version with these rows in it, closed. */
function olderLedger(version: number, sql: string): string {
  const file = join(temporaryFolder(), 'teller.db');
  const schema = { ...ledgerSchema, migrations: ledgerSchema.migrations.slice(0, version) };
  const database = openDatabase(file, schema, 'create');
  database.exec(sql);
  database.close();
  return file;
}

function upgraded(file: string): Database {
  const database = openDatabase(file, ledgerSchema, 'create');
  onTestFinished(() => void database.close());
  return database;
}

/** A vote that was cast this many hours after the start. */
const vote = (
  id: number,
  hours: number,
  facts: { decision?: string; cooldown?: number; recipient?: number } = {},
) => {
  const { decision = 'rewarded', cooldown = 24, recipient = 1 } = facts;
  const ms = START + hours * HOUR;
  const next = decision === 'rewarded' || decision === 'cooldown' ? ms + cooldown * HOUR : 'NULL';
  return `INSERT INTO votes (id, service, site, recipient_id, player, cast_at, received_at, channel, decision,
                             cooldown_ms, next_at, taken_by, wire)
    VALUES (${id}, 'List', 'List', ${recipient}, 'Steve', ${ms}, ${ms}, 'listener-v2', '${decision}',
            ${cooldown * HOUR}, ${next}, ${decision === 'cooldown' ? 1 : 'NULL'}, 'bytes of ${id}');`;
};

const RECIPIENTS =
  "INSERT INTO recipients (id, kind, key) VALUES (1, 'player', 'steve'), (2, 'user', '80351110224678912');";

const grant = (id: number, state: string, note: string | null, voteId = 1) =>
  `INSERT INTO grants (id, vote_id, recipient_id, player, reward, server, practice, run_when, safe_to_run_twice, state,
                       note, due_at, created_at, changed_at)
    VALUES (${id}, ${voteId}, 1, 'Steve', 'reward ${id}', 'main', 0, 'online', 0, '${state}',
            ${note === null ? 'NULL' : `'${note}'`}, ${id}, ${START + id}, ${START + 2 * id});`;

const command = (grantId: number, outcome: string | null, reply: string | null) =>
  `INSERT INTO commands (grant_id, position, text, outcome, attempts, reply)
    VALUES (${grantId}, 0, 'say hello', ${outcome === null ? 'NULL' : `'${outcome}'`}, 1,
            ${reply === null ? 'NULL' : `'${reply}'`});`;

/** The windows of all votes in hours after the start, in order of their IDs. */
const windowsOf = (database: Database): unknown[] =>
  database
    .prepare(
      `SELECT (window_start - ${START}) / ${HOUR}, (window_end - ${START}) / ${HOUR} FROM votes ORDER BY id`,
    )
    .raw()
    .all();

describe.each([1, 2, 3, 4])('a ledger of version %i', (version) => {
  const rows = [
    RECIPIENTS,
    vote(1, 0),
    vote(2, 3, { decision: 'cooldown' }),
    vote(3, 50, { decision: 'too-old' }),
    grant(7, 'delivered', null),
    grant(8, 'held', 'timeout'),
    command(7, 'delivered', 'Gave 1 [Diamond] to Steve'),
    command(8, 'unknown', 'timeout'),
    "INSERT INTO tallies VALUES ('List', 'List', 20605, 'rewarded', 3, 5);",
    "INSERT INTO refusals VALUES (494520, 'bad-key', '', '192.0.2.1', 2, 9);",
  ].join('\n');

  test('has the same votes, grants, commands and statistics after the migration', async () => {
    const file = olderLedger(version, rows);
    const ledger = await openLedger(file, 'create', { clock: systemClock });
    onTestFinished(() => ledger.close());
    const votes = await ledger.votes({ limit: 9 });
    const next = START + DAY;
    expect(votes).toMatchObject([
      {
        id: 3,
        decision: 'too-old',
        castAt: START + 50 * HOUR,
        window: { start: START + 50 * HOUR, end: START + 74 * HOUR },
        nextAt: null,
      },
      {
        id: 2,
        decision: 'cooldown',
        castAt: START + 3 * HOUR,
        window: { start: START + 3 * HOUR, end: START + 27 * HOUR },
        takenBy: 1,
        nextAt: next,
      },
      { id: 1, recipient: 'steve', player: 'Steve', decision: 'rewarded', nextAt: next, wire: 'bytes of 1' },
    ]);
    expect(await ledger.grants({ recipient: 'STEVE', limit: 9 })).toMatchObject([
      { id: 8, voteId: 1, reward: 'reward 8', state: 'held', commands: [{ outcome: 'unknown' }] },
      { id: 7, voteId: 1, createdAt: START + 7, commands: [{ reply: 'Gave 1 [Diamond] to Steve' }] },
    ]);
    expect(await ledger.grantStates()).toMatchObject({ held: 1 });
    expect(await ledger.tallies(0)).toMatchObject([{ service: 'List', decisions: { rewarded: 3 } }]);
    expect(await ledger.refusals(0)).toMatchObject([{ code: 'bad-key', count: 2 }]);
    // The earlier votes keep their windows and are still recognized.
    const again = (hours: number) =>
      arrival({
        service: 'List',
        site: 'List',
        claim: null,
        castAt: START + hours * HOUR,
        receivedAt: START + hours * HOUR,
      });
    const recorded = await record(ledger, [again(23), again(24)], rulesFor(THANKS));
    expect(recorded.map((one) => one.kind === 'new' && one.decision.kind)).toEqual(['cooldown', 'rewarded']);
  });

  test('is consistent after the migration: every reference and every index is valid', () => {
    const database = upgraded(olderLedger(version, rows));
    expect(database.pragma('foreign_key_check')).toEqual([]);
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.pragma('foreign_keys', { simple: true })).toBe(1);
  });
});

describe('a ledger of version 4', () => {
  test('gets the window of each vote, ending early if that recipient’s next vote on the site was cast within it', () => {
    const file = olderLedger(
      4,
      [
        RECIPIENTS,
        vote(1, 0),
        vote(2, 30),
        vote(3, 31, { decision: 'cooldown' }),
        vote(4, 43, { cooldown: 12 }),
        vote(5, 10, { recipient: 2 }),
      ].join('\n'),
    );
    expect(windowsOf(upgraded(file))).toEqual([
      [0, 24],
      [30, 43],
      [31, 55],
      [43, 55],
      [10, 34],
    ]);
  });

  test('gets the local day of each vote', () => {
    const database = upgraded(olderLedger(4, [RECIPIENTS, vote(1, 0), vote(2, 30)].join('\n')));
    expect(database.prepare('SELECT local_day FROM votes ORDER BY id').pluck().all()).toEqual([
      localDay(START, systemClock.zone),
      localDay(START + 30 * HOUR, systemClock.zone),
    ]);
  });

  test('gets the drawn numbers as the reason of each reward', () => {
    const rolls = (reward: string) =>
      JSON.stringify([
        { reward, chance: 0.25, rolled: 0.1 },
        { reward: 'rare', chance: 0.05, rolled: 0.31 },
      ]);
    const database = upgraded(
      olderLedger(
        4,
        [
          RECIPIENTS,
          vote(1, 0),
          vote(2, 3, { decision: 'cooldown' }),
          `UPDATE votes SET rolls = '${rolls('coins')}' WHERE id = 1;`,
          `INSERT INTO rewarded_by_operator VALUES (2, 99, '${rolls('gems')}');`,
        ].join('\n'),
      ),
    );
    const reasons = (reward: string) => ({
      [reward]: { code: 'granted', facts: { chance: 0.25, rolled: 0.1 } },
      rare: { code: 'chance', facts: { chance: 0.05, rolled: 0.31 } },
    });
    const stored = database.prepare('SELECT reasons FROM votes ORDER BY id').pluck().all();
    expect(stored.map((text) => JSON.parse(String(text)))).toEqual([reasons('coins'), null]);
    const [operator] = database
      .prepare('SELECT vote_id, rewarded_at, reasons FROM rewarded_by_operator')
      .raw()
      .all() as [[number, number, string]];
    expect([operator[0], operator[1], JSON.parse(operator[2])]).toEqual([2, 99, reasons('gems')]);
  });

  test.each<[string, string | null, string | null, object | null]>([
    ['delivered', null, null, null],
    ['held', 'may have been paid before the restore', 'restore-doubt', null],
    ['held', 'the clock was doubtful when the vote came', 'clock-doubt', null],
    ['held', 'Teller ended while the command was being sent', 'process-ended', null],
    ['held', 'no-frame', 'no-frame', null],
    ['pending', 'to be paid by the operator’s word', 'by-operator', null],
    [
      'pending',
      'to be paid by the operator’s word; dropped, because the reward no longer has them: 3 command(s)',
      'by-operator',
      { dropped: 3 },
    ],
    ['pending', 'a command of it was counted as run by the operator’s word', 'ran-by-operator', null],
    ['delivered', 'marked as paid by the operator', 'marked-paid', null],
    ['cancelled', 'cancelled by the operator', 'cancelled-by-operator', null],
    ['held', 'the game server main is another one now, or gone from the config', 'other-game-server', null],
    ['refused', 'command-too-long', 'command-too-long', null],
    ['refused', 'Unknown item ‘diamnd’', 'refused', { reply: 'Unknown item ‘diamnd’' }],
    ['waiting', 'No player was found', 'player-offline', { reply: 'No player was found' }],
    ['waiting', 'the player is not online', 'player-offline', null],
    ['waiting', 'uuid-unknown', 'uuid-unknown', null],
    [
      'waiting',
      'cannot tell who is online: its player list announces another number than it names, and so on',
      'list-does-not-add-up',
      null,
    ],
  ])('gets a code for the note of a %s grant: %s', (state, note, reason, facts) => {
    const database = upgraded(olderLedger(4, [RECIPIENTS, vote(1, 0), grant(1, state, note)].join('\n')));
    const row = database.prepare('SELECT state, reason, facts FROM grants').raw().get() as [
      string,
      string,
      string,
    ];
    expect([row[0], row[1], JSON.parse(row[2])]).toEqual([state, reason, facts]);
  });

  test.each<[string | null, string | null, string | null, string | null]>([
    ['delivered', 'Gave 1 [Diamond] to Steve', null, 'Gave 1 [Diamond] to Steve'],
    ['delivered', '', null, ''],
    ['delivered', 'timeout', null, 'timeout'],
    ['delivered', 'counted as run by the operator’s word', 'ran-by-operator', null],
    [
      'delivered',
      'counted as run by the operator’s word; until then: No such item',
      'ran-by-operator',
      'No such item',
    ],
    ['delivered', 'counted as run by the operator’s word; until then: timeout', 'ran-by-operator', null],
    ['unknown', 'timeout', 'timeout', null],
    ['unknown', 'Teller ended before an answer came', 'process-ended', null],
    ['not-sent', 'http-busy', 'http-busy', null],
    [null, 'unreachable', 'unreachable', null],
    ['refused', 'command-not-one-line', 'command-not-one-line', null],
    ['refused', 'No such item', null, 'No such item'],
    ['player-offline', 'No player was found', null, 'No player was found'],
    [null, null, null, null],
  ])(
    'distinguishes a reply from the reason why there is none: a command that was %s with %s',
    (outcome, before, reason, reply) => {
      const database = upgraded(
        olderLedger(
          4,
          [RECIPIENTS, vote(1, 0), grant(1, 'held', null), command(1, outcome, before)].join('\n'),
        ),
      );
      expect(database.prepare('SELECT outcome, reason, reply FROM commands').raw().get()).toEqual([
        outcome,
        reason,
        reply,
      ]);
    },
  );

  test.each([
    ['timeout', 'timeout'],
    ['Teller ended before an answer came', 'process-ended'],
    [
      '(never sent: it has more than the 1,446 bytes that a game server reads) [command-too-long]',
      'command-too-long',
    ],
  ])('keeps what was known about a command before the operator said that it ran: %s', (before, code) => {
    const reply = `counted as run by the operator’s word; until then: ${before}`;
    const database = upgraded(
      olderLedger(
        4,
        [RECIPIENTS, vote(1, 0), grant(1, 'held', null), command(1, 'delivered', reply)].join('\n'),
      ),
    );
    expect(database.prepare('SELECT reason, facts, reply FROM commands').raw().get()).toEqual([
      'ran-by-operator',
      JSON.stringify({ before: code }),
      null,
    ]);
  });
});

describe('the reason of a refused grant', () => {
  const note = 'the player is not online';

  test.each([
    ['a version before 4 let the grant wait for a user ID', 3, 'waiting', 'player = NULL, recipient_id = 2'],
    ['the game server answered with the words for an absent player', 4, 'refused', "player = 'Steve'"],
  ])('has a sentence if %s', async (_, version, state, recipient) => {
    const rows = [RECIPIENTS, vote(1, 0), grant(1, state, note), `UPDATE grants SET ${recipient};`];
    const ledger = await openLedger(olderLedger(version, rows.join('\n')), 'create', { clock: systemClock });
    onTestFinished(() => ledger.close());
    const [row] = await ledger.grants({ limit: 1 });
    expect(row).toMatchObject({ state: 'refused', reason: { code: 'player-offline' } });
    expect(grantNote(row?.reason ?? null)).toBe(note);
  });
});

describe.each(['rcon', 'http', 'practice'])(
  'a ledger of version 4 that paid on a game server of kind %s',
  (kind) => {
    test('still owes its grants to that game server', async () => {
      const practice = Number(kind === 'practice');
      const open = [grant(1, 'pending', null), grant(2, 'waiting', 'the player is not online')];
      const kinds = `UPDATE grants SET practice = ${practice}; INSERT INTO game_servers VALUES ('main', '${kind}');`;
      const file = olderLedger(4, [RECIPIENTS, vote(1, 0), ...open, kinds].join('\n'));
      const ledger = await openLedger(file, 'create', { clock: systemClock });
      onTestFinished(() => ledger.close());
      const keys = {
        rcon: { password: 'correct-horse' },
        http: { url: 'http://127.0.0.1:8080/', secret: 'a-secret-of-thirty-two-characters' },
      };
      const main = { kind, ...keys[kind as keyof typeof keys] };
      const config = await loadConfig(configFolder({ gameServers: { main }, rewards: [] }).config);
      expect(await ledger.holdOrphaned(kindByServer(config), START)).toMatchObject({ held: 0 });
      expect(await ledger.grantStates()).toEqual({ pending: 1, waiting: 1 });
    });
  },
);

describe('a ledger of the current version', () => {
  test('accepts a grant once for each cause, reward, occasion and game server', () => {
    const database = upgraded(olderLedger(5, RECIPIENTS));
    const insert = (cause: string, id: number, occasion: string, server: string) => () =>
      database
        .prepare(
          `INSERT INTO grants (cause, cause_id, recipient_id, reward, occasion, server, practice, run_when,
                               safe_to_run_twice, state, due_at, created_at, changed_at)
           VALUES (?, ?, 1, 'coins', ?, ?, 0, 'online', 0, 'pending', 0, 0, 0)`,
        )
        .run(cause, id, occasion, server);
    insert('party', 1, '', 'main')();
    insert('top', 1, '', 'main')();
    insert('party', 1, 'party 12', 'main')();
    insert('party', 1, '', 'sky')();
    expect(insert('party', 1, '', 'main')).toThrow(/UNIQUE/);
    expect(insert('vote', 99, '', 'main')).toThrow(/FOREIGN KEY/);
  });

  test('allows a name that its player gave up for one other recipient', () => {
    const database = upgraded(olderLedger(5, RECIPIENTS));
    const steve = () =>
      database.prepare("INSERT INTO recipients (kind, key) VALUES ('player', 'steve')").run();
    expect(steve).toThrow(/UNIQUE/);
    database.exec('UPDATE recipients SET given_up_at = 5 WHERE id = 1');
    steve();
    expect(steve).toThrow(/UNIQUE/);
  });
});
