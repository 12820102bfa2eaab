import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { Reward } from '../../../src/rewards/reward.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import type { LedgerFactory } from './engine.ts';
import { judgedIn, on, rewardIf, START_DAY } from './rewards.ts';

const AT = Date.UTC(2026, 5, 30);
const ORDER = { by: 'ann', reason: 'forged' };

const voidAll = (ledger: Ledger, ...ids: readonly number[]) => ledger.voidVotes(ids, ORDER, AT);

export function voidsContract(freshLedger: LedgerFactory): void {
  /** A ledger in which these rewards have started. */
  async function started(...rewards: readonly Reward[]) {
    const { ledger } = await freshLedger();
    await ledger.useConfig({ rewards, today: START_DAY });
    return { ledger, rules: rulesFor(...rewards) };
  }

  describe('a vote that the operator voids', () => {
    test('says who voided it, when and why', async () => {
      const { ledger, rules } = await started();
      await record(ledger, [on(1), on(2)], rules);
      expect(await voidAll(ledger, 1)).toEqual({ kind: 'voided' });
      expect(await ledger.votes({ limit: 9 })).toMatchObject([
        { id: 2, voided: null },
        { id: 1, decision: 'rewarded', voided: { at: AT, by: 'ann', reason: 'forged' } },
      ]);
    });

    test('is in no total of its player, site, day or of the network', async () => {
      const of = ['total', 'site', 'day', 'month', 'network'] as const;
      const rewards = of.map((scope) => rewardIf(scope, { votes: { at: [2], of: scope } }));
      const { ledger, rules } = await started(...rewards);
      await record(ledger, [on(1)], rules);
      await voidAll(ledger, 1);
      await record(ledger, [on(2), on(2, { site: 'Other', hour: 13 })], rules);
      const last = async (name: string) => (await judgedIn(ledger, name)).at(-1);
      expect(await last('total')).toEqual(['total 2']);
      expect(await last('site')).toBe('votes');
      expect(await last('day')).toEqual(['day 2026-06-02 total 2']);
      expect(await last('month')).toEqual(['month 2026-06 total 2']);
      expect(await last('network')).toEqual(['network 2']);
    });

    test('no longer marks its day, so that a run is cut in two, until another vote marks it', async () => {
      const { ledger, rules } = await started(rewardIf('streak', { streak: 5 }));
      await record(ledger, [on(1), on(2), on(3), on(4)], rules);
      await voidAll(ledger, 3);
      await record(ledger, [on(5), on(3, { site: 'Other' })], rules);
      expect((await judgedIn(ledger, 'streak')).slice(-2)).toEqual([
        'streak',
        ['streak 5 reached 2026-06-05'],
      ]);
    });

    test('no longer counts for all sites, nor as the last vote of a player who returns', async () => {
      const both = rewardIf('both', { allSites: { sites: ['List', 'Other'] } });
      const back = rewardIf('back', { returning: '5d' });
      const { ledger, rules } = await started(both, back);
      await record(ledger, [on(1), on(9), on(10)], rules);
      await voidAll(ledger, 2, 3);
      await record(ledger, [on(10, { site: 'Other' })], rules);
      expect((await judgedIn(ledger, 'both')).at(-1)).toBe('allSites');
      expect((await judgedIn(ledger, 'back')).at(-1)).toEqual(['return 2026-06-10']);
    });

    test('is taken out of the totals also if it only counted there', async () => {
      const { ledger, rules } = await started(rewardIf('total', { votes: { at: [2] } }));
      await record(ledger, [on(1), { ...on(1, { hour: 13 }), countsAll: true }], rules);
      await voidAll(ledger, 2);
      await record(ledger, [on(2)], rules);
      expect(await judgedIn(ledger, 'total')).toEqual(['votes', ['total 2'], 'occasion-spent']);
    });

    test('keeps its window and its grants', async () => {
      const { ledger, rules } = await started(rewardIf('each', {}));
      await record(ledger, [on(1)], rules);
      await voidAll(ledger, 1);
      await record(ledger, [on(1, { hour: 14 })], rules);
      expect(await ledger.votes({ limit: 1 })).toMatchObject([{ decision: 'cooldown', takenBy: 1 }]);
      expect(await ledger.grants({ limit: 9 })).toMatchObject([{ voteId: 1, state: 'pending' }]);
    });
  });

  describe('a total that is reached again after a void', () => {
    test('is not granted a second time (rule 14)', async () => {
      const { ledger, rules } = await started(rewardIf('total', { votes: { at: [2] } }));
      await record(ledger, [on(1), on(2)], rules);
      await voidAll(ledger, 1);
      await record(ledger, [on(3)], rules);
      expect(await judgedIn(ledger, 'total')).toEqual(['votes', ['total 2'], 'occasion-spent']);
    });

    test('is granted if it never was', async () => {
      const onSite = rewardIf('total', { site: 'Other', votes: { at: [2] } });
      const { ledger, rules } = await started(onSite);
      await record(ledger, [on(1), on(2)], rules);
      await voidAll(ledger, 1);
      await record(ledger, [on(3, { site: 'Other' })], rules);
      expect(await judgedIn(ledger, 'total')).toEqual(['site', 'site', ['total 2']]);
    });

    test.each(['total', 'site', 'month', 'network'] as const)(
      'is not granted if it was reached before the reward started: of the %s',
      async (of) => {
        const { ledger } = await freshLedger();
        await record(ledger, [on(1), on(2), on(3)], rulesFor());
        const total = rewardIf('total', { votes: { at: [2, 3, 4], of } });
        await ledger.useConfig({ rewards: [total], today: START_DAY + 3 });
        await voidAll(ledger, 1, 2);
        await record(ledger, [on(4), on(5), on(6)], rulesFor(total));
        expect((await judgedIn(ledger, 'total')).slice(-3)).toEqual([
          'before-start',
          'before-start',
          [expect.stringContaining('4')],
        ]);
      },
    );

    test('is granted if the void came before the reward started', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [on(1), on(2)], rulesFor());
      await voidAll(ledger, 1);
      const total = rewardIf('total', { votes: { at: [2] } });
      await ledger.useConfig({ rewards: [total], today: START_DAY + 3 });
      await record(ledger, [on(4)], rulesFor(total));
      expect((await judgedIn(ledger, 'total')).at(-1)).toEqual(['total 2']);
    });
  });

  test('a streak that was reached before the reward started is not paid because a vote of it was voided', async () => {
    const { ledger } = await freshLedger();
    await record(ledger, [on(1), on(2), on(3)], rulesFor());
    const streak = rewardIf('streak', { streak: 3 });
    await ledger.useConfig({ rewards: [streak], today: START_DAY + 2 });
    await voidAll(ledger, 1);
    await record(ledger, [on(4)], rulesFor(streak));
    expect((await judgedIn(ledger, 'streak')).at(-1)).toBe('before-start');
  });

  test.each([
    ['does not exist', 9, 'vote-missing'],
    ['is voided already', 1, 'vote-voided'],
  ])('if one of the votes %s, none is voided', async (_, id, code) => {
    const { ledger, rules } = await started();
    await record(ledger, [on(1), on(2)], rules);
    await voidAll(ledger, 1);
    expect(await voidAll(ledger, 2, id)).toEqual({ kind: 'refused', code, id });
    expect(await ledger.votes({ id: 2, limit: 1 })).toMatchObject([{ voided: null }]);
  });
}
