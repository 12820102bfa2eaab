import { describe, expect, test } from 'vitest';
import { reasonAfter } from '../../../src/core/grant-reason.ts';
import type { PlayerName } from '../../../src/core/player-name.ts';
import type { GrantState } from '../../../src/core/settlement.ts';
import type { Change, Continued, Ledger } from '../../../src/ledger/ledger.ts';
import { DAILY, record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { arrival } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

export function operatingContract(freshLedger: LedgerFactory): void {
  /** No game server has changed its kind. */
  const NO_CHANGE = new Map<string, string>();

  const MAIN = { server: 'main', practice: false };

  const NOW = Date.parse('2026-06-01T12:00:00Z');
  const CHANGED: Change = { kind: 'changed' };

  type GrantSituation = GrantState | 'sending';

  /** A ledger with one grant of two commands in this state, reached through the ledger's own methods. */
  async function grantThatIs(situation: GrantSituation): Promise<Ledger> {
    const { ledger } = await freshLedger();
    await record(ledger, [arrival()], rulesFor(DAILY));
    if (situation === 'pending') return ledger;
    if (situation === 'waiting')
      await ledger.wait({ id: 1, server: 'main' }, { code: 'player-offline' }, NOW);
    else if (situation === 'cancelled') await ledger.cancel(1, { by: 'ann' }, NOW);
    else await sentTo(ledger, situation);
    return ledger;
  }

  /** Delivers the first command, sends the second, and ends it as this state needs. */
  async function sentTo(
    ledger: Ledger,
    situation: 'sending' | 'held' | 'refused' | 'delivered',
  ): Promise<void> {
    const common = { grantId: 1, reason: null, dueAt: NOW, endedAt: NOW };
    await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
    const delivered = { kind: 'delivered', reply: 'Gave' } as const;
    await ledger.settle({ ...common, position: 0, outcome: delivered, state: 'pending' });
    await ledger.claim({ grantId: 1, position: 1, player: 'Steve', uuid: null, now: NOW });
    if (situation === 'sending') return;
    const outcomes = {
      held: { kind: 'unknown', reason: 'closed' },
      refused: { kind: 'refused', reply: 'Unknown item' },
      delivered,
    } as const;
    await ledger.settle({ ...common, position: 1, outcome: outcomes[situation], state: situation });
  }

  const look = async (ledger: Ledger) => (await ledger.grants({ limit: 1 }))[0]!;

  const ALL: readonly GrantSituation[] = [
    'pending',
    'waiting',
    'held',
    'refused',
    'delivered',
    'cancelled',
    'sending',
  ];

  /** The states from which each of the operator's changes is possible. From any other it returns the grant's state. */
  const CHANGES = [
    ['pay', ['held', 'refused'], 'pending'],
    ['markPaid', ['held', 'refused'], 'delivered'],
    ['cancel', ['pending', 'waiting', 'held', 'refused'], 'cancelled'],
  ] as const;

  const change = (ledger: Ledger, name: (typeof CHANGES)[number][0], grantId = 1): Promise<Change> =>
    name === 'pay'
      ? ledger.pay(grantId, { texts: null, by: 'ann', kindByServer: NO_CHANGE }, NOW + 7)
      : ledger[name](grantId, { by: 'ann' }, NOW + 7);

  describe.each(CHANGES)('%s', (name, from: readonly string[], to) => {
    test.each(ALL.filter((situation) => from.includes(situation)))(
      `brings a grant from %s to ${to}`,
      async (situation) => {
        const ledger = await grantThatIs(situation);
        expect(await change(ledger, name)).toEqual(CHANGED);
        expect(await look(ledger)).toMatchObject({ state: to, changedAt: NOW + 7 });
      },
    );

    test.each(ALL.filter((situation) => !from.includes(situation)))(
      'does not change a grant that is %s, and returns its state',
      async (situation) => {
        const ledger = await grantThatIs(situation);
        const before = await look(ledger);
        expect(await change(ledger, name)).toEqual({ kind: 'not-changed', state: situation });
        expect(await look(ledger)).toEqual(before);
      },
    );

    test('returns missing for a grant that does not exist', async () => {
      const ledger = await grantThatIs('pending');
      expect(await change(ledger, name, 99)).toEqual({ kind: 'not-changed', state: 'missing' });
    });

    test('succeeds once: the second call returns the grant’s new state', async () => {
      const ledger = await grantThatIs('held');
      expect(await change(ledger, name)).toEqual(CHANGED);
      expect(await change(ledger, name)).toEqual({ kind: 'not-changed', state: to });
    });
  });

  describe('paying by the operator’s order', () => {
    test('runs the command that stopped the grant again, never one that was delivered', async () => {
      const ledger = await grantThatIs('held');
      await ledger.pay(1, { texts: null, by: 'ann', kindByServer: NO_CHANGE }, NOW);
      expect(await ledger.pending(MAIN, NOW, 9)).toMatchObject([
        { id: 1, commands: [{ position: 1, text: 'give {player} emerald 2', attempts: 1 }] },
      ]);
      expect((await look(ledger)).commands.map(({ outcome }) => outcome)).toEqual(['delivered', null]);
    });

    test('with new texts changes only the commands that have not run', async () => {
      const ledger = await grantThatIs('refused');
      await ledger.pay(
        1,
        { texts: ['give {player} gold 9', 'give {player} emerald 9'], by: 'ann', kindByServer: NO_CHANGE },
        NOW,
      );
      expect((await look(ledger)).commands.map(({ command }) => command)).toEqual([
        'give Steve diamond 1',
        'give Steve emerald 9',
      ]);
    });

    test('with new texts does not change a grant in another state', async () => {
      const ledger = await grantThatIs('delivered');
      await ledger.pay(1, { texts: ['say no', 'say no'], by: 'ann', kindByServer: NO_CHANGE }, NOW);
      expect((await look(ledger)).commands.map(({ command }) => command)).toEqual([
        'give Steve diamond 1',
        'give Steve emerald 2',
      ]);
    });
  });

  test('a grant held because its game server changed is owed on the new one when the operator pays it', async () => {
    const ledger = await grantThatIs('held');
    await ledger.pay(1, { texts: null, by: 'ann', kindByServer: new Map([['main', 'practice']]) }, NOW);
    expect(await ledger.grants({ limit: 9 })).toMatchObject([{ id: 1, state: 'pending', practice: true }]);
    expect(await ledger.holdOrphaned(new Map([['main', 'practice']]), NOW)).toMatchObject({ held: 0 });
  });

  describe('paying another player', () => {
    const to = '.Steve' as PlayerName;
    const order = { texts: null, by: 'ann', kindByServer: NO_CHANGE, to };

    test.each(['waiting', 'held', 'refused'] as const)(
      'moves a grant from %s to pending, for the new player',
      async (situation) => {
        const ledger = await grantThatIs(situation);
        expect(await ledger.pay(1, order, NOW + 7)).toEqual(CHANGED);
        expect(await look(ledger)).toMatchObject({
          state: 'pending',
          recipient: '.steve',
          player: '.Steve',
          redirected: { insteadOf: 'Steve', at: NOW + 7 },
        });
        expect(await ledger.pending(MAIN, NOW + 7, 9)).toMatchObject([
          { recipientKey: '.steve', player: '.Steve' },
        ]);
      },
    );

    test.each(['pending', 'sending', 'delivered', 'cancelled'] as const)(
      'does not change a grant that is %s',
      async (situation) => {
        const ledger = await grantThatIs(situation);
        const before = await look(ledger);
        expect(await ledger.pay(1, order, NOW + 7)).toEqual({ kind: 'not-changed', state: situation });
        expect(await look(ledger)).toEqual(before);
      },
    );

    test('keeps the original player in commands that were already delivered', async () => {
      const ledger = await grantThatIs('held');
      await ledger.pay(1, order, NOW);
      expect((await look(ledger)).commands.map(({ command }) => command)).toEqual([
        'give Steve diamond 1',
        'give .Steve emerald 2',
      ]);
    });

    test('refuses the claim of a process that read the grant with the original player', async () => {
      const ledger = await grantThatIs('waiting');
      await ledger.pay(1, order, NOW);
      expect(await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW })).toBe(
        false,
      );
      expect(await ledger.claim({ grantId: 1, position: 0, player: '.Steve', uuid: null, now: NOW })).toBe(
        true,
      );
    });

    test('keeps a waiting grant on the kind of game server that owes it', async () => {
      const ledger = await grantThatIs('waiting');
      await ledger.pay(1, { ...order, by: 'ann', kindByServer: new Map([['main', 'practice']]) }, NOW);
      expect(await look(ledger)).toMatchObject({ state: 'pending', practice: false });
    });

    test('lists the grant with both players and takes no window', async () => {
      const ledger = await grantThatIs('waiting');
      await ledger.pay(1, order, NOW);
      for (const recipient of ['Steve', '.Steve']) {
        expect((await ledger.grants({ recipient, limit: 9 })).map(({ id }) => id)).toEqual([1]);
      }
      expect(await ledger.votes({ recipient: '.Steve', limit: 9 })).toEqual([]);
      expect(await record(ledger, [arrival({ player: '.Steve' })], rulesFor())).toMatchObject([
        { decision: { kind: 'rewarded' } },
      ]);
    });
  });

  describe('confirming that a command ran', () => {
    const word = { by: 'ann', kindByServer: NO_CHANGE };

    test.each([
      ['held', { reply: null, reason: { code: 'ran-by-operator', facts: { before: 'closed' } } }],
      ['refused', { reply: 'Unknown item', reason: { code: 'ran-by-operator' } }],
    ] as const)(
      'ends a grant that is %s if that command was the last, and keeps what was known before',
      async (situation, kept) => {
        const ledger = await grantThatIs(situation);
        expect(await ledger.continueAfter(1, word, NOW + 7)).toEqual({
          kind: 'continued',
          state: 'delivered',
        });
        expect(await look(ledger)).toMatchObject({
          state: 'delivered',
          changedAt: NOW + 7,
          reason: { code: 'ran-by-operator' },
          commands: [
            { outcome: 'delivered', reply: 'Gave', reason: null },
            { outcome: 'delivered', ...kept },
          ],
        });
      },
    );

    test('keeps no empty reply: it was refused, and would be read as an accepted command', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(THANKS));
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
      const outcome = { kind: 'refused', reply: '' } as const;
      const refused = { state: 'refused', reason: reasonAfter(outcome), dueAt: NOW, endedAt: NOW } as const;
      await ledger.settle({ grantId: 1, position: 0, outcome, ...refused });
      await ledger.continueAfter(1, word, NOW);
      expect(await look(ledger)).toMatchObject({
        commands: [{ outcome: 'delivered', reply: null, reason: { code: 'ran-by-operator' } }],
      });
    });

    test('continues with the next command, and never runs the confirmed command again', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(DAILY));
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
      const outcome = { kind: 'unknown', reason: 'timeout' } as const;
      await ledger.settle({
        grantId: 1,
        position: 0,
        outcome,
        state: 'held',
        reason: null,
        dueAt: NOW,
        endedAt: NOW,
      });
      expect(await ledger.continueAfter(1, word, NOW)).toEqual({ kind: 'continued', state: 'pending' });
      expect(await ledger.pending(MAIN, NOW, 9)).toMatchObject([{ id: 1, commands: [{ position: 1 }] }]);
      expect(await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW })).toBe(
        false,
      );
      expect(await ledger.continueAfter(1, word, NOW)).toEqual({ kind: 'not-changed', state: 'pending' });
    });

    test.each(ALL.filter((situation) => situation !== 'held' && situation !== 'refused'))(
      'does not change a grant that is %s',
      async (situation) => {
        const ledger = await grantThatIs(situation);
        const before = await look(ledger);
        expect(await ledger.continueAfter(1, word, NOW)).toEqual({ kind: 'not-changed', state: situation });
        expect(await look(ledger)).toEqual(before);
      },
    );

    test('is refused for a grant that is held for a reason other than a command', async () => {
      const ledger = await grantThatIs('pending');
      await ledger.holdOrphaned(new Map([['other', 'rcon']]), NOW);
      expect(await ledger.continueAfter(1, word, NOW)).toEqual({ kind: 'none-ran', state: 'held' });
      expect(await look(ledger)).toMatchObject({ state: 'held' });
    });
  });

  describe('who did it', () => {
    const who = { by: 'console from 192.0.2.7' };
    const payment = { ...who, texts: null, kindByServer: NO_CHANGE };

    test.each<readonly [string, (ledger: Ledger) => Promise<unknown>]>([
      ['pay', (ledger) => ledger.pay(1, payment, NOW + 7)],
      ['redirect', (ledger) => ledger.pay(1, { ...payment, to: '.Steve' as PlayerName }, NOW + 7)],
      ['pay', (ledger) => ledger.pay(1, { ...payment, to: 'Steve' as PlayerName }, NOW + 7)],
      ['ran', (ledger) => ledger.continueAfter(1, { ...who, kindByServer: NO_CHANGE }, NOW + 7)],
      ['mark-paid', (ledger) => ledger.markPaid(1, who, NOW + 7)],
      ['cancel', (ledger) => ledger.cancel(1, who, NOW + 7)],
    ])('is stored with the time: %s', async (action, act) => {
      const ledger = await grantThatIs('held');
      await act(ledger);
      expect((await look(ledger)).actions).toEqual([{ action, at: NOW + 7, by: 'console from 192.0.2.7' }]);
    });

    test('is stored for each change, in order', async () => {
      const ledger = await grantThatIs('held');
      await ledger.pay(1, { ...payment, by: 'ann' }, NOW + 7);
      await ledger.cancel(1, { by: 'ben' }, NOW + 8);
      expect((await look(ledger)).actions).toEqual([
        { action: 'pay', at: NOW + 7, by: 'ann' },
        { action: 'cancel', at: NOW + 8, by: 'ben' },
      ]);
    });

    test('is not stored if nothing was changed', async () => {
      const ledger = await grantThatIs('delivered');
      await ledger.pay(1, payment, NOW);
      await ledger.continueAfter(1, { ...who, kindByServer: NO_CHANGE }, NOW);
      await ledger.markPaid(1, who, NOW);
      await ledger.cancel(1, who, NOW);
      expect((await look(ledger)).actions).toEqual([]);
    });
  });

  describe('a grant that was shown to an operator', () => {
    const shown = { by: 'ann', shownChange: NOW };
    const payment = { ...shown, texts: null, kindByServer: NO_CHANGE };

    test.each<readonly [string, (ledger: Ledger) => Promise<Change | Continued>]>([
      ['pay', (ledger) => ledger.pay(1, payment, NOW + 9)],
      ['continueAfter', (ledger) => ledger.continueAfter(1, payment, NOW + 9)],
      ['markPaid', (ledger) => ledger.markPaid(1, shown, NOW + 9)],
      ['cancel', (ledger) => ledger.cancel(1, shown, NOW + 9)],
    ])('is left as it is by %s if it has changed since, although it is held again', async (_, act) => {
      const ledger = await grantThatIs('held');
      await ledger.pay(1, { ...payment, by: 'ben' }, NOW + 7);
      await ledger.claim({ grantId: 1, position: 1, player: 'Steve', uuid: null, now: NOW + 7 });
      const outcome = { kind: 'unknown', reason: 'timeout' } as const;
      const times = { dueAt: NOW, endedAt: NOW + 8 };
      await ledger.settle({ grantId: 1, position: 1, outcome, state: 'held', reason: null, ...times });
      const before = await look(ledger);
      expect(await act(ledger)).toEqual({ kind: 'not-changed', state: 'held' });
      expect(await look(ledger)).toEqual(before);
    });

    test('is changed if it has not changed since', async () => {
      const ledger = await grantThatIs('held');
      expect(await ledger.pay(1, payment, NOW + 9)).toEqual(CHANGED);
    });

    test('is missing if there is none', async () => {
      const ledger = await grantThatIs('held');
      expect(await ledger.cancel(99, shown, NOW + 9)).toEqual({ kind: 'not-changed', state: 'missing' });
    });
  });

  describe('paying with fewer commands than the grant had', () => {
    const order = (...texts: string[]) => ({ texts, by: 'ann', kindByServer: NO_CHANGE });

    test('drops commands that have not run, and stores how many', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(DAILY));
      await ledger.holdOrphaned(new Map([['other', 'rcon']]), NOW);
      expect(await ledger.pay(1, order('say hi'), NOW)).toEqual(CHANGED);
      expect(await look(ledger)).toMatchObject({
        state: 'pending',
        reason: { code: 'by-operator', facts: { dropped: 1 } },
        commands: [{ command: 'say hi', outcome: null }],
      });
    });

    test('keeps commands that ran, and finishes a grant that has no commands left', async () => {
      const ledger = await grantThatIs('refused');
      expect(await ledger.pay(1, order('give {player} diamond 1'), NOW)).toEqual(CHANGED);
      expect(await look(ledger)).toMatchObject({
        state: 'delivered',
        commands: [{ command: 'give Steve diamond 1', outcome: 'delivered' }],
      });
    });
  });
}
