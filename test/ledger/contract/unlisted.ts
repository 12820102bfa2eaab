import { describe, expect, test } from 'vitest';
import type { Cooldown } from '../../../src/core/cooldown.ts';
import type { PlayerName } from '../../../src/core/player-name.ts';
import type { Ledger, ListedPortion } from '../../../src/ledger/ledger.ts';
import { forgetPlayer } from '../../../src/operator/change-player.ts';
import type { Arrival } from '../../../src/rewards/arrival.ts';
import { ALL_WON, type Draws } from '../../../src/rewards/draws.ts';
import type { Reward, Rules } from '../../../src/rewards/reward.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import { arrival, at, type VoteFacts } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';
import { judgedIn, rewardIf, START_DAY } from './rewards.ts';

const DAILY_COOLDOWN: Cooldown = { kind: 'span', ms: 24 * 60 * 60 * 1000 };
const NOW = at('2026-06-01T18:00:00Z');

/** A vote for a service without an entry. */
const cast = (iso: string, service: string, facts: VoteFacts = {}): Arrival =>
  arrival({ service, site: 'default', claim: null, castAt: at(iso), receivedAt: at(iso), ...facts });

const drawn = (portion: number): readonly Draws[] => Array.from({ length: portion }, () => ALL_WON);

interface Listing {
  readonly now?: number;
  readonly portion?: number;
  readonly cooldown?: Cooldown;
  readonly countsAll?: boolean;
}

/** As the process that delivers does with a config that has entries for these services. */
async function list(
  ledger: Ledger,
  rules: Rules,
  services: readonly string[],
  { now = NOW, portion = 50, cooldown = DAILY_COOLDOWN, countsAll = false }: Listing = {},
): Promise<ListedPortion> {
  await ledger.keepListed(services, now);
  const sites = services.map((service) => ({ service, site: service, cooldown, countsAll }));
  return ledger.payUnlisted({ sites, rules, draws: drawn(portion) }, now);
}

const decided = async (ledger: Ledger): Promise<string[]> =>
  (await ledger.votes({ limit: 99 })).toReversed().map(({ decision }) => decision);

export function unlistedContract(freshLedger: LedgerFactory): void {
  async function started(...rewards: readonly Reward[]) {
    const { ledger } = await freshLedger();
    await ledger.useConfig({ rewards, today: START_DAY });
    return { ledger, rules: rulesFor(...rewards) };
  }

  const paidVotes = async (ledger: Ledger): Promise<unknown[]> =>
    (await ledger.grants({ limit: 99 })).toReversed().map(({ voteId }) => voteId);

  describe('a vote of a service without an entry in `sites`', () => {
    test('is `unlisted` while only another service has the shared window, and `cooldown` if its own is taken too', async () => {
      const { ledger, rules } = await started();
      const votes = [
        cast('2026-06-01T08:00:00Z', 'A'),
        cast('2026-06-01T09:00:00Z', 'B'),
        cast('2026-06-01T10:00:00Z', 'A'),
        cast('2026-06-01T11:00:00Z', 'B'),
      ];
      await record(ledger, votes, rules);
      expect((await ledger.votes({ limit: 9 })).toReversed()).toMatchObject([
        { decision: 'rewarded', takenBy: null },
        { decision: 'unlisted', takenBy: 1, nextAt: at('2026-06-02T08:00:00Z') },
        { decision: 'cooldown', takenBy: 1 },
        { decision: 'unlisted', takenBy: 1 },
      ]);
    });

    test('that is `unlisted` marks its day at once, takes nothing and is in no total', async () => {
      const streak = rewardIf('streak', { streak: 2 });
      const total = rewardIf('total', { votes: { at: [2] } });
      const { ledger, rules } = await started(streak, total);
      const taken = cast('2026-06-01T23:00:00Z', 'A');
      await record(ledger, [taken, cast('2026-06-02T01:00:00Z', 'B')], rules);
      expect(await judgedIn(ledger, 'streak')).toEqual(['streak', ['streak 2 reached 2026-06-02']]);
      expect(await judgedIn(ledger, 'total')).toEqual(['votes', undefined]);
      await record(ledger, [cast('2026-06-02T23:00:00Z', 'B')], rules);
      expect(await decided(ledger)).toEqual(['rewarded', 'unlisted', 'rewarded']);
      expect((await judgedIn(ledger, 'total')).at(-1)).toEqual(['total 2']);
    });
  });

  describe('listing a service', () => {
    test('six unlisted sites on the first day, listed one by one, pay each vote once', async () => {
      const thanks = rewardIf('thanks', {});
      const { ledger, rules } = await started(thanks);
      const services = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'];
      const votes = services.map((service, hour) => cast(`2026-06-01T0${hour}:00:00Z`, service));
      await record(ledger, votes, rules);
      expect(await decided(ledger)).toEqual(['rewarded', ...Array(5).fill('unlisted')]);
      expect(await ledger.waitingVotes(at('2026-06-01'))).toEqual(
        ['Five', 'Four', 'Six', 'Three', 'Two'].map((service) => ({ service, votes: 1 })),
      );
      const listed: string[] = [];
      for (const service of services) {
        listed.push(service);
        const votes = service === 'One' ? 0 : 1;
        expect(await list(ledger, rules, listed)).toEqual({
          kind: 'decided',
          votes,
          grants: votes,
          isLast: true,
        });
        expect(await list(ledger, rules, listed)).toEqual({
          kind: 'decided',
          votes: 0,
          grants: 0,
          isLast: true,
        });
      }
      expect(await decided(ledger)).toEqual(Array(6).fill('rewarded'));
      expect(await paidVotes(ledger)).toEqual([1, 2, 3, 4, 5, 6]);
      expect((await ledger.votes({ id: 2, limit: 1 }))[0]).toMatchObject({
        site: 'Two',
        takenBy: null,
        window: { start: at('2026-06-01T01:00:00Z'), end: at('2026-06-02T01:00:00Z') },
        listed: { at: NOW, takenBy: 1 },
      });
      expect(await ledger.wrongCounts(0)).toMatchObject({ recipients: [] });
      expect(await ledger.isNetworkCountWrong()).toBe(false);
      expect(await ledger.waitingVotes(0)).toEqual([]);
    });

    test('pays those first that were cast first, each with the total at that moment and its own day', async () => {
      const total = rewardIf('total', { votes: { at: [2, 3, 4] } });
      const { ledger, rules } = await started(total, rewardIf('first', { firstVote: 'day' }));
      await record(
        ledger,
        [
          cast('2026-06-01T00:00:00Z', 'A'),
          cast('2026-06-01T13:00:00Z', 'C'),
          cast('2026-06-01T12:00:00Z', 'B'),
          cast('2026-06-02T08:00:00Z', 'A'),
        ],
        rules,
      );
      expect(await judgedIn(ledger, 'total')).toEqual(['votes', undefined, undefined, ['total 2']]);
      await list(ledger, rules, ['B', 'C']);
      expect(await judgedIn(ledger, 'total')).toEqual(['votes', ['total 4'], ['total 3'], ['total 2']]);
      expect(await judgedIn(ledger, 'first')).toEqual([
        ['day 2026-06-01 total 1'],
        'firstVote',
        'firstVote',
        ['day 2026-06-02 total 1'],
      ]);
    });

    test('decides by the window of cast times: a second vote of the day is in the cooldown, and counts if the site counts all', async () => {
      const { ledger, rules } = await started(rewardIf('thanks', {}));
      const votes = ['A', 'B', 'B'].map((service, hour) => cast(`2026-06-01T0${hour}:00:00Z`, service));
      await record(ledger, votes, rules);
      await list(ledger, rules, ['B'], { countsAll: true });
      expect(await decided(ledger)).toEqual(['rewarded', 'rewarded', 'cooldown']);
      expect(await paidVotes(ledger)).toEqual([1, 2]);
      expect((await ledger.votes({ limit: 1 }))[0]).toMatchObject({ takenBy: 2, listed: { takenBy: 1 } });
      expect(await ledger.wrongCounts(0)).toMatchObject({ recipients: [] });
      await record(ledger, [cast('2026-06-01T20:00:00Z', 'B', { site: 'B' })], rules);
      expect((await decided(ledger)).at(-1)).toBe('cooldown');
    });

    test('keeps the limit by cast time', async () => {
      const once = rewardIf('once', {}, { limit: { count: 1, per: 'player', within: 'day' } });
      const { ledger, rules } = await started(once);
      await record(ledger, [cast('2026-06-01T08:00:00Z', 'A'), cast('2026-06-01T09:00:00Z', 'B')], rules);
      await list(ledger, rules, ['B'], { now: at('2026-06-03T00:00:00Z') });
      expect(await paidVotes(ledger)).toEqual([1]);
      expect((await judgedIn(ledger, 'once'))[1]).toBe('limit');
    });

    test('pays what was cast up to 7 days before it was noted, whenever that is paid', async () => {
      const { ledger, rules } = await started(rewardIf('thanks', {}));
      const days = ['2026-06-01', '2026-06-02'];
      for (const day of days)
        await record(ledger, [cast(`${day}T11:00:00Z`, 'A'), cast(`${day}T12:00:00Z`, 'B')], rules);
      await ledger.noteListed(['B'], at('2026-06-08T12:00:00.001Z'));
      await list(ledger, rules, ['B'], { now: at('2026-06-30T00:00:00Z') });
      expect(await decided(ledger)).toEqual(['rewarded', 'unlisted', 'rewarded', 'rewarded']);
      await list(ledger, rules, [], { now: at('2026-06-30T00:00:00Z') });
      await list(ledger, rules, ['B'], { now: at('2026-06-30T00:00:00Z') });
      expect((await decided(ledger))[1]).toBe('unlisted');
    });

    test('goes on with the next portion where the last one ended', async () => {
      const { ledger, rules } = await started(rewardIf('thanks', {}));
      const votes = ['A', 'B', 'C', 'D'].map((service, hour) => cast(`2026-06-01T0${hour}:00:00Z`, service));
      await record(ledger, votes, rules);
      const all = ['B', 'C', 'D'];
      expect(await list(ledger, rules, all, { portion: 2 })).toMatchObject({ votes: 2, isLast: false });
      expect(await paidVotes(ledger)).toEqual([1, 2, 3]);
      expect(await list(ledger, rules, all, { portion: 2 })).toMatchObject({ votes: 1, isLast: true });
      expect(await paidVotes(ledger)).toEqual([1, 2, 3, 4]);
    });

    test('leaves alone what the operator has voided or rewarded', async () => {
      const { ledger, rules } = await started(rewardIf('thanks', {}));
      const votes = ['A', 'B', 'C'].map((service, hour) => cast(`2026-06-01T0${hour}:00:00Z`, service));
      await record(ledger, votes, rules);
      await ledger.voidVotes([2], { by: 'ann', reason: 'forged' }, NOW);
      await ledger.rewardVote(3, { site: 'default', cooldown: DAILY_COOLDOWN, rules, draws: ALL_WON }, NOW);
      expect(await ledger.waitingVotes(0)).toEqual([]);
      expect(await list(ledger, rules, ['B', 'C'])).toMatchObject({ votes: 0 });
      expect(await paidVotes(ledger)).toEqual([1, 3]);
    });

    test('of a player who was forgotten counts, and earns them nothing', async () => {
      const { ledger, rules } = await started(rewardIf('thanks', {}));
      const of = (service: string, hour: number, player: string) =>
        cast(`2026-06-01T0${hour}:00:00Z`, service, { player });
      await record(ledger, [of('A', 1, 'Kim'), of('B', 2, 'Kim'), of('B', 3, 'Alex')], rules);
      await forgetPlayer(ledger, 'Kim' as PlayerName, { by: 'ann', now: NOW });
      expect(await list(ledger, rules, ['B'])).toMatchObject({ votes: 1, grants: 0 });
      expect(await ledger.players('forgotten-1')).toMatchObject([{ votes: 2 }]);
      expect((await ledger.grants({ limit: 9 })).map(({ player, state }) => [player, state])).toEqual([
        ['Alex', 'pending'],
        ['forgotten-1', 'cancelled'],
      ]);
    });

    test('cannot be rewarded by the operator once its player was forgotten (vote-forgotten)', async () => {
      const { ledger, rules } = await started(rewardIf('thanks', {}));
      const votes = ['A', 'B'].map((service) => cast('2026-06-01T08:00:00Z', service, { player: 'Kim' }));
      await record(ledger, votes, rules);
      await forgetPlayer(ledger, 'Kim' as PlayerName, { by: 'ann', now: NOW });
      const by = { site: 'default', cooldown: DAILY_COOLDOWN, rules, draws: ALL_WON };
      expect(await ledger.rewardVote(2, by, NOW)).toEqual({ kind: 'refused', code: 'vote-forgotten' });
    });

    test('counts each vote in the figures of the entry', async () => {
      const { ledger, rules } = await started();
      await record(ledger, [cast('2026-06-01T08:00:00Z', 'A'), cast('2026-06-01T09:00:00Z', 'B')], rules);
      await list(ledger, rules, ['B']);
      const rows = await ledger.tallies(at('2026-06-01'));
      expect(rows.map(({ service, site, decisions }) => [service, site, decisions])).toEqual([
        ['B', 'B', { rewarded: 1 }],
        ['A', 'default', { rewarded: 1 }],
      ]);
    });

    test('completes a streak after the reward started, although the vote came before', async () => {
      const weeks = rewardIf('weeks', { streak: { length: 2, per: 'week', votes: 2 }, site: 'A' });
      const { ledger } = await freshLedger();
      const votes = [
        cast('2026-06-02T08:00:00Z', 'A'),
        cast('2026-06-03T09:00:00Z', 'A'),
        cast('2026-06-08T08:00:00Z', 'A'),
        cast('2026-06-08T09:00:00Z', 'B'),
      ];
      await record(ledger, votes, rulesFor());
      await ledger.useConfig({ rewards: [weeks], today: START_DAY + 7 });
      await list(ledger, rulesFor(weeks), ['B'], { now: at('2026-06-08T10:00:00Z') });
      await record(ledger, [cast('2026-06-09T12:00:00Z', 'A')], rulesFor(weeks));
      const [, , , held, paid] = await judgedIn(ledger, 'weeks');
      expect([held, paid]).toEqual(['site', ['streak 2 reached 2026-W24']]);
    });
  });
}
