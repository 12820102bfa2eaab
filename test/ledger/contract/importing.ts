import { describe, expect, test } from 'vitest';
import type { PlayerName } from '../../../src/core/player-name.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { Reward, Rules } from '../../../src/rewards/reward.ts';
import { importedVote } from '../../../src/votes/intake/added-vote.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import { reward } from '../../support/rewards.ts';
import type { VoteFacts } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';
import { judgedIn, on, rewardIf, START_DAY } from './rewards.ts';

/** When imports are run: noon on 20 June 2026. */
const NOW = Date.UTC(2026, 5, 20, 12);

/** A vote of the time before Teller, on a date in June 2026, at noon. */
const past = (date: number, facts: VoteFacts & { readonly hour?: number } = {}) => {
  const judged = on(date, facts);
  return importedVote(judged, { at: judged.vote.castAt, by: 'votes by ann', now: NOW });
};

const imported = (ledger: Ledger, rules: Rules, votes: readonly ReturnType<typeof past>[], now = NOW) =>
  ledger.importVotes(votes, { by: 'votes by ann', rules, now });

const NONE = { counted: 0, uncounted: 0, same: 0, receivedHere: 0, passed: 0 };

export function importingContract(freshLedger: LedgerFactory): void {
  async function started(...rewards: readonly Reward[]) {
    const { ledger } = await freshLedger();
    await ledger.useConfig({ rewards, today: START_DAY });
    return { ledger, rules: rulesFor(...rewards) };
  }

  describe('an imported vote', () => {
    test('takes its window, is in totals, and is neither paid nor forwarded', async () => {
      const { ledger, rules } = await started(reward('daily'));
      const targets = { ...rules, targets: [{ server: 'old', pays: false, maxAgeMs: 86_400_000 }] };
      expect(await imported(ledger, targets, [past(10)])).toEqual({ ...NONE, counted: 1 });
      expect(await ledger.votes({ limit: 9 })).toMatchObject([
        {
          ...{ decision: 'rewarded', channel: 'import', isPaidElsewhere: true, player: 'Steve' },
          ...{ castAt: Date.UTC(2026, 5, 10, 12), receivedAt: NOW },
        },
      ]);
      expect(await ledger.grantStates()).toEqual({});
      expect(await ledger.players('steve' as PlayerName)).toMatchObject([{ votes: 1 }]);
    });

    test('keeps its player from being paid again within the cooldown', async () => {
      const { ledger, rules } = await started(reward('daily'));
      await imported(ledger, rules, [past(20, { hour: 6 })]);
      await record(ledger, [on(20, { hour: 13 }), on(21, { hour: 7 })], rules);
      expect(await ledger.grantStates()).toEqual({ pending: 1 });
      const rows = await ledger.votes({ limit: 9 });
      expect(rows.map(({ decision }) => decision)).toEqual(['rewarded', 'cooldown', 'rewarded']);
    });

    test('that another one has the window of marks its day and is in no total', async () => {
      const { ledger, rules } = await started();
      const votes = [past(10), past(10, { hour: 13 })];
      expect(await imported(ledger, rules, votes)).toEqual({ ...NONE, counted: 1, uncounted: 1 });
      expect(await ledger.players('steve' as PlayerName)).toMatchObject([{ votes: 1 }]);
    });

    test('is recorded once, however often it is imported, and is no repeat', async () => {
      const { ledger, rules } = await started();
      await imported(ledger, rules, [past(10), past(11)]);
      const again = [past(10), past(11), past(12)];
      expect(await imported(ledger, rules, again, NOW + 1)).toEqual({ ...NONE, same: 2, counted: 1 });
      expect(await ledger.votes({ limit: 9 })).toMatchObject([
        { repeats: 0 },
        { repeats: 0 },
        { repeats: 0 },
      ]);
    });

    test('is the vote that the listing’s API has with the same time', async () => {
      const { ledger, rules } = await started(reward('daily'));
      await imported(ledger, rules, [past(10)]);
      const at = Date.UTC(2026, 5, 10, 12);
      const found = on(10, { channel: 'api', eventId: 'e1', claim: { at, precision: 's' }, receivedAt: NOW });
      expect(await record(ledger, [found], rules)).toMatchObject([{ kind: 'same', id: 1 }]);
    });

    test('that was cast after the first vote received here for its service is left out', async () => {
      const { ledger, rules } = await started();
      await record(ledger, [on(12)], rules);
      const votes = [past(11), past(12, { hour: 14, player: 'Alex' }), past(13, { site: 'Other' })];
      expect(await imported(ledger, rules, votes)).toEqual({ ...NONE, counted: 2, receivedHere: 1 });
      expect(await ledger.players('alex' as PlayerName)).toEqual([]);
    });

    test('goes before votes that the operator added, which say nothing about what was received', async () => {
      const { ledger, rules } = await started();
      await record(ledger, [on(5, { channel: 'operator' })], rules);
      expect(await imported(ledger, rules, [past(11)])).toEqual({ ...NONE, counted: 1 });
    });

    test('of a service without an entry is not paid when the service gets one', async () => {
      const { ledger, rules } = await started(reward('daily'));
      await imported(ledger, rules, [
        past(19, { site: 'default', service: 'First' }),
        past(19, { site: 'default', service: 'Second', hour: 13 }),
      ]);
      expect((await ledger.votes({ limit: 1 }))[0]).toMatchObject({ decision: 'unlisted' });
      expect(await ledger.keepListed(['Second'], NOW)).toBe(false);
      expect(await ledger.waitingVotes(0)).toEqual([]);
    });
  });

  describe('what imported votes reach', () => {
    test('is recorded as reached elsewhere, and the operator can give it', async () => {
      const fifth = rewardIf('fifth', { votes: { every: 2 } });
      const { ledger, rules } = await started(fifth);
      const votes = [past(1), past(2), past(3), past(4)];
      expect(await imported(ledger, rules, votes)).toEqual({ ...NONE, counted: 4, passed: 2 });
      expect(await ledger.players('steve' as PlayerName)).toMatchObject([
        {
          passed: [
            { reward: 'fifth', occasion: 'total 2', by: 'import' },
            { reward: 'fifth', occasion: 'total 4', by: 'import' },
          ],
          changes: [{ kind: 'imported', name: 'steve', at: NOW, by: 'votes by ann' }],
        },
      ]);
      await record(ledger, [on(21), on(22)], rules);
      expect((await judgedIn(ledger, 'fifth')).slice(-2)).toEqual(['votes', ['total 6']]);
    });

    test('by days in a row is paid from the next length on', async () => {
      const { ledger, rules } = await started(rewardIf('streak', { streak: { length: 2, repeat: true } }));
      const votes = [past(17), past(18), past(19)];
      expect(await imported(ledger, rules, votes)).toEqual({ ...NONE, counted: 3, passed: 1 });
      await record(ledger, [on(20)], rules);
      expect((await judgedIn(ledger, 'streak')).at(-1)).toEqual(['streak 4 reached 2026-06-20']);
    });

    test('of the whole network belongs to no player', async () => {
      const { ledger, rules } = await started(rewardIf('all', { votes: { every: 2, of: 'network' } }));
      expect(await imported(ledger, rules, [past(1), past(2)])).toEqual({ ...NONE, counted: 2, passed: 1 });
      expect(await ledger.players('steve' as PlayerName)).toMatchObject([{ passed: [], changes: [] }]);
      await record(ledger, [on(21), on(22)], rules);
      expect((await judgedIn(ledger, 'all')).slice(-2)).toEqual(['votes', ['network 4']]);
    });
  });
}
