import { describe, expect, test } from 'vitest';
import type { AnnouncementRules } from '../../../src/core/announcement.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import { reward } from '../../support/rewards.ts';
import { arrival, at } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

const NOON = at('2026-06-01T12:00:00Z');
const MINUTE = 60_000;
const RULES: AnnouncementRules = { isWhole: false, strangers: false, atMost: null };

export function announcingContract(freshLedger: LedgerFactory): void {
  /** A vote of each player for a reward that pays and then announces. */
  async function granted(players: readonly string[], rules: Partial<AnnouncementRules> = {}) {
    const { ledger } = await freshLedger();
    const one = reward('news', {
      commands: ['give {player} diamond 1'],
      messages: ['say {voters} voted'],
      announcement: { ...RULES, ...rules },
    });
    await record(
      ledger,
      players.map((player) => arrival({ player, receivedAt: NOON })),
      rulesFor(one),
    );
    return ledger;
  }

  describe('an announcement', () => {
    test('is read with its grant, and a plain grant has none', async () => {
      const { ledger } = await freshLedger();
      const plain = reward('plain', {});
      const news = reward('news', {
        commands: ['say a', 'say b'],
        announcement: { ...RULES, isWhole: true },
      });
      const lost = reward('lost', { messages: ['say a'], announcement: RULES });
      await record(ledger, [arrival({ receivedAt: NOON })], rulesFor(plain, news, lost));
      const open = await ledger.pending({ server: 'main', practice: false }, NOON, 9);
      expect(open.map(({ announcement }) => announcement)).toEqual([
        null,
        { first: 0, strangers: false, atMost: null },
        { first: 1, strangers: false, atMost: null },
      ]);
    });

    test('is for players who were seen: on another game server of that kind, on this one now, or it is over', async () => {
      const ledger = await granted(['Alex', 'Steve', 'Sasha']);
      await ledger.storePresent(['alex', 'alex'], false, NOON);
      await ledger.storePresent(['steve', 'sasha'], true, NOON);
      expect(await ledger.announce(1, NOON, null)).toEqual({ kind: 'send', voters: ['Alex'] });
      expect(await ledger.announce(2, NOON, null)).toEqual({ kind: 'unseen' });
      expect(await ledger.announce(2, NOON, true)).toEqual({ kind: 'send', voters: ['Steve'] });
      expect(await ledger.announce(3, NOON, false)).toEqual({ kind: 'over' });
      expect(await ledger.announce(3, NOON, true)).toEqual({ kind: 'over' });
      const [sasha] = await ledger.grants({ id: 3, limit: 1 });
      expect(sasha).toMatchObject({
        state: 'cancelled',
        reason: { code: 'stranger' },
        commands: [{ outcome: null }, { outcome: 'not-sent', reason: { code: 'stranger' } }],
      });
    });

    test('expires after two minutes', async () => {
      const ledger = await granted(['Alex', 'Steve'], { strangers: true });
      expect(await ledger.announce(1, NOON + 2 * MINUTE, null)).toMatchObject({ kind: 'send' });
      expect(await ledger.announce(2, NOON + 2 * MINUTE + 1, null)).toEqual({ kind: 'over' });
    });

    test('that is decided twice before it is sent names the same voters and is counted once', async () => {
      const atMost = { count: 1, withinMs: MINUTE };
      const ledger = await granted(['Alex', 'Steve', 'Sasha', 'Kai'], { strangers: true, atMost });
      for (const now of [NOON, NOON + 1]) {
        expect(await ledger.announce(1, now, null)).toEqual({ kind: 'send', voters: ['Alex'] });
      }
      expect(await ledger.announce(2, NOON, null)).toEqual({ kind: 'over' });
      expect(await ledger.announce(3, NOON + MINUTE - 1, null)).toEqual({ kind: 'over' });
      for (let time = 0; time < 2; time++) {
        expect(await ledger.announce(4, NOON + MINUTE, null)).toEqual({
          kind: 'send',
          voters: ['Steve', 'Sasha', 'Kai'],
        });
      }
    });

    test('of a grant that the operator cancelled is over', async () => {
      const ledger = await granted(['Alex'], { strangers: true });
      await ledger.cancel(1, { by: 'ann' }, NOON);
      expect(await ledger.announce(1, NOON, null)).toEqual({ kind: 'over' });
    });
  });
}
