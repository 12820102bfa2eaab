import { describe, expect, test } from 'vitest';
import { EVENT_KINDS, type EventKind } from '../../src/core/event-kind.ts';
import type { EndedPost, PostEnd } from '../../src/ledger/ledger.ts';
import {
  type Cast,
  DAY,
  type End,
  HOUR,
  type LedgerOfTest,
  ledgers,
  MINUTE,
  NOON,
  reward,
} from '../kit/ledgers.ts';

const PLUGIN = 'plugin';
const CHAT = 'chat';
type Wants = Readonly<Record<string, readonly EventKind[]>>;

const use = (ledger: LedgerOfTest, wants: Wants, at = NOON) =>
  ledger.useConfig({
    told: { receivers: Object.entries(wants).map(([receiver, kinds]) => ({ receiver, kinds })), at },
    today: 0,
  });
/** A ledger of which these receivers want every event, or those of some kinds, with these votes. */
async function told(
  wants: Wants = { [PLUGIN]: EVENT_KINDS },
  ...casts: readonly Cast[]
): Promise<LedgerOfTest> {
  const party = [{ name: 'all', every: 3, when: 'always', commands: ['say cake'] }];
  const ledger = await ledgers({
    rewards: [reward('thanks')],
    ...(wants[PLUGIN]?.join() === 'party' ? { party } : {}),
  });
  await use(ledger, wants);
  await ledger.vote(...casts);
  return ledger;
}
const voters = (count: number): Cast[] => Array.from({ length: count }, (_, n) => ({ player: `Player${n}` }));
/** In the order in which they were stored. */
const events = async (ledger: LedgerOfTest) => (await ledger.latestEvents(EVENT_KINDS, 99)).toReversed();

describe('what happened', () => {
  test('is stored with the vote, if a receiver wants to know, with a UUID of its own', async () => {
    const ledger = await told({ [PLUGIN]: EVENT_KINDS }, {}, { at: NOON + HOUR });
    expect(await events(ledger)).toMatchObject([
      { id: 1, kind: 'vote.rewarded', at: NOON, subject: 1, facts: null },
      { id: 2, kind: 'vote.cooldown', at: NOON + HOUR, subject: 2, facts: null },
    ]);
    const ids = (await events(ledger)).map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('is not stored if nobody wants to know', async () => {
    const ledger = await told({ [PLUGIN]: ['grant.held'] }, {});
    await ledger.send(1, 'delivered');
    await ledger.addEvents([{ kind: 'health', at: NOON, facts: {}, key: 'disk' }]);
    expect(await events(ledger)).toEqual([]);
    expect([await ledger.isEventWanted('grant.held'), await ledger.isEventWanted('health')]).toEqual([
      true,
      false,
    ]);
  });

  test('includes neither copies of a vote nor imported votes nor votes that no window decided', async () => {
    const once: Cast = { event: 'e1', via: 'webhook' };
    const others: Cast[] = [
      { player: 'Alex', via: 'import' },
      { player: 'Robin', unrewarded: 'too-old' },
    ];
    const ledger = await told({ [PLUGIN]: EVENT_KINDS }, once, once, ...others);
    expect((await events(ledger)).map(({ subject }) => subject)).toEqual([1]);
  });

  test.each<[End, EventKind, string | null]>([
    ['delivered', 'grant.delivered', null],
    ['held', 'grant.held', 'closed'],
    ['refused', 'grant.held', 'refused'],
  ])('includes that a grant is %s, once', async (state, kind, reason) => {
    const ledger = await told({ [PLUGIN]: ['grant.delivered', 'grant.held'] }, {});
    await ledger.send(1, state, { endedAt: NOON + 40 });
    const found = await events(ledger);
    expect(found).toMatchObject([{ kind, at: NOON + 40, subject: 1, facts: { state, reason } }]);
    if (state !== 'held') return;
    await ledger.markPaid(1, { by: 'ann' }, NOON + 90);
    expect((await events(ledger)).map((one) => one.kind)).toEqual(['grant.held', 'grant.delivered']);
  });

  test('includes each party that is reached, with its number', async () => {
    const ledger = await told({ [PLUGIN]: ['party'] }, ...voters(3));
    expect(await events(ledger)).toMatchObject([
      { kind: 'party', at: NOON, subject: 3, facts: { party: 'all', number: 1, votes: 3 } },
    ]);
  });

  test('is stored once for each key', async () => {
    const ledger = await told();
    const began = { kind: 'health', at: NOON, facts: { alarm: 'disk-low' }, key: 'disk-low 1' } as const;
    await ledger.addEvents([began, { ...began, at: NOON + 1 }]);
    await ledger.addEvents([began]);
    expect(await events(ledger)).toMatchObject([{ kind: 'health', at: NOON, facts: { alarm: 'disk-low' } }]);
  });

  test('is read newest first, of some kinds', async () => {
    const ledger = await told({ [PLUGIN]: EVENT_KINDS }, {}, { at: NOON + HOUR }, { player: 'Alex' });
    const newest = async (kinds: readonly EventKind[], limit: number) =>
      (await ledger.latestEvents(kinds, limit)).map(({ id }) => id);
    expect([
      await newest(EVENT_KINDS, 2),
      await newest(['vote.rewarded'], 9),
      await newest(['party'], 9),
    ]).toEqual([[3, 2], [3, 1], []]);
  });
});

describe('refusals', () => {
  const refused = (code: string, service: string | null, count: number, sender = '192.0.2.1') => ({
    ...{ code, service, sender, count, lastAt: NOON + MINUTE },
  });

  test('are summed up once for each hour that is over, the most frequent cause first', async () => {
    const ledger = await told();
    await ledger.countRefusals([
      refused('bad-signature', 'List', 3),
      refused('not-a-vote', null, 40),
      refused('bad-signature', 'List', 2, '192.0.2.2'),
    ]);
    await ledger.summariseRefusals(NOON + HOUR);
    expect(await events(ledger)).toEqual([]);
    for (const minutes of [2, 3]) await ledger.summariseRefusals(NOON + HOUR + minutes * MINUTE);
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
    await ledger.countRefusals(Array.from({ length: 52 }, (_, n) => refused('no-site', `List ${n}`, 60 - n)));
    await ledger.summariseRefusals(NOON + 2 * HOUR);
    const [event] = await events(ledger);
    expect(event?.facts).toMatchObject({ total: 1_794, others: 19 });
    expect(event?.facts?.refusals).toHaveLength(50);
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
  async function claimed(ledger: LedgerOfTest, most = 9, now = NOON) {
    const free = [CHAT, PLUGIN].map((receiver) => ({ receiver, most }));
    return (await ledger.takePosts({ ended: [], free, now })).claimed;
  }
  const claim = async (...of: Parameters<typeof claimed>) =>
    (await claimed(...of)).map(
      ({ receiver, event, failures }) => `${receiver} ${event.id}, failed ${failures}`,
    );
  const end = (ledger: LedgerOfTest, ends: Readonly<Record<number, PostEnd>>, now = NOON) => {
    const ended = Object.entries(ends).map(
      ([event, one]): EndedPost => ({ receiver: PLUGIN, event: Number(event), end: one }),
    );
    return ledger.takePosts({ ended, free: [], now });
  };

  test('wait for each receiver that wants the kind, and are claimed once', async () => {
    const ledger = await told(
      { [PLUGIN]: ['vote.rewarded'], [CHAT]: ['vote.rewarded', 'party'] },
      ...voters(2),
    );
    expect(await ledger.nextPostAt()).toBe(0);
    expect(await claim(ledger, 1)).toEqual(['chat 1, failed 0', 'plugin 1, failed 0']);
    expect(await claim(ledger)).toEqual(['chat 2, failed 0', 'plugin 2, failed 0']);
    expect([await claim(ledger), await ledger.nextPostAt()]).toEqual([[], null]);
  });

  test('that have failed are due again at their time, with the number of failures', async () => {
    const ledger = await told({ [PLUGIN]: EVENT_KINDS }, {});
    await claim(ledger);
    const failed = {
      state: 'waiting',
      dueAt: NOON + 10_000,
      status: 503,
      reason: 'receiver-failed',
    } as const;
    expect((await end(ledger, { 1: failed })).nextDueAt).toBe(NOON + 10_000);
    expect(await claim(ledger, 9, NOON + 9_999)).toEqual([]);
    expect(await claim(ledger, 9, NOON + 10_000)).toEqual(['plugin 1, failed 1']);
  });

  test('that were cut off, or that a killed process was sending, are sent again and count no failure', async () => {
    const ledger = await told({ [PLUGIN]: EVENT_KINDS }, {});
    await claim(ledger);
    await end(ledger, { 1: { state: 'again', dueAt: 0, status: null, reason: 'cut-off' } });
    const [before] = await claimed(ledger);
    await ledger.resumePosts();
    const [after] = await claimed(ledger);
    expect([before, after]).toMatchObject(Array(2).fill({ failures: 0, event: { id: 1 } }));
    expect(after?.event).toEqual(before?.event);
  });

  test('are counted by how they ended; undelivered ones are sent again by order', async () => {
    const ledger = await told({ [PLUGIN]: EVENT_KINDS }, ...voters(3));
    await claim(ledger, 2);
    const ends = {
      1: { state: 'delivered', status: 204, reason: null },
      2: { state: 'undelivered', status: 404, reason: 'url-not-found' },
    } as const;
    await end(ledger, ends, NOON + 7);
    expect(await ledger.receiverStates()).toEqual([
      {
        ...{ receiver: PLUGIN, waiting: 1, undelivered: 1, delivered: 1, dropped: 0 },
        last: { at: NOON + 7, status: 404, reason: 'url-not-found' },
      },
    ]);
    expect(await ledger.resendEvents(NOON + 8)).toBe(1);
    expect((await claimed(ledger)).map(({ event }) => event.id)).toEqual([2, 3]);
  });

  test('of a receiver that is gone from the config are removed; those of others stay', async () => {
    const ledger = await told({ [PLUGIN]: EVENT_KINDS, [CHAT]: EVENT_KINDS }, {});
    await use(ledger, { [CHAT]: ['party'] });
    expect(await claim(ledger)).toEqual(['chat 1, failed 0']);
    await ledger.vote({ player: 'Alex' });
    expect(await claim(ledger)).toEqual([]);
    expect(await ledger.receiverStates()).toMatchObject([{ receiver: CHAT, waiting: 1 }]);
  });

  test('older than a week are removed with their events, and those that never arrived are counted', async () => {
    const ledger = await told({ [PLUGIN]: EVENT_KINDS }, ...voters(3));
    await claim(ledger, 1);
    await end(ledger, { 1: { state: 'delivered', status: 200, reason: null } });
    await ledger.removeOldEvents(NOON + 7 * DAY);
    expect(await events(ledger)).toHaveLength(3);
    expect(await ledger.removeOldEvents(NOON + 7 * DAY + 1)).toBe(false);
    // The newest one stays.
    expect((await events(ledger)).map(({ id }) => id)).toEqual([3]);
    expect(await ledger.receiverStates()).toMatchObject([{ waiting: 1, delivered: 0, dropped: 1 }]);
  });
});
