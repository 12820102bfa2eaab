import { describe, expect, test } from 'vitest';
import { totalOccasion } from '../../../src/core/occasion.ts';
import { type Days, periodOf } from '../../../src/core/period.ts';
import type { PlayerName } from '../../../src/core/player-name.ts';
import type { BalanceEntry, BalanceOrder, Ledger } from '../../../src/ledger/ledger.ts';
import type { Reward, Rules } from '../../../src/rewards/reward.ts';
import { importedVote } from '../../../src/votes/intake/added-vote.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import type { LedgerFactory } from './engine.ts';
import { judgedIn, on, rewardIf, START_DAY } from './rewards.ts';

/** When imports are run: noon on 20 June 2026, a Saturday. */
const NOW = Date.UTC(2026, 5, 20, 12);
const NO_TOTALS = { all: null, month: null, week: null, day: null };

type Facts = Partial<Pick<BalanceEntry, 'uuid' | 'bestRun'>> & {
  readonly player?: string;
  readonly totals?: Partial<BalanceEntry['totals']>;
  /** Days in a row. */
  readonly run?: Days;
  readonly weeks?: Days;
  readonly months?: Days;
};

const balance = (facts: Facts = {}): BalanceEntry => {
  const { player = 'Steve', totals = {}, run = null, weeks = null, months = null } = facts;
  const { uuid = null, bestRun = null } = facts;
  return {
    ...{ uuid, bestRun, player: player as PlayerName },
    totals: { ...NO_TOTALS, ...totals },
    runs: { day: run, week: weeks, month: months },
  };
};

/** A day of June 2026. */
const june = (date: number): number => START_DAY + date - 1;

export function balancesContract(freshLedger: LedgerFactory): void {
  async function started(...rewards: readonly Reward[]) {
    const { ledger } = await freshLedger();
    await ledger.useConfig({ rewards, today: START_DAY });
    return { ledger, rules: rulesFor(...rewards) };
  }

  async function imported(
    ledger: Ledger,
    rules: Rules,
    entries: readonly BalanceEntry[],
    more: Partial<BalanceOrder> = {},
  ) {
    const start = { source: 'votingplugin', asOf: NOW, by: 'votingplugin by ann', now: NOW, ...more };
    const importId = await ledger.startImport(start);
    return ledger.importBalances(entries, { rules, ...start, importId });
  }

  const player = async (ledger: Ledger, name: string) => (await ledger.players(name as PlayerName))[0];
  const votesOf = async (ledger: Ledger, name = 'steve') => (await player(ledger, name))?.votes;
  const wrongOf = async (ledger: Ledger) => (await ledger.wrongCounts(0)).recipients;

  describe('an imported total', () => {
    test('is in the total of its player, and the next votes count on', async () => {
      const { ledger, rules } = await started(rewardIf('102', { votes: { at: [102] } }));
      expect(await imported(ledger, rules, [balance({ totals: { all: 100 } })])).toEqual({
        ...{ stored: 1, same: 0, differences: [], passed: 0 },
      });
      await record(ledger, [on(20), on(21)], rules);
      expect(await votesOf(ledger)).toBe(102);
      expect(await judgedIn(ledger, '102')).toEqual(['votes', ['total 102']]);
      expect(await player(ledger, 'steve')).toMatchObject({
        balances: [
          { name: 'steve', source: 'votingplugin', asOf: NOW, what: 'total', stated: 100, counted: 100 },
        ],
      });
    });

    test('is in no count of one site or of the network', async () => {
      const { ledger, rules } = await started(
        rewardIf('site', { votes: { at: [1], of: 'site' } }),
        rewardIf('network', { votes: { at: [1], of: 'network' } }),
      );
      await imported(ledger, rules, [balance({ totals: { all: 100 } })]);
      await record(ledger, [on(20)], rules);
      expect(await judgedIn(ledger, 'site')).toEqual([['site List total 1']]);
      expect(await judgedIn(ledger, 'network')).toEqual([['network 1']]);
    });

    test('leaves out the votes that the ledger has counted by then, and not those since', async () => {
      const { ledger, rules } = await started();
      await record(ledger, [on(18), on(19), on(20, { hour: 13 })], rules);
      await imported(ledger, rules, [balance({ totals: { all: 100 } })]);
      expect(await votesOf(ledger)).toBe(101);
      await imported(ledger, rules, [balance({ player: 'Alex', totals: { all: 0 } })]);
      await record(ledger, [on(18, { player: 'Ben' }), on(19, { player: 'Ben' })], rules);
      await imported(ledger, rules, [balance({ player: 'Ben', totals: { all: 1 } })]);
      expect(await votesOf(ledger, 'ben')).toBe(2);
    });

    test('contains the votes that an import brings later', async () => {
      const { ledger, rules } = await started(rewardIf('101', { votes: { at: [101] } }));
      await imported(ledger, rules, [balance({ totals: { all: 100 } })]);
      const past = { at: Date.UTC(2026, 5, 10, 12), by: 'votes by ann', now: NOW };
      const order = { by: 'votes by ann', rules, now: NOW };
      expect(await ledger.importVotes([importedVote(on(10), past)], order)).toMatchObject({
        ...{ counted: 1, passed: 0 },
      });
      expect(await votesOf(ledger)).toBe(100);
      await record(ledger, [on(20)], rules);
      expect((await judgedIn(ledger, '101')).at(-1)).toEqual(['total 101']);
      expect(await wrongOf(ledger)).toEqual([]);
    });

    test('passes the totals up to it, which the operator can give', async () => {
      const { ledger, rules } = await started(rewardIf('tens', { votes: { every: 10 } }));
      await record(ledger, [on(18), on(19)], rules);
      expect(await imported(ledger, rules, [balance({ totals: { all: 25 } })])).toMatchObject({ passed: 2 });
      expect(await player(ledger, 'steve')).toMatchObject({
        passed: [
          { reward: 'tens', occasion: 'total 10', by: 'import' },
          { reward: 'tens', occasion: 'total 20', by: 'import' },
        ],
      });
    });
  });

  describe('an import that is repeated', () => {
    test('adds nothing, and shows what differs', async () => {
      const { ledger, rules } = await started();
      await imported(ledger, rules, [balance({ totals: { all: 100 }, bestRun: 9 })]);
      const again = [balance({ totals: { all: 100 }, bestRun: 9 })];
      expect(await imported(ledger, rules, again)).toMatchObject({ stored: 0, same: 1, differences: [] });
      expect(await imported(ledger, rules, [balance({ totals: { all: 120 }, bestRun: 9 })])).toMatchObject({
        ...{ stored: 0, same: 0 },
        differences: [{ player: 'Steve', what: 'total', was: 100, is: 120 }],
      });
      expect(await votesOf(ledger)).toBe(100);
    });

    test('keeps the first of two entries for one name', async () => {
      const { ledger, rules } = await started();
      const twice = [balance({ totals: { all: 100 } }), balance({ totals: { all: 7 } })];
      expect(await imported(ledger, rules, twice)).toMatchObject({
        ...{ stored: 1, differences: [{ was: 100, is: 7 }] },
      });
      expect(await votesOf(ledger)).toBe(100);
    });

    test('of another source adds to what is there', async () => {
      const { ledger, rules } = await started();
      await imported(ledger, rules, [balance({ totals: { all: 100 } })]);
      await imported(ledger, rules, [balance({ totals: { all: 10 } })], { source: 'table' });
      expect(await votesOf(ledger)).toBe(110);
    });
  });

  describe('an imported count of a period', () => {
    const monthly = rewardIf('monthly', { votes: { at: [10, 12], of: 'month' } });

    test('that is in progress counts on, and passes what it reached', async () => {
      const { ledger, rules } = await started(monthly);
      const entries = [balance({ totals: { all: 30, month: 11, week: 2, day: 1 } })];
      expect(await imported(ledger, rules, entries)).toMatchObject({ stored: 1, passed: 1 });
      await record(ledger, [on(21)], rules);
      expect(await judgedIn(ledger, 'monthly')).toEqual([['month 2026-06 total 12']]);
      expect((await player(ledger, 'steve'))?.passed).toMatchObject([{ occasion: 'month 2026-06 total 10' }]);
    });

    test('that is over is left out', async () => {
      const { ledger, rules } = await started(monthly);
      const asOf = Date.UTC(2026, 4, 31, 12);
      await imported(ledger, rules, [balance({ totals: { all: 30, month: 11 } })], { asOf });
      await record(ledger, [on(21)], rules);
      expect(await judgedIn(ledger, 'monthly')).toEqual(['votes']);
    });

    test('is in the standings of a top, under the spelling of the latest vote', async () => {
      const { ledger, rules } = await started();
      const entries = [balance({ totals: { month: 5 } }), balance({ player: 'Alex', totals: { month: 3 } })];
      await imported(ledger, rules, entries);
      await record(ledger, [on(20, { hour: 13 })], rules);
      const page = { filter: {}, zone: 'UTC', exclude: ['Alex'], after: null };
      const days = { from: june(1), to: june(30) };
      const { standings } = await ledger.standings({ ...page, days });
      expect(standings).toMatchObject([{ player: 'Steve', votes: 6, reachedAt: Date.UTC(2026, 5, 20, 13) }]);
    });
  });

  describe('imported days in a row', () => {
    const streak = rewardIf('streak', { streak: { length: 5, repeat: true } });
    const run = { from: june(12), to: june(19) };

    test('go on with the next vote, and pass what they reached', async () => {
      const { ledger, rules } = await started(streak);
      expect(await imported(ledger, rules, [balance({ run })])).toMatchObject({ stored: 1, passed: 1 });
      await record(ledger, [on(20), on(21)], rules);
      expect(await judgedIn(ledger, 'streak')).toEqual(['streak', ['streak 10 reached 2026-06-21']]);
      expect((await player(ledger, 'steve'))?.passed).toMatchObject([
        { reward: 'streak', occasion: 'streak 5 reached 2026-06-16' },
      ]);
    });

    test('join the days of votes, and the best run counts for {bestStreak} alone', async () => {
      const best = rewardIf('best', {}, { commands: ['best {bestStreak}'] });
      const { ledger, rules } = await started(best);
      await record(ledger, [on(20)], rules);
      await imported(ledger, rules, [balance({ run, bestRun: 30 })]);
      await record(ledger, [on(21)], rules);
      const grants = await ledger.grants({ limit: 9 });
      expect(grants[0]?.commands).toMatchObject([{ command: 'best 30' }]);
      expect(await wrongOf(ledger)).toEqual([]);
    });
  });

  describe('imported weeks and months in a row', () => {
    const week = (date: number): number => periodOf('week', june(date));
    const weekly = rewardIf('weekly', { streak: { length: 3, per: 'week', repeat: true } });

    test('go on with the next vote, and pass what they reached', async () => {
      const { ledger, rules } = await started(weekly);
      const weeks = { from: week(8) - 3, to: week(8) };
      expect(await imported(ledger, rules, [balance({ weeks })])).toMatchObject({ stored: 1, passed: 1 });
      await record(ledger, [on(16), on(23)], rules);
      expect(await judgedIn(ledger, 'weekly')).toEqual(['streak', ['streak 6 reached 2026-W26']]);
      expect((await player(ledger, 'steve'))?.balances).toMatchObject([{ what: 'week-run', stated: 4 }]);
      expect(await wrongOf(ledger)).toEqual([]);
    });

    test('pass no length that was reached before the reward started', async () => {
      const { ledger, rules } = await started(weekly);
      const weeks = { from: week(1) - 6, to: week(15) };
      expect(await imported(ledger, rules, [balance({ weeks })])).toMatchObject({ stored: 1, passed: 1 });
      expect((await player(ledger, 'steve'))?.passed).toMatchObject([
        { reward: 'weekly', occasion: 'streak 9 reached 2026-W25' },
      ]);
      await record(ledger, [on(20), on(22)], rules);
      expect(await judgedIn(ledger, 'weekly')).toEqual(['streak', 'streak']);
    });

    test('join weeks of votes on either side, and end where a week is missed', async () => {
      const { ledger, rules } = await started(weekly);
      await record(ledger, [on(2)], rules);
      const weeks = { from: week(8), to: week(8) };
      await imported(ledger, rules, [balance({ weeks })], { asOf: Date.UTC(2026, 5, 14) });
      await record(ledger, [on(19), on(30, { player: 'Alex' })], rules);
      expect(await judgedIn(ledger, 'weekly')).toEqual(['streak', ['streak 3 reached 2026-W25'], 'streak']);
      await record(ledger, [on(30)], rules);
      expect((await judgedIn(ledger, 'weekly')).at(-1)).toBe('streak');
    });

    test('are no days, and do not say how many votes a week had', async () => {
      const daily = rewardIf('daily', { streak: 2 });
      const busy = rewardIf('busy', { streak: { length: 2, per: 'week', votes: 2 } });
      const { ledger, rules } = await started(daily, busy);
      await imported(ledger, rules, [balance({ weeks: { from: week(1), to: week(15) } })]);
      await record(ledger, [on(22), on(23)], rules);
      expect(await judgedIn(ledger, 'daily')).toEqual(['streak', ['streak 2 reached 2026-06-23']]);
      expect(await judgedIn(ledger, 'busy')).toEqual(['streak', 'streak']);
    });

    test('of months go on too', async () => {
      const monthly = rewardIf('monthly', { streak: { length: 7, per: 'month' } });
      const { ledger, rules } = await started(monthly);
      const month = periodOf('month', june(1));
      await imported(ledger, rules, [balance({ months: { from: month - 6, to: month - 1 } })]);
      await record(ledger, [on(21)], rules);
      expect(await judgedIn(ledger, 'monthly')).toEqual([['streak 7 reached 2026-06']]);
    });

    test('are those of both names of a player, and pass what only both together reach', async () => {
      const { ledger, rules } = await started(weekly);
      await imported(ledger, rules, [
        balance({ weeks: { from: week(1), to: week(8) } }),
        balance({ player: 'Alex', weeks: { from: week(15), to: week(15) } }),
      ]);
      const order = { by: 'ann', rules };
      await ledger.mergePlayers({ ...order, name: 'Alex' as PlayerName, into: 'Steve' as PlayerName }, NOW);
      expect((await player(ledger, 'steve'))?.passed).toMatchObject([
        { occasion: 'streak 3 reached 2026-W25', by: 'joining' },
      ]);
    });
  });

  describe('many totals that an import passes at once', () => {
    const every = (number: number) => rewardIf('each', { votes: { every: number } });
    const passedOf = async (ledger: Ledger, name = 'steve') => (await player(ledger, name))?.passed;

    test('are one entry, and none of them is due again', async () => {
      const { ledger, rules } = await started(every(25));
      await record(ledger, [on(18)], rules);
      const entries = [balance({ totals: { all: 5_000 } })];
      expect(await imported(ledger, rules, entries)).toMatchObject({ passed: 200 });
      expect(await passedOf(ledger)).toEqual([
        { reward: 'each', occasion: 'total 25', last: 5_000, step: 25, by: 'import' },
      ]);
      await ledger.voidVotes([1], { by: 'ann', reason: 'forged' }, NOW);
      await record(ledger, [on(20)], rules);
      expect(await votesOf(ledger)).toBe(5_000);
      expect((await judgedIn(ledger, 'each')).at(-1)).toBe('occasion-spent');
    });

    test('are not added again where they are known', async () => {
      const { ledger, rules } = await started(every(1));
      await record(ledger, [on(18), on(19)], rules);
      expect(await imported(ledger, rules, [balance({ totals: { all: 500 } })])).toMatchObject({
        passed: 498,
      });
      await ledger.voidVotes([1, 2], { by: 'ann', reason: 'forged' }, NOW);
      const table = [balance({ totals: { all: 3 } })];
      expect(await imported(ledger, rules, table, { source: 'table' })).toMatchObject({ passed: 1 });
      expect(await votesOf(ledger)).toBe(501);
    });

    test('can be given one by one, each once', async () => {
      const { ledger, rules } = await started(every(25));
      await imported(ledger, rules, [balance({ totals: { all: 500 } })]);
      const give = (count: number) =>
        ledger.giveReward(
          {
            ...{ reward: rules.rewards[0] as Reward, player: 'Steve' as PlayerName, by: 'ann', rules },
            occasion: totalOccasion('total', count),
            draws: { kind: 'drawn', seed: 0.5 },
          },
          NOW,
        );
      expect(await give(75)).toMatchObject({ kind: 'given' });
      expect(await give(75)).toEqual({ kind: 'refused', code: 'occasion-spent' });
      expect(await give(100)).toMatchObject({ kind: 'given' });
      expect(await passedOf(ledger)).toHaveLength(1);
    });

    test('follow their name when it is joined, and back when it is split', async () => {
      const { ledger, rules } = await started(every(25));
      await imported(ledger, rules, [
        balance({ totals: { all: 500 } }),
        balance({ player: 'Alex', totals: { all: 1_000 } }),
      ]);
      const order = { by: 'ann', rules };
      await ledger.mergePlayers({ ...order, name: 'Alex' as PlayerName, into: 'Steve' as PlayerName }, NOW);
      expect((await passedOf(ledger))?.map(({ occasion, last, by }) => [occasion, last, by])).toEqual([
        ['total 25', 500, 'import'],
        ['total 25', 1_000, 'import'],
        ['total 1025', 1_500, 'joining'],
      ]);
      await ledger.splitPlayer({ ...order, name: 'Alex' as PlayerName }, NOW);
      expect([await passedOf(ledger), await passedOf(ledger, 'alex')]).toMatchObject([
        [{ occasion: 'total 25', last: 500 }],
        [{ occasion: 'total 25', last: 1_000 }],
      ]);
    });
  });

  test('UUIDs that a plugin has are hints, the latest of each source, and join nothing', async () => {
    const { ledger, rules } = await started();
    const uuid = '069a79f4-44e9-4726-a5be-fca90e38aaf5';
    const other = 'f7c77d99-9f15-4a66-a87d-c4a51ef30d19';
    const totals = { all: 10 };
    await imported(ledger, rules, [balance({ totals, uuid }), balance({ player: 'Alex', totals, uuid })]);
    await imported(ledger, rules, [balance({ totals, uuid: other })]);
    await imported(ledger, rules, [balance({ totals, uuid: null })]);
    expect(await player(ledger, 'steve')).toMatchObject({
      names: [{ name: 'steve', onlineUuid: null }],
      importedUuids: [{ uuid: other, source: 'votingplugin', name: 'steve' }],
    });
    expect(await player(ledger, 'alex')).toMatchObject({ importedUuids: [{ uuid }], votes: 10 });
  });

  describe('balances of names that are one player', () => {
    test('are added up, and given back by a split', async () => {
      const { ledger, rules } = await started();
      const run = { from: june(1), to: june(3) };
      const entries = [
        balance({ totals: { all: 100 } }),
        balance({ player: 'Alex', totals: { all: 10 }, run }),
      ];
      await imported(ledger, rules, entries);
      const order = { by: 'ann', rules };
      await ledger.mergePlayers({ ...order, name: 'Alex' as PlayerName, into: 'Steve' as PlayerName }, NOW);
      expect(await player(ledger, 'steve')).toMatchObject({
        ...{ votes: 110, balances: [{ name: 'steve' }, { name: 'alex', stated: 10 }, { what: 'run' }] },
      });
      expect(await wrongOf(ledger)).toEqual([]);
      await ledger.splitPlayer({ ...order, name: 'Alex' as PlayerName }, NOW);
      expect([await votesOf(ledger, 'steve'), await votesOf(ledger, 'alex')]).toEqual([100, 10]);
      expect(await wrongOf(ledger)).toEqual([]);
    });
  });

  test('stay with what stands for a player who is forgotten', async () => {
    const { ledger, rules } = await started();
    await imported(ledger, rules, [balance({ totals: { all: 100 } })]);
    let step = await ledger.forgetPlayer({ name: 'Steve' as PlayerName, by: 'ann' }, null, NOW);
    while (step.kind === 'forgetting')
      step = await ledger.forgetPlayer({ name: 'Steve' as PlayerName, by: 'ann' }, step.progress, NOW);
    const { name } = step as Extract<typeof step, { kind: 'forgotten' }>;
    expect(await player(ledger, 'steve')).toBeUndefined();
    expect(await player(ledger, name)).toMatchObject({ votes: 100, balances: [{ name, stated: 100 }] });
    expect(await wrongOf(ledger)).toEqual([]);
  });

  test('a recount finds a total that is not that of votes and balances', async () => {
    const { ledger, rules } = await started();
    await imported(ledger, rules, [balance({ totals: { all: 100 }, run: { from: june(1), to: june(9) } })]);
    await record(ledger, [on(20)], rules);
    expect(await wrongOf(ledger)).toEqual([]);
    await ledger.recount({ recipients: [1], network: true, parties: [] });
    expect(await votesOf(ledger)).toBe(101);
  });
}
