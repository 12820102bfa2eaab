import { describe, expect, test } from 'vitest';
import type { PlayerName } from '../../../src/core/player-name.ts';
import type { DebtEntry, Ledger } from '../../../src/ledger/ledger.ts';
import { ALL_WON } from '../../../src/rewards/draws.ts';
import type { Reward, Rules } from '../../../src/rewards/reward.ts';
import { rulesFor } from '../../support/ledgers.ts';
import { reward } from '../../support/rewards.ts';
import type { LedgerFactory } from './engine.ts';
import { rewardIf, START_DAY } from './rewards.ts';

const NOW = Date.UTC(2026, 5, 20, 12);

const owedVote = (at: number | null) => ({ service: 'List', site: 'List', at, draws: ALL_WON });
const OWED = {
  ...{ what: 'Weekly', reward: 'owed by votingplugin', server: 'main', practice: false },
  commands: ['give Steve diamond 3', 'say Steve'],
};

const debt = (more: Partial<DebtEntry>): DebtEntry => ({
  ...{ player: 'Steve' as PlayerName, votes: [], rewards: [] },
  ...more,
});

export function debtsContract(freshLedger: LedgerFactory): void {
  async function started(...rewards: readonly Reward[]) {
    const { ledger } = await freshLedger();
    await ledger.useConfig({ rewards, today: START_DAY });
    return { ledger, rules: rulesFor(...rewards) };
  }

  async function imported(ledger: Ledger, rules: Rules, debts: readonly DebtEntry[]): Promise<number> {
    const start = { source: 'votingplugin', asOf: NOW, by: 'votingplugin by ann', now: NOW };
    const importId = await ledger.startImport(start);
    return ledger.importDebts(debts, { ...start, rules, isReplacing: false, importId });
  }

  describe('what another plugin owes', () => {
    test('is held until the operator pays all of it', async () => {
      const { ledger, rules } = await started();
      expect(await imported(ledger, rules, [debt({ rewards: [OWED] })])).toBe(1);
      const [grant] = await ledger.grants({ imported: 'votingplugin', limit: 9 });
      expect(grant).toMatchObject({
        ...{ id: 1, player: 'Steve', reward: 'owed by votingplugin', server: 'main', state: 'held' },
        ...{ reason: { code: 'imported' } },
        commands: [{ command: 'give Steve diamond 3' }, { command: 'say Steve' }],
      });
      expect(await ledger.grants({ imported: 'table', limit: 9 })).toEqual([]);
      const order = { texts: null, by: 'ann', kindByServer: new Map([['main', 'rcon']]) };
      expect(await ledger.pay(1, order, NOW)).toEqual({ kind: 'changed' });
      expect(await ledger.grantStates()).toEqual({ pending: 1 });
    });

    test('is owed in full if one import has several votes that earn the same reward, and several rewards', async () => {
      const { ledger, rules } = await started(reward('daily'));
      const votes = [owedVote(NOW - 1), owedVote(null), owedVote(null)];
      expect(await imported(ledger, rules, [debt({ votes, rewards: [OWED, OWED] })])).toBe(5);
      const grants = await ledger.grants({ imported: 'votingplugin', limit: 9 });
      expect(grants.map(({ reward: name }) => name).toSorted()).toEqual([
        ...['daily', 'daily', 'daily'],
        ...['owed by votingplugin', 'owed by votingplugin'],
      ]);
    });

    test('is owed once, however often it is imported, and twice if the plugin owes it twice', async () => {
      const { ledger, rules } = await started(reward('daily'));
      const once = debt({ votes: [owedVote(NOW - 1)], rewards: [OWED] });
      expect(await imported(ledger, rules, [once, once])).toBe(2);
      const twice = debt({ votes: [owedVote(NOW - 1), owedVote(null)], rewards: [OWED, OWED] });
      expect(await imported(ledger, rules, [twice])).toBe(2);
      expect(await imported(ledger, rules, [twice])).toBe(0);
      expect(await imported(ledger, rules, [{ ...once, player: 'Alex' as PlayerName }])).toBe(2);
      expect(await ledger.grantStates()).toEqual({ held: 6 });
    });

    test('for a vote is what rewards give that do not depend on other votes; no vote is recorded', async () => {
      const { ledger, rules } = await started(
        reward('daily'),
        rewardIf('here', { site: ['List'] }),
        rewardIf('elsewhere', { site: ['Other'] }),
        rewardIf('first', { votes: { at: [1] } }),
      );
      await imported(ledger, rules, [debt({ votes: [owedVote(null)] })]);
      const grants = await ledger.grants({ limit: 9 });
      expect(grants.map((grant) => grant.reward).toSorted()).toEqual(['daily', 'here']);
      expect(await ledger.votes({ limit: 9 })).toEqual([]);
      expect(await ledger.players('steve' as PlayerName)).toMatchObject([{ votes: 0 }]);
    });

    test('goes to the player whom the name is joined to', async () => {
      const { ledger, rules } = await started();
      await imported(ledger, rules, [
        debt({ rewards: [OWED] }),
        debt({ player: 'Alex' as PlayerName, rewards: [OWED] }),
      ]);
      const names = { name: 'Alex' as PlayerName, into: 'Steve' as PlayerName };
      await ledger.mergePlayers({ ...names, by: 'ann', rules }, NOW);
      expect(await ledger.grants({ recipient: 'Steve', limit: 9 })).toHaveLength(2);
    });
  });
}
