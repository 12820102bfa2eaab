import { describe, expect, test } from 'vitest';
import { NO_TERMS } from '../../../src/core/grant-terms.ts';
import type { Outcome } from '../../../src/core/outcome.ts';
import type { PlayerName } from '../../../src/core/player-name.ts';
import { stateAfter } from '../../../src/core/settlement.ts';
import type { CommandClaim, Ledger, OpenGrant } from '../../../src/ledger/ledger.ts';
import type { Reward } from '../../../src/rewards/reward.ts';
import { DAILY, record, rulesFor } from '../../support/ledgers.ts';
import { arrival, DAY } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

export function combiningContract(freshLedger: LedgerFactory): void {
  const MAIN = { server: 'main', practice: false };
  const NOW = Date.parse('2026-06-01T12:00:00Z');
  const LATER = NOW + 30 * DAY;
  const NO_CHANGE = { texts: null, by: 'ann', kindByServer: new Map<string, string>() };
  const COINS: Reward = {
    ...DAILY,
    name: 'coins',
    commands: ['eco give {player} {count}', 'say {count}'],
    terms: { ...NO_TERMS, combine: true },
  };

  /** Steve votes on so many days, and each of the grants waits for him. */
  async function waiting(days: number, reward: Reward = COINS): Promise<Ledger> {
    const { ledger } = await freshLedger();
    const votes = Array.from({ length: days }, (_, day) => arrival({ receivedAt: NOW + 2 * day * DAY }));
    await record(ledger, votes, rulesFor(reward));
    await ledger.waitForAbsent(MAIN, { from: 0, limit: 500 }, [], { code: 'player-offline' }, NOW);
    return ledger;
  }

  const waitingOf = (ledger: Ledger): Promise<readonly OpenGrant[]> =>
    ledger.waiting(MAIN, ['steve'], LATER, 99);

  const claimOf = (grant: OpenGrant, position = 0): CommandClaim => ({
    ...{ grantId: grant.id, position, player: 'Steve', uuid: null, now: LATER },
    others: grant.combined?.others ?? [],
  });

  /** Claims the next command of the first grant, and ends it so. */
  async function run(ledger: Ledger, outcome: Outcome, position = 0): Promise<void> {
    const [grant] = [...(await waitingOf(ledger)), ...(await ledger.pending(MAIN, LATER, 99))];
    if (grant === undefined) throw new Error('no grant can be paid');
    expect(await ledger.claim(claimOf(grant, position))).toBe(true);
    const state = stateAfter(outcome.kind, { isLast: position === 1, safeToRunTwice: false });
    await ledger.settle({
      ...{ grantId: grant.id, position, outcome, state, reason: null, dueAt: LATER, endedAt: LATER },
      others: grant.combined?.others ?? [],
    });
  }

  const states = async (ledger: Ledger): Promise<string[]> =>
    (await ledger.grants({ limit: 99 })).toReversed().map(({ state }) => state);

  const DELIVERED: Outcome = { kind: 'delivered', reply: '' };
  const UNKNOWN: Outcome = { kind: 'unknown', reason: 'closed' };

  describe('grants that are paid as one', () => {
    test('are all waiting ones of a player, reward and game server with equal commands; the first stands for them', async () => {
      const ledger = await waiting(7);
      await record(ledger, [arrival({ player: 'Alex' })], rulesFor(COINS));
      expect(await waitingOf(ledger)).toMatchObject([
        { id: 1, combined: { others: [2, 3, 4, 5, 6, 7], hasBegun: false } },
      ]);
    });

    test('have the same outcome of the same command, which shows how many they are', async () => {
      const ledger = await waiting(3);
      await run(ledger, DELIVERED);
      await run(ledger, DELIVERED, 1);
      for (const grant of await ledger.grants({ limit: 99 })) {
        expect(grant).toMatchObject({ state: 'delivered', combined: { with: 1, others: 2 } });
        expect(grant.commands).toMatchObject([
          { command: 'eco give Steve 3', outcome: 'delivered', attempts: 1, startedAt: LATER },
          { command: 'say 3', outcome: 'delivered', attempts: 1 },
        ]);
      }
    });

    test('do not include one whose commands were drawn or counted differently, or that is for another reward', async () => {
      const counted = { ...COINS, commands: ['say vote {votes}, {count} times'] };
      const ledger = await waiting(2, counted);
      await record(ledger, [arrival({ receivedAt: NOW + 9 * DAY })], rulesFor({ ...COINS, name: 'other' }));
      expect((await waitingOf(ledger)).map(({ combined }) => combined?.others)).toEqual([[], []]);
    });

    test('do not include one with a delay that is not over, or one that has expired', async () => {
      const { ledger } = await freshLedger();
      const on = (more: object): Reward => ({ ...COINS, terms: { ...NO_TERMS, combine: true, ...more } });
      const rewards = [on({ delayMs: 99 * DAY }), on({ expiresAfterMs: DAY })];
      for (const reward of rewards) {
        for (const day of [0, 2]) {
          const at = NOW + day * DAY + rewards.indexOf(reward);
          await record(ledger, [arrival({ receivedAt: at, service: reward.when })], rulesFor(reward));
        }
      }
      await ledger.waitForAbsent(MAIN, { from: 0, limit: 99 }, [], { code: 'player-offline' }, NOW);
      expect(await waitingOf(ledger)).toEqual([]);
    });

    test('include one that was made just before the claim only if it was read with them', async () => {
      const ledger = await waiting(2);
      const [grant] = await waitingOf(ledger);
      await record(ledger, [arrival({ receivedAt: NOW + 9 * DAY })], rulesFor(COINS));
      expect(await ledger.claim(claimOf(grant as OpenGrant))).toBe(true);
      expect((await ledger.grants({ limit: 99 })).toReversed().map(({ combined }) => combined?.with)).toEqual(
        [1, 1, undefined],
      );
    });

    test('are not claimed if one of them has changed since they were read', async () => {
      const ledger = await waiting(3);
      const [grant] = await waitingOf(ledger);
      await ledger.cancel(2, { by: 'ann' }, LATER);
      expect(await ledger.claim(claimOf(grant as OpenGrant))).toBe(false);
      expect(await states(ledger)).toEqual(['waiting', 'cancelled', 'waiting']);
      expect(await waitingOf(ledger)).toMatchObject([{ id: 1, combined: { others: [3] } }]);
    });

    test.each([
      ['was certainly not sent', { kind: 'not-sent', reason: 'between-connections' }],
      ['found the player offline', { kind: 'player-offline', reply: 'No player was found' }],
    ] as const)(
      'are single ones again if their command %s, so that later votes join them',
      async (_, outcome) => {
        const ledger = await waiting(2);
        await run(ledger, outcome);
        await record(ledger, [arrival({ receivedAt: NOW + 9 * DAY })], rulesFor(COINS));
        await run(ledger, DELIVERED);
        expect((await ledger.grants({ limit: 99 })).map(({ combined }) => combined)).toEqual([
          { with: 1, others: 2 },
          { with: 1, others: 2 },
          { with: 1, others: 2 },
        ]);
      },
    );

    test('stay together after their first command; a later vote does not join them', async () => {
      const ledger = await waiting(2);
      await run(ledger, DELIVERED);
      await record(ledger, [arrival({ receivedAt: NOW + 9 * DAY })], rulesFor(COINS));
      expect(await ledger.pending(MAIN, LATER, 99)).toMatchObject([
        { id: 1, combined: { others: [2], hasBegun: true }, commands: [{ position: 1 }] },
        { id: 3, combined: { others: [], hasBegun: false } },
      ]);
      await ledger.wait({ id: 1, server: 'main' }, { code: 'player-offline' }, LATER);
      expect(await states(ledger)).toEqual(['waiting', 'waiting', 'pending']);
    });

    test('are held together if the outcome is unknown, and a later vote is paid alone', async () => {
      const ledger = await waiting(3);
      await run(ledger, UNKNOWN);
      expect(await states(ledger)).toEqual(['held', 'held', 'held']);
      await record(ledger, [arrival({ receivedAt: NOW + 9 * DAY })], rulesFor(COINS));
      expect(await ledger.pending(MAIN, LATER, 9)).toMatchObject([{ id: 4, combined: { others: [] } }]);
    });

    test('are held together if the process ends while their command is being sent, which is one command', async () => {
      const ledger = await waiting(7);
      const [grant] = await waitingOf(ledger);
      await ledger.claim(claimOf(grant as OpenGrant));
      expect(await ledger.settleInterrupted(LATER)).toBe(1);
      expect(new Set(await states(ledger))).toEqual(new Set(['held']));
    });

    test('are a thousand at most', async () => {
      const { ledger } = await freshLedger();
      const votes = Array.from({ length: 1_001 }, (_, day) => arrival({ receivedAt: NOW + 2 * day * DAY }));
      await record(ledger, votes, rulesFor(COINS));
      const [first] = await ledger.pending(MAIN, LATER, 9);
      expect(first?.combined?.others).toHaveLength(999);
    });

    test('that wait for a player are read at once, however many they are', async () => {
      const ledger = await waiting(99);
      await record(ledger, [arrival({ receivedAt: NOW + 300 * DAY, service: 'Other' })], rulesFor(DAILY));
      await ledger.wait({ id: 100, server: 'main' }, { code: 'player-offline' }, NOW);
      expect((await ledger.waiting(MAIN, ['steve'], NOW + 301 * DAY, 64)).map(({ id }) => id)).toEqual([
        1, 100,
      ]);
    });
  });

  describe('what the operator does to one of them is done to all of them', () => {
    test('ran: the command that stopped them ran for all, and the next one is sent once', async () => {
      const ledger = await waiting(3);
      await run(ledger, UNKNOWN);
      expect(await ledger.continueAfter(2, NO_CHANGE, LATER)).toEqual({
        kind: 'continued',
        state: 'pending',
      });
      expect(await states(ledger)).toEqual(['pending', 'pending', 'pending']);
      expect(await ledger.pending(MAIN, LATER, 9)).toMatchObject([
        { id: 1, combined: { others: [2, 3], hasBegun: true }, commands: [{ position: 1 }] },
      ]);
    });

    test('pay: the command is sent again for all of them, with those that wait by then', async () => {
      const ledger = await waiting(3);
      await run(ledger, UNKNOWN);
      await record(ledger, [arrival({ receivedAt: NOW + 9 * DAY })], rulesFor(COINS));
      expect(await ledger.pay(3, NO_CHANGE, LATER)).toEqual({ kind: 'changed' });
      expect(await ledger.pending(MAIN, LATER, 9)).toMatchObject([
        { id: 1, combined: { others: [2, 3, 4] } },
      ]);
    });

    test('pay with new commands gives them to all', async () => {
      const ledger = await waiting(2);
      await run(ledger, { kind: 'refused', reply: 'Unknown item' });
      await ledger.pay(1, { ...NO_CHANGE, texts: ['give {player} gold {count}'] }, LATER);
      await run(ledger, DELIVERED);
      expect((await ledger.grants({ limit: 9 })).map(({ commands }) => commands[0]?.command)).toEqual([
        'give Steve gold 2',
        'give Steve gold 2',
      ]);
    });

    test('pay to another player: all are theirs', async () => {
      const ledger = await waiting(2);
      await run(ledger, UNKNOWN);
      await ledger.pay(2, { ...NO_CHANGE, to: 'Alex' as PlayerName }, LATER);
      expect(await ledger.pending(MAIN, LATER, 9)).toMatchObject([
        { recipientKey: 'alex', combined: { others: [2] } },
      ]);
    });

    test.each(['markPaid', 'cancel'] as const)('%s ends all', async (change) => {
      const ledger = await waiting(3);
      await run(ledger, UNKNOWN);
      await ledger[change](2, { by: 'ann' }, LATER);
      const state = change === 'cancel' ? 'cancelled' : 'delivered';
      expect(await states(ledger)).toEqual([state, state, state]);
    });

    test('but those that wait are single ones: cancelling one leaves the others', async () => {
      const ledger = await waiting(3);
      await ledger.cancel(2, { by: 'ann' }, LATER);
      expect(await states(ledger)).toEqual(['waiting', 'cancelled', 'waiting']);
    });
  });
}
