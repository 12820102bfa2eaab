import { describe, expect, test } from 'vitest';
import { NO_TERMS } from '../../../src/core/grant-terms.ts';
import { NO_OCCASION } from '../../../src/core/occasion.ts';
import type { PlayerName } from '../../../src/core/player-name.ts';
import type { GrantCounts, GrantRow, IdRange, Ledger, VoteRow } from '../../../src/ledger/ledger.ts';
import { ALL_WON } from '../../../src/rewards/draws.ts';
import type { Reward } from '../../../src/rewards/reward.ts';
import { record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { Seeded } from '../../support/seeded.ts';
import { arrival, at } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

const NOON = at('2026-06-01T12:00:00Z');
const HOUR = 3_600_000;
const MINUTE = 60_000;
const ALL = 10_000;

const named = (name: string, more: Partial<Reward> = {}): Reward => ({ ...THANKS, name, ...more });
const DELAY_MS = 10 * MINUTE;
const REWARDS = [
  named('plain'),
  named('online', { when: 'online' }),
  named('late', { terms: { ...NO_TERMS, delayMs: DELAY_MS } }),
  named('both', { servers: ['main', 'lobby'] }),
];

/** Delivers a grant by its only command, if it may be paid. */
async function deliver(ledger: Ledger, { id, player }: GrantRow, now: number): Promise<void> {
  const isClaimed = await ledger.claim({ grantId: id, position: 0, player, uuid: null, now });
  if (!isClaimed) return;
  const outcome = { kind: 'delivered', reply: '' } as const;
  const ended = { state: 'delivered', reason: null, dueAt: 0, endedAt: now } as const;
  await ledger.settle({ grantId: id, position: 0, outcome, ...ended });
}

async function refuse(ledger: Ledger, { id, player }: GrantRow, now: number): Promise<void> {
  await ledger.claim({ grantId: id, position: 0, player, uuid: null, now });
  const outcome = { kind: 'refused', reply: 'no' } as const;
  const reason = { code: 'refused', facts: { reply: 'no' } } as const;
  await ledger.settle({
    grantId: id,
    position: 0,
    outcome,
    state: 'refused',
    reason,
    dueAt: 0,
    endedAt: now,
  });
}

/** Something that happens to a grant some time after it was made. */
async function change(ledger: Ledger, grant: GrantRow, random: Seeded): Promise<void> {
  const now = grant.createdAt + random.below(2 * HOUR);
  switch (random.below(6)) {
    case 0:
      return;
    case 1:
      await ledger.cancel(grant.id, { by: 'ann' }, now);
      return;
    case 2:
      await ledger.wait({ id: grant.id, server: grant.server }, { code: 'player-offline' }, now);
      return;
    case 3:
      await refuse(ledger, grant, now);
      if (random.chance(0.5)) await ledger.markPaid(grant.id, { by: 'ann' }, now);
      return;
    default:
      return deliver(ledger, grant, now);
  }
}

/** Votes in random order of players and sites over two days, of which some take no window, with grants in every state. */
async function randomLedger(ledger: Ledger, seed: number): Promise<void> {
  const random = new Seeded(seed);
  let receivedAt = NOON;
  const arrivals = Array.from({ length: 120 }, () => {
    receivedAt += random.below(48 * MINUTE);
    const player = random.pick(['Steve', 'Alex', 'Herobrine']);
    const site = random.pick(['List', 'Other', 'default']);
    return arrival({ player, site, receivedAt, cooldownMs: 4 * HOUR });
  });
  await record(ledger, arrivals, rulesFor(...REWARDS));
  for (const grant of (await ledger.grants({ limit: ALL })).toReversed()) await change(ledger, grant, random);
  const unrewarded = await ledger.votes({ decision: 'cooldown', limit: 3 });
  const by = {
    site: 'List',
    cooldown: { kind: 'span', ms: HOUR },
    rules: rulesFor(THANKS),
    draws: ALL_WON,
  } as const;
  for (const { id } of unrewarded) await ledger.rewardVote(id, by, receivedAt);
  const given = { reward: THANKS, player: 'Notch' as PlayerName, occasion: NO_OCCASION, by: 'ann', ...by };
  await ledger.giveReward(given, receivedAt);
}

/** How many there are of each kind, as `[key, count]`, ordered by the key. */
function countsOf<Row>(rows: readonly Row[], keyOf: (row: Row) => string): [string, number][] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
}

const inOrder = (counts: readonly (readonly [string, number])[]) =>
  counts.filter(([, count]) => count > 0).toSorted(([one], [other]) => (one < other ? -1 : 1));

const isIn =
  ({ from, to }: IdRange) =>
  ({ id }: { readonly id: number }) =>
    id >= from && id <= to;

const siteAndDecision = ({ site, decision }: Pick<VoteRow, 'site' | 'decision'>) => `${site} ${decision}`;

const SEEDS = [1, 2, 3];

export function figuresContract(freshLedger: LedgerFactory): void {
  describe('of votes', () => {
    test.each(SEEDS)('the sums of any votes are those of the votes themselves (seed %i)', async (seed) => {
      const { ledger } = await freshLedger();
      await randomLedger(ledger, seed);
      const votes = await ledger.votes({ limit: ALL });
      for (const range of [
        { from: 1, to: 120 },
        { from: 17, to: 60 },
        { from: 9, to: 9 },
        { from: 9, to: 8 },
      ]) {
        const sums = await ledger.voteSums(range);
        const own = votes.filter(isIn(range));
        expect(inOrder(sums.map((sum) => [siteAndDecision(sum), sum.votes]))).toEqual(
          countsOf(own, siteAndDecision),
        );
      }
    });

    test('the first vote of a time is the first that was received then or later', async () => {
      const { ledger } = await freshLedger();
      expect(await ledger.firstVotes([0, NOON])).toEqual([1, 1]);
      const times = [0, 2, 2, 5].map((hours) => NOON + hours * HOUR);
      await record(
        ledger,
        times.map((receivedAt, n) => arrival({ player: `P${n}`, receivedAt })),
        rulesFor(THANKS),
      );
      const asked = [NOON - 1, NOON, NOON + 1, NOON + 2 * HOUR, NOON + 3 * HOUR, NOON + 6 * HOUR];
      expect(await ledger.firstVotes(asked)).toEqual([1, 1, 2, 2, 4, 5]);
      expect(await ledger.firstGrants(asked)).toEqual([1, 1, 2, 2, 4, 5]);
    });

    test('it is known when a sum is another one, because a vote was voided', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [arrival({ receivedAt: NOON })], rulesFor(THANKS));
      const before = await ledger.decisionChanges();
      await ledger.cancel(1, { by: 'ann' }, NOON);
      expect(await ledger.decisionChanges()).toBe(before);
      await ledger.voidVotes([1], { by: 'ann', reason: 'test' }, NOON);
      expect(await ledger.decisionChanges()).not.toBe(before);
    });
  });

  describe('of grants', () => {
    test.each(SEEDS)('the sums of any grants are those of the grants themselves (seed %i)', async (seed) => {
      const { ledger } = await freshLedger();
      await randomLedger(ledger, seed);
      const grants = await ledger.grants({ limit: ALL });
      const last = grants.length;
      for (const range of [
        { from: 1, to: last },
        { from: 31, to: 200 },
        { from: 7, to: 7 },
        { from: 8, to: 7 },
      ]) {
        const own = grants.filter(isIn(range));
        const sums = await ledger.rewardSums(range);
        expect(inOrder(sums.map(({ reward, grants }) => [reward, grants]))).toEqual(
          countsOf(own, ({ reward }) => reward),
        );
        const delivered = own.filter(({ state }) => state === 'delivered');
        expect(inOrder(sums.map((sum) => [sum.reward, sum.delivered]))).toEqual(
          countsOf(delivered, ({ reward }) => reward),
        );
      }
      expect(inOrder(Object.entries(await ledger.grantStates()))).toEqual(
        countsOf(grants, ({ state }) => state),
      );
    });
  });

  test('those with the most votes are found, in order, under the name of their latest vote', async () => {
    const { ledger } = await freshLedger();
    const votes = ['steve', 'Alex', 'Notch', 'Alex', 'STEVE', 'Alex'].map((player, n) =>
      arrival({ player, receivedAt: NOON + n * 24 * HOUR }),
    );
    await record(ledger, votes, rulesFor());
    const totals = [
      { recipientId: 2, kind: 'player', name: 'Alex', votes: 3 },
      { recipientId: 1, kind: 'player', name: 'STEVE', votes: 2 },
      { recipientId: 3, kind: 'player', name: 'Notch', votes: 1 },
    ];
    expect(await ledger.totals(0, 9)).toEqual({ totals, upTo: null });
    expect(await ledger.totals(0, 2)).toEqual({ totals: totals.slice(0, 2), upTo: null });
    expect(await ledger.totals(2, 9)).toEqual({ totals: totals.slice(2), upTo: null });
  });

  test('the size has the votes, the grants by state, and the bytes of the file', async () => {
    const { ledger } = await freshLedger();
    const empty = await ledger.size();
    expect(empty).toMatchObject({ votes: 0, grants: {} satisfies GrantCounts });
    await randomLedger(ledger, 1);
    const { votes, grants, bytes, freeBytes } = await ledger.size();
    expect(votes).toBe(120);
    expect(grants).toEqual(await ledger.grantStates());
    expect(bytes).toBeGreaterThan(empty.bytes);
    expect(bytes % 4096).toBe(0);
    expect(freeBytes).toBeLessThan(bytes);
  });

  test('the grants that are not done are counted by game server and state, up to a limit', async () => {
    const { ledger } = await freshLedger();
    await randomLedger(ledger, 4);
    const grants = await ledger.grants({ limit: ALL });
    const open = ['pending', 'waiting', 'held', 'refused'] as const;
    const counted = (most: number) =>
      ['main', 'lobby'].map((server) => ({
        server,
        ...Object.fromEntries(
          open.map((state) => [
            state,
            Math.min(most, grants.filter((each) => each.server === server && each.state === state).length),
          ]),
        ),
      }));
    const lengths = await ledger.queueLengths(ALL);
    expect(lengths).toHaveLength(2);
    expect(lengths).toEqual(expect.arrayContaining(counted(ALL)));
    expect(lengths.every(({ pending, waiting, refused }) => pending * waiting * refused > 0)).toBe(true);
    expect(await ledger.queueLengths(1)).toContainEqual({
      server: 'main',
      pending: 1,
      waiting: 1,
      held: 0,
      refused: 1,
    });
  });

  test('the revision changes with each change, and stays otherwise', async () => {
    const { ledger } = await freshLedger();
    const before = await ledger.revision();
    await ledger.votes({ limit: 9 });
    await ledger.size();
    expect(await ledger.revision()).toBe(before);
    await record(ledger, [arrival()], rulesFor(THANKS));
    const recorded = await ledger.revision();
    expect(recorded).not.toBe(before);
    expect(await ledger.revision()).toBe(recorded);
    await ledger.cancel(1, { by: 'ann' }, NOON);
    expect(await ledger.revision()).not.toBe(recorded);
  });
}
