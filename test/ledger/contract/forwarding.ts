import { describe, expect, test } from 'vitest';
import { FORWARD, type ForwardTarget, forwardText } from '../../../src/core/forward.ts';
import type { PayRules } from '../../../src/core/pay.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { Arrival } from '../../../src/rewards/arrival.ts';
import type { Rules } from '../../../src/rewards/reward.ts';
import { forwardOf } from '../../../src/votes/intake/forward.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import { arrival, at, claimed, type VoteFacts, webhookArrival } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';
import { rewardIf } from './rewards.ts';

const HOUR = 60 * 60_000;
const OLD: ForwardTarget = { server: 'old', maxAgeMs: 24 * HOUR, pays: false };
const QUEUE = { server: 'old', practice: false };
const NOON = '2026-06-01T12:00:00.250Z';

const rulesTo = (targets: readonly ForwardTarget[], pay: PayRules = { mode: 'real', from: null }): Rules => ({
  ...rulesFor(rewardIf('thanks', {})),
  targets,
  pay,
});

/** As the intake makes it. */
const arriving = (facts: VoteFacts, rules: Rules = rulesTo([OLD])): Arrival => {
  const judged = arrival({ receivedAt: at(NOON), castAt: at(NOON), claim: null, ...facts });
  return { ...judged, rules, ...forwardOf(judged, '203.0.113.9', rules) };
};

const recordAll = (ledger: Ledger, arrivals: readonly Arrival[]) =>
  Promise.all(arrivals.map((each) => ledger.record(each, null)));

const forwards = async (ledger: Ledger) =>
  (await ledger.grants({ limit: 99 })).toReversed().filter(({ reward }) => reward === FORWARD);

export function forwardingContract(freshLedger: LedgerFactory): void {
  describe('a vote, with a game server that takes votes', () => {
    test('is owed to it as a grant with the service, player, address and time, which expires', async () => {
      const { ledger } = await freshLedger();
      const [recorded] = await recordAll(ledger, [arriving({ service: 'List', player: 'Steve' })]);
      expect(recorded).toMatchObject({ kind: 'new', isForwarded: true });
      const text = forwardText({ service: 'List', player: 'Steve', address: '203.0.113.9', at: at(NOON) });
      expect(await forwards(ledger)).toMatchObject([
        {
          ...{ cause: 'vote', voteId: 1, server: 'old', practice: false, state: 'pending' },
          expiresAt: at(NOON) + 24 * HOUR,
          commands: [{ command: text, outcome: null }],
        },
      ]);
      expect(await ledger.pending(QUEUE, at(NOON), 9)).toMatchObject([{ reward: FORWARD, player: null }]);
    });

    test('is owed to each one, whatever was decided, in the order in which the votes came', async () => {
      const { ledger } = await freshLedger();
      const rules = rulesTo([OLD, { ...OLD, server: 'older' }]);
      const [first, second] = [arriving({}, rules), arriving({ receivedAt: at(NOON) + 1000 }, rules)];
      const recorded = await recordAll(ledger, [first, second, { ...second, unrewarded: 'too-old' }]);
      expect(recorded.map((each) => each.kind === 'new' && each.decision.kind)).toEqual([
        'rewarded',
        'cooldown',
        'too-old',
      ]);
      const owed = (await forwards(ledger)).map(({ voteId, server }) => `${voteId} ${server}`);
      expect(owed).toEqual(['1 old', '1 older', '2 old', '2 older', '3 old', '3 older']);
    });

    test('is not owed again when the same vote comes again', async () => {
      const { ledger } = await freshLedger();
      const vote = arriving({ claim: claimed(NOON) });
      await recordAll(ledger, [vote, vote]);
      expect(await forwards(ledger)).toHaveLength(1);
    });

    test('is not owed if it names no player', async () => {
      const { ledger } = await freshLedger();
      const user = {
        ...arrival(),
        vote: { ...arrival().vote, recipient: { kind: 'user', key: '8035' } },
      } as const;
      const rules = rulesTo([OLD]);
      expect(forwardOf(user, '', rules)).toEqual({});
      await record(ledger, [user], rules);
      expect(await forwards(ledger)).toEqual([]);
    });

    test('is owed to one that pays only if it is not paid here', async () => {
      const { ledger } = await freshLedger();
      const targets = [OLD, { ...OLD, server: 'payer', pays: true }];
      const rules = rulesTo(targets, { mode: 'real', from: at('2026-06-01T12:00:01Z') });
      await recordAll(ledger, [
        arriving({}, rules),
        arriving({ player: 'Alex', receivedAt: at('2026-06-01T12:00:01Z') }, rules),
      ]);
      expect(
        (await forwards(ledger)).map(({ voteId, server, state }) => `${voteId} ${server} ${state}`),
      ).toEqual(['1 old pending', '1 payer pending', '2 old pending']);
    });

    test('is cancelled when it was not forwarded in time', async () => {
      const { ledger } = await freshLedger();
      await recordAll(ledger, [arriving({})]);
      await ledger.applyTerms(at(NOON) + 24 * HOUR + 1);
      expect(await forwards(ledger)).toMatchObject([{ state: 'cancelled', reason: { code: 'expired' } }]);
    });
  });

  describe('a vote that comes back from where it was forwarded to', () => {
    /** The vote as the other side sends it: with the time that it was forwarded with. */
    const returned = (sent: Arrival, receivedAt: number, second = 1): Arrival => {
      const { at: time } = JSON.parse(sent.forward ?? '') as { at: number };
      const claim = { at: Math.floor(time / second) * second, precision: second === 1 ? 'ms' : 's' } as const;
      return arriving({ claim, castAt: receivedAt, receivedAt, channel: 'listener-v1' });
    };

    test.each([
      ['has a claimed time', { claim: claimed('2026-06-01T11:59:58.125Z') }, 1],
      ['has no claimed time', {}, 1],
      ['has no claimed time, and comes back with whole seconds', {}, 1000],
      ['claims a time that cannot be believed', { claim: claimed('2026-06-01T18:00:00.125Z') }, 1],
      ['claims a time long ago', { claim: claimed('2020-01-01T00:00:00.125Z') }, 1],
    ])('is the same vote if it %s', async (_what, facts: VoteFacts, second) => {
      const { ledger } = await freshLedger();
      const sent = arriving(facts);
      const [, back] = await recordAll(ledger, [sent, returned(sent, at(NOON) + 3 * HOUR, second)]);
      expect(back).toEqual({ kind: 'same', id: 1 });
      expect(await forwards(ledger)).toHaveLength(1);
    });

    test('is the same vote if it came by webhook', async () => {
      const { ledger } = await freshLedger();
      const rules = rulesTo([OLD]);
      const judged = webhookArrival('vote-1');
      const sent = { ...judged, rules, ...forwardOf(judged, '', rules) };
      const [, back] = await recordAll(ledger, [sent, returned(sent, judged.vote.receivedAt + 500)]);
      expect(back).toEqual({ kind: 'same', id: 1 });
    });

    test('is another vote if its time differs from the receipt, or if it is for another player or service', async () => {
      const { ledger } = await freshLedger();
      const sent = arriving({});
      const claim = { at: at(NOON), precision: 'ms' } as const;
      const others = [
        arriving({ claim: { ...claim, at: at(NOON) + 1 } }),
        arriving({ claim, player: 'Alex' }),
        arriving({ claim, service: 'Other' }),
      ];
      const recorded = await recordAll(ledger, [sent, ...others]);
      expect(recorded.map(({ kind }) => kind)).toEqual(['new', 'new', 'new', 'new']);
    });

    test('is looked for by its time of receipt only where votes are forwarded', async () => {
      const { ledger } = await freshLedger();
      const plain = rulesFor(rewardIf('thanks', {}));
      const claim = { at: at(NOON), precision: 'ms' } as const;
      const recorded = await record(ledger, [arriving({}, plain), arriving({ claim }, plain)], plain);
      expect(recorded.map(({ kind }) => kind)).toEqual(['new', 'new']);
    });
  });
}
