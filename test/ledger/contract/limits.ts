import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { Arrival } from '../../../src/rewards/arrival.ts';
import type { Limit } from '../../../src/rewards/limit.ts';
import type { Reward } from '../../../src/rewards/reward.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import { reward } from '../../support/rewards.ts';
import { arrival, type VoteFacts } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

/** 1 June 2026, a Monday. */
const START_DAY = 20_605;

/** A vote on a date in June 2026, whose window is over within a second. */
const on = (date: number, hour: number, facts: VoteFacts = {}): Arrival => {
  const castAt = Date.UTC(2026, 5, date, hour);
  return arrival({ site: 'List', claim: null, castAt, receivedAt: castAt, cooldownMs: 1_000, ...facts });
};

const limited = (limit: Limit | null, more: Partial<Reward> = {}): Reward =>
  reward('daily', { limit, ...more });
const ONCE_A_DAY: Limit = { per: 'player', count: 1, within: 'day' };

/** Whether each vote was granted the reward, in order of arrival. */
async function granted(ledger: Ledger, arrivals: readonly Arrival[], one: Reward): Promise<boolean[]> {
  await ledger.useConfig({ rewards: [one], today: START_DAY });
  const recorded = await record(ledger, arrivals, rulesFor(one));
  return recorded.map((each) => each.kind === 'new' && each.decision.rewards.length > 0);
}

export function limitsContract(freshLedger: LedgerFactory): void {
  describe('a limit', () => {
    test('of one a day for each player is full until the next day, also for votes recorded together', async () => {
      const { ledger } = await freshLedger();
      const votes = [on(1, 0), on(1, 23), on(1, 12, { player: 'Alex' }), on(2, 0)];
      expect(await granted(ledger, votes, limited(ONCE_A_DAY))).toEqual([true, false, true, true]);
    });

    test('for the network counts the votes of all players', async () => {
      const { ledger } = await freshLedger();
      const votes = [on(1, 0), on(1, 1, { player: 'Alex' }), on(1, 2, { player: 'Ben' })];
      const two = limited({ per: 'network', count: 2, within: 'ever' });
      expect(await granted(ledger, votes, two)).toEqual([true, true, false]);
    });

    test('goes by cast times, so a late vote has a place on its own day', async () => {
      const { ledger } = await freshLedger();
      const votes = [on(2, 12), on(1, 12), on(1, 13)];
      expect(await granted(ledger, votes, limited(ONCE_A_DAY))).toEqual([true, true, false]);
    });

    test('in 24 hours has no place for a vote that would make any 24 hours contain too many', async () => {
      const { ledger } = await freshLedger();
      const votes = [on(1, 12), on(3, 11), on(2, 11), on(2, 12)];
      const one = limited({ per: 'player', count: 1, within: '24h' });
      expect(await granted(ledger, votes, one)).toEqual([true, true, false, false]);
    });

    test('gives a vote one place, however many game servers it is paid on', async () => {
      const { ledger } = await freshLedger();
      const two = limited({ per: 'player', count: 2, within: 'day' }, { servers: ['main', 'hub'] });
      expect(await granted(ledger, [on(1, 0), on(1, 1), on(1, 2)], two)).toEqual([true, true, false]);
    });

    test('has a free place again for a grant that was cancelled before its first command', async () => {
      const { ledger } = await freshLedger();
      expect(await granted(ledger, [on(1, 0), on(1, 1)], limited(ONCE_A_DAY))).toEqual([true, false]);
      await ledger.cancel(1, { by: 'ann' }, 0);
      expect(await granted(ledger, [on(1, 2), on(1, 3)], limited(ONCE_A_DAY))).toEqual([true, false]);
    });

    test('that is added later, or again, counts what was granted without it', async () => {
      const { ledger } = await freshLedger();
      expect(await granted(ledger, [on(1, 0)], limited(null))).toEqual([true]);
      expect(await granted(ledger, [on(1, 1)], limited(ONCE_A_DAY))).toEqual([false]);
      expect(await granted(ledger, [on(2, 0)], limited(null))).toEqual([true]);
      expect(await granted(ledger, [on(2, 1)], limited(ONCE_A_DAY))).toEqual([false]);
    });

    test('that is full keeps the occasion for a later vote', async () => {
      const { ledger } = await freshLedger();
      const party = limited(
        { per: 'network', count: 1, within: 'day' },
        { if: { allSites: { within: 'week', sites: ['List'] } } },
      );
      const votes = [on(1, 0), on(1, 1, { player: 'Alex' }), on(2, 1, { player: 'Alex' })];
      expect(await granted(ledger, votes, party)).toEqual([true, false, true]);
      const occasions = (await ledger.grants({ limit: 9 })).map(({ occasion }) => occasion);
      expect(occasions).toEqual(['week 2026-W23', 'week 2026-W23']);
    });
  });
}
