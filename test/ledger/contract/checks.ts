import { describe, expect, test } from 'vitest';
import type { Ledger, Settlement } from '../../../src/ledger/ledger.ts';
import type { Reward } from '../../../src/rewards/reward.ts';
import { DAILY, record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { arrival } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

const MAIN = { server: 'main', practice: false };
const NOW = Date.parse('2026-06-01T12:00:00Z');
const GRANT = { id: 1, server: 'main' };
const VIP = { kind: 'tag', tag: 'vip' } as const;
const OR_ELSE: Reward = {
  ...DAILY,
  payIf: { condition: VIP, orElse: ['say {player} voted on {site}'] },
  verify: { command: 'data get entity {player}', reply: 'has' },
};
const UNMET = { code: 'condition-unmet', facts: { missing: 'tag vip', times: 3, checkedAt: NOW } } as const;
const CLAIM = { grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW };

const settled = (more: Partial<Settlement>): Settlement => ({
  ...{ grantId: 1, position: 0, state: 'pending', reason: null, dueAt: NOW, endedAt: NOW },
  outcome: { kind: 'delivered', reply: '' },
  ...more,
});

export function checksContract(freshLedger: LedgerFactory): void {
  async function owing(...rewards: readonly Reward[]): Promise<Ledger> {
    const { ledger } = await freshLedger();
    await record(ledger, [arrival({ site: 'List' })], rulesFor(...rewards));
    return ledger;
  }
  const checksIn = async (ledger: Ledger) => (await ledger.pending(MAIN, NOW, 1))[0]?.checks;

  describe('what a grant asks its game server', () => {
    test('is read with it, filled in as its commands are', async () => {
      const ledger = await owing(OR_ELSE);
      expect(await checksIn(ledger)).toEqual({
        payIf: { condition: VIP, hasOrElse: true, times: 0 },
        verify: { command: 'data get entity {player}', reply: 'has' },
      });
    });

    test('is decided by the claim of its first command', async () => {
      const ledger = await owing(OR_ELSE);
      expect(await ledger.claim({ ...CLAIM, isConditionMet: true })).toBe(true);
      await ledger.settle(settled({}));
      expect(await checksIn(ledger)).toMatchObject({ payIf: null });
      await ledger.payOrElse(GRANT, NOW);
      expect((await ledger.pending(MAIN, NOW, 1))[0]?.commands).toMatchObject([
        { text: 'give {player} emerald 2' },
      ]);
    });

    test('is asked again if that command certainly did not run', async () => {
      const ledger = await owing(OR_ELSE);
      await ledger.claim({ ...CLAIM, isConditionMet: true });
      const outcome = { kind: 'not-sent', reason: 'unreachable' } as const;
      await ledger.settle(settled({ outcome, startsOver: true }));
      expect(await checksIn(ledger)).toMatchObject({ payIf: { condition: VIP } });
    });

    test('replaces its commands if the condition is not met, for good', async () => {
      const ledger = await owing(OR_ELSE);
      await ledger.wait(GRANT, UNMET, NOW, NOW + 60_000);
      await ledger.payOrElse(GRANT, NOW);
      const [grant] = await ledger.waiting(MAIN, ['steve'], NOW, 1);
      expect(grant).toMatchObject({
        checks: { payIf: null },
        commands: [{ position: 0, text: 'say {player} voted on List', attempts: 0 }],
      });
      expect((await ledger.grants({ limit: 1 }))[0]).toMatchObject({
        choice: { from: 'orElse' },
        state: 'waiting',
        reason: { code: 'player-offline' },
      });
      await ledger.claim(CLAIM);
      const outcome = { kind: 'not-sent', reason: 'unreachable' } as const;
      await ledger.settle(settled({ outcome, startsOver: true }));
      expect(await checksIn(ledger)).toMatchObject({ payIf: null });
    });

    test('is not claimed as met after another queue has decided that it is not', async () => {
      const ledger = await owing(OR_ELSE);
      await ledger.payOrElse(GRANT, NOW);
      expect(await ledger.claim({ ...CLAIM, isConditionMet: true })).toBe(false);
      expect(await ledger.claim(CLAIM)).toBe(true);
    });

    test.each<[string, Reward, (ledger: Ledger) => Promise<unknown>]>([
      ['has no `orElse`', { ...DAILY, payIf: { condition: VIP, orElse: [] } }, async () => {}],
      ['has no condition', THANKS, async () => {}],
      ['is being sent', OR_ELSE, (ledger) => ledger.claim(CLAIM)],
      ['is cancelled', OR_ELSE, (ledger) => ledger.cancel(1, { by: 'ann' }, NOW)],
    ])('keeps the commands of a grant that %s', async (_, reward, before) => {
      const ledger = await owing(reward);
      await before(ledger);
      const [was] = await ledger.grants({ limit: 1 });
      await ledger.payOrElse(GRANT, NOW);
      expect((await ledger.grants({ limit: 1 }))[0]).toEqual(was);
    });

    test('makes it wait until it is due, or until its player has joined since it was asked', async () => {
      const ledger = await owing(OR_ELSE);
      await ledger.wait(GRANT, UNMET, NOW, NOW + 60_000);
      const waiting = (now: number, joinedAt?: Record<string, number>) =>
        ledger.waiting(MAIN, ['steve'], now, 9, joinedAt);
      expect(await waiting(NOW)).toEqual([]);
      expect(await waiting(NOW, { steve: NOW - 1 })).toEqual([]);
      expect(await waiting(NOW, { steve: NOW + 1 })).toMatchObject([{ checks: { payIf: { times: 3 } } }]);
      expect(await waiting(NOW + 60_000)).toHaveLength(1);
    });
  });

  test('an answer to `verify` is stored with the outcome of its command', async () => {
    const ledger = await owing(OR_ELSE, { ...OR_ELSE, name: 'second' });
    await ledger.claim(CLAIM);
    await ledger.settle(settled({ outcome: { kind: 'delivered', reply: '', proof: 'Steve has it' } }));
    await ledger.claim({ ...CLAIM, grantId: 2 });
    const outcome = { kind: 'unknown', reason: 'not-verified', reply: 'Error', answer: null } as const;
    await ledger.settle(settled({ grantId: 2, outcome, state: 'held', reason: { code: 'not-verified' } }));
    const commands = (await ledger.grants({ limit: 9 })).map((grant) => grant.commands[0]);
    expect(commands).toMatchObject([
      { reply: 'Error', reason: { code: 'not-verified', facts: { answer: null } } },
      { reply: '', reason: { code: 'verified', facts: { answer: 'Steve has it' } } },
    ]);
  });
}
