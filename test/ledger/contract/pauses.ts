import { describe, expect, test } from 'vitest';
import { NO_TERMS } from '../../../src/core/grant-terms.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { DAILY, record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { arrival, DAY } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

export function pausesContract(freshLedger: LedgerFactory): void {
  const NOW = Date.parse('2026-06-01T12:00:00Z');
  const HOUR = 3_600_000;
  const MAIN = { server: 'main', practice: false };
  const SKY = { server: 'sky', practice: false };
  const ALL = { server: null, reward: null };
  const ON_MAIN = { server: 'main', reward: null };

  /** Steve is owed `thanks` on both game servers and `daily` on main: grants 1, 2 and 3. */
  async function owing(): Promise<Ledger> {
    const { ledger } = await freshLedger();
    await record(ledger, [arrival()], rulesFor({ ...THANKS, servers: ['main', 'sky'] }, DAILY));
    return ledger;
  }

  const payable = async (ledger: Ledger): Promise<number[]> =>
    [...(await ledger.pending(MAIN, NOW, 9)), ...(await ledger.pending(SKY, NOW, 9))].map(({ id }) => id);

  const claim = (ledger: Ledger, grantId: number) =>
    ledger.claim({ grantId, position: 0, player: 'Steve', uuid: null, now: NOW });

  describe('a pause', () => {
    test.each([
      ['of everything', ALL, []],
      ['of a game server', ON_MAIN, [2]],
      ['of a reward', { server: null, reward: 'thanks' }, [3]],
      ['of a reward on a game server', { server: 'main', reward: 'thanks' }, [3, 2]],
      ['of a game server that owes nothing', { server: 'lobby', reward: null }, [1, 3, 2]],
    ] as const)('%s stops what it names, and nothing else', async (_, scope, left) => {
      const ledger = await owing();
      await ledger.pause(scope, 'admin', NOW);
      expect(await payable(ledger)).toEqual(left);
      const claimed: number[] = [];
      for (const id of [1, 3, 2]) if (await claim(ledger, id)) claimed.push(id);
      expect(claimed).toEqual(left);
    });

    test('stops grants that wait for their player, and leaves no time at which anything is due', async () => {
      const ledger = await owing();
      await ledger.wait({ id: 3, server: 'main' }, { code: 'player-offline' }, NOW);
      await ledger.pause(ON_MAIN, 'admin', NOW);
      expect(await ledger.waiting(MAIN, ['steve'], NOW, 9)).toEqual([]);
      expect(await ledger.nextDueAt(MAIN, NOW)).toBeNull();
      expect(await ledger.nextDueAt(SKY, NOW)).toBe(0);
    });

    test('of a game server leaves a grant to the others of its pool', async () => {
      const { ledger } = await freshLedger();
      const roaming = { ...DAILY, servers: ['main', 'sky'], whereOnline: true };
      await record(ledger, [arrival()], rulesFor(roaming));
      await ledger.pause({ server: 'sky', reward: null }, 'admin', NOW);
      const pool = 'main or sky';
      const takenBy = (server: string) =>
        ledger.claim({
          ...{ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW },
          take: { pool, server },
        });
      expect(await ledger.pending(SKY, NOW, 9)).toEqual([]);
      expect(await takenBy('sky')).toBe(false);
      expect(await ledger.pending(MAIN, NOW, 9)).toHaveLength(1);
      expect(await takenBy('main')).toBe(true);
    });

    test('lets the command in flight end, and not the next one begin', async () => {
      const ledger = await owing();
      await claim(ledger, 3);
      await ledger.pause(ALL, 'admin', NOW);
      const delivered = { kind: 'delivered', reply: 'Gave' } as const;
      const settlement = {
        outcome: delivered,
        state: 'pending',
        reason: null,
        dueAt: NOW,
        endedAt: NOW,
      } as const;
      const next = { grantId: 3, position: 1, player: 'Steve', uuid: null, now: NOW };
      expect(await ledger.settle({ ...settlement, grantId: 3, position: 0 }, next)).toBe(false);
      expect((await ledger.grants({ id: 3, limit: 1 }))[0]).toMatchObject({
        state: 'pending',
        commands: [{ outcome: 'delivered' }, { outcome: null, attempts: 0 }],
      });
    });

    test('says since when it lasts and who began it, also if it is asked for again', async () => {
      const ledger = await owing();
      const pause = { ...ON_MAIN, at: NOW, by: 'admin' };
      expect(await ledger.pause(ON_MAIN, 'admin', NOW)).toEqual({ kind: 'paused', pause });
      expect(await ledger.pause(ON_MAIN, 'other', NOW + 1)).toEqual({ kind: 'already-paused', pause });
      expect(await ledger.pause(ALL, 'other', NOW + 2)).toMatchObject({ kind: 'paused' });
      expect(await ledger.pauses()).toEqual([pause, { ...ALL, at: NOW + 2, by: 'other' }]);
    });

    test('is ended by a resume of the same scope, and by no other', async () => {
      const ledger = await owing();
      await ledger.pause(ON_MAIN, 'admin', NOW);
      expect(await ledger.resume(ALL, NOW + 1)).toEqual({ kind: 'not-paused' });
      expect(await payable(ledger)).toEqual([2]);
      expect(await ledger.resume(ON_MAIN, NOW + 1)).toMatchObject({
        kind: 'resumed',
        pause: { at: NOW },
      });
      expect(await payable(ledger)).toEqual([1, 3, 2]);
      expect(await ledger.pauses()).toEqual([]);
      expect(await ledger.resume(ON_MAIN, NOW + 2)).toEqual({ kind: 'not-paused' });
      expect(await ledger.pause(ON_MAIN, 'admin', NOW + 3)).toMatchObject({
        kind: 'paused',
        pause: { at: NOW + 3 },
      });
    });

    test('stops nothing from being recorded', async () => {
      const ledger = await owing();
      await ledger.pause(ALL, 'admin', NOW);
      const [recorded] = await record(ledger, [arrival({ player: 'Alex' })], rulesFor(THANKS));
      expect(recorded).toMatchObject({ kind: 'new', decision: { kind: 'rewarded', rewards: ['thanks'] } });
    });
  });

  describe('a grant that expires after a day', () => {
    const ONE_DAY = { ...DAILY, terms: { ...NO_TERMS, expiresAfterMs: DAY } };

    async function pausedFor(
      scope: typeof ALL | { server: string; reward: string },
      hours: number,
    ): Promise<Ledger> {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(ONE_DAY));
      await ledger.pause(scope, 'admin', NOW + 20 * HOUR);
      expect(await ledger.applyTerms(NOW + (20 + hours) * HOUR)).toMatchObject({ expired: 0 });
      await ledger.resume(scope, NOW + (20 + hours) * HOUR);
      return ledger;
    }

    test.each([
      ['everything', ALL],
      ['its reward on its game server', { server: 'main', reward: 'daily' }],
    ])('has 4 hours left after a pause of 100 hours of %s that began when it had 4', async (_, scope) => {
      const ledger = await pausedFor(scope, 100);
      expect(await ledger.applyTerms(NOW + 124 * HOUR - 1)).toMatchObject({ expired: 0 });
      expect(await ledger.pending(MAIN, NOW + 124 * HOUR - 1, 9)).toHaveLength(1);
      expect(await ledger.applyTerms(NOW + 124 * HOUR)).toMatchObject({ expired: 1 });
    });

    test('expires in time if something else is paused', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(ONE_DAY));
      await ledger.pause({ server: 'sky', reward: null }, 'admin', NOW);
      await ledger.pause({ server: null, reward: 'thanks' }, 'admin', NOW);
      expect(await ledger.applyTerms(NOW + DAY)).toMatchObject({ expired: 1 });
    });

    test('has all of its time if it was made during the pause', async () => {
      const { ledger } = await freshLedger();
      await ledger.pause(ALL, 'admin', NOW - HOUR);
      await record(ledger, [arrival()], rulesFor(ONE_DAY));
      await ledger.resume(ALL, NOW + 50 * HOUR);
      expect(await ledger.applyTerms(NOW + 74 * HOUR - 1)).toMatchObject({ expired: 0 });
      expect(await ledger.applyTerms(NOW + 74 * HOUR)).toMatchObject({ expired: 1 });
    });
  });
}
