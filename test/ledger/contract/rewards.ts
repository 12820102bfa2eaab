import { describe, expect, test } from 'vitest';
import { schemaKit } from '../../../src/config/condition-schemas.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { Arrival } from '../../../src/rewards/arrival.ts';
import { conditions } from '../../../src/rewards/conditions.ts';
import { draw } from '../../../src/rewards/draws.ts';
import type { Reward } from '../../../src/rewards/reward.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import { drawsWhere, reward } from '../../support/rewards.ts';
import { arrival, type VoteFacts } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

/** 1 June 2026, a Monday. */
export const START_DAY = 20_605;

/** A reward with these conditions, as operators write them. */
export const rewardIf = (name: string, written: object, more: Partial<Reward> = {}): Reward => {
  const loaded = Object.entries(written).map(([key, value]) => {
    const { schema } = conditions[key as keyof typeof conditions];
    return [key, schema(schemaKit).parse(value)];
  });
  return reward(name, { if: Object.fromEntries(loaded), ...more });
};

/** A vote on a date in June 2026, at noon, on a site with an entry of its own. */
export const on = (date: number, facts: VoteFacts & { readonly hour?: number } = {}): Arrival => {
  const { hour = 12, ...more } = facts;
  const castAt = Date.UTC(2026, 5, date, hour);
  return arrival({ site: 'List', claim: null, castAt, receivedAt: castAt, ...more });
};

/** For each reward and vote in order of arrival: the occasions it was granted for, or why it was not. */
export async function judgedIn(ledger: Ledger, name: string): Promise<unknown[]> {
  const rows = await ledger.votes({ limit: 99 });
  return rows
    .toReversed()
    .map(({ reasons }) => reasons?.get(name))
    .map((reason) => (reason?.code === 'granted' ? reason.facts?.occasions : reason?.code));
}

export function rewardsContract(freshLedger: LedgerFactory): void {
  /** What one reward makes of votes, in order of arrival. */
  async function judged(one: Reward, arrivals: readonly Arrival[]): Promise<unknown[]> {
    const { ledger } = await freshLedger();
    await ledger.useConfig({ rewards: [one], today: START_DAY });
    await record(ledger, arrivals, rulesFor(one));
    return judgedIn(ledger, one.name);
  }

  describe('an occasion (rule 14)', () => {
    test('is granted once for each player and reward', async () => {
      const { ledger } = await freshLedger();
      const rules = rulesFor(
        rewardIf('first', { firstVote: 'day' }),
        rewardIf('again', { firstVote: 'day' }),
      );
      await ledger.useConfig({ rewards: rules.rewards, today: START_DAY });
      await record(ledger, [on(1), on(1, { player: 'Alex' }), on(1, { site: 'Other' })], rules);
      expect(await judgedIn(ledger, 'first')).toEqual([
        ['day 2026-06-01 total 1'],
        ['day 2026-06-01 total 1'],
        'firstVote',
      ]);
      expect(await ledger.grantStates()).toEqual({ pending: 4 });
    });

    test('of the network is granted once in all', async () => {
      const one = rewardIf('party', { votes: { every: 2, of: 'network' } });
      const votes = [on(1), on(1, { player: 'Alex' }), on(1, { player: 'Ben' }), on(2)];
      expect(await judged(one, votes)).toEqual(['votes', ['network 2'], 'votes', ['network 4']]);
    });

    test('is spent by a chance that is lost', async () => {
      const one = rewardIf('lucky', { allSites: { sites: ['List'] }, chance: '50%' });
      const name = 'day 2026-06-01';
      const draws = (isWon: boolean) => drawsWhere('lucky', (drawn) => drawn < 0.5 === isWon, name);
      expect(draw(draws(false), 'chance', 'lucky', name)).toBeGreaterThanOrEqual(0.5);
      const { ledger } = await freshLedger();
      await ledger.useConfig({ rewards: [one], today: START_DAY });
      const votes = [
        { ...on(1), draws: draws(false) },
        { ...on(1, { hour: 13 }), draws: draws(true) },
      ];
      await record(ledger, votes, rulesFor(one));
      expect(await judgedIn(ledger, 'lucky')).toEqual(['chance', 'occasion-spent']);
      expect(await ledger.grantStates()).toEqual({});
    });
  });

  describe('a vote within the cooldown', () => {
    test('marks its day, so that it completes a streak, and enters no total', async () => {
      const votes = [on(1, { hour: 20 }), on(2, { hour: 10 })];
      expect(await judged(rewardIf('streak', { streak: 2 }), votes)).toEqual([
        'streak',
        ['streak 2 reached 2026-06-02'],
      ]);
      // The total is not decided by it.
      expect(await judged(rewardIf('total', { votes: { every: 2 } }), votes)).toEqual(['votes', undefined]);
    });

    test('completes all sites', async () => {
      const one = rewardIf('all', { allSites: { sites: ['List', 'Other'] } });
      const votes = [
        on(1, { hour: 20, site: 'Other' }),
        on(2, { hour: 9 }),
        on(2, { hour: 10, site: 'Other' }),
      ];
      expect(await judged(one, votes)).toEqual(['allSites', 'allSites', ['day 2026-06-02']]);
    });

    test('is counted where the site counts all', async () => {
      const one = rewardIf('total', { votes: { every: 2 } });
      const votes = [on(1), { ...on(1, { hour: 13 }), countsAll: true }, on(2, { hour: 14 })];
      expect(await judged(one, votes)).toEqual(['votes', ['total 2'], 'votes']);
    });
  });

  test('a vote that is too old marks its day, and one from before the start marks nothing', async () => {
    const one = rewardIf('streak', { streak: 2 });
    const old = (unrewarded: 'too-old' | 'before-start') => [{ ...on(1), unrewarded }, on(2)];
    expect(await judged(one, old('too-old'))).toEqual(['streak', ['streak 2 reached 2026-06-02']]);
    expect(await judged(one, old('before-start'))).toEqual([undefined, 'streak']);
  });

  describe('a reward', () => {
    test('that starts later pays nothing that was reached before, and counts earlier votes', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [on(1), on(2), on(3)], rulesFor());
      const total = rewardIf('total', { votes: { at: [3, 4] } });
      const streak = rewardIf('streak', { streak: { length: 2, repeat: true } });
      await ledger.useConfig({ rewards: [total, streak], today: START_DAY + 2 });
      await record(ledger, [on(4)], rulesFor(total, streak));
      expect((await judgedIn(ledger, 'total')).at(-1)).toEqual(['total 4']);
      expect((await judgedIn(ledger, 'streak')).at(-1)).toEqual(['streak 4 reached 2026-06-04']);
    });

    test('with another name carries on what its old name was granted, with `was`', async () => {
      const { ledger } = await freshLedger();
      const days = { allSites: { sites: ['List'] } };
      const old = rewardIf('old', days);
      await ledger.useConfig({ rewards: [old], today: START_DAY });
      await record(ledger, [on(1)], rulesFor(old));
      const renamed = rewardIf('new', days, { was: ['old'] });
      await ledger.useConfig({ rewards: [renamed], today: START_DAY });
      await record(ledger, [on(1, { hour: 13 })], rulesFor(renamed));
      expect((await judgedIn(ledger, 'new')).at(-1)).toBe('occasion-spent');
    });

    test('that takes the old name of a renamed one starts anew', async () => {
      const { ledger } = await freshLedger();
      const days = { allSites: { sites: ['List'] } };
      const [old, renamed] = [rewardIf('old', days), rewardIf('new', days, { was: ['old'] })];
      await ledger.useConfig({ rewards: [old], today: START_DAY });
      await record(ledger, [on(1)], rulesFor(old));
      await ledger.useConfig({ rewards: [renamed], today: START_DAY });
      await ledger.useConfig({ rewards: [renamed, old], today: START_DAY });
      await record(ledger, [on(1, { hour: 13 })], rulesFor(renamed, old));
      expect((await judgedIn(ledger, 'new')).at(-1)).toBe('occasion-spent');
      expect((await judgedIn(ledger, 'old')).at(-1)).toEqual(['day 2026-06-01']);
    });
  });
}
