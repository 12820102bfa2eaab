import { expect, test } from 'vitest';
import { NO_OCCASION, type Occasion } from '../../../src/core/occasion.ts';
import type { PlayerName } from '../../../src/core/player-name.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { parseOccasion } from '../../../src/rewards/occasion-name.ts';
import type { Reward } from '../../../src/rewards/reward.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import type { LedgerFactory } from './engine.ts';
import { judgedIn, on, rewardIf, START_DAY } from './rewards.ts';

const AT = Date.UTC(2026, 5, 9, 12);

/** @param occasion its name; empty: none. */
const give = (ledger: Ledger, reward: Reward, occasion = '', player = 'Steve') =>
  ledger.giveReward(
    {
      reward,
      player: player as PlayerName,
      occasion: occasion === '' ? NO_OCCASION : (parseOccasion(occasion) as Occasion),
      by: 'ann',
      rules: rulesFor(reward),
      draws: { kind: 'drawn', seed: 0.5 },
    },
    AT,
  );

export function givingContract(freshLedger: LedgerFactory): void {
  /** A ledger in which a reward has started, and these votes of it. */
  async function started(reward: Reward) {
    const { ledger } = await freshLedger();
    await ledger.useConfig({ rewards: [reward], today: START_DAY });
    return ledger;
  }

  test('a reward is given without a vote, and its grant says by whom and when', async () => {
    const reward = rewardIf(
      'total',
      { votes: { at: [2] } },
      { limit: { per: 'player', count: 1, within: 'ever' } },
    );
    const ledger = await started(reward);
    expect(await give(ledger, reward)).toEqual({ kind: 'given', grantIds: [1] });
    expect(await give(ledger, reward)).toEqual({ kind: 'given', grantIds: [2] });
    expect(await ledger.grants({ recipient: 'steve', limit: 9 })).toMatchObject([
      { id: 2, voteId: null, player: 'Steve', given: { by: 'ann', at: AT }, occasion: '' },
      { id: 1, state: 'pending', reason: { code: 'by-operator' } },
    ]);
    expect(await ledger.votes({ limit: 9 })).toEqual([]);
  });

  test('an occasion that is given is spent for its player, and for no other one (rule 14)', async () => {
    const reward = rewardIf('total', { votes: { at: [2] } });
    const ledger = await started(reward);
    expect(await give(ledger, reward, 'total 2')).toMatchObject({ kind: 'given' });
    expect(await give(ledger, reward, 'total 2')).toEqual({ kind: 'refused', code: 'occasion-spent' });
    const votes = [on(1), on(1, { player: 'Alex' }), on(2), on(2, { player: 'Alex' })];
    await record(ledger, votes, rulesFor(reward));
    expect((await judgedIn(ledger, 'total')).slice(-2)).toEqual(['occasion-spent', ['total 2']]);
    expect(await give(ledger, reward, 'total 2', 'Alex')).toMatchObject({ code: 'occasion-spent' });
  });

  test('an occasion of the network is spent for everyone', async () => {
    const reward = rewardIf('party', { votes: { at: [1], of: 'network' } });
    const ledger = await started(reward);
    await give(ledger, reward, 'network 1');
    await record(ledger, [on(1, { player: 'Alex' })], rulesFor(reward));
    expect(await judgedIn(ledger, 'party')).toEqual(['occasion-spent']);
  });

  test('a streak that is given is not paid again by the run that it belongs to', async () => {
    const reward = rewardIf('streak', { streak: 2 });
    const ledger = await started(reward);
    await give(ledger, reward, 'streak 2 reached 2026-06-02');
    await record(ledger, [on(1), on(2), on(3), on(5), on(6)], rulesFor(reward));
    expect((await judgedIn(ledger, 'streak')).slice(-4)).toEqual([
      'streak',
      'streak',
      'streak',
      ['streak 2 reached 2026-06-06'],
    ]);
  });

  test('the commands are those of the occasion, and show what the player has', async () => {
    const reward = rewardIf(
      'prizes',
      { votes: { at: [5, 10] } },
      { commands: [], prizes: [{ from: 10, to: 10, commands: ['say {votes} {streak} {occasion}'] }] },
    );
    const ledger = await started(reward);
    await record(ledger, [on(8), on(9)], rulesFor());
    expect(await give(ledger, reward, 'total 5')).toEqual({ kind: 'refused', code: 'reward-unfit' });
    await give(ledger, reward, 'total 10');
    expect(await ledger.grants({ limit: 9 })).toMatchObject([
      {
        occasion: 'total 10',
        choice: { from: 'prizes', name: '10' },
        commands: [{ command: 'say 2 2 total 10' }],
      },
    ]);
    expect(await give(ledger, reward, 'total 5')).toMatchObject({ code: 'reward-unfit' });
  });

  test('what was given can be redirected, cancelled and found', async () => {
    const reward = rewardIf('thanks', {});
    const ledger = await started(reward);
    await give(ledger, reward);
    await ledger.wait({ id: 1, server: 'main' }, { code: 'player-offline' }, AT);
    const order = { texts: null, by: 'ann', kindByServer: new Map(), to: '.Steve' as PlayerName };
    expect(await ledger.pay(1, order, AT)).toEqual({ kind: 'changed' });
    expect(await ledger.grants({ recipient: 'Steve', given: true, limit: 9 })).toMatchObject([
      { player: '.Steve', redirected: { insteadOf: 'Steve' } },
    ]);
    expect(await ledger.cancel(1, { by: 'ann' }, AT)).toEqual({ kind: 'changed' });
    expect(await ledger.grants({ since: AT, limit: 9 })).toMatchObject([{ id: 1, state: 'cancelled' }]);
  });
}
