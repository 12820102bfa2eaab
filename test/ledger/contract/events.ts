import { describe, expect, test } from 'vitest';
import { EVENT_KINDS, type EventKind } from '../../../src/core/event-kind.ts';
import type { EndedPost, EventPost, EventRow, Ledger, Settlement } from '../../../src/ledger/ledger.ts';
import { record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { party, rulesWith } from '../../support/parties.ts';
import { arrival, DAY } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

export function eventsContract(freshLedger: LedgerFactory): void {
  const NOON = Date.parse('2026-06-01T12:00:00Z');
  const HOUR = 3_600_000;
  const PLUGIN = 'plugin';
  const CHAT = 'chat';

  /** A ledger of which these receivers want every event, or those of some kinds. */
  async function told(
    wants: Readonly<Record<string, readonly EventKind[]>> = { [PLUGIN]: EVENT_KINDS },
  ): Promise<Ledger> {
    const { ledger } = await freshLedger();
    await use(ledger, wants);
    return ledger;
  }

  const use = (ledger: Ledger, wants: Readonly<Record<string, readonly EventKind[]>>, now = NOON) =>
    ledger.useConfig({
      told: { receivers: Object.entries(wants).map(([receiver, kinds]) => ({ receiver, kinds })), at: now },
      today: 0,
    });

  /** In the order in which they were stored. */
  const events = async (ledger: Ledger): Promise<readonly EventRow[]> =>
    (await ledger.latestEvents(EVENT_KINDS, 99)).toReversed();

  const kinds = async (ledger: Ledger): Promise<readonly EventKind[]> =>
    (await events(ledger)).map(({ kind }) => kind);

  async function claim(ledger: Ledger, most = 9, now = NOON): Promise<readonly EventPost[]> {
    const free = [CHAT, PLUGIN].map((receiver) => ({ receiver, most }));
    return (await ledger.takePosts({ ended: [], free, now })).claimed;
  }

  const end = (ledger: Ledger, ended: readonly EndedPost[], now = NOON) =>
    ledger.takePosts({ ended, free: [], now });

  const ids = (posts: readonly EventPost[]) => posts.map(({ receiver, event }) => [receiver, event.id]);

  async function settle(ledger: Ledger, grantId: number, state: 'delivered' | 'held' | 'refused') {
    const outcomes = {
      delivered: { kind: 'delivered', reply: 'ok' },
      held: { kind: 'unknown', reason: 'closed' },
      refused: { kind: 'refused', reply: 'Unknown item' },
    } as const;
    const reasons = {
      delivered: null,
      held: { code: 'closed' },
      refused: { code: 'refused', facts: { reply: 'Unknown item' } },
    } as const;
    await ledger.claim({ grantId, position: 0, player: 'Steve', uuid: null, now: NOON });
    const settlement: Settlement = {
      ...{ grantId, position: 0, outcome: outcomes[state], state, reason: reasons[state] },
      ...{ dueAt: NOON, endedAt: NOON + 40 },
    };
    await ledger.settle(settlement);
  }

  describe('what happened', () => {
    test('is stored with the vote, if a receiver wants to know', async () => {
      const ledger = await told();
      await record(ledger, [arrival(), arrival({ receivedAt: NOON + HOUR })], rulesFor());
      expect(await events(ledger)).toMatchObject([
        { id: 1, kind: 'vote.rewarded', at: NOON, subject: 1, facts: null },
        { id: 2, kind: 'vote.cooldown', at: NOON + HOUR, subject: 2, facts: null },
      ]);
    });

    test('is not stored if nobody wants to know', async () => {
      const ledger = await told({ [PLUGIN]: ['grant.held'] });
      await record(ledger, [arrival()], rulesFor(THANKS));
      await settle(ledger, 1, 'delivered');
      await ledger.addEvents([{ kind: 'health', at: NOON, facts: {}, key: 'disk' }]);
      expect(await events(ledger)).toEqual([]);
    });

    test('has an ID of its own, a UUID', async () => {
      const ledger = await told();
      await record(ledger, [arrival(), arrival({ player: 'Alex' })], rulesFor());
      const [first, second] = (await events(ledger)).map(({ eventId }) => eventId);
      expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(second).not.toBe(first);
    });

    test('includes neither copies of a vote nor imported votes nor votes that no window decided', async () => {
      const ledger = await told();
      const once = arrival({ eventId: 'e1', channel: 'webhook' });
      const late = { ...arrival({ player: 'Robin' }), unrewarded: 'too-old' as const };
      await record(ledger, [once, once, arrival({ player: 'Alex', channel: 'import' }), late], rulesFor());
      expect((await events(ledger)).map(({ subject }) => subject)).toEqual([1]);
    });

    test.each([
      ['delivered', 'grant.delivered', null],
      ['held', 'grant.held', 'closed'],
      ['refused', 'grant.held', 'refused'],
    ] as const)('includes that a grant is %s, once', async (state, kind, reason) => {
      const ledger = await told({ [PLUGIN]: ['grant.delivered', 'grant.held'] });
      await record(ledger, [arrival()], rulesFor(THANKS));
      await settle(ledger, 1, state);
      expect(await events(ledger)).toMatchObject([
        { kind, at: NOON + 40, subject: 1, facts: { state, reason } },
      ]);
      expect(await events(ledger)).toHaveLength(1);
    });

    test('includes grants that are held from the start, and that a held grant is marked as paid', async () => {
      const ledger = await told({ [PLUGIN]: ['grant.delivered', 'grant.held'] });
      await record(ledger, [arrival()], rulesFor(THANKS));
      await settle(ledger, 1, 'held');
      await ledger.markPaid(1, { by: 'ann' }, NOON + 90);
      expect(await kinds(ledger)).toEqual(['grant.held', 'grant.delivered']);
    });

    test('includes each party that is reached, with its number', async () => {
      const ledger = await told({ [PLUGIN]: ['party'] });
      const votes = ['Alex', 'Steve', 'Robin'].map((player) => arrival({ player }));
      await record(ledger, votes, rulesWith(party('all')));
      expect(await events(ledger)).toMatchObject([
        { kind: 'party', at: NOON, subject: 3, facts: { party: 'all', number: 1, votes: 3 } },
      ]);
    });

    test('is stored once for each key', async () => {
      const ledger = await told();
      const began = { kind: 'health', at: NOON, facts: { alarm: 'disk-low' }, key: 'disk-low 1' } as const;
      await ledger.addEvents([began, { ...began, at: NOON + 1 }]);
      await ledger.addEvents([began]);
      expect(await events(ledger)).toMatchObject([
        { kind: 'health', at: NOON, facts: { alarm: 'disk-low' } },
      ]);
      expect(await events(ledger)).toHaveLength(1);
    });
  });

  describe('refusals', () => {
    const refused = (code: string, service: string | null, count: number, lastAt = NOON + 60_000) => ({
      ...{ code, service, sender: '192.0.2.1', count, lastAt },
    });

    test('are summed up once for each hour that is over, the most frequent cause first', async () => {
      const ledger = await told();
      await ledger.countRefusals([
        refused('bad-signature', 'List', 3),
        refused('not-a-vote', null, 40),
        { ...refused('bad-signature', 'List', 2), sender: '192.0.2.2' },
      ]);
      await ledger.summariseRefusals(NOON + HOUR);
      expect(await events(ledger)).toEqual([]);
      await ledger.summariseRefusals(NOON + HOUR + 2 * 60_000);
      await ledger.summariseRefusals(NOON + HOUR + 3 * 60_000);
      expect(await events(ledger)).toMatchObject([
        {
          ...{ kind: 'vote.refused', at: NOON + HOUR, subject: null },
          facts: {
            ...{ from: NOON, until: NOON + HOUR, total: 45, others: 0 },
            refusals: [
              { code: 'not-a-vote', site: null, count: 40 },
              { code: 'bad-signature', site: 'List', count: 5 },
            ],
          },
        },
      ]);
    });

    test('of more than 50 causes are summed up with the number of the others', async () => {
      const ledger = await told();
      const causes = Array.from({ length: 52 }, (_, index) =>
        refused('no-site', `List ${index}`, 60 - index),
      );
      await ledger.countRefusals(causes);
      await ledger.summariseRefusals(NOON + 2 * HOUR);
      const [{ facts } = { facts: null }] = await events(ledger);
      expect(facts).toMatchObject({ total: 1794, others: 19 });
      expect(facts?.refusals).toHaveLength(50);
    });

    test('before the receiver was in the config are not summed up', async () => {
      const ledger = await told({});
      await ledger.countRefusals([refused('bad-signature', 'List', 3)]);
      await use(ledger, { [PLUGIN]: ['vote.refused'] }, NOON + HOUR);
      await ledger.summariseRefusals(NOON + 3 * HOUR);
      expect(await events(ledger)).toEqual([]);
    });
  });

  describe('posts', () => {
    async function withVotes(count: number, wants?: Parameters<typeof told>[0]): Promise<Ledger> {
      const ledger = await told(wants);
      const votes = Array.from({ length: count }, (_, index) => arrival({ player: `Player${index}` }));
      await record(ledger, votes, rulesFor());
      return ledger;
    }

    test('wait for each receiver that wants the kind, and are claimed once', async () => {
      const ledger = await withVotes(2, { [PLUGIN]: ['vote.rewarded'], [CHAT]: ['vote.rewarded', 'party'] });
      expect(await ledger.nextPostAt()).toBe(0);
      expect(ids(await claim(ledger, 1))).toEqual([
        [CHAT, 1],
        [PLUGIN, 1],
      ]);
      expect(ids(await claim(ledger))).toEqual([
        [CHAT, 2],
        [PLUGIN, 2],
      ]);
      expect(await claim(ledger)).toEqual([]);
      expect(await ledger.nextPostAt()).toBeNull();
    });

    test('that have failed are due again at their time, with the number of failures', async () => {
      const ledger = await withVotes(1);
      await claim(ledger);
      const failed = {
        state: 'waiting',
        dueAt: NOON + 10_000,
        status: 503,
        reason: 'receiver-failed',
      } as const;
      const turn = await end(ledger, [{ receiver: PLUGIN, event: 1, end: failed }]);
      expect(turn.nextDueAt).toBe(NOON + 10_000);
      expect(await claim(ledger, 9, NOON + 9_999)).toEqual([]);
      expect(await claim(ledger, 9, NOON + 10_000)).toMatchObject([{ failures: 1, event: { id: 1 } }]);
    });

    test('that were cut off are sent again at once and count no failure', async () => {
      const ledger = await withVotes(1);
      await claim(ledger);
      const cut = { state: 'again', dueAt: 0, status: null, reason: 'cut-off' } as const;
      await end(ledger, [{ receiver: PLUGIN, event: 1, end: cut }]);
      expect(await claim(ledger)).toMatchObject([{ failures: 0, event: { id: 1 } }]);
    });

    test('that a killed process was sending are sent again', async () => {
      const ledger = await withVotes(1);
      const [before] = await claim(ledger);
      await ledger.resumePosts();
      const [after] = await claim(ledger);
      expect(after?.event).toEqual(before?.event);
    });

    test('are counted by how they ended; undelivered ones are sent again by order', async () => {
      const ledger = await withVotes(3);
      await claim(ledger, 2);
      const ended: readonly EndedPost[] = [
        { receiver: PLUGIN, event: 1, end: { state: 'delivered', status: 204, reason: null } },
        { receiver: PLUGIN, event: 2, end: { state: 'undelivered', status: 404, reason: 'url-not-found' } },
      ];
      await end(ledger, ended, NOON + 7);
      expect(await ledger.receiverStates()).toEqual([
        {
          ...{ receiver: PLUGIN, waiting: 1, undelivered: 1, delivered: 1, dropped: 0 },
          last: { at: NOON + 7, status: 404, reason: 'url-not-found' },
        },
      ]);
      expect(await ledger.resendEvents(NOON + 8)).toBe(1);
      expect(ids(await claim(ledger))).toEqual([
        [PLUGIN, 2],
        [PLUGIN, 3],
      ]);
    });

    test('of a receiver that is gone from the config are removed; those of others stay', async () => {
      const ledger = await withVotes(1, { [PLUGIN]: EVENT_KINDS, [CHAT]: EVENT_KINDS });
      await use(ledger, { [CHAT]: ['party'] });
      expect(ids(await claim(ledger))).toEqual([[CHAT, 1]]);
      await record(ledger, [arrival({ player: 'Alex' })], rulesFor());
      expect(await claim(ledger)).toEqual([]);
      expect(await ledger.receiverStates()).toMatchObject([{ receiver: CHAT, waiting: 1 }]);
    });

    test('older than a week are removed with their events, and those that never arrived are counted', async () => {
      const ledger = await withVotes(3);
      await claim(ledger, 1);
      const arrived = { state: 'delivered', status: 200, reason: null } as const;
      await end(ledger, [{ receiver: PLUGIN, event: 1, end: arrived }]);
      await ledger.removeOldEvents(NOON + 7 * DAY);
      expect(await events(ledger)).toHaveLength(3);
      expect(await ledger.removeOldEvents(NOON + 7 * DAY + 1)).toBe(false);
      // The newest one stays.
      expect((await events(ledger)).map(({ id }) => id)).toEqual([3]);
      expect(await ledger.receiverStates()).toMatchObject([{ waiting: 1, delivered: 0, dropped: 1 }]);
    });
  });

  describe('a reader of events', () => {
    test('reads the newest ones of some kinds', async () => {
      const ledger = await told();
      const again = arrival({ receivedAt: NOON + HOUR });
      await record(ledger, [arrival(), again, arrival({ player: 'Alex' })], rulesFor());
      const newest = async (kinds: readonly EventKind[], limit: number) =>
        (await ledger.latestEvents(kinds, limit)).map(({ id }) => id);
      expect(await newest(EVENT_KINDS, 2)).toEqual([3, 2]);
      expect(await newest(['vote.rewarded'], 9)).toEqual([3, 1]);
      expect(await newest(['party'], 9)).toEqual([]);
    });

    test('learns of which kinds a receiver wants to know', async () => {
      const ledger = await told({ [PLUGIN]: ['party'] });
      expect(await ledger.isEventWanted('party')).toBe(true);
      expect(await ledger.isEventWanted('health')).toBe(false);
    });
  });
}
