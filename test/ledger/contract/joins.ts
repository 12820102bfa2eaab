import { describe, expect, test } from 'vitest';
import { NO_TERMS } from '../../../src/core/grant-terms.ts';
import type { PlayerName } from '../../../src/core/player-name.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { Reward } from '../../../src/rewards/reward.ts';
import { DAILY, record, rulesFor } from '../../support/ledgers.ts';
import { arrival } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

export function joinsContract(freshLedger: LedgerFactory): void {
  const MAIN = { server: 'main', practice: false };
  const SKY = { server: 'sky', practice: false };
  const PAGE = { from: 0, limit: 500 };
  const NOW = Date.parse('2026-06-01T12:00:00Z');
  const WELCOME: Reward = { ...DAILY, when: 'join' };
  const KEYS = ['steve', 'alex', 'eve'];

  /** One grant of each player, in this order, that waits for a join. */
  async function awaiting(...players: readonly string[]): Promise<Ledger> {
    const { ledger } = await freshLedger();
    for (const player of players) await record(ledger, [arrival({ player })], rulesFor(WELCOME));
    await ledger.waitForJoins(MAIN, PAGE, NOW);
    return ledger;
  }

  const payable = async (ledger: Ledger): Promise<number[]> =>
    (await ledger.waiting(MAIN, KEYS, NOW, 9)).map(({ id }) => id);

  describe('a grant that waits for a join', () => {
    test('is pending at first, then waits with that reason', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(WELCOME, { ...DAILY, name: 'other' }));
      expect(await ledger.pending(MAIN, NOW, 9)).toMatchObject([
        { id: 1, when: 'join', awaitsJoin: true },
        { id: 2, when: 'online', awaitsJoin: false },
      ]);
      await ledger.waitForJoins(MAIN, PAGE, NOW + 5);
      expect(await ledger.grants({ limit: 9 })).toMatchObject([
        { id: 2, state: 'pending' },
        { id: 1, state: 'waiting', reason: { code: 'awaits-join' }, changedAt: NOW + 5 },
      ]);
    });

    test('is payable once its player was seen absent, for those who were', async () => {
      const ledger = await awaiting('Steve', 'Alex');
      expect(await payable(ledger)).toEqual([]);
      expect((await ledger.waitingFor(MAIN, 9, 0)).map(({ player }) => player)).toEqual(['Steve', 'Alex']);
      expect(await ledger.seeAbsent(MAIN, { upTo: 2, present: ['alex'], asked: null })).toBe(false);
      expect(await payable(ledger)).toEqual([1]);
      expect(await ledger.waiting(MAIN, KEYS, NOW, 9)).toMatchObject([{ awaitsJoin: false }]);
    });

    test('counts no absence from before it was made', async () => {
      const ledger = await awaiting('Steve', 'Alex');
      await ledger.seeAbsent(MAIN, { upTo: 1, present: [], asked: null });
      expect(await payable(ledger)).toEqual([1]);
      expect(await ledger.newestUnjoined(MAIN)).toBe(2);
    });

    test('counts only answers about its player if the game server was asked about single ones', async () => {
      const ledger = await awaiting('Steve', 'Alex', 'Eve');
      await ledger.seeAbsent(MAIN, { upTo: 3, present: ['alex'], asked: ['steve', 'alex'] });
      expect(await payable(ledger)).toEqual([1]);
    });

    test('counts only what its own game server says', async () => {
      const ledger = await awaiting('Steve');
      expect(await ledger.newestUnjoined(SKY)).toBeNull();
      await ledger.seeAbsent(SKY, { upTo: 1, present: [], asked: null });
      expect(await payable(ledger)).toEqual([]);
    });

    test('is one of at most 500 that are changed in a call', async () => {
      const ledger = await awaiting(...Array.from({ length: 501 }, (_, number) => `P${number}`));
      await ledger.waitForJoins(MAIN, PAGE, NOW);
      const reading = { upTo: 501, present: [], asked: null };
      expect(await ledger.seeAbsent(MAIN, reading)).toBe(true);
      expect(await ledger.seeAbsent(MAIN, reading)).toBe(false);
      expect(await ledger.newestUnjoined(MAIN)).toBeNull();
    });

    test('begins to look for an absence when its delay is over', async () => {
      const { ledger } = await freshLedger();
      const late = { ...WELCOME, terms: { ...NO_TERMS, delayMs: 1_000 } };
      await record(ledger, [arrival()], rulesFor(late));
      await ledger.seeAbsent(MAIN, { upTo: 1, present: [], asked: null });
      expect(await ledger.newestUnjoined(MAIN)).toBeNull();
      await ledger.applyTerms(NOW + 1_000);
      expect(await ledger.pending(MAIN, NOW + 1_000, 9)).toMatchObject([{ awaitsJoin: true }]);
    });

    test('that the operator redirects waits until the other player joins', async () => {
      const ledger = await awaiting('Steve');
      await ledger.seeAbsent(MAIN, { upTo: 1, present: [], asked: null });
      await ledger.pay(1, { texts: null, by: 'ann', kindByServer: new Map(), to: 'Alex' as PlayerName }, NOW);
      expect(await ledger.pending(MAIN, NOW, 9)).toMatchObject([{ recipientKey: 'alex', awaitsJoin: true }]);
    });
  });
}
