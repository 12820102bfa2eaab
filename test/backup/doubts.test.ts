import { describe, expect, test } from 'vitest';
import type { GrantReason } from '../../src/core/grant-reason.ts';
import { noteRestore } from '../../src/ledger/sqlite/restoring.ts';
import { grantLines } from '../../src/operator/trace/grant-lines.ts';
import { DAILY, type FreshLedger, freshLedger, record, rulesFor, SAFE, THANKS } from '../support/ledgers.ts';
import { naming } from '../support/naming.ts';
import { arrival, at, DAY, webhookArrival } from '../support/votes.ts';

const NO_PATTERNS = { refusedReplies: [], offlineReplies: [], deliveredReplies: [] };

const BACKUP_AT = at('2026-06-10T12:00:00Z');
const RESTORED_AT = at('2026-06-10T18:00:00Z');
const NOW = at('2026-06-10T19:00:00Z');
const DOUBT: GrantReason = { code: 'restore-doubt' };

const standings = async ({ ledger }: FreshLedger) =>
  (await ledger.grants({ limit: 99 }))
    .toReversed()
    .map(({ reward, state, reason }) => [reward, state, ...(reason === null ? [] : [reason.code])]);

describe('a vote around the time of a restore', () => {
  const cast = async (castAt: number) => {
    const fresh = freshLedger();
    noteRestore(fresh.database, BACKUP_AT, RESTORED_AT);
    await record(
      fresh.ledger,
      [webhookArrival('e1', { castAt, claim: { at: castAt, precision: 'ms' }, receivedAt: NOW })],
      rulesFor(THANKS, SAFE),
    );
    return await standings(fresh);
  };
  const HELD = [
    ['thanks', 'held', DOUBT.code],
    ['safe', 'held', DOUBT.code],
  ];
  const PENDING = [
    ['thanks', 'pending'],
    ['safe', 'pending'],
  ];

  test.each<[string, number, unknown]>([
    ['is held if it was cast at the time of the backup', BACKUP_AT, HELD],
    ['is held if it was cast between backup and restore', BACKUP_AT + 60_000, HELD],
    ['is held if it was cast just before the restore', RESTORED_AT - 1, HELD],
    ['is owed if it was cast at the time of the restore', RESTORED_AT, PENDING],
    ['is owed if it was cast after the restore', NOW, PENDING],
    [
      'is held if it was cast before the backup, because it may have reached the old ledger after the backup',
      BACKUP_AT - 300_000,
      HELD,
    ],
    [
      'is owed if it was cast longer before the backup than a vote can be late',
      BACKUP_AT - 90 * DAY - 1,
      PENDING,
    ],
  ])('%s', async (_, castAt, expected) => {
    expect(await cast(castAt)).toEqual(expected);
  });

  test.each([
    ['between backup and restore is held, because it may be a replay', BACKUP_AT + 60_000, 'held'],
    ['just before the backup is held, because its sender’s clock may be slow', BACKUP_AT - 600_000, 'held'],
    ['just after the restore is held, because its sender’s clock may be fast', RESTORED_AT + 599_999, 'held'],
    ['after the restore is owed', RESTORED_AT + 600_000, 'pending'],
    [
      'before the backup is owed, because the backup has every block of that time',
      BACKUP_AT - 600_001,
      'pending',
    ],
  ])('in a v1 block with a claimed time %s', async (_, claimedAt, state) => {
    const { ledger, database } = freshLedger();
    noteRestore(database, BACKUP_AT, RESTORED_AT);
    const claim = { at: claimedAt, precision: 'ms' as const };
    const block = { channel: 'listener-v1', blockDigest: Buffer.alloc(32, 1), claim } as const;
    await record(ledger, [arrival({ ...block, receivedAt: NOW })], rulesFor(THANKS));
    expect(await ledger.grantStates()).toEqual({ [state]: 1 });
  });

  test('in a v1 block is owed right after the restore if it claims to be cast within seconds of its receipt', async () => {
    const { ledger, database } = freshLedger();
    noteRestore(database, BACKUP_AT, RESTORED_AT);
    const claim = { at: RESTORED_AT + 1_000, precision: 'ms' as const };
    const block = { channel: 'listener-v1', blockDigest: Buffer.alloc(32, 1), claim } as const;
    await record(
      ledger,
      [arrival({ ...block, castAt: claim.at, receivedAt: RESTORED_AT + 2_000 })],
      rulesFor(THANKS),
    );
    expect(await ledger.grantStates()).toEqual({ pending: 1 });
  });

  test('has grants that are not handed to delivery while they are held', async () => {
    const fresh = freshLedger();
    noteRestore(fresh.database, BACKUP_AT, RESTORED_AT);
    await record(fresh.ledger, [arrival({ receivedAt: RESTORED_AT - 1 })], rulesFor(THANKS));
    expect(await fresh.ledger.pending({ server: 'main', practice: false }, NOW, 9)).toEqual([]);
    expect(await fresh.ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW })).toBe(
      false,
    );
  });

  test('is recognised as a repeat if the backup contains it, and is not paid again', async () => {
    const fresh = freshLedger();
    const vote = webhookArrival('e1', { receivedAt: BACKUP_AT - 1_000 });
    await record(fresh.ledger, [vote], rulesFor(THANKS));
    noteRestore(fresh.database, BACKUP_AT, RESTORED_AT);
    expect(await record(fresh.ledger, [vote], rulesFor(THANKS))).toEqual([{ kind: 'same', id: 1 }]);
    expect(await fresh.ledger.grantStates()).toEqual({ held: 1 });
  });
});

describe('a grant that was open in the backup', () => {
  test('is held, and a command that was being sent is unknown', async () => {
    const fresh = freshLedger();
    const { ledger, database } = fresh;
    const players = ['Ann', 'Ben', 'Cas', 'Dan', 'Eve', 'Fay'];
    await record(
      ledger,
      players.map((player) => arrival({ player })),
      rulesFor(THANKS),
    );
    const settled = { position: 0, reason: null, dueAt: 0, endedAt: BACKUP_AT };
    await ledger.wait({ id: 2, server: 'main' }, { code: 'player-offline' }, BACKUP_AT);
    await ledger.claim({ grantId: 3, position: 0, player: 'Cas', uuid: null, now: BACKUP_AT });
    for (const [grantId, state] of [
      [4, 'refused'],
      [5, 'delivered'],
    ] as const) {
      await ledger.claim({ grantId, position: 0, player: null, uuid: null, now: BACKUP_AT });
      await ledger.settle({ ...settled, grantId, state, outcome: { kind: state, reply: 'no' } });
    }
    await ledger.cancel(6, { by: 'ann' }, BACKUP_AT);

    expect(noteRestore(database, BACKUP_AT, RESTORED_AT)).toEqual({ held: 3, refused: 1, unknown: 1 });
    expect(await standings(fresh)).toEqual([
      ['thanks', 'held', DOUBT.code],
      ['thanks', 'held', DOUBT.code],
      ['thanks', 'held', DOUBT.code],
      ['thanks', 'refused', DOUBT.code],
      ['thanks', 'delivered'],
      ['thanks', 'cancelled', 'cancelled-by-operator'],
    ]);
    const [sent] = await ledger.grants({ id: 3, limit: 1 });
    expect(sent?.commands).toMatchObject([{ outcome: 'unknown' }]);
    expect(await ledger.settleInterrupted(NOW)).toBe(0);
  });

  test('can be paid or marked as paid by the operator', async () => {
    const { ledger, database } = freshLedger();
    await record(ledger, [arrival()], rulesFor(THANKS, DAILY));
    noteRestore(database, BACKUP_AT, RESTORED_AT);
    const order = { texts: null, by: 'ann', kindByServer: new Map([['main', 'rcon']]) };
    expect(await ledger.pay(1, order, NOW)).toEqual({ kind: 'changed' });
    expect(await ledger.markPaid(2, { by: 'ann' }, NOW)).toEqual({ kind: 'changed' });
    expect(await ledger.grantStates()).toEqual({ pending: 1, delivered: 1 });
  });

  test('is shown with the reason and what to do', async () => {
    const { ledger, database } = freshLedger();
    await record(ledger, [arrival()], rulesFor(THANKS));
    noteRestore(database, BACKUP_AT, RESTORED_AT);
    const [grant] = await ledger.grants({ limit: 1 });
    expect(
      grant === undefined ? [] : grantLines(grant, NOW, { patterns: NO_PATTERNS, queue: null, pauses: [] }),
    ).toEqual([
      { about: 'grant 1', text: naming('thanks', 'main', 'held', '2026-06-10T18:00:00.000Z', /restore/) },
      { about: '1.', text: naming('say Steve voted') },
      {
        about: expect.any(String),
        text: naming('main', 'Steve', '`teller grants mark-paid 1`', '`teller grants pay 1`'),
      },
    ]);
  });
});
