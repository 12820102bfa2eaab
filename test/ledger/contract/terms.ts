import { describe, expect, test } from 'vitest';
import { type GrantTerms, NO_TERMS } from '../../../src/core/grant-terms.ts';
import { NO_OCCASION } from '../../../src/core/occasion.ts';
import type { PlayerName } from '../../../src/core/player-name.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { ALL_WON } from '../../../src/rewards/draws.ts';
import type { Reward } from '../../../src/rewards/reward.ts';
import { DAILY, record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { arrival, DAY } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

export function termsContract(freshLedger: LedgerFactory): void {
  const MAIN = { server: 'main', practice: false };
  const NOW = Date.parse('2026-06-01T12:00:00Z');
  const HOUR = 3_600_000;
  const NO_CHANGE = { texts: null, by: 'ann', kindByServer: new Map<string, string>() };

  const on = (terms: Partial<GrantTerms>, reward: Reward = THANKS): Reward => ({
    ...reward,
    terms: { ...NO_TERMS, ...terms },
  });

  /** A vote of a player at noon, so many days after the first of June. */
  const votesOn = (days: readonly number[], player = 'Steve') =>
    days.map((day) => arrival({ player, receivedAt: NOW + day * DAY }));

  const reasons = async (ledger: Ledger) =>
    (await ledger.grants({ limit: 999 })).toReversed().map(({ state, reason }) => [state, reason?.code]);

  const send = (ledger: Ledger, grantId: number, now: number) =>
    ledger.claim({ grantId, position: 0, player: 'Steve', uuid: null, now });

  const settlement = { grantId: 1, position: 0, reason: null, dueAt: NOW, endedAt: NOW } as const;

  describe('a grant with a delay', () => {
    test('waits with the time at which it may be paid, and is pending from then on', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(on({ delayMs: 3 * DAY })));
      const end = NOW + 3 * DAY;
      expect(await ledger.grants({ limit: 1 })).toMatchObject([
        {
          state: 'waiting',
          reason: { code: 'delayed', facts: { until: end } },
          dueFrom: end,
          expiresAt: null,
        },
      ]);
      expect(await ledger.hasTermsDue(end - 1)).toBe(false);
      expect(await ledger.applyTerms(end - 1)).toEqual({ ended: 0, expired: 0, hasMore: false });
      expect(await ledger.waitingFor(MAIN, 9, 0)).toEqual([]);
      expect(await ledger.waiting(MAIN, ['steve'], end, 9)).toEqual([]);
      expect(await ledger.nextDueAt(MAIN, NOW)).toBeNull();

      expect(await ledger.hasTermsDue(end)).toBe(true);
      expect(await ledger.applyTerms(end)).toEqual({ ended: 1, expired: 0, hasMore: false });
      expect(await reasons(ledger)).toEqual([['pending', undefined]]);
      expect((await ledger.pending(MAIN, end, 9)).map(({ id }) => id)).toEqual([1]);
    });

    test('is pending at once if the clock was set back to more than an hour before it was made', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(on({ delayMs: 3 * DAY })));
      expect(await ledger.hasTermsDue(NOW - HOUR)).toBe(false);
      expect(await ledger.applyTerms(NOW - HOUR - 1)).toEqual({ ended: 1, expired: 0, hasMore: false });
    });

    test('goes on waiting if the clock shows a time before Teller existed, as a board without a battery does', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(on({ delayMs: 3 * DAY })));
      expect(await ledger.hasTermsDue(0)).toBe(false);
    });

    test('is held with all others if its game server is gone', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(on({ delayMs: HOUR })));
      expect(await ledger.holdOrphaned(new Map(), NOW)).toMatchObject({ held: 1 });
      expect(await ledger.applyTerms(NOW + DAY)).toMatchObject({ ended: 0 });
    });

    test('is one of at most 500 whose delays end in a call', async () => {
      const { ledger } = await freshLedger();
      const votes = Array.from({ length: 501 }, (_, number) => arrival({ player: `P${number}` }));
      await record(ledger, votes, rulesFor(on({ delayMs: HOUR })));
      expect(await ledger.applyTerms(NOW + HOUR)).toEqual({ ended: 500, expired: 0, hasMore: true });
      expect(await ledger.applyTerms(NOW + HOUR)).toEqual({ ended: 1, expired: 0, hasMore: false });
    });
  });

  describe('a grant that expires', () => {
    const ONE_DAY = on({ expiresAfterMs: DAY }, DAILY);

    test('is cancelled at that time, whether it is pending or waits', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, votesOn([0]), rulesFor(ONE_DAY));
      await record(ledger, votesOn([0], 'Alex'), rulesFor(ONE_DAY));
      await ledger.wait({ id: 2, server: 'main' }, { code: 'player-offline' }, NOW);
      expect(await ledger.grants({ id: 1, limit: 1 })).toMatchObject([{ expiresAt: NOW + DAY }]);
      expect(await ledger.applyTerms(NOW + DAY - 1)).toMatchObject({ expired: 0 });
      expect(await ledger.applyTerms(NOW + DAY)).toEqual({ ended: 0, expired: 2, hasMore: false });
      expect(await reasons(ledger)).toEqual([
        ['cancelled', 'expired'],
        ['cancelled', 'expired'],
      ]);
    });

    test('is not paid any more from that time on, even before it is cancelled', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(ONE_DAY));
      expect(await ledger.pending(MAIN, NOW + DAY - 1, 9)).toHaveLength(1);
      expect(await ledger.pending(MAIN, NOW + DAY, 9)).toEqual([]);
      expect(await ledger.nextDueAt(MAIN, NOW + DAY)).toBeNull();
      await ledger.wait({ id: 1, server: 'main' }, { code: 'player-offline' }, NOW);
      expect(await ledger.waiting(MAIN, ['steve'], NOW + DAY, 9)).toEqual([]);
    });

    test('may wait that long from the end of its delay on', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(on({ delayMs: 2 * DAY, expiresAfterMs: DAY })));
      expect(await ledger.applyTerms(NOW + 2 * DAY)).toMatchObject({ ended: 1, expired: 0 });
      expect(await ledger.applyTerms(NOW + 3 * DAY - 1)).toMatchObject({ expired: 0 });
      expect(await ledger.applyTerms(NOW + 3 * DAY)).toMatchObject({ expired: 1 });
    });

    test('does not expire while a command of it is being sent, but does if the command was certainly not sent', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(ONE_DAY));
      await send(ledger, 1, NOW);
      expect(await ledger.applyTerms(NOW + DAY)).toMatchObject({ expired: 0 });
      const outcome = { kind: 'not-sent', reason: 'closed-at-login' } as const;
      await ledger.settle({ ...settlement, outcome, state: 'pending' });
      expect(await ledger.applyTerms(NOW + DAY + 1_000)).toMatchObject({ expired: 1 });
    });

    test('never expires once its first command is delivered', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(ONE_DAY));
      await send(ledger, 1, NOW);
      await ledger.settle({ ...settlement, outcome: { kind: 'delivered', reply: '' }, state: 'pending' });
      expect(await ledger.applyTerms(NOW + 99 * DAY)).toMatchObject({ expired: 0 });
      expect(await ledger.pending(MAIN, NOW + 99 * DAY, 9)).toHaveLength(1);
    });

    test.each([
      [
        'an outcome that is unknown',
        async (ledger: Ledger) => {
          await ledger.settle({
            ...settlement,
            outcome: { kind: 'unknown', reason: 'closed' },
            state: 'held',
          });
        },
      ],
      [
        'the end of the process',
        async (ledger: Ledger) => {
          await ledger.settleInterrupted(NOW);
        },
      ],
    ] as const)('never expires after %s, and is paid whenever the operator orders it', async (_, end) => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival()], rulesFor(ONE_DAY));
      await send(ledger, 1, NOW);
      await end(ledger);
      expect(await ledger.applyTerms(NOW + 99 * DAY)).toMatchObject({ expired: 0 });
      await ledger.pay(1, NO_CHANGE, NOW + 99 * DAY);
      expect(await ledger.applyTerms(NOW + 199 * DAY)).toMatchObject({ expired: 0 });
      expect(await ledger.pending(MAIN, NOW + 199 * DAY, 9)).toHaveLength(1);
    });

    test('frees its place in a limit', async () => {
      const { ledger } = await freshLedger();
      const once = { ...ONE_DAY, limit: { per: 'player', count: 1, within: 'ever' } } as const;
      await ledger.useConfig({ rewards: [once], today: 0 });
      await record(ledger, votesOn([0, 1.5]), rulesFor(once));
      expect(await reasons(ledger)).toEqual([['pending', undefined]]);
      await ledger.applyTerms(NOW + 2 * DAY);
      await record(ledger, votesOn([3]), rulesFor(once));
      expect(await reasons(ledger)).toEqual([
        ['cancelled', 'expired'],
        ['pending', undefined],
      ]);
    });

    test('is one of at most 500 that expire in a call', async () => {
      const { ledger } = await freshLedger();
      const votes = Array.from({ length: 501 }, (_, number) => arrival({ player: `P${number}` }));
      await record(ledger, votes, rulesFor(ONE_DAY));
      expect(await ledger.applyTerms(NOW + DAY)).toEqual({ ended: 0, expired: 500, hasMore: true });
      expect(await ledger.applyTerms(NOW + DAY)).toEqual({ ended: 0, expired: 1, hasMore: false });
    });
  });

  test('what the operator gives is not delayed, and does not expire', async () => {
    const { ledger } = await freshLedger();
    const strict = on({ delayMs: DAY, expiresAfterMs: DAY });
    const given = {
      ...{ reward: strict, player: 'Steve' as PlayerName, occasion: NO_OCCASION },
      ...{ by: 'admin', rules: rulesFor(strict), draws: ALL_WON },
    };
    await ledger.giveReward(given, NOW);
    await ledger.giveReward(given, NOW);
    expect(await reasons(ledger)).toEqual([
      ['pending', 'by-operator'],
      ['pending', 'by-operator'],
    ]);
    expect(await ledger.applyTerms(NOW + 9 * DAY)).toEqual({ ended: 0, expired: 0, hasMore: false });
  });

  describe('grants that are held because the clock is doubted', () => {
    /** The clock jumps a year ahead with the second vote, so the clock is doubted. */
    async function doubting(reward: Reward): Promise<Ledger> {
      const { ledger } = await freshLedger();
      const reading = (wall: number, monotonic: number) => ({ wall, monotonic });
      await record(ledger, [arrival()], rulesFor(THANKS), reading(NOW, 0));
      const ahead = NOW + 365 * DAY;
      const vote = arrival({ player: 'Alex', receivedAt: ahead, claim: null });
      await record(ledger, [vote], rulesFor(reward), reading(ahead, HOUR));
      return ledger;
    }

    test('wait for the end of their delay after the release, and no delay ends and nothing expires before', async () => {
      const ledger = await doubting(on({ delayMs: DAY, expiresAfterMs: DAY }));
      expect((await reasons(ledger))[1]).toEqual(['held', 'clock-doubt']);
      expect(await ledger.hasTermsDue(NOW + 999 * DAY)).toBe(false);
      const released = NOW + 365 * DAY + HOUR;
      await ledger.releaseClock(released, null, released);
      expect((await reasons(ledger))[1]).toEqual(['waiting', 'delayed']);
      expect(await ledger.applyTerms(released + DAY)).toMatchObject({ ended: 1 });
    });

    test('may wait as long as any other from the release on', async () => {
      const ledger = await doubting(on({ expiresAfterMs: DAY }));
      const released = NOW + 370 * DAY;
      await ledger.releaseClock(released, null, released);
      expect(await ledger.applyTerms(released + DAY - 1)).toMatchObject({ expired: 0 });
      expect(await ledger.applyTerms(released + DAY)).toMatchObject({ expired: 1 });
    });
  });
}
