import { describe, expect, test } from 'vitest';
import type { PlayerName } from '../../src/core/player-name.ts';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import type { FixedPortion, PartyOrder } from '../../src/ledger/ledger.ts';
import type { Party } from '../../src/rewards/reward.ts';
import { type FreshLedger, freshLedger, record } from '../support/ledgers.ts';
import { fixWhole, party, rulesWith } from '../support/parties.ts';
import { arrival, at } from '../support/votes.ts';

const NOON = at('2026-06-01T12:00:00Z');
const PORTION = 500;
const MANY = 2 * PORTION + 201;
const PLAYERS = Array.from({ length: MANY }, (_, index) => `P${index}`);
const ALL = party('all', { every: MANY });

async function vote(
  { ledger }: FreshLedger,
  one: Party,
  players: readonly string[],
  site = 'List',
): Promise<void> {
  await record(
    ledger,
    players.map((player) => arrival({ player, site, claim: null, receivedAt: NOON })),
    rulesWith(one),
  );
}

const orderOf = (one: Party, id: number, more: Partial<PartyOrder> = {}): PartyOrder => ({
  ...{ id, party: one, present: null, rules: rulesWith(one) },
  draws: { kind: 'drawn', seed: 0.5 },
  ...more,
});

/** A party that was reached, with its ID. */
async function reached(one: Party, ...rounds: readonly (readonly string[])[]) {
  const fresh = freshLedger();
  for (const [round, players] of rounds.entries()) await vote(fresh, one, players, `List ${round}`);
  const [{ id } = { id: 0 }] = await fresh.ledger.reachedParties();
  const fix = (after: number, more: Partial<PartyOrder> = {}): Promise<FixedPortion> =>
    fresh.ledger.fixParty(orderOf(one, id, more), after, NOON);
  /** The portions from one on. @returns how many grants each created. */
  const fixFrom = async (from: number | null): Promise<number[]> => {
    const created: number[] = [];
    for (let after = from; after !== null; ) {
      const { grants, next } = await fix(after);
      created.push(grants);
      after = next;
    }
    return created;
  };
  return { ...fresh, id, fix, fixFrom };
}

const paid = async ({ ledger }: Pick<FreshLedger, 'ledger'>) =>
  (await ledger.grants({ limit: 9_999 })).map(({ player }) => player).toReversed();

describe('a party of many voters', () => {
  test('is stored in portions of at most 500 votes, and pays each voter once, in the order of their first votes', async () => {
    const one = await reached(ALL, PLAYERS);
    expect(await fixWhole(one.ledger, orderOf(ALL, one.id), NOON)).toEqual([PORTION, PORTION, 201]);
    expect(await paid(one)).toEqual(PLAYERS);
    expect(await one.ledger.reachedParties()).toEqual([]);
    expect(await one.fix(0)).toEqual({ grants: 0, next: null });
  });

  test('reads at most 500 votes in each portion if most of its voters lack votes', async () => {
    const twice = party('all', { every: MANY + 1, userVotes: 2 });
    const one = await reached(twice, PLAYERS, ['P7']);
    expect(await fixWhole(one.ledger, orderOf(twice, one.id), NOON)).toEqual([1, 0, 0]);
    expect(await paid(one)).toEqual(['P7']);
  });

  test('pays a voter with votes in several portions once, as their latest vote spells the name', async () => {
    const spelled = PLAYERS.map((player) => player.toLowerCase());
    const all = party('all', { every: 2 * MANY });
    const one = await reached(all, PLAYERS, spelled);
    await fixWhole(one.ledger, orderOf(all, one.id), NOON);
    expect(await paid(one)).toEqual(spelled);
  });

  test('goes on where it was if another process begins with the first vote again', async () => {
    const one = await reached(ALL, PLAYERS);
    expect(await one.fix(0)).toMatchObject({ grants: PORTION });
    const another = freshLedger(one.file);
    expect(await another.ledger.reachedParties()).toMatchObject([{ id: one.id, isBegun: true }]);
    expect(await fixWhole(another.ledger, orderOf(ALL, one.id), NOON)).toEqual([0, PORTION, 201]);
    expect(await paid(one)).toEqual(PLAYERS);
  });
});

describe('between two portions of a party', () => {
  test('a vote counts for the next one, and its player is paid once for this one', async () => {
    const one = await reached(ALL, PLAYERS);
    const { next } = await one.fix(0);
    await vote(freshLedger(one.file), ALL, ['P0', 'P900', 'Late'], 'Other');
    expect(await one.fixFrom(next)).toEqual([PORTION, 201]);
    expect(await paid(one)).toEqual(PLAYERS);
    expect(await one.ledger.partyProgress()).toMatchObject([{ number: 2, counted: 3 }]);
    expect((await wrongCountsOf(one.ledger)).parties).toEqual([]);
  });

  test('a reload changes nothing, and the voters follow whoever it is for by then', async () => {
    const one = await reached(ALL, PLAYERS);
    const { next } = await one.fix(0);
    const online = { ...ALL, for: 'online' } as const;
    await one.ledger.useConfig({ rewards: [online], today: Math.floor(NOON / 86_400_000) });
    const present = [{ player: 'Robin' as PlayerName, server: 'main' }];
    const second = await one.fix(next ?? 0, { party: online, present });
    expect(await one.fix(second.next ?? 0, { party: { ...ALL, for: 'once' } })).toEqual({
      grants: 201,
      next: null,
    });
    expect(await paid(one)).toEqual(PLAYERS);
  });

  test('names that are joined are paid as one player', async () => {
    const one = await reached(ALL, PLAYERS);
    const { next } = await one.fix(0);
    const order = { name: 'P900' as PlayerName, into: 'P3' as PlayerName, by: 'ann', rules: rulesWith(ALL) };
    expect(await one.ledger.mergePlayers(order, NOON)).toMatchObject({ kind: 'changed' });
    await one.fixFrom(next);
    expect(await paid(one)).toEqual(PLAYERS.filter((player) => player !== 'P900'));
  });

  test('a random number stays what it was', async () => {
    const random = party('all', { every: MANY, commands: ['give {player} cake {random 1..1000000}'] });
    const one = await reached(random, PLAYERS);
    const { next } = await one.fix(0);
    const draws = { kind: 'drawn', seed: 0.1 } as const;
    const second = await one.fix(next ?? 0, { draws });
    await one.fix(second.next ?? 0, { draws });
    const commands = (await one.ledger.grants({ limit: 9_999 })).flatMap((grant) => grant.commands);
    const numbers = commands.map(({ command }) => command.split(' ').at(-1));
    expect(numbers).toHaveLength(MANY);
    expect(new Set(numbers).size).toBe(1);
  });

  test('its grants are found by their time', async () => {
    const one = await reached(ALL, PLAYERS);
    await one.fix(0);
    expect(await one.ledger.grants({ since: NOON - 60_000, limit: 9_999 })).toHaveLength(PORTION);
  });
});
