import { describe, expect, test } from 'vitest';
import { NO_TERMS } from '../../../src/core/grant-terms.ts';
import type { CommandProof } from '../../../src/core/proof.ts';
import type { CommandClaim, Ledger, Settlement } from '../../../src/ledger/ledger.ts';
import type { Reward } from '../../../src/rewards/reward.ts';
import { DAILY, record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { arrival, DAY } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

export function proofContract(freshLedger: LedgerFactory): void {
  const MAIN = { server: 'main', practice: false };
  const NOW = Date.parse('2026-06-01T12:00:00Z');
  const PROOF: CommandProof = { mark: 't00000000ab.7', seen: { ticks: 48_213, at: NOW - 900 } };
  const UNMARKED: CommandClaim = { grantId: 1, position: 0, player: 'STEVE', uuid: 'f84c6a79', now: NOW };
  const CLAIM: CommandClaim = { ...UNMARKED, proof: PROOF };
  const DELIVERED: Settlement = {
    ...{
      grantId: 1,
      position: 0,
      outcome: { kind: 'delivered', reply: '', isMarked: true },
      state: 'delivered',
    },
    ...{ reason: null, dueAt: NOW, endedAt: NOW },
  };

  async function owing(...rewards: readonly Reward[]): Promise<Ledger> {
    const { ledger } = await freshLedger();
    await record(ledger, [arrival()], rulesFor(...rewards));
    return ledger;
  }

  const states = async (ledger: Ledger): Promise<unknown[]> =>
    (await ledger.grants({ limit: 9 }))
      .toReversed()
      .map(({ state, reason }) => [state, reason?.code ?? null]);

  describe('a command that has left a mark', () => {
    test('is unproven while it is being sent, with all that it was sent with', async () => {
      const ledger = await owing(DAILY, THANKS);
      await ledger.claim(CLAIM);
      await ledger.claim({ ...UNMARKED, grantId: 2 });
      const left = await ledger.unproven(MAIN, NOW);
      expect(left).toMatchObject([
        {
          grant: { id: 1, reward: 'daily', commands: [{ position: 0 }, { position: 1 }] },
          command: { position: 0, text: 'give {player} diamond 1', attempts: 1 },
          ...{ proof: PROOF, claimedAt: NOW, player: 'STEVE', uuid: 'f84c6a79' },
        },
      ]);
      expect(left).toHaveLength(1);
      expect(await ledger.unproven({ ...MAIN, practice: true }, NOW)).toEqual([]);
      await ledger.settle(DELIVERED);
      expect(await ledger.unproven(MAIN, NOW)).toEqual([]);
      const [, { commands } = { commands: [] }] = await ledger.grants({ limit: 9 });
      expect(commands[0]).toMatchObject({ outcome: 'delivered', reply: null, reason: { code: 'proven' } });
    });

    test('stays as it is when its process has died, if its game server is asked; others are unknown', async () => {
      const ledger = await owing(DAILY, THANKS);
      await ledger.claim(CLAIM);
      await ledger.claim({ ...UNMARKED, grantId: 2 });
      expect(await ledger.settleInterrupted(NOW, { provable: [MAIN], of: ['other'] })).toBe(0);
      expect(await ledger.settleInterrupted(NOW, { provable: [MAIN] })).toBe(1);
      expect(await states(ledger)).toEqual([
        ['pending', null],
        ['held', 'process-ended'],
      ]);
      expect(await ledger.pending(MAIN, NOW, 9)).toEqual([]);
      expect(await ledger.settleInterrupted(NOW, { provable: [] })).toBe(1);
      expect(await ledger.unproven(MAIN, NOW)).toEqual([]);
    });

    test('is one command of all grants that are paid as one', async () => {
      const { ledger } = await freshLedger();
      const coins = {
        ...THANKS,
        name: 'coins',
        commands: ['say {count}'],
        terms: { ...NO_TERMS, combine: true },
      };
      const votes = [0, 1, 2].map((day) => arrival({ receivedAt: NOW + 2 * day * DAY }));
      await record(ledger, votes, rulesFor(coins));
      await ledger.claim({ ...CLAIM, others: [2, 3] });
      const left = await ledger.unproven(MAIN, NOW);
      expect(left.map(({ grant }) => [grant.id, grant.combined?.others])).toEqual([[1, [2, 3]]]);
    });
  });

  test('a bucket of marks is old once no command of it is being sent, until it is forgotten', async () => {
    const ledger = await owing(THANKS);
    await ledger.claim(CLAIM);
    expect(await ledger.oldBuckets('main', 't0000000000')).toEqual([]);
    await ledger.settle(DELIVERED);
    expect(await ledger.oldBuckets('main', 't00000000ab')).toEqual([]);
    expect(await ledger.oldBuckets('other', 't0000000000')).toEqual([]);
    expect(await ledger.oldBuckets('main', 't0000000000')).toEqual(['t00000000ab']);
    await ledger.forgetBucket('main', 't00000000ab');
    expect(await ledger.oldBuckets('main', 't0000000000')).toEqual([]);
  });
}
