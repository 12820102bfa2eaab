import { describe, expect, test } from 'vitest';
import type { AnnouncementRules } from '../../../src/core/announcement.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import { reward } from '../../support/rewards.ts';
import { arrival, at } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

const NOON = at('2026-06-01T12:00:00Z');
const MINUTE = 60_000;
const RULES: AnnouncementRules = { isWhole: false, atMost: null };

export function announcingContract(freshLedger: LedgerFactory): void {
  /** Its player is on the game server. */
  const here = (now: number) => ({ now, isHere: true, isTooOften: false });

  /** A vote of each player for a reward that pays and then announces. */
  async function granted(players: readonly string[]) {
    const { ledger } = await freshLedger();
    const one = reward('news', {
      commands: ['give {player} diamond 1'],
      messages: ['say {player} voted'],
      announcement: RULES,
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
        { first: 0, atMost: null },
        { first: 1, atMost: null },
      ]);
    });

    test('is for players who were seen: on another game server of that kind, on this one now, or it is over', async () => {
      const ledger = await granted(['Alex', 'Steve', 'Sasha']);
      await ledger.storePresent(['alex', 'alex'], false, NOON);
      await ledger.storePresent(['steve', 'sasha'], true, NOON);
      const unknown = { now: NOON, isHere: null, isTooOften: false };
      expect(await ledger.announce(1, unknown)).toBe('send');
      expect(await ledger.announce(2, unknown)).toBe('unseen');
      expect(await ledger.announce(2, here(NOON))).toBe('send');
      expect(await ledger.announce(3, { ...unknown, isHere: false })).toBe('over');
      expect(await ledger.announce(3, here(NOON))).toBe('over');
      const [sasha] = await ledger.grants({ id: 3, limit: 1 });
      expect(sasha).toMatchObject({
        state: 'cancelled',
        reason: { code: 'stranger' },
        commands: [{ outcome: null }, { outcome: 'not-sent', reason: { code: 'stranger' } }],
      });
    });

    test('expires after two minutes', async () => {
      const ledger = await granted(['Alex', 'Steve']);
      expect(await ledger.announce(1, here(NOON + 2 * MINUTE))).toBe('send');
      expect(await ledger.announce(2, here(NOON + 2 * MINUTE + 1))).toBe('over');
    });

    test('that comes too often is over', async () => {
      const ledger = await granted(['Alex', 'Stranger']);
      expect(await ledger.announce(1, { ...here(NOON), isTooOften: true })).toBe('over');
      expect(await ledger.announce(2, { now: NOON, isHere: false, isTooOften: true })).toBe('over');
      const codes = (await ledger.grants({ limit: 9 })).map(({ reason }) => reason?.code);
      expect(codes).toEqual(['stranger', 'too-often']);
    });

    test('of a grant that the operator cancelled is over', async () => {
      const ledger = await granted(['Alex']);
      await ledger.cancel(1, { by: 'ann' }, NOON);
      expect(await ledger.announce(1, here(NOON))).toBe('over');
    });
  });
}
