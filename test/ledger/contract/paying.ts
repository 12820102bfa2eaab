import { describe, expect, test } from 'vitest';
import type { PayRules } from '../../../src/core/pay.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { Rules } from '../../../src/rewards/reward.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import { fixWhole, party, rulesWith, top } from '../../support/parties.ts';
import { arrival, at, webhookArrival } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';
import { rewardIf, START_DAY } from './rewards.ts';

const SHADOW: PayRules = { mode: 'shadow', from: null };
const FROM_NOON: PayRules = { mode: 'real', from: at('2026-06-01T12:00:00Z') };
const QUEUE = { server: 'main', practice: false };

const PLAIN = rulesFor(rewardIf('thanks', {}));
const paying = (pay: PayRules, rules: Rules = PLAIN): Rules => ({ ...rules, pay });

const states = async (ledger: Ledger): Promise<string[]> =>
  (await ledger.grants({ limit: 99 }))
    .toReversed()
    .map(({ player, reward, state, reason }) => `${player} ${reward} ${state} ${reason?.code ?? ''}`.trim());

const reasons = async (ledger: Ledger, name: string): Promise<unknown[]> =>
  (await ledger.votes({ limit: 99 })).toReversed().map((vote) => vote.reasons.get(name)?.code);

export function payingContract(freshLedger: LedgerFactory): void {
  const cast = (player: string, iso: string, site = 'List') =>
    arrival({ player, site, claim: null, castAt: at(iso), receivedAt: at(iso) });

  describe('a vote that another listener pays', () => {
    test('is decided and stored, and no command of what it earned can be sent', async () => {
      const { ledger } = await freshLedger();
      const [recorded] = await record(ledger, [arrival()], paying(SHADOW));
      expect(recorded).toMatchObject({
        kind: 'new',
        isPaidElsewhere: true,
        decision: { rewards: ['thanks'] },
      });
      expect(await ledger.votes({ limit: 9 })).toMatchObject([
        { decision: 'rewarded', isPaidElsewhere: true },
      ]);
      expect(await states(ledger)).toEqual(['Steve thanks cancelled shadow']);
      expect(await ledger.pending(QUEUE, at('2027-01-01T00:00:00Z'), 9)).toEqual([]);
    });

    test('is told as the cause of its grant, with its site and its occasion', async () => {
      const { ledger } = await freshLedger();
      const rules = rulesFor(rewardIf('first', { firstVote: true }), rewardIf('thanks', {}));
      await record(ledger, [cast('Steve', '2026-06-01T12:00:00Z')], paying(SHADOW, rules));
      const [vote] = await ledger.votes({ limit: 1 });
      const grants = (await ledger.grants({ limit: 9 })).toReversed();
      const causes = await Promise.all(grants.map(({ id }) => ledger.causeOf(id)));
      const site = 'List';
      expect(causes).toEqual([
        { vote: vote?.id, site, occasion: 'total 1' },
        { vote: vote?.id, site, occasion: '' },
      ]);
      expect(await ledger.causeOf(99)).toBeNull();
    });

    test('takes its window, so that the next vote within it is not rewarded here either', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [cast('Steve', '2026-06-01T11:59:00Z')], paying(FROM_NOON));
      const [second] = await record(ledger, [cast('Steve', '2026-06-01T12:30:00Z')], paying(FROM_NOON));
      expect(second).toMatchObject({ decision: { kind: 'cooldown' } });
      expect(await states(ledger)).toEqual(['Steve thanks cancelled shadow']);
    });

    test('spends its occasions and takes its places of limits', async () => {
      const { ledger } = await freshLedger();
      const rules = rulesFor(rewardIf('second', { votes: { at: [2] } }), {
        ...rewardIf('one', {}),
        limit: { per: 'network', count: 1, within: 'ever' },
      });
      await ledger.useConfig({ rewards: rules.rewards, today: START_DAY });
      const before = ['2026-06-01T10:00:00Z', '2026-06-01T11:00:00Z'];
      for (const [index, iso] of before.entries())
        await record(ledger, [cast('Steve', iso, `Site ${index}`)], paying(FROM_NOON, rules));
      await record(ledger, [cast('Steve', '2026-06-01T13:00:00Z', 'Site 3')], paying(FROM_NOON, rules));
      expect(await states(ledger)).toEqual(['Steve one cancelled shadow', 'Steve second cancelled shadow']);
      expect(await reasons(ledger, 'one')).toEqual(['granted', 'limit', 'limit']);
      expect(await reasons(ledger, 'second')).toEqual(['votes', 'granted', 'votes']);
    });

    test('has no grants that wait for a delay or for a game server', async () => {
      const { ledger } = await freshLedger();
      const terms = { delayMs: 60_000, expiresAfterMs: 1 };
      const rules = rulesFor({ ...rewardIf('late', {}), terms, whereOnline: true, servers: ['main', 'sky'] });
      await record(ledger, [cast('Steve', '2026-06-01T10:00:00Z')], paying(SHADOW, rules));
      await record(ledger, [cast('Steve', '2026-06-01T10:00:00Z', 'Other')], paying(SHADOW, rules));
      expect(await states(ledger)).toEqual(['Steve late cancelled shadow', 'Steve late cancelled shadow']);
      expect(await ledger.waitingFor(QUEUE, 9, 0)).toEqual([]);
      expect(await ledger.nextDueAt(QUEUE, 0)).toBeNull();
    });

    test('stays theirs when its service is listed afterwards', async () => {
      const { ledger } = await freshLedger();
      const rules = paying(FROM_NOON);
      await record(ledger, [cast('Steve', '2026-06-01T10:00:00Z', 'default')], rules);
      const other = { service: 'Other', site: 'default', claim: null };
      const when = at('2026-06-01T11:00:00Z');
      await record(ledger, [arrival({ ...other, castAt: when, receivedAt: when })], rules);
      const now = at('2026-06-01T13:00:00Z');
      await ledger.keepListed(['Other'], now);
      const cooldown = { kind: 'span', ms: 86_400_000 } as const;
      const sites = [{ service: 'Other', site: 'Other', cooldown, countsAll: false }];
      const draws = [{ kind: 'drawn', seed: 0.5 } as const];
      expect(await ledger.payUnlisted({ sites, rules, draws }, now)).toMatchObject({ votes: 1, grants: 1 });
      expect(await states(ledger)).toEqual([
        'Steve thanks cancelled shadow',
        'Steve thanks cancelled shadow',
      ]);
    });
  });

  describe('at the hand-over', () => {
    test('votes received from then on are paid, and a late one that was cast before is not', async () => {
      const { ledger } = await freshLedger();
      const noon = at('2026-06-01T12:00:00Z');
      const votes = [
        cast('Alex', '2026-06-01T11:59:59.999Z'),
        cast('Steve', '2026-06-01T12:00:00Z'),
        webhookArrival('e1', { player: 'Sasha', castAt: noon - 1, receivedAt: noon + 1, claim: null }),
      ];
      for (const vote of votes) await record(ledger, [vote], paying(FROM_NOON));
      expect(await states(ledger)).toEqual([
        'Alex thanks cancelled shadow',
        'Steve thanks pending',
        'Sasha thanks cancelled shadow',
      ]);
    });

    test('a party is paid by the side that pays the vote which reached it', async () => {
      const { ledger } = await freshLedger();
      const all = party('all', { every: 2 });
      const rules = paying(FROM_NOON, rulesWith(all));
      const times = ['09:00', '10:00', '11:00', '12:00'];
      for (const [index, time] of times.entries())
        await record(ledger, [cast(`Player${index}`, `2026-06-01T${time}:00Z`)], rules);
      for (const { id } of await ledger.reachedParties()) {
        const draws = { kind: 'drawn', seed: 0.5 } as const;
        await fixWhole(ledger, { id, party: all, present: null, rules, draws }, at('2026-06-01T12:00:00Z'));
      }
      expect(await states(ledger)).toEqual([
        'Player0 all cancelled shadow',
        'Player1 all cancelled shadow',
        'Player2 all pending',
        'Player3 all pending',
      ]);
    });

    test.each([
      ['2026-06-30T23:00:00Z', 'pending'],
      ['2026-07-01T00:00:01Z', 'cancelled'],
    ])('the top of June is paid here if the hand-over is at %s: %s', async (from, state) => {
      const { ledger } = await freshLedger();
      const best = top('best');
      await ledger.useConfig({ rewards: [best], today: START_DAY });
      await ledger.useConfig({ tops: [best], today: START_DAY });
      const rules = paying({ mode: 'real', from: at(from) }, rulesWith());
      await record(ledger, [cast('Steve', '2026-06-05T10:00:00Z')], rules);
      const [vote] = await ledger.votes({ limit: 1 });
      const endedAt = at('2026-07-01T00:00:00Z');
      const period = await ledger.dueTop(best, 12 * 57);
      const recipientId = 1;
      const places = [
        {
          place: 1,
          recipientId,
          player: vote?.player ?? null,
          votes: 1,
          reachedAt: 0,
          kind: 'player' as const,
        },
      ];
      const draws = { kind: 'drawn', seed: 0.5 } as const;
      await ledger.settleTop({ top: best, period: period ?? 0, endedAt, places, rules, draws }, endedAt);
      expect((await ledger.grants({ limit: 9 })).map((grant) => grant.state)).toEqual([state]);
    });
  });
}
